"""Rows of different lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text._ragged import group
from caplens.text.ragged import offsets_of


@given(st.lists(st.integers(0, 6)), st.integers(7, 9))
def test_groups_are_what_sorting_by_key_makes(keys, count):
    numbers = np.array(keys, np.int32)
    offsets, owners = group(numbers, np.arange(len(keys), dtype=np.int32), count)
    assert owners.tolist() == np.argsort(numbers, kind="stable").tolist()
    assert offsets.tolist() == offsets_of(np.bincount(numbers, minlength=count)).tolist()


@pytest.mark.parametrize(("keys", "owners"), [([3], [0]), ([-1], [0]), ([0, 1], [0])])
def test_keys_that_are_too_large_or_too_many_are_refused(keys, owners):
    with pytest.raises(ValueError, match="every owner has a key"):
        group(np.array(keys, np.int32), np.array(owners, np.int32), 3)
