"""METEOR's own normaliser: what ``-norm`` does to a caption before words are compared.

The rules, and the characters they take for letters and white space, were found by probing METEOR 1.5 as a black box
(every assigned character, and some hundred thousand random strings, see tests/text/meteor); they are applied one after
the other, each from left to right without overlaps, so the order and what a rule consumes matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

# Latin with its accents up to z-caron, Cyrillic, phonetic extensions. Everything else that is no digit, white space or
# one of . ' ` , - and the curly single quotes stands alone, Chinese characters too.
_LETTERS = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"
_SPACES = " \t\n\x0b\x0c\r"
# They stand alone like other characters, so that they come between a dot and the next word, and vanish at the end.
_WIDE_SPACES = frozenset("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")

Apostrophe = Literal["right", "left", "alone"]
"""Where the apostrophe between two letters goes: ``don 't`` (English), ``l' homme`` (French), ``geht ' s`` (others)."""


class _Rule(NamedTuple):
    """What a text must hold for the pattern to match, the pattern, and what is put in its place."""

    needs: str
    pattern: re.Pattern[str]
    replacement: str


def _rule(needs: str, pattern: str, replacement: str) -> _Rule:
    return _Rule(needs, re.compile(pattern), replacement)


_RULES = (
    _rule("", rf"([^{_LETTERS}0-9{_SPACES}.'`,\-‘’])", r" \1 "),
    _rule("..", r"(\.\.+)", r" \1 "),
    _rule(",", r"([^0-9]),([^0-9])", r"\1 , \2"),
    _rule(",", r"([0-9]),([^0-9])", r"\1 , \2"),
    _rule(",", r"([^0-9]),([0-9])", r"\1 , \2"),
    _rule("", r"[`‘’]", "'"),
    _rule("''", r"''", ' " '),
    _rule("", r"[“”]", '"'),
    _rule("–", r"–", "-"),
    _rule("--", r"--", "-"),
    _rule("-", rf"([{_LETTERS}0-9.])-([{_LETTERS}0-9])", r"\1 \2"),
    _rule("'", rf"([^{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
    _rule("'", rf"([^{_LETTERS}0-9])'([{_LETTERS}])", r"\1 ' \2"),
    _rule("'", rf"([{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
)
_LAST_RULES: dict[Apostrophe, tuple[_Rule, ...]] = {
    "right": (
        _rule("'", rf"([{_LETTERS}])'([{_LETTERS}])", r"\1 '\2"),
        _rule("'", r"([0-9])'s", r"\1 's"),
    ),
    "left": (_rule("'", rf"([{_LETTERS}])'([{_LETTERS}])", r"\1' \2"),),
    "alone": (_rule("'", rf"([{_LETTERS}])'([{_LETTERS}])", r"\1 ' \2"),),
}
_SPACE_RUN = re.compile(r"[ \t\n\x0c\r]+")
_HAS_LETTER = re.compile(rf"[{_LETTERS}]")
_LOWER_CASE = re.compile(r"[a-z]")
_DIGIT = re.compile(r"[0-9]")
_LOOKS_FURTHER = (".", ",", "'", "`", "‘", "’")


class Normalizer:
    """METEOR's normaliser with its list of abbreviations.

    Parameters
    ----------
    prefixes : collection of str
        Words that keep a dot at their end.
    numeric_prefixes : collection of str
        Words that keep it before a number.
    apostrophe : {"right", "left", "alone"}
        To which of two letters the apostrophe between them goes.

    Examples
    --------
    >>> normalizer = Normalizer({"Mr"}, {"No"})
    >>> normalizer.words("Mr. Smith can't see the T-shirt, size 3.5, of the U.S. team.")
    ['mr.', 'smith', 'can', "'t", 'see', 'the', 't', 'shirt', ',', 'size', '3.5', ',', 'of', 'the', 'us', 'team', '.']
    """

    def __init__(
        self, prefixes: Collection[str], numeric_prefixes: Collection[str], apostrophe: Apostrophe = "right"
    ) -> None:
        self.prefixes = frozenset(prefixes)
        self.numeric_prefixes = frozenset(numeric_prefixes)
        self._rules = (*_RULES, *_LAST_RULES[apostrophe])

    def words(self, text: str) -> list[str]:
        """Return the normalised, lower-cased words of a caption."""
        text = f" {text} "
        for needs, pattern, replacement in self._rules:
            if needs in text:
                text = pattern.sub(replacement, text)
        words = [word for word in _SPACE_RUN.split(text) if word]
        following = [*words[1:], ""]
        split = [part for word, after in zip(words, following, strict=False) for part in self._split_dot(word, after)]
        return [word.lower() for word in split if word not in _WIDE_SPACES]

    def _split_dot(self, word: str, after: str) -> tuple[str, ...]:
        """Break the dot off a word's end, unless it belongs to it."""
        stem = word[:-1]
        if not word.endswith(".") or not stem.strip("."):
            return (word,)
        if "." in stem and _HAS_LETTER.search(stem):
            return (word.replace(".", ""),)
        if stem in self.prefixes or _LOWER_CASE.match(after):
            return (word,)
        if stem in self.numeric_prefixes and _DIGIT.match(after):
            return (word,)
        return (stem, ".")


def looks_further(word: str) -> bool:
    """Whether what becomes of a word, or of the word behind it, can depend on both.

    A dot at the end stays or goes by what follows, and a comma or quote at the end uses up the space behind it, which
    keeps a rule from seeing the next word's own comma or quote. All other words can be normalised one by one.

    Examples
    --------
    >>> looks_further("st."), looks_further("t-shirt"), looks_further("'s")
    (True, False, False)
    """
    return word.endswith(_LOOKS_FURTHER)
