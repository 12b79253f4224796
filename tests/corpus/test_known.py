"""Captions assigned to references that were taken in before."""

from __future__ import annotations

import pickle

import pytest

from caplens.corpus import CaptionTable, KnownReferences, batch_table, without_references
from caplens.errors import CaplensError, InputError, UsageError

REFERENCES = {7: ["a dog", "dogs"], "x": ["a cat"]}


@pytest.fixture
def known():
    return KnownReferences.of(REFERENCES)


def test_sets_by_id(known):
    corpus = known.assign(batch_table({"x": "cat", "7": "dog"}))
    assert corpus.reference_set.tolist() == [1, 0]
    assert corpus.references is known.sets
    assert known.sets.span == "1-2"


def test_sets_are_taken_as_they_are(known):
    assert KnownReferences.of(known.sets).sets is known.sets


def test_samples_of_one_image_share_a_set(known):
    corpus = known.assign(batch_table(["a", "b", "c"], ids=[7, "x", "7"]), repeats=True)
    assert corpus.ids == ["7", "x", "7"]
    assert corpus.reference_set.tolist() == [0, 1, 0]


def test_ids_that_are_numbers_of_sets(known):
    corpus = known.assign(batch_table(["a", "b"], ids=[7, 7]), repeats=True)
    assert (corpus.ids, corpus.given_ids, corpus.reference_set.tolist()) == (["7", "7"], [7, 7], [0, 0])
    copied = pickle.loads(pickle.dumps(known))
    assert copied.assign(batch_table(["a"], ids=[7]), repeats=True).reference_set.tolist() == [0]


@pytest.mark.parametrize("identifier", [8, 1, True, 7.0, None])
def test_ids_that_are_no_numbers_of_sets_are_refused(known, identifier):
    with pytest.raises(InputError):
        known.assign(batch_table(["a", "b"], ids=[7, identifier]), repeats=True)


def test_numbers_are_written_as_python_does():
    known = KnownReferences.of({"07": ["a"], "0": ["b"], "-3": ["c"], "٧": ["d"], "": ["e"]})
    assert known.number_position == {0: 1}
    assert known.assign(batch_table(["c"], ids=[-3]), repeats=True).reference_set.tolist() == [2]
    with pytest.raises(InputError):
        known.assign(batch_table(["a"], ids=[7]), repeats=True)


def test_odd_captions_and_references_are_said():
    corpus = KnownReferences.of({1: ["a", ""]}).assign(batch_table({1: " "}))
    assert [notice.code for notice in corpus.notices] == ["empty-candidate", "empty-reference"]


def test_captions_without_references_get_empty_sets_of_their_own(known):
    corpus = known.assign(batch_table({"new": "a", "x": "b", "other": "c"}), "zero")
    assert [corpus.references.texts(number) for number in corpus.reference_set.tolist()] == [[], ["a cat"], []]
    assert corpus.references.ids == ["7", "x", "new", "other"]
    assert [notice.count for notice in corpus.notices] == [2]


def test_nothing_left_is_refused(known):
    with pytest.raises(InputError, match="nothing is left to score"):
        known.assign(batch_table({"new": "a"}), "skip")


def test_no_references_at_all():
    corpus = without_references(batch_table(["a", "b", "c"], ids=["i", "j", "i"]), repeats=True)
    assert corpus.references.ids == ["i", "j"]
    assert corpus.reference_set.tolist() == [0, 1, 0]
    assert corpus.references.span == "0"


def test_scene_graphs_stay_graphs(known):
    graph = [("man",), ("man", "tall")]
    corpus = known.assign(batch_table({7: "a", "x": graph}))
    assert corpus.candidate_graphs is not None
    assert corpus.candidate_graphs.places.tolist() == [1]


@pytest.mark.parametrize(
    ("candidates", "ids", "error", "words"),
    [
        ("a dog", None, InputError, "A batch must be a list of captions"),
        (b"a dog", None, InputError, "A batch must be a list of captions"),
        (7, None, InputError, "A batch must be a list of captions"),
        ([], None, InputError, "nothing to score"),
        ({}, None, InputError, "nothing to score"),
        ({7: "a"}, [7], UsageError, "not both"),
        (["a"], [7, 8], InputError, "Found 1 caption but 2 ids"),
        ({7: []}, None, InputError, "empty list"),
    ],
)
def test_what_is_no_batch(candidates, ids, error, words):
    with pytest.raises(error, match=words):
        batch_table(candidates, ids)


def test_a_pickle_finds_sets_again(known):
    assert known.position == {"7": 0, "x": 1}
    copied = pickle.loads(pickle.dumps(known))
    assert "position" not in copied.__dict__
    assert copied.assign(batch_table({"x": "a"})).reference_set.tolist() == [1]
    assert copied.sets.same_as(known.sets)


def test_same_sets():
    first = KnownReferences.of(REFERENCES).sets
    assert first.same_as(KnownReferences.of(REFERENCES).sets)
    for other in (
        {7: ["a dog", "dogs"]},
        {7: ["a dog"], "x": ["dogs", "a cat"]},
        {7: ["a dog", "dogs"], "x": ["a bat"]},
    ):
        assert not first.same_as(KnownReferences.of(other).sets)
    graphs = KnownReferences.of({1: [[("man",)]]}).sets
    text = KnownReferences.of({1: [graphs.captions[0]]}).sets
    assert not graphs.same_as(text)


def test_a_part_of_a_table_takes_everything_along():
    table = CaptionTable([1, 2], ["a", "b"], "f", images=["i", "j"], groups=[5, 6], columns={"w": [0.1, 0.2]})
    part = table.take([1])
    assert (part.ids, part.captions, part.images, part.groups, part.columns) == ([2], ["b"], ["j"], [6], {"w": [0.2]})


def test_labels_must_fit():
    with pytest.raises(CaplensError, match="The column 'w' has 3 entries for 1 rows"):
        CaptionTable([1], ["a"], "").labelled(None, {"w": "abc"})
