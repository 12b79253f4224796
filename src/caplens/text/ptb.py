"""Penn Treebank tokens as the COCO caption tools use them, without Java.

The tools run the Stanford PTBTokenizer 3.4.1 with ``-preserveLines -lowerCase``. This module gives the same tokens. It
works as that program seems to: at each place it tries every kind of token, takes the longest match (the context that a
kind asks for counts as well), and goes on behind the token. ``docs/tokenizer.md`` describes the kinds and lists the few
known differences.

Which tokens look beyond white space
------------------------------------
Cut a text at spaces, tabs and line breaks. Each chunk gives the same tokens in the text as alone, save where it

* ends with a full stop: after an abbreviation (``Inc.``, ``No.``), an acronym (``U.S.``) or a single letter the next
  chunk (a capital, a certain word, a digit, a tag), the number of spaces and the end of the text decide whether the
  full stop is part of the word, a token of its own or both; and ``. . .`` (one space between them) is one token;
* ends with a digit, or with two or three digits in round brackets, and the next chunk starts with a digit: ``1 1/2``,
  ``555 555 1234`` and ``(555) 555-1234`` are one token, with U+00A0 in place of the space;
* contains ``<`` followed by an ASCII letter, ``/``, ``!`` or ``?``: a tag such as ``<a b="c">`` goes on to its ``>``.

Other white space (U+00A0, U+2000 to U+200A, U+3000) is part of a chunk here. It ends most tokens, but an address like
``example.com`` may contain it, and may start with it unless it follows a space: such chunks are not independent.

The reference reads on past the end of the line as well, into the next caption of its batch. Here it does not: see
`tokenize`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from caplens.text._ptb_rules import ABBREVIATIONS, DOUBLE_WORDS, RULES, SPACE_OR_END

__all__ = ["PUNCTUATION", "line_tokens", "raw_tokens", "tokenize"]

_LINE_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " "))
# Other white space may belong to an address that it begins, so it is left to the rules, which drop it.
_WHITE_SPACE = re.compile(f"[ \t\n][{SPACE_OR_END}]*")
# An ordinary word, perhaps with a punctuation mark, before white space: most of a caption, and no rule is needed.
# The full stop is left out where it may be the first of a spaced ellipsis.
_ORDINARY = re.compile(r"([A-Za-z]+)([,;:!?]|\.(?! \.))?(?=[ \n])(?: (?=[!-~]))?")

_INITIAL = re.compile(r"[a-z]\.")
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
PUNCTUATION = frozenset(
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
    pattern: re.Pattern[str]
    printed: Callable[[str], str]
    run: re.Pattern[str] | None


# In a pattern: a character or a range of characters, escaped, or a character beyond ASCII as it is.
_CHARACTERS = re.compile(r"\\u([0-9a-f]{4})(?:-\\u[0-9a-f]{4})?|[^\x00-\x7f]")
_NOT_ASCII = re.compile(r"(?:\\u(?!00[0-7])[0-9a-f]{4}(?:-\\u[0-9a-f]{4})?|[^\x00-\x7f])+")
_NOT_WESTERN = re.compile("[^\x00-\u024f\u2000-\u2bff]")


class _Reach(Enum):
    """The characters that a text holds, and that its patterns therefore need.

    The large character classes take a quarter of a second to compile, and hardly any caption needs them.
    """

    ASCII = range(0x80), range(0)
    WESTERN = range(0x250), range(0x2000, 0x2C00)
    ALL = range(0x10000), range(0)

    @classmethod
    def of(cls, text: str) -> _Reach:
        if text.isascii():
            return cls.ASCII
        return cls.ALL if _NOT_WESTERN.search(text) else cls.WESTERN

    def restrict(self, pattern: str) -> str:
        """Leave out of a pattern what such a text cannot hold."""
        if self is _Reach.ASCII:  # what most texts need, so without a call for each character
            return _NOT_ASCII.sub("", pattern)

        def kept(match: re.Match[str]) -> str:
            code = int(match[1], 16) if match[1] else ord(match[0])
            return match[0] if any(code in part for part in self.value) else ""

        return pattern if self is _Reach.ALL else _CHARACTERS.sub(kept, pattern)


@cache
def _compile(pattern: str, reach: _Reach) -> re.Pattern[str]:
    return re.compile(reach.restrict(pattern))


@cache
def _compiled(number: int, reach: _Reach) -> _Rule:
    rule = RULES[number]
    printed = _fixed(rule.style[1:]) if rule.style.startswith("=") else _STYLES[rule.style]
    return _Rule(number, _compile(rule.pattern, reach), printed, _compile(rule.run, reach) if rule.run else None)


# Held by the thread that compiles patterns: others would compile the same ones meanwhile, and all of them take turns.
_compiling = threading.Lock()
# What a text must hold for some rule to apply.
_NEEDED = "".join(dict.fromkeys("".join(rule.needs for rule in RULES)))


@cache
def _first_characters(reach: _Reach) -> tuple[re.Pattern[str] | None, ...]:
    """Give for each rule what its tokens may start with; None: anything."""
    # The backspace keeps a class from being empty where the text has none of its characters; no caption holds one.
    return tuple(_compile(f"[\\b{rule.starts}]", reach) if rule.starts else None for rule in RULES)


@lru_cache(maxsize=2048)
def _rules_for(first: str, held: str, reach: _Reach) -> tuple[_Rule, ...]:
    """Give the rules for tokens that start with a character, in order; ``held`` is what the text has of `_NEEDED`."""
    with _compiling:
        return tuple(
            _compiled(number, reach)
            for number, (rule, starts) in enumerate(zip(RULES, _first_characters(reach), strict=True))
            if starts is None or starts.match(first)
            if not rule.needs or not set(rule.needs).isdisjoint(held)
        )


def _lower(token: str) -> str:
    """Lower-case a token as Java does, which looks at all of it to tell a final sigma."""
    if "\u03a3" in token:
        cased = [index for index, char in enumerate(token) if char.lower() != char.upper()]
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
    reach = _Reach.of(text)
    held = "".join(filter(text.__contains__, _NEEDED))
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
        for rule in _rules_for(text[position], held, reach):
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


def line_tokens(text: str) -> list[str]:
    """Return the tokens of a text on a line of its own, without the punctuation that the COCO caption tools drop.

    Examples
    --------
    >>> line_tokens("They went with plan B.")
    ['they', 'went', 'with', 'plan', 'b.']
    """
    return [token for token in raw_tokens(text) if token not in PUNCTUATION]


def tokenize(text: str) -> list[str]:
    r"""Split a caption into the tokens that the COCO caption tools compare.

    Parameters
    ----------
    text : str
        Any text; line breaks in it count as spaces.

    Returns
    -------
    list of str
        The tokens, without ``'' ' `` ` . ? ! , : - -- ... ;``. Brackets stay, as ``-lrb-`` and the like: that is what
        the tools do.

    Notes
    -----
    The tools put all captions into one file, and their tokenizer reads on past the end of a line: a single letter at
    the end of a caption loses its full stop where the next caption starts with ``A``, ``The`` and the like, and keeps
    it otherwise. A caption's words must not depend on its neighbours. Captions of one source start alike, so here the
    next caption is taken to start as this one does.

    Examples
    --------
    >>> tokenize('A sign says "STOP", and the man\'s dog can\'t.')
    ['a', 'sign', 'says', 'stop', 'and', 'the', 'man', "'s", 'dog', 'ca', "n't"]
    >>> tokenize("A man has plan B."), tokenize("men have plan B.")
    (['a', 'man', 'has', 'plan', 'b'], ['men', 'have', 'plan', 'b.'])
    """
    tokens = line_tokens(text)
    if tokens and _INITIAL.fullmatch(tokens[-1]) and text.rstrip().lower().endswith(tokens[-1]):
        tokens[-1] = line_tokens(f"{text} {text}")[len(tokens) - 1]
    return tokens
