"""Systems on the items that all of them have."""

from __future__ import annotations

import pytest

from caplens.corpus import common_corpora, notices_of_systems, pair_systems, reference_table
from caplens.errors import InputError

REFERENCES = reference_table({1: ["a"], 2: ["b"], 3: ["c"]})


def common(systems):
    return common_corpora(systems, lambda tables, ids: pair_systems(tables, ids, REFERENCES))


def test_the_order_is_that_of_the_first_system():
    corpora = common({"a": {3: "x", 1: "y", 2: "z"}, "b": {1: "p", "3": "q"}})
    assert [corpus.ids for corpus in corpora.values()] == [["3", "1"]] * 2
    assert list(corpora["b"].candidates) == ["q", "p"]


def test_what_is_left_out_is_said_first_and_what_is_odd_names_its_system():
    corpora = common({"a": {3: "x", 1: "y", 2: "z"}, "b": {1: "", 3: "q"}})
    notices = notices_of_systems(corpora)
    assert [notice.code for notice in notices] == ["not-common", "unused-references", "empty-candidate"]
    assert notices[0].message.startswith("1 of 3 items of a are excluded")
    assert notices[2].message.startswith("b: ")


@pytest.mark.parametrize(
    ("systems", "words"),
    [
        ({"a": {1: "x"}, "b": {2: "y"}}, "no ids in common"),
        ({"a": ["x"], "b": {1: "y"}}, "captions of a are given by position but those of b by id"),
        ({"a": ["x"], "b": ["y", "z"]}, "a has 1 caption but b has 2"),
        ({"a": 5, "b": ["y"]}, "System 'a' must be a list of captions"),
    ],
)
def test_mistakes(systems, words):
    with pytest.raises(InputError, match=words):
        common(systems)
