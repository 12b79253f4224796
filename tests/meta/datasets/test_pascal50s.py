"""PASCAL-50S: pairs from the sample and from the original files."""

from __future__ import annotations

import numpy as np
import pytest
from tests.judged_sets import load

from caplens.errors import InputError


def cell(text):
    box = np.empty((1, 1), dtype=object)
    box[0, 0] = text
    return box


def test_pascal_sample(shared_dir):
    pairs = load("pascal50s", shared_dir)
    assert (len(pairs), pairs.categories.count("MM"), {len(texts) for texts in pairs.references}) == (40, 10, {50})
    assert pairs.votes["consensus"].sum(axis=1).tolist() == [1] * 40


def test_pascal_from_the_original_files(tmp_path):
    """Written as the original files are: cells in cells."""
    scipy_io = pytest.importorskip("scipy.io")
    names = [("dog.jpg", "a dog", "a cat", 1), ("bus.jpg", "a bus", "a car", 4)]
    inputs, triplets = (
        np.empty(2, dtype=object),
        np.empty(6, dtype=[(name, object) for name in ("A", "B", "C", "rating")]),
    )
    for place, (image, first, second, _) in enumerate(names):
        inputs[place] = np.array([image, first, second], dtype=object)
        for vote in range(3):
            rating = 1 if vote < 2 - place else -1
            triplets[3 * place + vote] = (
                cell(f"reference {vote}"),
                cell(first),
                cell(second),
                np.array([[rating]]),
            )
    scipy_io.savemat(tmp_path / "pair_pascal.mat", {"new_input": inputs, "category": [row[3] for row in names]})
    scipy_io.savemat(tmp_path / "consensus_pascal.mat", {"triplets": triplets})
    pairs = load("pascal50s", tmp_path)
    assert (pairs.images, pairs.first, pairs.second) == (
        ["dog.jpg", "bus.jpg"],
        ["a dog", "a bus"],
        ["a cat", "a car"],
    )
    assert (pairs.categories, pairs.votes["votes"].tolist()) == (["HC", "MM"], [[2, 1], [1, 2]])
    assert pairs.references[0] == ("reference 0", "reference 1", "reference 2")


def test_pascal_pairs_like_their_neighbour_or_unlike_their_triplets(tmp_path):
    """Triplets are dealt out by number: equal neighbours stay two pairs, and others are left out and named."""
    scipy_io = pytest.importorskip("scipy.io")
    inputs = np.empty(3, dtype=object)
    for place, first in enumerate(("a  dog ", "a dog", "a bird")):
        inputs[place] = np.array(["dog.jpg", first, "a cat"], dtype=object)
    triplets = np.empty(6, dtype=[(name, object) for name in ("A", "B", "C", "rating")])
    for place in range(6):
        triplets[place] = (cell(f"reference {place}"), cell("a dog"), cell("a cat"), np.array([[1]]))
    scipy_io.savemat(tmp_path / "pair_pascal.mat", {"new_input": inputs, "category": [1, 1, 4]})
    scipy_io.savemat(tmp_path / "consensus_pascal.mat", {"triplets": triplets})
    pairs = load("pascal50s", tmp_path)
    assert (pairs.ids, pairs.votes["votes"].tolist()) == (["1", "2"], [[2, 0], [2, 0]])
    assert [(gone.code, gone.ids) for gone in pairs.left_out] == [("other-captions", ("3",))]
    (tmp_path / "consensus_pascal.mat").write_bytes(b"no matrix at all" * 20)
    with pytest.raises(InputError, match="cannot be read as a MATLAB file"):
        load("pascal50s", tmp_path)
