"""The fluency of captions beside that of their references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caplens
from caplens.metrics.lens.fluency import TYPICAL_FLUENCY, TYPICAL_REFERENCES, expected

sets = st.lists(st.lists(st.floats(-20, 0), max_size=6), min_size=1, max_size=8)


@given(sets)
def test_medians_of_sets(groups):
    numbers = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = expected(np.array([value for group in groups for value in group]), numbers, len(groups))
    for shift, group in zip(found.tolist(), groups, strict=True):
        share = len(group) / (len(group) + TYPICAL_REFERENCES)
        wanted = share * (float(np.median(group)) - TYPICAL_FLUENCY) if group else 0.0
        assert shift == pytest.approx(wanted, abs=1e-12)


def form(caption, references):
    return caplens.score([caption], [references], "lens")["Lens_Form"].score


def test_rare_words_cost_less_where_references_have_them():
    caption = "mike hands jenny a ketchup bottle"
    plain = ["a boy gives a girl a bottle", "a boy hands something to a girl"]
    named = ["mike gives jenny the ketchup", "mike hands ketchup to jenny"]
    assert form(caption, named) > form(caption, plain)


def test_references_without_words_shift_nothing():
    references = ["a boy gives a girl a bottle", "a boy hands something to a girl"]
    assert form("a boy and a girl", [*references, "", "..."]) == form("a boy and a girl", references)


def test_a_row_does_not_depend_on_other_rows():
    captions = ["a boy and a girl", "a dog runs"]
    references = [["mike gives jenny the ketchup", "a boy and a girl"], ["a dog", "a dog on the grass", "dogs run"]]
    together = caplens.score(captions, references, "lens")["Lens_Form"].item_scores
    alone = [form(caption, theirs) for caption, theirs in zip(captions, references, strict=True)]
    assert together.tolist() == alone
