"""Judged systems: ranks."""

from __future__ import annotations

import numpy as np

from caplens.meta.systems.judged import rank_of, shared_best


def test_ranks():
    names, scores = ["a", "Human", "b"], np.array([1.0, 2.0, 3.0])
    assert rank_of("Human", names, scores) == 2
    assert rank_of("Nobody", names, scores) is None
    assert shared_best(names, scores, scores) is None
