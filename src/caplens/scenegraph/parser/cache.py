"""Parses that are kept on the disk, so that a caption is parsed once in many runs."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Sequence
from operator import methodcaller
from pathlib import Path

import msgspec

from caplens._version import __version__
from caplens.errors import InputError, Notice
from caplens.files.store import Limits, Store
from caplens.scenegraph.parse import Parse, Parser, Sentence

FILE = "parses.sqlite"
"""The name of the file in the folder that the user names."""

MAX_BYTES, MAX_DAYS = "CAPLENS_PARSES_MAX_BYTES", "CAPLENS_PARSES_MAX_DAYS"
"""The environment variables that set other limits; 0 stands for none."""

LIMITS = Limits(size=1_000_000_000, days=180)

_Strings = tuple[str, ...]
# The heads that a plugged-in parser took from an array are numbers of numpy, which say by `item` what they are.
_encode = msgspec.msgpack.Encoder(enc_hook=methodcaller("item")).encode
# A sentence as its five columns in the order of `Sentence`.
_decode = msgspec.msgpack.Decoder(list[tuple[_Strings, _Strings, _Strings, tuple[int, ...], _Strings]]).decode


class CachedParser:
    """A parser that looks in a folder first and leaves there what it had to parse.

    A parse is found again by the words of its caption, the signature of the parser and the version of caplens, so that
    parses by other weights are never used. What is damaged counts as absent; a folder that cannot be written to costs
    time, never a result.

    Parameters
    ----------
    parser : Parser
        Parses what is new.
    signature : str
        Names the parser and everything that its parses depend on, such as a hash of its weights.
    directory : path
        The folder, made when there is something to keep.

    Examples
    --------
    >>> import tempfile
    >>> class Telegram:
    ...     def parse(self, captions):
    ...         print("parsing", captions)
    ...         return [(Sentence(tuple(c), ("NN",), tuple(c), (0,), ("root",)),) for c in captions]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = CachedParser(Telegram(), "telegram-1", folder).parse([["cat"], ["dog"], ["cat"]])
    ...     second = CachedParser(Telegram(), "telegram-1", folder).parse([["dog"], ["cow"]])
    parsing [['cat'], ['dog']]
    parsing [['cow']]
    >>> first[1] == second[0]
    True
    """

    def __init__(self, parser: Parser, signature: str, directory: str | os.PathLike[str]) -> None:
        self.signature = signature
        self._parser = parser
        self._store = parse_store(directory)
        self._takes_jobs = "jobs" in inspect.signature(parser.parse).parameters
        self._keyed = hashlib.blake2b(_encode((signature, __version__)), digest_size=16)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What went wrong with the folder so far."""
        return self._store.notices

    def parse(self, captions: Sequence[Sequence[str]], jobs: int = 1) -> list[Parse]:
        """Return the sentences of each caption, given as its PTB tokens.

        ``jobs`` are the threads for what is new, if the parser takes that argument.
        """
        keys = [self._key(caption) for caption in captions]
        known = self._known(keys)
        new = {key: caption for key, caption in zip(keys, captions, strict=True) if key not in known}
        if new:
            parses = self._parse_new(list(new.values()), jobs)
            known.update(zip(new, parses, strict=True))
            self._store.put({key: encode_parse(parse) for key, parse in zip(new, parses, strict=True)})
        return [known[key] for key in keys]

    def _key(self, caption: Sequence[str]) -> bytes:
        keyed = self._keyed.copy()
        # Not joined by spaces: a word may contain one.
        keyed.update(_encode(list(caption)))
        return keyed.digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Parse]:
        known = {}
        for key, value in self._store.get(list(dict.fromkeys(keys))).items():
            parse = decode_parse(value)
            if parse is not None:
                known[key] = parse
        return known

    def _parse_new(self, captions: list[Sequence[str]], jobs: int) -> list[Parse]:
        options = {"jobs": jobs} if self._takes_jobs else {}
        parses = self._parser.parse(captions, **options)
        if len(parses) != len(captions):
            raise InputError(f"The parser {self.signature} returned {len(parses)} parses for {len(captions)} captions.")
        return parses


def parse_store(directory: str | os.PathLike[str]) -> Store:
    """Return the file of parses in a folder: 1 GB of the newest at most, none older than 180 days.

    Examples
    --------
    >>> parse_store("parses").limits
    Limits(size=1000000000, days=180)
    """
    return Store(Path(directory) / FILE, Limits.from_environment(MAX_BYTES, MAX_DAYS, LIMITS))


def encode_parse(parse: Parse) -> bytes:
    """Return a parse as bytes.

    Examples
    --------
    >>> decode_parse(encode_parse((Sentence(("run",), ("VB",), ("run",), (0,), ("root",)),)))[0].tags
    ('VB',)
    """
    return _encode([(part.words, part.tags, part.lemmas, part.heads, part.labels) for part in parse])


def decode_parse(value: bytes) -> Parse | None:
    """Return the parse that bytes stand for, None if they stand for none."""
    try:
        return tuple([Sentence(*columns) for columns in _decode(value)])
    except (msgspec.DecodeError, UnicodeDecodeError, InputError):
        return None
