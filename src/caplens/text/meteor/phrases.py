"""The phrases of METEOR's paraphrase table: where they stand in captions, and which are paraphrases of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers
from caplens.files.checks import DamagedFileError, check_offsets, check_range, check_shape, check_type
from caplens.files.progress import blocks
from caplens.files.threads import attentive_pool
from caplens.text._tables import BytesTable, PairTable
from caplens.text.meteor._phrases import Relater, SpanFinder
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary
from caplens.text.words import BLOCK_CAPTIONS, Words

_ARRAYS = (
    "vocabulary_blob", "vocabulary_offsets", "node_words", "first_child", "paraphrase_offsets", "paraphrases",
    "source_offsets", "sources",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Spans:
    """Phrases in captions.

    Attributes
    ----------
    offsets : numpy.ndarray of int64
        Caption ``i`` has the phrases ``offsets[i]`` to ``offsets[i + 1]``, by their start and then their length.
    starts, numbers : numpy.ndarray of int32
        First word within the caption, and which phrase it is.
    table : PairTable
        Nodes of the trie to numbers of phrases.
    nodes, lengths : numpy.ndarray of int32
        Node and number of words of each phrase, by its number.
    """

    offsets: npt.NDArray[np.int64]
    starts: ShortIntegers
    numbers: ShortIntegers
    table: PairTable
    nodes: ShortIntegers
    lengths: ShortIntegers

    @classmethod
    def none(cls, captions: int) -> Spans:
        """Return captions without phrases."""
        nothing = np.zeros(0, np.int32)
        return cls(np.zeros(captions + 1, np.int64), nothing, nothing, PairTable(), nothing, nothing)


class Relations(NamedTuple):
    """Paraphrases that join phrases of candidates to phrases of references; see `_phrases.Relater.relate`."""

    ranges: ShortIntegers
    entries: ShortIntegers

    @classmethod
    def none(cls) -> Relations:
        """Return no paraphrases."""
        return cls(np.zeros((0, 2), np.int32), np.zeros((0, 2), np.int32))


class Phrases:
    """The compiled table.

    Parameters
    ----------
    arrays : mapping of str to array
        What `caplens.text.meteor.compiling.compile_paraphrases` made, in memory or mapped.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.vocabulary = Vocabulary(arrays["vocabulary_blob"], arrays["vocabulary_offsets"])
        self.node_words: ShortIntegers = arrays["node_words"]
        self.first_child: ShortIntegers = arrays["first_child"]
        self.paraphrase_offsets: ShortIntegers = arrays["paraphrase_offsets"]
        self.paraphrases: ShortIntegers = arrays["paraphrases"]
        self.source_offsets: ShortIntegers = arrays["source_offsets"]
        self.sources: ShortIntegers = arrays["sources"]

    @staticmethod
    def check(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Refuse arrays that lead out of each other; they are large, so a file of them is checked once."""
        missing = [name for name in _ARRAYS if name not in arrays]
        if missing:
            raise DamagedFileError(f"The index of paraphrases has no {missing[0]}.")
        words = Vocabulary(arrays["vocabulary_blob"], arrays["vocabulary_offsets"])
        for name in _ARRAYS[2:]:
            check_shape(name, arrays[name], -1)
            check_type(name, arrays[name], np.int32)
        nodes = len(arrays["node_words"])
        check_range("node_words", arrays["node_words"], 0, max(len(words), 1))
        check_shape("first_child", arrays["first_child"], nodes + 1)
        check_offsets("first_child", arrays["first_child"], nodes, begin=1)
        for offsets, others in (("paraphrase_offsets", "paraphrases"), ("source_offsets", "sources")):
            check_shape(offsets, arrays[offsets], nodes + 1)
            check_offsets(offsets, arrays[offsets], len(arrays[others]))
            check_range(others, arrays[others], 0, nodes)

    @cached_property
    def _beginnings(self) -> ShortIntegers:
        """The node of each word of the vocabulary, -1 where no phrase begins with it; the last one is for strangers."""
        beginnings = np.full(len(self.vocabulary) + 1, -1, np.int32)
        last = int(self.first_child[1]) if len(self.first_child) > 1 else 1
        beginnings[self.node_words[1:last]] = np.arange(1, last, dtype=np.int32)
        return beginnings

    def known_words(self, table: BytesTable, first: int = 0) -> ShortIntegers:
        """Return of each word of a table, from the id ``first`` on, its place in the vocabulary and the node it begins.

        The two are rows; -1 for words that the vocabulary has not, or that no phrase begins with.
        """
        known = self.vocabulary.find(table, first)
        return np.stack([known, self._beginnings[known]])

    def find(self, words: Words, jobs: int = 1, known: ShortIntegers | None = None, base: Spans | None = None) -> Spans:
        """Find every phrase, and every paraphrase of a phrase, in captions.

        ``known`` is what `known_words` returns for the table of the words, if somebody has looked them up already.
        Phrases that ``base`` has keep its numbers. With several ``jobs``, each thread takes a share of the captions;
        the numbers do not depend on how many.
        """
        if known is None:
            known = self.known_words(words.table)
        shares = max(1, min(jobs, len(words) // BLOCK_CAPTIONS))
        ends = [len(words) * share // shares for share in range(shares + 1)]
        tables = [PairTable(base.table if base is not None else None) for _ in range(shares)]
        trie = self.node_words, self.first_child, self.paraphrase_offsets, self.source_offsets
        finders = [SpanFinder(*trie, known[0], known[1], table, len(words.ids) // shares) for table in tables]
        counts = np.zeros(len(words), np.int64)

        def find_block(share: int, first: int, last: int) -> None:
            begin, end = ends[share], ends[share + 1]
            block = min(begin + first, end), min(begin + last, end)
            finders[share].find(words.offsets, words.ids, counts, *block)

        most = max(end - begin for begin, end in pairwise(ends))
        with attentive_pool(shares - 1) as submit:
            for first, last in blocks("phrases", most, BLOCK_CAPTIONS):
                others = [submit(find_block, share, first, last) for share in range(1, shares)]
                find_block(0, first, last)
                for other in others:
                    other.result()
        return _joined(counts, finders, tables, base)

    def relater(self, references: Spans) -> Relater:
        """Return what finds paraphrases between phrases of candidates and those of ``references``."""
        return Relater(self.paraphrase_offsets, self.paraphrases, self.source_offsets, self.sources, references.table)


def _joined(
    counts: npt.NDArray[np.int64], finders: list[SpanFinder], tables: list[PairTable], base: Spans | None
) -> Spans:
    """Put together what finders found, in the numbers of the first one."""
    whole = tables[0]
    starts, numbers, lengths = finders[0].take()
    parts = [(starts, numbers)]
    added = [lengths]
    for finder, table in zip(finders[1:], tables[1:], strict=True):
        starts, numbers, lengths = finder.take()
        known = len(whole)
        nodes = table.pairs()[1]
        places = whole.lookup(np.zeros_like(nodes), nodes, add=True)
        first = table.base_size
        parts.append((starts, np.concatenate([np.arange(first, dtype=np.int32), places])[numbers]))
        added.append(lengths[places >= known])
    nodes, lengths = whole.pairs()[1], np.concatenate(added) if len(added) > 1 else lengths
    if base is not None:
        nodes = np.concatenate([base.nodes, nodes]) if len(nodes) else base.nodes
        lengths = np.concatenate([base.lengths, lengths]) if len(lengths) else base.lengths
    if len(parts) > 1:
        starts = np.concatenate([part[0] for part in parts])
        numbers = np.concatenate([part[1] for part in parts])
    return Spans(offsets_of(counts), starts, numbers, whole, nodes, lengths)
