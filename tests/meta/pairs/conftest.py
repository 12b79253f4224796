"""Pairs that are made up."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def pascal(tmp_path):
    """Four made-up pairs, two a category, in the shape of PASCAL-50S."""
    rows = [
        ("dog.jpg", "a dog runs", "a cat", "HC", 9, 2, 0),
        ("dog.jpg", "a bus", "a dog sits", "HC", 3, 8, 1),
        ("cat.jpg", "a cat", "a dog", "MM", 2, 9, 1),
        ("cat.jpg", "a tree", "a tree", "MM", 7, 4, 0),
    ]
    names = ("image", "a", "b", "category", "votes_a", "votes_b", "consensus_label")
    (tmp_path / "pairs.json").write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    references = {image: [f"a {image[:3]} number {place}" for place in range(8)] for image in ("dog.jpg", "cat.jpg")}
    (tmp_path / "refs50.json").write_text(json.dumps(references))
    return tmp_path
