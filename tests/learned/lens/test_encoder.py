"""The encoder of captions against its slow version, and files that are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lens_arrays import SUMMED, WORDS, Oracle, made_up_arrays, summed_vector

from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, read_arrays
from caplens.files.checks import DamagedFileError
from caplens.learned.lens.encoder import PATH, CaptionEncoder, repetitions, shipped, supervised, well_formed
from caplens.learned.lens.weights import read_weights, shipped_weights
from caplens.learned.lens.words import Lexicon
from caplens.metrics.lens.states import Claims
from caplens.text._tables import BytesTable

ARRAYS = made_up_arrays()
ENCODER = CaptionEncoder(ARRAYS)
ORACLE = Oracle(ARRAYS)
captions = st.lists(st.lists(st.sampled_from([*WORDS, "zebra", "é", "x"]), max_size=8), min_size=1, max_size=6)


def coded(table, encoder=ENCODER):
    spelled = [key.decode() for key in table.keys(np.arange(len(table)))]
    return encoder.words(table, np.array([summed_vector(word) for word in spelled], np.float32).reshape(-1, SUMMED))


def numbered(texts, encoder=ENCODER):
    table = BytesTable()
    ids = np.array([table.insert(word.encode()) for words in texts for word in words], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in texts])]).astype(np.int64)
    return Lexicon.single(coded(table, encoder)), ids, offsets


def encoded(texts, encoder=ENCODER):
    return encoder.encode(*numbered(texts, encoder))


def claimed(texts):
    """Return candidates: nouns count more, and it is known how alike counterparts usually are."""
    lexicon, ids, offsets = numbered(texts)
    found = ENCODER.encode(lexicon, ids, offsets)
    return Claims(replace(found, weights=found.weights * (1 + lexicon.nouns[ids])), lexicon.usual[ids])


def odds(texts):
    return ENCODER.odds(*numbered(texts))


@settings(max_examples=60, deadline=None)
@given(captions)
def test_as_the_slow_version(texts):
    found = encoded(texts)
    formed = well_formed(odds(texts), found.offsets)
    for caption, words in enumerate(texts):
        part = slice(*found.offsets[caption : caption + 2].tolist())
        if not words:
            assert not found.captions[caption].any()
            assert formed[caption] == 0
            continue
        expected = ORACLE.encode(words)
        np.testing.assert_allclose(found.captions[caption], expected["caption"], atol=2e-4)
        np.testing.assert_allclose(found.vectors[part], expected["vectors"], atol=2e-4)
        np.testing.assert_allclose(found.weights[part], expected["weights"], atol=2e-4)
        np.testing.assert_allclose(claimed([words]).encoded.weights, expected["claims"], atol=4e-4)
        np.testing.assert_allclose(formed[caption], expected["well_formed"], atol=1e-3)


class TestWhatRatingsChange:
    rated = CaptionEncoder(supervised(ARRAYS))
    texts = (["a", "man", "rides", "zebra"], ["two", "horse"])

    def test_as_the_slow_version(self):
        found, oracle = encoded(self.texts, self.rated), Oracle(ARRAYS, rated=True)
        expected = [oracle.encode(words) for words in self.texts]
        for name in ("vectors", "weights"):
            wanted = np.concatenate([each[name] for each in expected])
            np.testing.assert_allclose(getattr(found, name), wanted, atol=2e-4)

    def test_whole_captions_and_form_stay(self):
        before, found = encoded(self.texts), encoded(self.texts, self.rated)
        assert np.array_equal(before.captions, found.captions)
        assert not np.allclose(before.vectors, found.vectors)
        assert np.array_equal(odds(self.texts), self.rated.odds(*numbered(self.texts, self.rated)))

    def test_has_a_fingerprint_of_its_own(self):
        assert (ENCODER.fingerprint, self.rated.fingerprint) == ("madeup", "rated")

    @pytest.mark.parametrize(
        "arrays",
        [
            {"supervised.words": np.zeros(3, np.float32)},
            {"supervised.gate": np.zeros(3, np.float32)},
            {"supervised.words": np.full(24, np.nan, np.float32)},
            {"supervised.gate": np.full(16, np.inf, np.float32)},
        ],
    )
    def test_arrays_that_do_not_fit_are_refused(self, arrays):
        with pytest.raises(DamagedFileError):
            CaptionEncoder(supervised(changed(**arrays)))


class TestTheFileThatShips:
    def test_ratings_stretch_axes_moderately(self):
        factors = np.exp(read_arrays(PATH)["supervised.words"])
        assert 0.2 < factors.min() < 1 < factors.max() < 5

    def test_variants_differ_in_their_encoders(self):
        assert shipped().fingerprint != shipped("supervised").fingerprint
        assert shipped() is shipped("unsupervised")

    def test_variants_share_the_weights_of_parts(self):
        plain, rated = shipped_weights("unsupervised"), shipped_weights("supervised")
        assert plain.content == rated.content
        assert (plain.form_steepness, plain.form_half) == (rated.form_steepness, rated.form_half)


@settings(max_examples=30, deadline=None)
@given(captions)
def test_neighbours_change_nothing(texts):
    together = encoded(texts)
    for caption, words in enumerate(texts):
        alone = encoded([words])
        part = slice(*together.offsets[caption : caption + 2].tolist())
        assert np.array_equal(alone.vectors, together.vectors[part])
        assert np.array_equal(alone.captions[0], together.captions[caption])
        assert np.array_equal(odds([words]), odds(texts)[part])


def test_the_order_of_words_counts():
    found = encoded([["a", "man", "rides", "a", "horse"], ["a", "horse", "rides", "a", "man"]])
    difference = np.abs(found.captions[0] - found.captions[1])
    assert difference.max() > 1e-3
    assert difference[-SUMMED:].max() < 1e-6  # the second view is blind to it


def test_repetitions_start_anew_in_each_caption():
    found = repetitions(np.array([1, 2, 1, 2, 1, 1], np.int32), np.array([0, 0, 0, 0, 1, 1]))
    assert found[:, 0].tolist() == [0, 0, 1, 1, 0, 1]
    assert found[:, 1].tolist() == [0, 0, 0, 1, 0, 0]


def changed(**arrays):
    return Arrays.in_memory({**{name: ARRAYS[name] for name in ARRAYS}, **arrays}, ARRAYS.facts)


@pytest.mark.parametrize(
    "arrays",
    [
        {"first.bias": np.zeros(3, np.float32)},
        {"rows": np.zeros((2, 24), np.int8)},
        {"form_places": np.full(len(WORDS), 99, np.int32)},
        {"noun_shares": np.zeros(2, np.uint8)},
        {"usual": np.zeros((2, 2), np.uint8)},
        {"unknown_usual": np.zeros(3, np.uint8)},
        {"match_words.weight": np.full((24, 24), np.nan, np.float16)},
        {"scene_second.bias": np.zeros(3, np.float32)},
    ],
)
def test_arrays_that_contradict_each_other_are_refused(arrays):
    with pytest.raises(DamagedFileError):
        CaptionEncoder(changed(**arrays))


def test_another_file_is_refused():
    with pytest.raises(DamagedFileError, match="not contain a caption encoder"):
        CaptionEncoder(Arrays.in_memory({"a": np.zeros(1)}, {}))


def test_negative_weights_are_refused():
    facts = {**ARRAYS.facts, "weights": ARRAYS.facts["weights"].replace("2.0", "-2.0")}
    with pytest.raises(MissingDataError, match="must not be negative"):
        read_weights(CaptionEncoder(Arrays.in_memory({name: ARRAYS[name] for name in ARRAYS}, facts)), "supervised")


def test_preferences_are_symmetric():
    weights = read_weights(ENCODER, "supervised")
    first, second = np.array([0.0, 20.0, 50.0, 100.0]), np.array([100.0, 30.0, 50.0, 0.0])
    found = weights.preference(first, second)
    np.testing.assert_allclose(found + weights.preference(second, first), 1)
    assert found[2] == 0.5
    assert found[0] < found[1] < 0.5
