"""Rows by id: numbers of a file are grouped as the same ids in text are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.corpus import CaptionTable, Numbers, pair
from caplens.corpus.grouping import group
from caplens.errors import InputError

numbers = st.lists(st.one_of(st.integers(-3, 9), st.integers(-(2**63), 2**63 - 1)), max_size=40)


@given(numbers, numbers)
def test_numbers_are_grouped_as_text_is(ids, wanted):
    by_number, by_text = group(Numbers(np.array(ids, dtype=np.int64))), group([str(identifier) for identifier in ids])
    assert len(by_number) == len(by_text)
    assert by_number.position == by_text.position
    assert by_number.places.tolist() == by_text.places.tolist()
    assert by_number.offsets.tolist() == by_text.offsets.tolist()
    given_numbers, given_texts = Numbers(np.array(wanted, dtype=np.int64)), list(map(str, wanted))
    expected = [by_text.position.get(text, -1) for text in given_texts]
    for groups in (by_number, by_text):
        assert groups.find(given_numbers).tolist() == expected
        assert groups.find(given_texts).tolist() == expected


def test_numbers_match_text():
    references = CaptionTable(["7", "42", "7"], ["a", "b", "c"], "references")
    corpus = pair(CaptionTable(Numbers(np.array([42, 7])), ["x", "y"], "candidates"), references)
    assert corpus.ids == ["42", "7"]
    assert [corpus.references.texts(place) for place in range(2)] == [["b"], ["a", "c"]]


def test_numbers_that_repeat_are_refused():
    candidates = CaptionTable(Numbers(np.array([7, 8, 7])), ["a", "b", "c"], "candidates")
    with pytest.raises(InputError, match=r"repeat 1 id \('?7'?\)"):
        pair(candidates, CaptionTable([7, 8], ["a", "b"], "references"))
