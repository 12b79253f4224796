"""Penn Treebank tokens as the COCO caption tools use them, without Java.

The tools run the Stanford PTBTokenizer 3.4.1 with ``-preserveLines -lowerCase``. This module gives the same tokens. It
works as that program seems to: at each place it tries every kind of token, takes the longest match (the context that a
kind asks for counts as well), and goes on behind the token. ``docs/tokenizer.md`` describes the kinds and lists the few
known differences.

Which tokens look beyond white space
------------------------------------
A chunk of text between white space (space, tab, U+00A0, U+2000 to U+200A, U+3000) is tokenized independently of its
neighbours, save in these cases:

* a number before a fraction, one space or U+00A0 between them: ``1 1/2`` is one token;
* digit groups that look like a telephone number: ``555 555 1234``, ``(555) 555-1234``;
* full stops with one space or U+00A0 between them, three to five: ``. . .``;
* a tag, from a chunk that has ``<`` followed by an ASCII letter, ``/``, ``!`` or ``?`` to the next ``>``: ``<a b="c">``;
* a full stop at the end of a chunk, after an abbreviation (``Inc.``, ``No.``), an acronym (``U.S.``) or a single letter:
  whether it is part of the word, a token or both depends on the next chunk (a capital, a certain word, a digit, a tag),
  on there being one white-space character or several, and on the end of the text;
* U+00A0, U+2000 to U+200A and U+3000 (not space and tab) inside an address: they do not end ``http://...``, nor a host
  name such as ``example.com`` (nor, U+00A0 apart, a mail address); they end everything else.

Whether white space or the end of the text follows a chunk makes no difference beyond that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from caplens.text._ptb_rules import ABBREVIATIONS, DOUBLE_WORDS, RULES

__all__ = ["raw_tokens", "tokenize"]

_LINE_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " "))
_WHITE_SPACE = re.compile(r"[ \t\n]+")
# An ordinary word, perhaps with a punctuation mark, before white space: most of a caption, and no rule is needed.
# The full stop is left out where it may be the first of a spaced ellipsis.
_ORDINARY = re.compile(r"([A-Za-z]+)([,;:!?]|\.(?! \.))?(?=[ \n]) ?")

_BRACKETS = str.maketrans({"(": "-lrb-", ")": "-rrb-"})
_QUOTES = str.maketrans(
    dict.fromkeys("\x91\u2018\u201b\u2039", "`")
    | dict.fromkeys("\x92\u2019\u203a", "'")
    | dict.fromkeys("\x93\u201c\xab", "``")
    | dict.fromkeys("\x94\u201d\xbb", "''")
)
_RENAMED = {
    "(": "-lrb-",
    ")": "-rrb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "\xa2": "cents",
    "\xa3": "#",
    "\x80": "$",
    "\xa4": "$",
    "\u20a0": "$",
    "\u20ac": "$",
    "\xbc": "1/4",
    "\xbd": "1/2",
    "\xbe": "3/4",
    "\u2153": "1/3",
    "\u2154": "2/3",
}

# What the COCO tools drop. They compare after lower-casing, so brackets stay.
_PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)


def _without_soft_hyphens(token: str) -> str:
    return token.replace("\xad", "") or "-"


_STYLES: dict[str, Callable[[str], str]] = {
    "plain": _without_soft_hyphens,
    "verbatim": str,
    "tag": lambda token: token.replace(" ", "\xa0"),
    "spaced": lambda token: token.translate(_BRACKETS).replace(" ", "\xa0"),
    "brackets": lambda token: token.translate(_BRACKETS),
    "ampersand": lambda token: _without_soft_hyphens(token).replace("&amp;", "&"),
    "apostrophe": lambda token: token.replace("&apos;", "'").translate(_QUOTES),
    "quotes": lambda token: token.translate(_QUOTES),
    "symbol": lambda token: _RENAMED.get(token, token),
    "period_twice": lambda token: _without_soft_hyphens(token) + ".",
}


def _fixed(text: str) -> Callable[[str], str]:
    return lambda _: text


class _Rule(NamedTuple):
    """A rule ready for use."""

    number: int
    starts: re.Pattern[str]
    pattern: re.Pattern[str]
    printed: Callable[[str], str]
    run: re.Pattern[str] | None


_COMPILED = tuple(
    _Rule(
        number,
        re.compile(f"[{rule.starts}]" if rule.starts else r"[\s\S]"),
        re.compile(rule.pattern),
        _fixed(rule.style[1:]) if rule.style.startswith("=") else _STYLES[rule.style],
        re.compile(rule.run) if rule.run else None,
    )
    for number, rule in enumerate(RULES)
)


@lru_cache(maxsize=2048)
def _rules_for(first: str) -> tuple[_Rule, ...]:
    """Give the rules for tokens that start with a character, in order."""
    return tuple(rule for rule in _COMPILED if rule.starts.match(first))


def _lower(token: str) -> str:
    """Lower-case a token as Java does, which looks at all of it to tell a final sigma."""
    if "\u03a3" in token:
        cased = [
            index for index, char in enumerate(token) if char.isupper() or (char.islower() and char not in "\xaa\xba")
        ]
        if len(cased) > 1 and token[cased[-1]] == "\u03a3":
            token = token[: cased[-1]] + "\u03c2" + token[cased[-1] + 1 :]
        token = token.replace("\u03a3", "\u03c3")
    return token.lower()


def raw_tokens(text: str) -> list[str]:
    """Split a text into lower-cased Penn Treebank tokens, punctuation included.

    Parameters
    ----------
    text : str
        Any text; line breaks in it count as spaces.

    Returns
    -------
    list of str
        What the reference tokenizer prints for one line with this text. A token may contain U+00A0, where it stands for
        a space inside the token, but no space. Characters that the tokenizer does not know, emoji for instance, are
        dropped.

    Examples
    --------
    >>> raw_tokens("The dog isn't on Main St. (yet).")
    ['the', 'dog', 'is', "n't", 'on', 'main', 'st.', '-lrb-', 'yet', '-rrb-', '.']
    """
    # Some kinds of token need to see the end of the line.
    text = text.translate(_LINE_BREAKS) + "\n"
    tokens: list[str] = []
    hopeless_until = [0] * len(RULES)
    position = 0
    while position < len(text):
        if ordinary := _ORDINARY.match(text, position):
            word, mark = ordinary[1].lower(), ordinary[2]
            if word not in DOUBLE_WORDS and not (mark == "." and word in ABBREVIATIONS):
                tokens.append(word)
                if mark:
                    tokens.append(mark)
                position = ordinary.end()
                continue
        elif space := _WHITE_SPACE.match(text, position):
            position = space.end()
            continue
        furthest = position
        end = position + 1
        printed: Callable[[str], str] | None = None
        for rule in _rules_for(text[position]):
            if rule.run and position < hopeless_until[rule.number]:
                continue
            match = rule.pattern.match(text, position)
            if match is None:
                if rule.run and (run := rule.run.match(text, position)):
                    hopeless_until[rule.number] = run.end()
            elif match.end() > furthest:
                furthest = match.end()
                end = match.end(match.lastindex or 0)
                printed = rule.printed
        if printed and (token := printed(_lower(text[position:end]))):
            tokens.append(token)
        position = end
    return tokens


def tokenize(text: str) -> list[str]:
    """Split a text into the tokens that the COCO caption tools compare: those of :func:`raw_tokens` less punctuation.

    Parameters
    ----------
    text : str
        Any text; line breaks in it count as spaces.

    Returns
    -------
    list of str
        The tokens, without ``'' ' `` ` . ? ! , : - -- ... ;``. Brackets stay, as ``-lrb-`` and the like: that is what
        the tools do.

    Examples
    --------
    >>> tokenize('A sign says "STOP", and the man\\'s dog can\\'t.')
    ['a', 'sign', 'says', 'stop', 'and', 'the', 'man', "'s", 'dog', 'ca', "n't"]
    """
    return [token for token in raw_tokens(text) if token not in _PUNCTUATION]
