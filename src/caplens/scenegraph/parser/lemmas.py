"""Lemmas by word and tag: rules over endings, and a table of what the rules get wrong.

`training/parser/lemmas.py` learns both. The lemma of the parser that SPICE uses is a function of the word and the kind
of its tag, so a word that was seen in training has its lemma for certain; only unseen words rest on the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_ENDING = 6

BRACKETS = frozenset({"-lrb-", "-rrb-"})
"""Tokens that get their tag as part of their lemma where they were taken for verbs, as the reference's files show."""

REMEMBERED = 65_536
"""Lemmas that are kept: a training loop brings new words for ever."""

Edit = tuple[int, str]
"""Letters to cut from the end, letters to add."""


def kind_of(tag: str) -> str:
    """Name the kind of words that share their rules: all verb tags are alike."""
    if tag in {"NNS", "NNPS"}:
        return "plural"
    return "verb" if tag.startswith("VB") else tag


def endings(word: str) -> list[str]:
    """Give the endings of a word, the longest first; a whole short word is marked by ``^`` in front.

    Examples
    --------
    >>> endings("dogs")
    ['^dogs', 'dogs', 'ogs', 'gs', 's', '']
    """
    marked = "^" + word
    return [marked[-length:] for length in range(min(LONGEST_ENDING, len(marked)), 0, -1)] + [""]


@dataclass(frozen=True)
class Lemmatiser:
    """Rules and exceptions of each kind of words; kinds without an entry keep their words as they are.

    Examples
    --------
    >>> lemma = Lemmatiser({"plural": {"": (0, ""), "s": (1, "")}}, {"plural": {"men": "man"}})
    >>> lemma("dogs", "NNS"), lemma("men", "NNS"), lemma("dogs", "NN")
    ('dog', 'man', 'dogs')
    """

    rules: dict[str, dict[str, Edit]]
    exceptions: dict[str, dict[str, str]]
    known: dict[tuple[str, str], str] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, word: str, tag: str) -> str:
        """Give the lemma of a word; the pairs seen first, which are the frequent ones, are worked out once."""
        lemma = self.known.get((word, tag))
        if lemma is None:
            lemma = self.find(word, tag)
            if len(self.known) < REMEMBERED:
                self.known[word, tag] = lemma
        return lemma

    def find(self, word: str, tag: str) -> str:
        """Work the lemma of a word out."""
        kind = kind_of(tag)
        if kind == "verb" and word in BRACKETS:
            return f"{word}_{tag}"
        exception = self.exceptions.get(kind, {}).get(word)
        return self.by_rule(word, kind) if exception is None else exception

    def by_rule(self, word: str, kind: str) -> str:
        """Give the lemma by the rule of the longest ending."""
        rules = self.rules.get(kind, {})
        for ending in endings(word):
            if ending in rules:
                cut, added = rules[ending]
                return word[: len(word) - cut] + added
        return word
