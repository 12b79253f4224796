"""ABSTRACT-50S: triplets, and the kinds of pairs that they do not name."""

from __future__ import annotations

import sys

import pytest
from tests.judged_sets import load, preset_of

from caplens.errors import MissingDataError
from caplens.meta.datasets.abstract50s import infer_kinds
from caplens.meta.datasets.triplets import VotedPair, read_triplets
from caplens.meta.registry import study_class


def test_abstract_from_json_and_from_the_original_file(shared_dir):
    pairs = load("abstract50s", shared_dir)
    assert (len(pairs), len(set(pairs.images)), {len(texts) for texts in pairs.references}) == (400, 200, {48})
    pytest.importorskip("scipy.io")
    original = read_triplets(shared_dir / "abstract50s" / "consensus_abstract.mat")
    assert [pair.votes for pair in original] == [tuple(votes) for votes in pairs.votes["votes"].astype(int).tolist()]
    assert [pair.first for pair in original] == pairs.first
    assert [pair.references for pair in original] == pairs.references


def test_matlab_files_say_what_they_need(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.io", None)
    with pytest.raises(MissingDataError, match=r'a MATLAB file, which needs scipy: pip install "caplens\[matlab\]"'):
        read_triplets(tmp_path / "consensus_abstract.mat")


def test_abstract_kinds_agree_with_what_the_captions_prove(shared_dir):
    """A caption that both pairs of an image share is the image's own, so in any other image it is the wrong one."""
    pairs = load("abstract50s", shared_dir)
    assert (pairs.categories.count("HC"), pairs.categories.count("HI")) == (200, 200)
    assert [one.reference_count for one in study_class("abstract50s").presets()] == [None, 5, 5]
    of_image = {}
    for place, image in enumerate(pairs.images):
        of_image.setdefault(image, []).append(place)
    captions = [{first, second} for first, second in zip(pairs.first, pairs.second, strict=True)]
    shared = {image: captions[one] & captions[other] for image, (one, other) in of_image.items()}
    owner = {caption: image for image, (caption,) in shared.items()}
    proven = [
        place
        for image, places in of_image.items()
        for place in places
        if owner.get(*(captions[place] - shared[image]), image) != image
    ]
    assert (len(proven), sum(pairs.categories[place] == "HI" for place in proven)) == (37, 35)


def test_pairs_that_share_no_caption_have_no_kind():
    pairs = [VotedPair("a", "b", ("r",), (1, 0)), VotedPair("c", "d", ("r",), (1, 0))]
    assert infer_kinds(pairs) is None
    assert infer_kinds(pairs[:1]) is None


def test_tied_votes_are_left_out_and_counted(shared_dir):
    pairs = preset_of("abstract50s").apply(load("abstract50s", shared_dir))
    assert (len(pairs), [(gone.code, len(gone.ids)) for gone in pairs.left_out]) == (388, [("tied-votes", 12)])
