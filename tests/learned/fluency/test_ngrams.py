"""Words in the lists of their contexts, and lists that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.learned.fluency._ngrams import Lists

lists = st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=5)


def numbers(values):
    return np.array(values, np.int64)


@given(lists, st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 9)), max_size=9))
def test_as_the_slow_version(listed, wanted):
    pairs = [(context, word) for context, words in enumerate(listed) for word in sorted(words)]
    starts = numbers([0, *np.cumsum([len(words) for words in listed])])
    wanted = [(context, word) for context, word in wanted if context < len(listed)]
    found = Lists(starts, numbers([word for _, word in pairs])).find(
        numbers([context for context, _ in wanted]), numbers([word for _, word in wanted])
    )
    assert found.tolist() == [pairs.index(pair) if pair in pairs else -1 for pair in wanted]


@pytest.mark.parametrize("starts", [[], [1, 2], [0, 1], [0, 3, 2]])
def test_lists_that_do_not_fit_are_refused(starts):
    with pytest.raises(ValueError, match="list of a context"):
        Lists(numbers(starts), numbers([4, 5]))


@pytest.mark.parametrize(("contexts", "words"), [([1], [4]), ([-2], [4]), ([0, 0], [4])])
def test_questions_that_do_not_fit_are_refused(contexts, words):
    with pytest.raises(ValueError, match="context"):
        Lists(numbers([0, 2]), numbers([4, 5])).find(numbers(contexts), numbers(words))
