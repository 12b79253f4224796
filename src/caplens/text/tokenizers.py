"""The tokenizers, by name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from caplens.errors import InputError, MissingDataError, UsageError
from caplens.files.plugins import installed, loaded

_ASCII_WORD = re.compile(r"\w+(?:['\-]\w+)*")
_CHARACTER = re.compile(r"\S")


@dataclass(frozen=True)
class Tokenizer:
    """A way to cut a caption into words.

    Attributes
    ----------
    name : str
        The name in ``--tokenizer`` and in signatures.
    tokenize : callable
        ``str -> list[str]``.
    special_words : callable, optional
        Given where white-space-delimited chunks may depend on their neighbours (PTB): returns the words of letters only
        that the rules treat specially, and those for which a period behind them makes a difference. Without it, every
        chunk is tokenised independently.
    segmenter : str, optional
        The segmenter of `caplens.text.segmenters` that finds the words.
    """

    name: str
    tokenize: Callable[[str], list[str]]
    special_words: Callable[[], tuple[frozenset[str], frozenset[str]]] | None = None
    segmenter: str | None = None

    def facts(self) -> dict[str, str]:
        """Return what signatures say about it: the versions of the library that finds the words, and its dictionary."""
        if self.segmenter is None:
            return {}
        from caplens.text.segmenters import SEGMENTERS

        return SEGMENTERS[self.segmenter].facts()

    @property
    def missing(self) -> str | None:
        """What is not installed and the command that installs it; None when it is ready."""
        if self.segmenter is None:
            return None
        from caplens.text.segmenters import SEGMENTERS

        return SEGMENTERS[self.segmenter].missing


def split_words(text: str) -> list[str]:
    """Cut at white space and change nothing: for captions that are tokens already."""
    return text.split()


def split_ascii_spaces(text: str) -> list[str]:
    """Cut at white space of ASCII only, as Java does: no-break and ideographic spaces stay inside words.

    Examples
    --------
    >>> split_ascii_spaces("a\u3000b  c")
    ['a\u3000b', 'c']
    """
    return [word.decode("utf-8") for word in text.encode("utf-8").split()]


def split_single_spaces(text: str) -> list[str]:
    """Cut at each single space, empty words included, as the reference tool's ROUGE-L does."""
    return text.split(" ")


def international_words(text: str) -> list[str]:
    r"""Cut into lower-cased Unicode words and drop punctuation.

    Combining marks (vowel signs, accents) belong to the letter before them. An accent is the same in whichever of the
    two ways that Unicode has it is written: words are returned in the composed form (NFC).

    Examples
    --------
    >>> international_words("Ein Mann fährt Wellenreiten, n'est-ce pas?")
    ['ein', 'mann', 'fährt', 'wellenreiten', "n'est-ce", 'pas']
    >>> international_words("एक आदमी"), international_words("Cafe\u0301") == international_words("café")
    (['एक', 'आदमी'], True)
    """
    text = text.lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _unicode_word().findall(unicodedata.normalize("NFC", text))


@cache
def _unicode_word() -> re.Pattern[str]:
    """Return the pattern of a word: letters, digits and their marks, with apostrophes and hyphens between them."""
    # `\w` has no marks. All of them are in the first two planes, except 240 selectors of glyph variants; the two
    # joiners (U+200C, U+200D) shape letters inside Persian and Indic words.
    marks = (chr(code) for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M"))
    run = rf"\w(?:[\w{''.join(marks)}\U000e0100-\U000e01ef]|[\u200c\u200d](?=\w))*"
    return re.compile(rf"{run}(?:['’\-]{run})*")


def characters(text: str) -> list[str]:
    """Cut into single lower-cased characters, white space dropped: for Chinese, Japanese and the like.

    Examples
    --------
    >>> characters("一个 男人")
    ['一', '个', '男', '人']
    """
    return _CHARACTER.findall(text.lower())


def _ptb_words(text: str) -> list[str]:
    from caplens.text.ptb import tokenize

    return tokenize(text)


def _ptb_special_words() -> tuple[frozenset[str], frozenset[str]]:
    from caplens.text._ptb_rules import ABBREVIATIONS, DOUBLE_WORDS

    return DOUBLE_WORDS, ABBREVIATIONS


def _characters_without_punctuation(text: str) -> list[str]:
    from caplens.text.segmenters import character_words

    return character_words(text)


@dataclass(frozen=True)
class _Segmented:
    """The words of a segmenter, which is imported when the first caption is cut; unlike a closure it can be pickled."""

    segmenter: str

    def __call__(self, text: str) -> list[str]:
        from caplens.text.segmenters import SEGMENTERS

        return SEGMENTERS[self.segmenter].words(text)


_TOKENIZERS = {
    tokenizer.name: tokenizer
    for tokenizer in (
        Tokenizer("ptb", _ptb_words, _ptb_special_words),
        Tokenizer("none", split_words),
        Tokenizer("intl", international_words),
        Tokenizer("char", characters),
        Tokenizer("zh-char", _characters_without_punctuation),
        *(Tokenizer(language, _Segmented(language), segmenter=language) for language in ("zh", "ja", "ko", "th")),
    )
}
NAMES = tuple(_TOKENIZERS)
GROUP = "caplens.tokenizers"
"""The group of entry points in which other packages offer tokenizers: ``name = "module:function"``."""

_NAME = re.compile(r"[a-z][a-z0-9_\-]*")
_registered: dict[str, Tokenizer] = {}


def register_tokenizer(name: str, tokenize: Callable[[str], list[str]]) -> None:
    """Register a tokenizer, for use as ``tokenizer=NAME`` anywhere in this process.

    Parameters
    ----------
    name : str
        Name in lower case. Registering a name again replaces the function; the names of built-in tokenizers cannot be
        used.
    tokenize : callable
        Function that takes a piece of a caption without white space and returns a list of words, possibly empty. It
        must be deterministic, because its results are cached.

    Examples
    --------
    >>> register_tokenizer("hyphens", lambda piece: piece.lower().split("-"))
    >>> get_tokenizer("hyphens").tokenize("Black-and-white")
    ['black', 'and', 'white']
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in _TOKENIZERS:
        raise UsageError(
            f"A tokenizer cannot be named {name!r}: choose another name, made of lower-case letters, digits, - and _."
        )
    _registered[name] = _plugged(name, tokenize)


def get_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called ``name``: caplens' own, one that was registered, or one of an installed package."""
    if name in _TOKENIZERS:
        found = _TOKENIZERS[name]
        if found.missing is not None:
            raise MissingDataError(f"{found.missing[0].upper()}{found.missing[1:]}")
        return found
    if name not in _registered:
        offered = installed(GROUP)
        if name not in offered:
            known = dict.fromkeys([*NAMES, *_registered, *offered])
            raise UsageError(f"There is no tokenizer {name!r}; choose one of {', '.join(known)}.")
        _registered[name] = _plugged(name, loaded(offered[name], "tokenizer"))
    return _registered[name]


def _plugged(name: str, tokenize: object) -> Tokenizer:
    if not callable(tokenize):
        raise UsageError(f"The tokenizer {name!r} must be a function from text to a list of words.")

    def checked(text: str) -> list[str]:
        # The whole caption, for explanations and probes, as the piece that metrics see: cut at white space first.
        words = [word for piece in text.split() for word in tokenize(piece)]
        if not all(isinstance(word, str) and word.strip() for word in words):
            raise InputError(
                f"The tokenizer {name!r} must return a list of words, but for {text!r} it returned {words!r}."
            )
        return words

    return Tokenizer(name, checked)
