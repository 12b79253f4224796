"""FOIL: captions and copies with a wrong noun."""

from __future__ import annotations

from tests.judged_sets import load

from caplens.meta.datasets.foil import others


def test_foil_has_four_other_references(shared_dir):
    pairs = load("foil", shared_dir)
    assert len(pairs) == 1000
    assert min(map(len, pairs.references)) == 4


def test_the_reference_that_the_caption_is_goes():
    assert others("a dog runs", ("A dog runs!", "a dog sits", "a cat")) == ("a dog sits", "a cat")
