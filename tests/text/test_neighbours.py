"""Rows drawn from the nearest ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from caplens.text import neighbours
from caplens.text.neighbours import nearest_rows, rarity_vectors


@pytest.fixture
def features():
    return np.random.default_rng(3).normal(size=(40, 6))


def by_hand(features, row, number):
    """The nearest other rows by cosine, the slow way."""
    cosine = {
        other: features[row] @ features[other] / np.linalg.norm(features[row]) / np.linalg.norm(features[other])
        for other in range(len(features))
        if other != row
    }
    return set(sorted(cosine, key=cosine.get, reverse=True)[:number])


def as_matrix(rows):
    return csr_matrix((rows.weights, rows.columns, rows.offsets), shape=rows.shape)


def test_products_are_those_of_scipy_to_the_last_digit():
    generator = np.random.default_rng(6)
    documents = [generator.choice(list("abcdefghijklmnop"), generator.integers(0, 9)).tolist() for _ in range(50)]
    rows = rarity_vectors([[], *documents, []])
    matrix = as_matrix(rows)
    assert (rows.products(0, 52) == (matrix @ matrix.T).toarray()).all()
    assert (rows.products(7, 20) == rows.products(0, 52)[7:20]).all()
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    assert lengths[[len(document) > 0 for document in [[], *documents, []]]] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(("strength", "number"), [(0.001, 1), (0.1, 4), (0.2, 8), (0.5, 20)])
def test_rows_come_from_the_nearest_share_and_all_of_it(features, strength, number):
    drawn = [nearest_rows(features, strength, np.random.default_rng(seed)) for seed in range(250)]
    for row in (0, 7, 39):
        assert {rows[row] for rows in drawn} == by_hand(features, row, number)


def test_all_of_the_nearest_are_alike_likely(features):
    drawn = [nearest_rows(features, 0.1, np.random.default_rng(seed))[5] for seed in range(400)]
    counts = np.unique(drawn, return_counts=True)[1]
    assert len(counts) == 4
    assert np.abs(counts - 100).max() < 44  # five standard deviations


def test_the_size_of_blocks_changes_nothing(features, monkeypatch):
    whole = nearest_rows(features, 0.3, np.random.default_rng(1))
    monkeypatch.setattr(neighbours, "BLOCK_ELEMENTS", 90)
    assert nearest_rows(features, 0.3, np.random.default_rng(1)) == whole


def test_sparse_vectors_give_the_same_as_dense_ones():
    generator = np.random.default_rng(4)
    documents = [generator.choice(list("abcdefghij"), 6).tolist() for _ in range(30)]
    sparse = rarity_vectors(documents)
    dense = as_matrix(sparse).toarray()
    np.testing.assert_allclose(sparse.products(0, 30), dense @ dense.T, atol=1e-6)
    for strength in (0.1, 0.6):
        one, other = (nearest_rows(vectors, strength, np.random.default_rng(2)) for vectors in (sparse, dense))
        assert one == other


def test_rows_with_the_same_label_are_never_drawn_for_each_other(features):
    labels = ["same"] * 30 + list(range(10))
    for strength in (0.05, 1.0):
        drawn = nearest_rows(features, strength, np.random.default_rng(1), labels)
        assert all(labels[row] != labels[other] for row, other in enumerate(drawn))


def test_equal_rows_and_rows_of_nothing(features):
    features[:5] = 0
    features[5:15] = features[5]
    drawn = nearest_rows(features, 0.2, np.random.default_rng(1))
    assert all(5 <= drawn[row] < 15 for row in range(5, 15))


def test_what_cannot_be_drawn(features):
    for arguments in ((features[:1], 0.5), (features, 0.0), (features, 1.5)):
        with pytest.raises(ValueError, match=r"another one|strength"):
            nearest_rows(*arguments, np.random.default_rng(1))
    with pytest.raises(ValueError, match="another one"):
        nearest_rows(features, 0.5, np.random.default_rng(1), ["same"] * 40)


def test_rare_words_weigh_more():
    vectors = rarity_vectors([["a", "zebra"], ["a", "horse"], ["zebra"], ["a"]])
    near = vectors.products(0, 4)
    assert near[0, 2] > near[0, 1] > 0
