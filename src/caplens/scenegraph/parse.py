"""What a parser says about a caption: words, tags, lemmas and a dependency tree for each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from caplens.errors import InputError


@dataclass(frozen=True, slots=True)
class Sentence:
    """One parsed sentence: a basic dependency tree (Universal Dependencies, version 1).

    Parameters
    ----------
    words : tuple of str
        The words, PTB-tokenised and lower-cased.
    tags : tuple of str
        A Penn Treebank tag for each word.
    lemmas : tuple of str
        A lemma for each word.
    heads : tuple of int
        The position of each word's head, counted from 1; 0 marks the root.
    labels : tuple of str
        The label of the edge from each word's head, such as ``nsubj``.

    Raises
    ------
    InputError
        If the five differ in length, a head does not exist, no word is the root or the heads form a cycle.

    Examples
    --------
    >>> sentence = Sentence(("dogs", "run"), ("NNS", "VBP"), ("dog", "run"), (2, 0), ("nsubj", "root"))
    >>> sentence.words[sentence.heads[0] - 1]
    'run'
    >>> Sentence(("dogs", "run"), ("NNS", "VBP"), ("dog", "run"), (2, 3), ("nsubj", "root"))
    Traceback (most recent call last):
    ...
    caplens.errors.InputError: the parse of 'dogs run' has the head 3 for 'run', but heads range from 0 (the root) to 2
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        problem = _problem(self)
        if problem is not None:
            raise InputError(f"the parse of {' '.join(self.words)!r} {problem}")

    @classmethod
    def unchecked(cls, *columns: tuple[str, ...] | tuple[int, ...]) -> Self:
        """Return a sentence without validation, for parsers whose output is always valid.

        Examples
        --------
        >>> Sentence.unchecked(("run",), ("VB",), ("run",), (0,), ("root",))
        Sentence(words=('run',), tags=('VB',), lemmas=('run',), heads=(0,), labels=('root',))
        """
        sentence = object.__new__(cls)
        for fill, column in zip(_FILL, columns, strict=True):
            fill(sentence, column)
        return sentence


Parse = tuple[Sentence, ...]

# The way around the guard that makes sentences immutable.
_FILL = tuple(getattr(Sentence, name).__set__ for name in Sentence.__slots__)


class Parser(Protocol):
    """Anything that parses captions.

    Examples
    --------
    >>> class Telegram:
    ...     def parse(self, captions):
    ...         return [(Sentence(tuple(c), ("NN",) * len(c), tuple(c), (0,) + (1,) * (len(c) - 1),
    ...                           ("root",) + ("dep",) * (len(c) - 1)),) for c in captions]
    >>> parser: Parser = Telegram()
    >>> parser.parse([["cat", "mat"]])[0][0].heads
    (0, 1)
    """

    def parse(self, captions: Sequence[Sequence[str]]) -> list[Parse]:
        """Return the sentences of each caption, given as its PTB tokens."""
        ...


def _problem(sentence: Sentence) -> str | None:
    """Say what is wrong with a sentence, or None."""
    count = len(sentence.words)
    for name in ("tags", "lemmas", "heads", "labels"):
        length = len(getattr(sentence, name))
        if length != count:
            return f"has {length} {name} for {count} words"
    if count == 0:
        return "has no words"
    heads = sentence.heads
    if min(heads) < 0 or max(heads) > count:
        word, head = next((w, h) for w, h in zip(sentence.words, heads, strict=True) if not 0 <= h <= count)
        return f"has the head {head} for {word!r}, but heads range from 0 (the root) to {count}"
    if 0 not in heads:
        return "has no root (a word with the head 0)"
    lost = _unreachable(heads)
    if lost is not None:
        return f"has a cycle of heads at {sentence.words[lost - 1]!r}, so it is not a tree"
    return None


def _unreachable(heads: tuple[int, ...]) -> int | None:
    """Return the first position from which no root is reached, or None."""
    reached = [head == 0 for head in heads]
    for start, done in enumerate(reached):
        if done:
            continue
        path = [start]
        while not reached[path[-1]]:
            if len(path) > len(heads):
                return start + 1
            path.append(heads[path[-1]] - 1)
        for position in path:
            reached[position] = True
    return None
