"""The network at run time against the plain oracle, and what batches may not change."""

from itertools import pairwise

import numpy as np
import pytest
from tests import parser_oracle

from caplens.scenegraph.parser._trees import find_trees
from caplens.scenegraph.parser.network import Network

TAGS, LABELS, ROWS = 7, 5, 40


@pytest.fixture(scope="module")
def weights():
    generator = np.random.default_rng(7)
    embedding, hidden, arc, relation = 12, 10, 9, 6
    shapes = {"embedding.weight": (ROWS, embedding)}
    for layer, width in enumerate((embedding, 2 * hidden)):
        for direction in ("", "_reverse"):
            shapes[f"layers.{layer}.weight_ih_l0{direction}"] = (4 * hidden, width)
            shapes[f"layers.{layer}.weight_hh_l0{direction}"] = (4 * hidden, hidden)
            shapes[f"layers.{layer}.bias_ih_l0{direction}"] = (4 * hidden,)
            shapes[f"layers.{layer}.bias_hh_l0{direction}"] = (4 * hidden,)
    for part, size in {"arc_dependent": arc, "arc_head": arc, "label_dependent": relation, "tag": TAGS}.items():
        shapes |= {f"{part}.weight": (size, 2 * hidden), f"{part}.bias": (size,)}
    shapes |= {"label_head.weight": (relation, 2 * hidden), "label.weight": (LABELS, relation), "label.bias": (LABELS,)}
    shapes |= {"arc_product": (arc, arc), "arc_bias": (arc,), "arc_root": (arc,), "label_root": (relation,)}
    return {name: generator.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def parse(network, captions):
    """Parse captions of feature rows, the longest first, as a parser does."""
    order = sorted(range(len(captions)), key=lambda place: -len(captions[place]))
    offsets = np.cumsum([0, *(len(captions[place]) for place in order)]).astype(np.int32)
    inputs = network.word_inputs(np.concatenate([captions[place] for place in order]))
    columns = network.read(inputs, np.arange(offsets[-1], dtype=np.int32), offsets).best()
    found = [[column[first:last].tolist() for column in columns] for first, last in pairwise(offsets)]
    return [found[order.index(place)] for place in range(len(captions))]


@pytest.fixture(scope="module")
def captions():
    generator = np.random.default_rng(3)
    lengths = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 5, 5, 5, 4, 4, 1]
    return [generator.integers(0, ROWS, (length, 3)).astype(np.int32) for length in lengths]


def test_the_oracle_agrees(weights, captions):
    for caption, (tags, heads, labels) in zip(captions, parse(Network(weights), captions), strict=True):
        arcs, score_labels, score_tags = parser_oracle.score_caption(caption, weights)
        assert tags == score_tags.argmax(axis=1).tolist()
        assert heads == list(parser_oracle.best_tree(arcs))
        assert labels == score_labels(heads).argmax(axis=1).tolist()


def test_neighbours_change_nothing(weights, captions):
    network = Network(weights)
    together = parse(network, captions)
    assert together == [parse(network, [caption])[0] for caption in captions]
    assert together[:7] == parse(network, captions[:7])


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_trees_are_the_best_of_all(length):
    generator = np.random.default_rng(length)
    for _ in range(30):
        queries, keys = (generator.normal(size=(length, 4)).astype(np.float32) for _ in range(2))
        root = generator.normal(size=4).astype(np.float32)
        heads = np.full(length, -1, np.int32)
        find_trees(queries, keys, root, np.array([0, length], np.int32), heads)
        arcs = queries.astype(float) @ np.concatenate([root[np.newaxis], keys]).T.astype(float)
        arcs -= np.log(np.exp(arcs).sum(axis=1, keepdims=True))
        assert heads.tolist() == list(parser_oracle.best_tree(arcs))


def test_long_captions_have_trees():
    generator = np.random.default_rng(1)
    length = 300
    heads = np.full(length, -1, np.int32)
    queries, keys = (generator.normal(size=(length, 4)).astype(np.float32) for _ in range(2))
    find_trees(queries, keys, keys[0].copy(), np.array([0, length], np.int32), heads)
    assert parser_oracle.is_projective_tree(heads.tolist())
