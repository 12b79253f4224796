"""Words of candidates and references, compared by the kernel, by the explanation, and slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learned.lens.test_encoder import ORACLE, claimed, encoded
from tests.lens_arrays import WORDS

from caplens.metrics.lens import _lens
from caplens.metrics.lens.explanation import compare

caption = st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=7)
rows = st.lists(st.tuples(caption, st.lists(caption, min_size=1, max_size=4)), min_size=1, max_size=5)


def for_kernel(found):
    return _lens.Encoded(found.offsets, found.vectors, found.weights, found.captions)


def content(pairs):
    candidates = claimed([candidate for candidate, _ in pairs])
    references = encoded([each for _, references in pairs for each in references])
    sets = np.concatenate([[0], np.cumsum([len(references) for _, references in pairs])]).astype(np.int64)
    table = np.full((len(pairs), 3), np.nan)
    ours = for_kernel(candidates.encoded)
    _lens.compare(ours, candidates.usual, for_kernel(references), sets, np.arange(len(pairs)), table)
    return table


@settings(max_examples=60, deadline=None)
@given(rows)
def test_as_the_slow_version(pairs):
    for row, (candidate, references) in zip(content(pairs), pairs, strict=True):
        if not candidate or not any(references):
            assert row.tolist() == [0, 0, 0]
            continue
        np.testing.assert_allclose(row, ORACLE.content(candidate, references), atol=1e-3)


@settings(max_examples=30, deadline=None)
@given(caption.filter(bool), st.lists(caption, min_size=1, max_size=4).filter(any))
def test_explanations_compare_alike(candidate, references):
    found = compare(claimed([candidate]), encoded(references))
    expected = content([(candidate, references)])[0]
    np.testing.assert_allclose([found.scene, found.support, found.coverage], expected, atol=1e-5)


def test_a_caption_that_equals_its_references_is_fully_supported():
    np.testing.assert_allclose(content([(["a", "dog"], [["a", "dog"]] * 3)]), 1, atol=1e-5)


def test_offsets_are_checked():
    vectors, weights, captions = np.ones((2, 4), np.float32), np.ones(2, np.float32), np.ones((1, 4), np.float32)
    for offsets in ([0, 3], [-1, 2], [2, 0]):
        with pytest.raises(ValueError, match="slices"):
            _lens.Encoded(np.array(offsets), vectors, weights, captions)
    good, usual = _lens.Encoded(np.array([0, 2]), vectors, weights, captions), np.ones((2, 2), np.float32)
    with pytest.raises(ValueError, match="sets that exist"):
        _lens.compare(good, usual, good, np.array([0, 1]), np.array([1]), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="slices of references"):
        _lens.compare(good, usual, good, np.array([0, 2]), np.array([0]), np.zeros((1, 3)))
    for few in (usual[:1], usual[:, :1].copy()):
        with pytest.raises(ValueError, match="usual likeness"):
            _lens.compare(good, few, good, np.array([0, 1]), np.array([0]), np.zeros((1, 3)))


def test_a_word_that_references_often_leave_out_costs_less():
    """Of two words without counterpart, the one that usually has one is missed more, and more so by many references."""
    found = claimed([["dog"]])
    for usual, more in (((0.2, 0.4), (0.7, 0.9)), ((0.2, 0.4), (0.2, 0.9))):
        table = np.zeros((2, 3))
        for row, expected in enumerate((usual, more)):
            references = encoded([["grass"], ["the"]])
            _lens.compare(
                for_kernel(found.encoded),
                np.array([expected], np.float32),
                for_kernel(references),
                np.array([0, 2]),
                np.array([0]),
                table[row : row + 1],
            )
        assert table[0, 1] > table[1, 1]
        assert table[0, [0, 2]].tolist() == table[1, [0, 2]].tolist()
