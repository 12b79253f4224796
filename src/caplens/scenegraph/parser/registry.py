"""The parser that reads captions: caplens' own by default, or one that the user plugs in.

A parser is any object with ``parse(captions)``: it gets captions as lists of words and returns the sentences of each
(`caplens.scenegraph.parse.Parser`). It is named in the metric, ``spice(parser=NAME)``, where NAME is

- ``caplens``: caplens' own parser;
- a name that `register_parser` gave to an object, or that an installed package gives to one (entry points of the group
  ``caplens.parsers``);
- ``module:attribute``: an object that Python can import, so that it works on the command line too. Importing a module
  runs its code, so this needs ``--allow-code`` (in Python: ``allow_code=True``).

A spaCy pipeline, for example, becomes a parser in these lines. Its labels have to be those of Universal Dependencies,
version 1 (``dobj``, ``nmod`` with the preposition as its ``case``), which spaCy's own English models do not use::

    from caplens import Sentence, register_parser
    from spacy.tokens import Doc

    class SpacyParser:
        signature = "my pipeline 1.0"  # what it is, for signatures and the cache; leave it out if it changes

        def __init__(self, pipeline):
            self.pipeline = pipeline

        def parse(self, captions):
            texts = [Doc(self.pipeline.vocab, words=list(words)) for words in captions]
            return [tuple(map(self.sentence, parsed.sents)) for parsed in self.pipeline.pipe(texts)]

        def sentence(self, found):
            return Sentence(
                words=tuple(word.text for word in found),
                tags=tuple(word.tag_ for word in found),
                lemmas=tuple(word.lemma_ for word in found),
                heads=tuple(0 if word.head.i == word.i else word.head.i - found.start + 1 for word in found),
                labels=tuple(word.dep_.lower() for word in found),
            )

    register_parser("spacy", SpacyParser(pipeline))
    caplens.score(candidates, references, metrics="spice(parser=spacy)")
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from caplens.errors import InputError, MissingDataError, UsageError
from caplens.files.checks import DamagedFileError
from caplens.files.plugins import imported, installed, loaded, names_code
from caplens.files.telling import said
from caplens.scenegraph.parse import Parse, Parser, Sentence

OWN = "caplens"
GROUP = "caplens.parsers"
"""The group of entry points in which other packages offer parsers: ``name = "module:attribute"``."""

_registered: dict[str, PluggedParser] = {}


class PluggedParser:
    """A parser of the user's: called by one thread at a time, and its answers are checked.

    Attributes
    ----------
    signature : str or None
        What the parser says that it is; without one its parses are not kept on disk.
    """

    def __init__(self, name: str, parser: Parser) -> None:
        self.name = name
        self.signature: str | None = getattr(parser, "signature", None)
        self.known_share = getattr(parser, "known_share", None)
        self._parser = parser
        self._lock = threading.Lock()

    def parse(self, captions: Sequence[Sequence[str]]) -> list[Parse]:
        """Return what the parser says of each caption."""
        with self._lock:
            found = self._parser.parse(captions)
            if not isinstance(found, Iterable):
                raise InputError(f"The parser {self.name!r} must return a list of parses, but it returned {found!r}.")
            # A generator works only now.
            parses = list(found)
        if len(parses) != len(captions):
            raise InputError(f"The parser {self.name!r} returned {len(parses):,} parses of {len(captions):,} captions.")
        for words, parse in zip(captions, parses, strict=True):
            if not isinstance(parse, tuple) or not all(isinstance(each, Sentence) for each in parse):
                raise InputError(
                    f"The parser {self.name!r} must return a tuple of caplens.Sentence for each caption, but for "
                    f"{' '.join(words)!r} it returned {parse!r}."
                )
        return parses


def register_parser(name: str, parser: Parser) -> None:
    """Register a parser under a name, for ``spice(parser=NAME)``; registering a name again replaces the parser.

    Parameters
    ----------
    name : str
        Any name except ``caplens``, without a colon.
    parser : Parser
        An object with ``parse(captions)``, see `caplens.scenegraph.parse.Parser`. If it has a ``signature`` (a string
        that changes whenever its parses would), score signatures include it and its parses can be kept on disk.
        It is called by one thread at a time.

    Examples
    --------
    >>> from caplens.scenegraph.parse import Sentence
    >>> class Telegram:
    ...     signature = "telegram 1"
    ...     def parse(self, captions):
    ...         return [(Sentence(tuple(c), ("NN",) * len(c), tuple(c), (0,) + (1,) * (len(c) - 1),
    ...                           ("root",) + ("dep",) * (len(c) - 1)),) for c in captions]
    >>> register_parser("telegram", Telegram())
    >>> get_parser("telegram").parse([["cat", "mat"]])[0][0].tags
    ('NN', 'NN')
    """
    if not isinstance(name, str) or not name.strip() or name == OWN or ":" in name:
        raise UsageError(f"A parser cannot be named {name!r}: choose another name, without a colon.")
    _check(repr(parser), parser)
    _registered[name] = PluggedParser(name, parser)


def get_parser(name: str) -> Parser:
    """Return the parser of a name: ``caplens``, one that was registered, or one that `load_parser` imported.

    Raises
    ------
    UsageError
        If there is none of the name.
    MissingDataError
        If the data of caplens' own parser is damaged.

    Examples
    --------
    >>> get_parser("stanford")
    Traceback (most recent call last):
    ...
    caplens.errors.UsageError: There is no parser 'stanford'; use 'caplens', register_parser('stanford', ...) or, ...
    """
    if name == OWN:
        from caplens.scenegraph.parser import caption_parser as student

        try:
            return student.load()
        except (OSError, DamagedFileError) as error:
            raise MissingDataError(f"its parser is damaged ({error}): pip install --force-reinstall caplens") from error
    if name not in _registered and name in (offered := installed(GROUP)):
        _plug_in(name, loaded(offered[name], "parser"))
    if name not in _registered and names_code(name):
        raise UsageError(
            f"The parser {name!r} was not loaded in this process: specify it where the metric is requested, with "
            "--allow-code (in Python: allow_code=True), or register it."
        )
    if name not in _registered:
        close = get_close_matches(name, [OWN, *_registered], n=1)
        allowed = said("--allow-code", "allow_code=True")
        others = f"use {OWN!r}, register_parser({name!r}, ...) or, with {allowed}, module:attribute."
        raise UsageError(f"There is no parser {name!r}; {f'did you mean {close[0]!r}?' if close else others}")
    return _registered[name]


def parser_names() -> list[str]:
    """Return the names of all parsers: caplens' own, those that were registered, those of installed packages."""
    return list(dict.fromkeys([OWN, *_registered, *installed(GROUP)]))


def load_parser(name: str) -> None:
    """Import the parser that ``module:attribute`` names, so that `get_parser` finds it; the user has allowed it."""
    if not names_code(name):
        raise UsageError(f"The parser {name!r} cannot be imported: write it as module:attribute.")
    if name not in _registered:
        _plug_in(name, imported(name, "parser"))


def _plug_in(name: str, parser: Parser) -> None:
    _check(repr(name), parser)
    _registered[name] = PluggedParser(name, parser)


def _check(what: str, parser: object) -> None:
    if isinstance(parser, type):
        raise UsageError(f"The parser {what} is a class: pass an instance of it.")
    if not callable(getattr(parser, "parse", None)):
        raise UsageError(f"The parser {what} has no method parse(captions).")
    signature = getattr(parser, "signature", None)
    if signature is not None and not isinstance(signature, str):
        raise UsageError(f"The parser {what} has the signature {signature!r}, which must be a string.")
