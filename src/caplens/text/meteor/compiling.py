"""METEOR's paraphrase table as arrays: a trie of its phrases, the paraphrases of each, and what each is one of.

Nodes are numbered level by level, the children of a node side by side and sorted by word, so that a child is found by
binary search in one stretch of memory and a node needs no more than two numbers: its word and its first child.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers
from caplens.text._ragged import group
from caplens.text.meteor._compile import PhrasePairReader
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary


def compile_paraphrases(pieces: Iterable[bytes]) -> dict[str, npt.NDArray[Any]]:
    r"""Compile the table, given in pieces, into the arrays that `caplens.text.meteor.phrases.Phrases` reads.

    Examples
    --------
    >>> table = compile_paraphrases([b"0.5\non top of\nabove\n", b"0.1\nabove\nover\n"])
    >>> table["paraphrases"].tolist(), table["paraphrase_offsets"].tolist()
    ([3, 1], [0, 0, 1, 1, 1, 1, 2])
    >>> table["sources"].tolist(), table["source_offsets"].tolist()
    ([5, 1], [0, 0, 1, 1, 2, 2, 2])
    """
    reader = PhrasePairReader()
    for piece in pieces:
        reader.feed(piece)
    phrases, paraphrases = reader.finish()
    parents, words = reader.edges.pairs()
    vocabulary = Vocabulary.from_words(reader.words.key(word) for word in range(len(reader.words)))
    words = vocabulary.find(reader.words)[words]
    del reader  # some hundred megabytes, more than all that follows needs
    numbers = _number_by_level(parents, words)

    # From here on in the new numbers; the root is 0 in both.
    nodes = len(numbers)
    node_words = np.zeros(nodes, np.int32)
    node_words[numbers[1:]] = words
    children = np.bincount(numbers[parents], minlength=nodes)
    sources, targets = numbers[phrases], numbers[paraphrases]
    del parents, phrases, paraphrases, numbers, words
    paraphrase_offsets, found = group(sources, targets, nodes)  # the table's order stays within a phrase
    by_source = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(paraphrase_offsets))
    source_offsets, found_sources = group(found, by_source, nodes)  # so that what is repeated lies side by side
    return {
        "vocabulary_blob": vocabulary.blob,
        "vocabulary_offsets": vocabulary.offsets,
        "node_words": node_words,
        "first_child": (1 + offsets_of(children)).astype(np.int32),
        "paraphrase_offsets": paraphrase_offsets,
        "paraphrases": found,
        "source_offsets": source_offsets,
        "sources": found_sources,
    }


def _number_by_level(parents: ShortIntegers, words: ShortIntegers) -> ShortIntegers:
    """Return new numbers of all nodes (root first), level by level, siblings by word.

    Node ``i + 1`` has parent ``parents[i]`` and word ``words[i]``; parents come before their children.
    """
    numbers = np.zeros(len(parents) + 1, np.int32)
    level = np.flatnonzero(parents == 0)
    in_level = np.zeros(len(parents) + 1, bool)
    given = 1
    while len(level):
        keys = (numbers[parents[level]].astype(np.int64) << 32) | words[level]
        numbers[level[np.argsort(keys)] + 1] = np.arange(given, given + len(level), dtype=np.int32)
        given += len(level)
        in_level[:] = False
        in_level[level + 1] = True
        level = np.flatnonzero(in_level[parents])
    return numbers
