"""The network of BERT's family beside the same formulas in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caplens.embeddings.transformer import Transformer

LAYERS, HEADS, SIZE, INNER, PIECES, PLACES = 3, 2, 16, 24, 30, 12
LENGTHS = [3, 12, 1, 5]


@pytest.fixture(scope="module")
def weights():
    generator = np.random.default_rng(5)
    shapes = {f"embeddings.{name}_embeddings.weight": (rows, SIZE) for name, rows in
              (("word", PIECES), ("position", PLACES), ("token_type", 2))}  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        products = dict.fromkeys(["attention.self.query", "attention.self.key", "attention.self.value",
                                  "attention.output.dense"], (SIZE, SIZE))  # fmt: skip
        products |= {"intermediate.dense": (INNER, SIZE), "output.dense": (SIZE, INNER)}
        for product, shape in products.items():
            shapes |= {f"{name}.{product}.weight": shape, f"{name}.{product}.bias": shape[:1]}
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
    shapes |= {f"{norm}.{part}": (SIZE,) for norm in norms for part in ("weight", "bias")}
    return {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def states_of(weights, pieces):
    """The last states of one caption."""
    weights = {name: values.astype(np.float64) for name, values in weights.items()}

    def linear(states, name):
        return states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normalized(states, name):
        centred = states - states.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    embeddings = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type"))
    words, places, types = embeddings
    states = normalized(words[pieces] + places[: len(pieces)] + types[0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        parts = (linear(states, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = [np.split(part, HEADS, axis=1) for part in parts]
        attended = []
        for query, key, value in zip(*heads, strict=True):
            scores = np.exp(query @ key.T / math.sqrt(SIZE / HEADS))
            attended.append(scores / scores.sum(axis=1, keepdims=True) @ value)
        attended = linear(np.concatenate(attended, axis=1), f"{name}.attention.output.dense")
        states = normalized(states + attended, f"{name}.attention.output.LayerNorm")
        inner = linear(states, f"{name}.intermediate.dense")
        inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        states = normalized(states + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return states


def test_captions_of_several_lengths_give_the_states_of_the_formulas(weights):
    network = Transformer(weights, LAYERS, HEADS)
    pieces = np.random.default_rng(6).integers(PIECES, size=sum(LENGTHS)).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int32)
    expected = np.concatenate([states_of(weights, part) for part in np.split(pieces, offsets[1:-1])])
    everything = network.run(pieces, offsets, np.ones(len(pieces), dtype=bool))
    np.testing.assert_allclose(everything, expected, atol=2e-5)
    chosen = np.arange(len(pieces)) % 3 == 1
    chosen[offsets[1] : offsets[2]] = False  # a caption of which nothing is wanted
    np.testing.assert_array_equal(network.run(pieces, offsets, chosen), everything[chosen])
    nothing = network.run(pieces, offsets, np.zeros(len(pieces), dtype=bool))
    assert nothing.shape == (0, network.dimensions) == (0, SIZE)
    assert network.most_pieces == PLACES


def test_a_caption_does_not_depend_on_those_beside_it(weights):
    network = Transformer(weights, LAYERS, HEADS)
    pieces = np.arange(10, dtype=np.int32)
    together = network.run(pieces, np.array([0, 4, 10], dtype=np.int32), np.ones(10, dtype=bool))
    alone = network.run(pieces[4:], np.array([0, 6], dtype=np.int32), np.ones(6, dtype=bool))
    np.testing.assert_array_equal(together[4:], alone)
