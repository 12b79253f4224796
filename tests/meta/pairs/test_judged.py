"""Pairs of captions: agreement with people, draws of references."""

from __future__ import annotations

import numpy as np

from caplens.meta.datasets.pascal50s import Pascal50s
from caplens.meta.pairs.judged import agreement, draw_references


def test_rounding_makes_no_winner():
    assert agreement(np.array([0.1 + 0.2]), np.array([0.3]), np.array([True]), "half").tolist() == [0.5]


def test_a_score_that_does_not_exist_is_no_answer():
    assert np.isnan(agreement(np.array([np.nan]), np.array([0.3]), np.array([True]), "right")).all()


def test_a_draw_is_seeded_and_shared_by_the_pairs_of_an_image(pascal):
    pairs = Pascal50s().load(pascal, pascal)
    one, again, other = (draw_references(pairs, 3, 7, draw).references for draw in (0, 0, 1))
    assert one == again != other
    assert one[0] == one[1]
    assert {len(theirs) for theirs in one} == {3}
    assert set(one[0]) < set(pairs.references[0])


def test_the_first_ones_or_all(pascal):
    pairs = Pascal50s().load(pascal, pascal)
    assert draw_references(pairs, 2, 7, None).references[0] == pairs.references[0][:2]
    assert draw_references(pairs, 99, 7, 0).references == pairs.references
    assert draw_references(pairs, None, 7, 0).references == pairs.references
