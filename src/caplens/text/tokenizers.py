"""The tokenizers, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from caplens.errors import UsageError

# A run of word characters with the marks that Unicode puts inside words; anything else that is not white space alone.
_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
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
    """

    name: str
    tokenize: Callable[[str], list[str]]
    special_words: Callable[[], tuple[frozenset[str], frozenset[str]]] | None = None


def split_words(text: str) -> list[str]:
    """Cut at white space and change nothing: for captions that are tokens already."""
    return text.split()


def split_single_spaces(text: str) -> list[str]:
    """Cut at each single space, empty words included, as the reference tool's ROUGE-L does."""
    return text.split(" ")


def international_words(text: str) -> list[str]:
    """Cut into lower-cased Unicode words and drop punctuation.

    Examples
    --------
    >>> international_words("Ein Mann fährt Wellenreiten, n'est-ce pas?")
    ['ein', 'mann', 'fährt', 'wellenreiten', "n'est-ce", 'pas']
    """
    return [word for word in _WORD.findall(text.lower()) if word[0].isalnum() or word[0] == "_"]


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


_TOKENIZERS = {
    tokenizer.name: tokenizer
    for tokenizer in (
        Tokenizer("ptb", _ptb_words, _ptb_special_words),
        Tokenizer("none", split_words),
        Tokenizer("intl", international_words),
        Tokenizer("char", characters),
    )
}
NAMES = tuple(_TOKENIZERS)


@cache
def get_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called ``name``."""
    if name not in _TOKENIZERS:
        raise UsageError(f"There is no tokenizer {name!r}; choose one of {', '.join(NAMES)}.")
    return _TOKENIZERS[name]
