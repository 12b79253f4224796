"""What is derived from captions, once for all metrics."""

from __future__ import annotations

import pickle

from tests import toys

import caplens
from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import NgramCounts, WordIds
from caplens.text.captions import Captions


def side(*texts, base=None):
    return PreparedCaptions(Captions.from_texts(list(texts))[0], base)


def test_it_is_computed_once():
    toys.calls.clear()
    captions = side("a dog")
    assert captions.get(toys.Lengths()) is captions.get(toys.Lengths())
    assert toys.calls["lengths of references"] == 1


def test_equal_requirements_are_one():
    captions = side("a dog")
    assert captions.get(WordIds("ptb")) is captions.get(WordIds())
    assert captions.get(WordIds("none")) is not captions.get(WordIds())


def test_a_hash_is_computed_once_and_does_not_travel():
    ngrams = NgramCounts(WordIds("none"), 3)
    assert hash(ngrams) == hash(NgramCounts(WordIds("none"), 3)) != hash(NgramCounts(WordIds("ptb"), 3))
    assert "_hash" in vars(ngrams)
    travelled = pickle.loads(pickle.dumps(ngrams))
    assert travelled == ngrams
    assert "_hash" not in vars(travelled)
    assert "_hash" not in vars(travelled.words)


def test_candidates_keep_the_ids_of_the_references():
    references = side("a dog runs")
    candidates = side("dog cat", base=references)
    ours, theirs = candidates.get(WordIds()), references.get(WordIds())
    assert ours[0] == ["dog", "cat"]
    assert ours.ids[0] == theirs.ids[1]
    assert ours.ids[1] not in theirs.ids


def test_words_are_split_at_white_space_inside_them_and_stemmed():
    captions = side("1 1/2 dogs running")
    assert captions.get(WordIds())[0] == ["1\xa01/2", "dogs", "running"]
    assert captions.get(WordIds(split=True))[0] == ["1", "1/2", "dogs", "running"]
    assert captions.get(WordIds(stem=True))[0][1:] == ["dog", "run"]


def test_ngrams_are_counted():
    counts = side("a dog and a dog").get(NgramCounts(max_order=2))
    assert sorted(counts.orders[1].of(0)[1].tolist()) == [1, 1, 2]


def test_it_is_public():
    assert issubclass(WordIds, caplens.Requirement)
