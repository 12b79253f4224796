"""The phrases of METEOR's paraphrase table: where they stand in captions, and which are paraphrases of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers
from caplens.files.checks import DamagedFileError, check_offsets, check_range, check_shape, check_type
from caplens.files.threads import map_blocks
from caplens.text._tables import PairTable
from caplens.text.meteor._phrases import SpanFinder, relate
from caplens.text.ragged import offsets_of, take_rows
from caplens.text.vocabulary import Vocabulary
from caplens.text.words import Words

_ARRAYS = (
    "vocabulary_blob", "vocabulary_offsets", "node_words", "first_child", "paraphrase_offsets", "paraphrases",
    "is_paraphrase",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Spans:
    """Phrases in captions.

    Attributes
    ----------
    offsets : numpy.ndarray of int64
        Caption ``i`` has the phrases ``offsets[i]`` to ``offsets[i + 1]``, by their start and then their length.
    starts, lengths, nodes : numpy.ndarray of int32
        First word within the caption, number of words, and node of the trie.
    """

    offsets: npt.NDArray[np.int64]
    starts: ShortIntegers
    lengths: ShortIntegers
    nodes: ShortIntegers

    @classmethod
    def none(cls, captions: int) -> Spans:
        """Return captions without phrases."""
        return cls(np.zeros(captions + 1, np.int64), *(np.zeros(0, np.int32) for _ in range(3)))

    def nodes_of(self, captions: npt.NDArray[np.int64]) -> ShortIntegers:
        """Return the nodes of some captions, one caption after the other."""
        return take_rows(self.offsets, self.nodes, captions)[0]


class Relations(NamedTuple):
    """Paraphrases that join phrases of two sides, in small numbers of their own; see `_phrases.relate`."""

    numbers: PairTable
    forward_offsets: ShortIntegers
    forward: ShortIntegers
    backward_offsets: ShortIntegers
    backward: ShortIntegers

    @classmethod
    def none(cls) -> Relations:
        """Return no paraphrases."""
        return cls(PairTable(), *(np.zeros(size, np.int32) for size in (1, 0, 1, 0)))


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
        self.is_paraphrase: npt.NDArray[np.uint8] = arrays["is_paraphrase"]

    @staticmethod
    def check(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Refuse arrays that lead out of each other; they are large, so a file of them is checked once."""
        missing = [name for name in _ARRAYS if name not in arrays]
        if missing:
            raise DamagedFileError(f"The index of paraphrases has no {missing[0]}.")
        words = Vocabulary(arrays["vocabulary_blob"], arrays["vocabulary_offsets"])
        for name in ("node_words", "first_child", "paraphrase_offsets", "paraphrases"):
            check_shape(name, arrays[name], -1)
            check_type(name, arrays[name], np.int32)
        check_type("is_paraphrase", arrays["is_paraphrase"], np.uint8)
        nodes = len(arrays["node_words"])
        check_range("node_words", arrays["node_words"], 0, max(len(words), 1))
        check_shape("first_child", arrays["first_child"], nodes + 1)
        check_offsets("first_child", arrays["first_child"], nodes, begin=1)
        check_shape("paraphrase_offsets", arrays["paraphrase_offsets"], nodes + 1)
        check_offsets("paraphrase_offsets", arrays["paraphrase_offsets"], len(arrays["paraphrases"]))
        check_range("paraphrases", arrays["paraphrases"], 0, nodes)
        check_shape("is_paraphrase", arrays["is_paraphrase"], nodes)

    @cached_property
    def _beginnings(self) -> ShortIntegers:
        """The node of each word of the vocabulary, -1 where no phrase begins with it; the last one is for strangers."""
        beginnings = np.full(len(self.vocabulary) + 1, -1, np.int32)
        last = int(self.first_child[1]) if len(self.first_child) > 1 else 1
        beginnings[self.node_words[1:last]] = np.arange(1, last, dtype=np.int32)
        return beginnings

    def find(self, words: Words, jobs: int = 1, known: ShortIntegers | None = None) -> Spans:
        """Find every phrase, and every paraphrase of a phrase, in captions.

        ``known`` is the place of each word of the table in the vocabulary, if somebody has looked them up already.
        """
        if known is None:
            known = self.vocabulary.find(words.table)
        beginnings = self._beginnings[known]

        def find_block(
            first: int, last: int
        ) -> tuple[npt.NDArray[np.int64], ShortIntegers, ShortIntegers, ShortIntegers]:
            finder = SpanFinder(self.node_words, self.first_child, self.paraphrase_offsets, self.is_paraphrase)
            return finder.find(words.offsets, words.ids, known, beginnings, first, last)

        found = map_blocks(find_block, len(words), jobs, "phrases") or [find_block(0, 0)]
        counts, starts, lengths, nodes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Spans(offsets_of(counts), starts, lengths, nodes)

    def relate(self, candidate_nodes: ShortIntegers, reference_nodes: ShortIntegers) -> Relations:
        """Keep the paraphrases that join a phrase of the candidates to one of the references."""
        return Relations(*relate(self.paraphrase_offsets, self.paraphrases, candidate_nodes, reference_nodes))
