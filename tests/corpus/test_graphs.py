"""Scene graphs in the place of captions: checked tuples in a column of their own."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.corpus.graphs import SceneTuples, checked_graph, is_scene_graph, written_graph
from caplens.corpus.taking import take
from caplens.errors import InputError

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).filter(str.strip)
GRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1)


@pytest.mark.parametrize(
    ("tuples", "graph"),
    [
        ([("man",)], (("man",),)),
        ((("man",), ["man", "tall"]), (("man",), ("man", "tall"))),
        ([["Man", "RIDE", "Horse"]], (("man", "ride", "horse"),)),
        ([["fire  hydrant", " next\tto\n", "teddy_bear"]], (("fire hydrant", "next to", "teddy_bear"),)),
        ([["größe", "naïve"]], (("größe", "naïve"),)),
        ([["man"], ["man"]], (("man",), ("man",))),
        ([["a\x1b[31mman", "half \ud800"]], (("a [31mman", "half \ufffd"),)),
        ([["two\u2028lines\x07"]], (("two lines",),)),
    ],
)
def test_words_are_cleaned_as_those_of_captions_are(tuples, graph):
    assert checked_graph(tuples) == graph


@given(GRAPHS)
def test_what_was_checked_stays_as_it_is(tuples):
    graph = checked_graph(tuples)
    assert [len(entry) for entry in graph] == [len(entry) for entry in tuples]
    assert checked_graph(graph) == graph
    assert is_scene_graph(graph)


def test_a_graph_is_shown_as_json():
    assert written_graph((("man",), ('the "big" \\ one', "größe"))) == '[["man"],["the \\"big\\" \\\\ one","größe"]]'


@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        ([], "[] is not a list of tuples such as"),
        (None, "None is not a list of tuples"),
        ({"man": 1}, "{'man': 1} is not a list of tuples"),
        (["man", "tall"], "'man' is not a tuple: a scene graph is a list"),
        (("man",), "a pair of brackets may be missing"),
        ([["man"], "tall"], "'tall' is not a tuple: a scene graph is a list"),
        (
            [[]],
            "[] has 0 parts: a tuple has one (object), two (object, attribute) or three (subject, relation, object).",
        ),
        ([["a", "b", "c", "d"]], "['a', 'b', 'c', 'd'] has 4 parts"),
        ([["man", None]], "['man', None] is not a tuple of strings."),
        ([[["man"]]], "[['man']] is not a tuple of strings."),
        ([["man", " \t"]], "has an empty part"),
        ([["x" * 100, ""]], "..."),
    ],
)
def test_what_is_no_scene_graph_gets_one_sentence(tuples, message):
    with pytest.raises(InputError) as caught:
        checked_graph(tuples)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", ["", "[", '[["man"]]', '[ ["man"], ["man", "tall"] ]', "[[man]] a tall man", "[man]"])
def test_captions_stay_captions(text):
    taken = take([text, "a man"], "reference", str)
    assert list(taken.captions) == [text, "a man"]
    assert taken.graphs is None


class TestColumn:
    column = SceneTuples([None, (("a",),), None, (("b", "c"),)])

    def test_says_where_graphs_stand(self):
        assert self.column.places.tolist() == [1, 3]
        assert len(self.column) == 4
        assert list(self.column) == [None, (("a",),), None, (("b", "c"),)]

    def test_is_taken_like_captions(self):
        assert list(self.column.take([3, 0, 3])) == [(("b", "c"),), None, (("b", "c"),)]
        assert self.column.take([0, 2]) is None
        assert self.column.take(np.array([False, True, False, False])).places.tolist() == [0]

    def test_is_pickled_and_copied(self):
        for copied in (pickle.loads(pickle.dumps(self.column)), copy.deepcopy(self.column)):
            assert list(copied) == list(self.column)
            assert copied.places.tolist() == [1, 3]
