"""Judged captions as the rows of a study."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from caplens.meta.captions.judged import JudgedCaptions
from caplens.meta.captions.rows import JudgedRows
from caplens.meta.datasets.table import OwnTable


def judged(ratings, aspects=("rating",)):
    rows = len(ratings[0])
    return JudgedCaptions(
        ids=[f"c{row}" for row in range(rows)],
        images=[f"i{row // 2}" for row in range(rows)],
        candidates=[f"word{row} dog" for row in range(rows)],
        references=[("a dog",)] * rows,
        ratings={aspect: np.array(values, dtype=float) for aspect, values in zip(aspects, ratings, strict=True)},
        own=np.zeros(rows, dtype=bool),
    )


def same_image(owners):
    return [(one, two) for one, two in combinations(range(len(owners)), 2) if owners[one] == owners[two]]


class TestRows:
    def test_a_caption_with_its_mean_rating(self):
        rows = JudgedRows(judged([[[1, 2], [3, np.nan], [2, 2]]]), OwnTable())
        assert rows.human["rating"].tolist() == [1.5, 3, 2]
        assert same_image(rows.owners.owners) == [(0, 1)]

    def test_a_row_a_judgment(self):
        rows = JudgedRows(judged([[[1, 2], [3, np.nan], [2, 2]]]), OwnTable(rows="judgments"))
        assert rows.human["rating"].tolist() == [1, 2, 3, 2, 2]
        assert rows.place.tolist() == [0, 0, 1, 2, 2]
        assert same_image(rows.owners.owners) == [(0, 1), (0, 2), (1, 2), (3, 4)]
