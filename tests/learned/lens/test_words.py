"""Words in two tables are as in one."""

from __future__ import annotations

import numpy as np
from tests.learned.lens.test_encoder import ENCODER
from tests.learned.lens.test_encoder import coded as coded_table
from tests.lens_arrays import WORDS

from caplens.learned.lens.words import Lexicon
from caplens.text._tables import BytesTable


def coded():
    table = BytesTable()
    for word in WORDS:
        table.insert(word.encode())
    return coded_table(table)


def test_two_tables_are_as_one():
    words, ids = coded(), np.array([1, 7, 3, 3, 9, 0], np.int32)
    offsets = np.array([0, 4, 4, 6])
    together = ENCODER.encode(Lexicon.single(words), ids, offsets)
    for size in (0, 4, len(WORDS)):
        lexicon = Lexicon(words.take(np.arange(size)), words.take(np.arange(size, len(WORDS))))
        apart = ENCODER.encode(lexicon, ids, offsets)
        for ours, theirs in zip(vars(together).values(), vars(apart).values(), strict=True):
            assert np.array_equal(ours, theirs)
        assert np.array_equal(lexicon.nouns, words.nouns)
        odds = ENCODER.odds(lexicon, ids, offsets)
        assert np.array_equal(odds, ENCODER.odds(Lexicon.single(words), ids, offsets))


def test_no_captions():
    found = ENCODER.encode(Lexicon.single(coded()), np.zeros(0, np.int32), np.zeros(1, np.int64))
    assert len(found.captions) == len(found.vectors) == 0
