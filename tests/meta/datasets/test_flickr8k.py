"""Flickr8k: what its files hold, and what is said about wrong ones."""

from __future__ import annotations

import pytest
from tests.judged_sets import load, preset_of

from caplens.errors import InputError


class TestFlickr8k:
    def test_the_experts_rated_5822_captions(self, shared_dir):
        judged = load("flickr8k-expert", shared_dir)
        assert (len(judged), len(set(judged.images)), judged.ratings["rating"].shape) == (5822, 1000, (5822, 3))
        assert int(judged.own.sum()) == 158
        assert {len(references) for references in judged.references} == {5}

    def test_the_crowd_voted_on_47830(self, shared_dir):
        judged = load("flickr8k-crowd", shared_dir / "flickr8k")
        assert (len(judged), int(judged.own.sum())) == (47_830, 721)

    def test_own_captions_are_kept_left_out_or_removed(self, flickr):
        judged = load("flickr8k-expert", flickr)
        kept = preset_of("flickr8k-expert", "kilickaya2017").apply(judged)
        clean = preset_of("flickr8k-expert", "hessel2021").apply(judged)
        assert (len(kept), kept.left_out) == (8, ())
        assert len(clean) == 7
        assert [(gone.code, gone.ids) for gone in clean.left_out] == [("own-reference", ("dog.jpg dog.jpg#1",))]

    def test_an_unknown_caption_is_named(self, flickr):
        with (flickr / "ExpertAnnotations.txt").open("a") as file:
            file.write("dog.jpg\tfish.jpg#3\t1\t1\t1\n")
        with pytest.raises(InputError, match=r"1 image or caption of ExpertAnnotations.txt .*fish.jpg#3"):
            load("flickr8k-expert", flickr)

    def test_a_line_without_all_cells_is_named(self, flickr):
        (flickr / "ExpertAnnotations.txt").write_text("dog.jpg\tcat.jpg#0\t1\n")
        with pytest.raises(InputError, match=r"Line 1 of .*ExpertAnnotations.txt has 3 tab-separated cells"):
            load("flickr8k-expert", flickr)

    def test_a_rating_that_is_no_number_is_named(self, flickr):
        (flickr / "ExpertAnnotations.txt").write_text("dog.jpg\tcat.jpg#0\t1\tx\t2\n")
        with pytest.raises(InputError, match=r"Line 1 of .* not a number"):
            load("flickr8k-expert", flickr)
