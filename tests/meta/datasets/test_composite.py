"""Composite: captions of three image sets, rated for correctness and thoroughness."""

from __future__ import annotations

import csv

import pytest
from tests.judged_sets import load, preset_of

from caplens.errors import InputError


class TestComposite:
    def test_the_sample_with_references_of_three_sets(self, shared_dir):
        judged = load("composite", shared_dir)
        assert len(judged) == 60
        assert set(judged.ratings) == {"correctness"}
        assert len(set(judged.ids)) == 60
        clean = preset_of("composite").apply(judged)
        sizes = [len(before) - len(after) for before, after in zip(judged.references, clean.references, strict=True)]
        assert [size > 0 for size in sizes] == judged.own.tolist()
        assert any(judged.own)

    def test_thoroughness_is_used_where_it_is(self, flickr):
        path = flickr / "composite.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["source", "image_id", "position", "caption", "correctness_1to5", "thoroughness_1to5"])
            writer.writerow(["flickr8k", "dog", 0, "a dog runs on grass .", 5, 4])
            writer.writerow(["flickr8k", "cat", 1, "a bus .", 1, 2])
        judged = load("composite", flickr)
        assert {aspect: ratings.ravel().tolist() for aspect, ratings in judged.ratings.items()} == {
            "correctness": [5, 1],
            "thoroughness": [4, 2],
        }
        assert judged.own.tolist() == [True, False]

    def test_images_without_references_are_counted(self, flickr):
        (flickr / "composite.csv").write_text(
            "source,image_id,position,caption,correctness_1to5\nflickr8k,fish,0,a fish,3\n"
        )
        with pytest.raises(InputError, match=r"1 image of composite.csv have no reference captions .*flickr8k fish"):
            load("composite", flickr)

    def test_a_missing_column_is_named(self, flickr):
        (flickr / "composite.csv").write_text("source,image_id,text\nflickr8k,dog,a dog\n")
        with pytest.raises(InputError, match="no column 'caption'; it has source, image_id, text"):
            load("composite", flickr)

    def test_the_preset_000_needs_thoroughness(self, shared_dir):
        with pytest.raises(InputError, match="needs ratings of thoroughness; the data has only correctness"):
            preset_of("composite", "kilickaya2017").apply(load("composite", shared_dir))
