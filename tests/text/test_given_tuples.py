"""Scene graphs given as tuples, and the text that stands for them among captions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.errors import InputError
from caplens.text import given_tuples
from caplens.text.captions import Captions

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
GRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1)


@pytest.mark.parametrize(
    ("tuples", "text"),
    [
        ([("man",)], '[["man"]]'),
        ((("man",), ["man", "tall"]), '[["man"],["man","tall"]]'),
        ([["Man", "RIDE", "Horse"]], '[["man","ride","horse"]]'),
        ([["fire  hydrant", " next\tto\n", "teddy_bear"]], '[["fire hydrant","next to","teddy_bear"]]'),
        ([['the "big" \\ one'], ["größe", "naïve"]], '[["the \\"big\\" \\\\ one"],["größe","naïve"]]'),
        ([["man"], ["man"]], '[["man"],["man"]]'),
    ],
)
def test_tuples_are_written(tuples, text):
    assert given_tuples.write(tuples) == text
    assert given_tuples.is_given(text)
    assert given_tuples.rewrite(text) == text
    assert given_tuples.rewrite(json.dumps(tuples, indent=1)) == text


def test_a_relation_is_read_as_proposals_have_it():
    text = given_tuples.write([("man", "ride", "horse"), ("man", "tall"), ("horse",)])
    assert given_tuples.read(text) == [("man", "horse", "ride"), ("man", "tall"), ("horse",)]


@given(GRAPHS)
def test_what_is_written_can_be_stored_and_read(tuples):
    text = given_tuples.write(tuples)
    captions, _ = Captions.from_texts(["a man", text])
    assert given_tuples.places(captions).tolist() == [1]
    assert given_tuples.is_given(captions[1])
    assert len(given_tuples.read(captions[1])) == len(tuples)
    assert given_tuples.rewrite(text) == text


@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        ([], "[] is not a list of tuples such as"),
        (None, "None is not a list of tuples"),
        ({"man": 1}, "{'man': 1} is not a list of tuples"),
        (["man", "tall"], "'man' stands where a tuple should"),
        (("man",), "one pair of brackets may be missing"),
        ([["man"], "tall"], "'tall' stands where a tuple should"),
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
        given_tuples.write(tuples)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_text_that_only_begins_so_is_refused():
    with pytest.raises(InputError, match="begins like a list of tuples but is not valid JSON"):
        given_tuples.rewrite('[["man"], ["dog" "cat"]]')
    with pytest.raises(InputError, match="not valid JSON"):
        given_tuples.rewrite('[["man"], ' + "[" * 100_000 + '"dog"]]')


@pytest.mark.parametrize(
    "text", ["", "[", "[[", '[["', '[[""]', "[[man]] a tall man", "[man]", 'a [["man"]]', '[["man"]] x']
)
def test_captions_stay_captions(text):
    captions, _ = Captions.from_texts([text, "a man", text])
    assert not given_tuples.is_given(text)
    assert given_tuples.places(captions).tolist() == []
    assert given_tuples.places_to_rewrite(captions) == []


def test_places_among_captions_of_any_length():
    captions, _ = Captions.from_texts(["", '[["a"]]', "", "x", '[ ["b"] ]', '[["c","d"]]', ""])
    assert given_tuples.places(captions).tolist() == [1, 5]
    assert given_tuples.places_to_rewrite(captions) == [1, 4, 5]
    assert given_tuples.places(Captions.from_texts([])[0]).tolist() == []
