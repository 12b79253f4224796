"""Java's hash of strings, and the numbers that words of equal hashes share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text._tables import BytesTable, PairTable
from caplens.text.meteor._hashes import java_hash, number_hashes


def slow_hash(text: str) -> int:
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16).tolist()
    value = 0
    for unit in units:
        value = (31 * value + unit) % 2**32
    return value


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_it_is_that_of_utf_16(text):
    assert java_hash(text) == slow_hash(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("aw", "c9"),
        ("matte", "hütte"),
        ("ten", "pán"),
        ("сад", "ряд"),
        ("厨房", "剪裁"),
        ("버스에", "바퀴에"),
        ("😀", "🧡"),
    ],
)
def test_some_words_share_it(left, right):
    assert java_hash(left) == java_hash(right)


@given(
    st.lists(st.sampled_from(["aw", "c9", "a", "b", "Aa", "BB", "сад", "ряд", ""])), st.lists(st.sampled_from("awc"))
)
def test_numbers_are_shared_by_words_of_one_hash_only(words, more):
    table = BytesTable()
    for word in words:
        table.insert(word.encode())
    numbers = PairTable()
    found = number_hashes(table, 0, numbers).tolist()
    known = [table.key(entry).decode() for entry in range(len(table))]
    for place, word in enumerate(known):
        assert [number == found[place] for number in found] == [slow_hash(other) == slow_hash(word) for other in known]
    if len(numbers) == len(table):
        assert found == list(range(len(table)))
    on_top, more_numbers = BytesTable(table), PairTable(numbers)
    for word in more:
        on_top.insert(word.encode())
    added = number_hashes(on_top, len(table), more_numbers).tolist()
    whole = [slow_hash(on_top.key(entry).decode()) for entry in range(len(on_top))]
    for number, value in zip(added, whole[len(table) :], strict=True):
        assert [number == other for other in [*found, *added]] == [value == other for other in whole]
    assert number_hashes(on_top, 0, PairTable()).tolist() == [*found, *added]
