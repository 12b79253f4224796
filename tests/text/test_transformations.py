"""Permuted words, random words, captions of other images."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text.transformations import concerned_words, permute_words, replace_words

captions = st.lists(st.sampled_from(["a", "dog", "runs", "on", "grass"]), min_size=0, max_size=12)
strengths = st.floats(0, 1)
seeds = st.integers(0, 1000)


@given(captions, strengths, seeds)
def test_a_permutation_keeps_the_words_and_changes_their_order(words, strength, seed):
    changed = permute_words(words, strength, np.random.default_rng(seed))
    assert Counter(changed) == Counter(words)
    if strength > 0 and len(set(words)) > 1:
        moved = sum(one != other for one, other in zip(words, changed, strict=True))
        assert 2 <= moved <= concerned_words(len(words), strength)
    else:
        assert changed == words


@given(captions, strengths, seeds)
def test_replaced_words_are_other_words(words, strength, seed):
    changed = replace_words(words, strength, ["cat", "dog", "bus"], np.random.default_rng(seed))
    moved = sum(one != other for one, other in zip(words, changed, strict=True))
    assert moved == concerned_words(len(words), strength)


@pytest.mark.parametrize(
    ("words", "strength", "number"), [(10, 0, 0), (10, 0.01, 2), (10, 0.35, 4), (10, 1, 10), (1, 0.5, 1), (0, 1, 0)]
)
def test_at_least_two_words_are_concerned(words, strength, number):
    assert concerned_words(words, strength) == number


def test_a_caption_that_cannot_change_stays():
    generator = np.random.default_rng(0)
    assert permute_words(["dog", "dog"], 1, generator) == ["dog", "dog"]
    assert permute_words(["dog"], 1, generator) == ["dog"]
    assert replace_words(["dog", "dog"], 1, ["dog"], generator) == ["dog", "dog"]
