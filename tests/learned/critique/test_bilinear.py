"""Compact bilinear pooling against the outer product that it stands for."""

import numpy as np
import pytest

from caplens.learned.critique.bilinear import CountSketch, as_matrix, pool


@pytest.fixture
def sketches():
    generator = np.random.default_rng(2)
    return CountSketch.draw(7, 16, generator), CountSketch.draw(5, 16, generator)


def explicit(left, right, sketches):
    """Sketch the outer product itself, number by number."""
    result = np.zeros((len(left), sketches[0].size))
    for row in range(len(left)):
        for i, x in enumerate(left[row]):
            for j, y in enumerate(right[row]):
                place = (sketches[0].places[i] + sketches[1].places[j]) % sketches[0].size
                result[row, place] += float(sketches[0].signs[i]) * float(sketches[1].signs[j]) * x * y
    return result


def test_pooling_is_the_sketch_of_the_outer_product(sketches):
    generator = np.random.default_rng(3)
    left, right = (generator.normal(size=(6, width)).astype(np.float32) for width in (7, 5))
    np.testing.assert_allclose(pool(left, right, *sketches), explicit(left, right, sketches), atol=1e-5)


def test_a_linear_classifier_of_pooled_vectors_is_a_matrix(sketches):
    generator = np.random.default_rng(4)
    left, right = (generator.normal(size=(6, width)).astype(np.float32) for width in (7, 5))
    weights = generator.normal(size=16).astype(np.float32)
    expected = pool(left, right, *sketches) @ weights
    found = np.einsum("ni,ij,nj->n", left, as_matrix(weights, *sketches), right)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_sketches_keep_inner_products_on_average():
    generator = np.random.default_rng(5)
    left, right = generator.normal(size=(2, 1, 50)).astype(np.float32)
    drawn = [CountSketch.draw(50, 256, generator) for _ in range(400)]
    products = [float((sketch(left) @ sketch(right).T)[0, 0]) for sketch in drawn]
    spread = np.std(products) / np.sqrt(len(products))
    assert abs(np.mean(products) - float((left @ right.T)[0, 0])) < 4 * spread
