"""Words of systems against those of people."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens import study
from caplens.errors import InputError
from caplens.meta.probes.frequencies import Band, rank_edges, word_figures


def test_word_frequencies(coco):
    result = study("frequencies", coco)
    figures = result.to_dict()["systems"]
    assert (figures["people"]["words"], figures["one"]["words"], figures["two"]["vocabulary"]) == (15, 5, 3)
    assert figures["people"]["bands"][0]["log10_ratio"] == 0
    assert "zebra" not in figures["two"]["more_than_people"]  # people never say it: there is no ratio


def test_words_are_counted_on_the_images_that_all_have(coco):
    path = coco / "systems" / "one.json"
    path.write_text(json.dumps([*json.loads(path.read_text()), {"image_id": 3, "caption": "a tree and a house"}]))
    assert study("frequencies", coco).to_dict()["systems"]["one"]["words"] == 5


def test_frequencies_by_rank_are_means_of_words():
    figures = word_figures(np.array([6, 3, 1, 0]), np.array([5, 3, 2, 1]), ["a", "dog", "cat", "tree"])
    assert rank_edges(4) == [0, 1, 3, 4]
    assert figures.frequencies == pytest.approx([0.6, 0.2, 0])


def test_a_word_that_people_never_say_is_among_the_rarest():
    figures = word_figures(np.array([1, 0, 1]), np.array([3, 1, 0]), ["a", "dog", "zebra"])
    assert figures.bands[-1] == Band(share=0.5, log10_ratio=None)


def test_no_caption_files(tmp_path):
    with pytest.raises(InputError, match="no folder 'systems'"):
        study("frequencies", tmp_path)
    (tmp_path / "systems").mkdir()
    with pytest.raises(InputError, match="contains no caption files"):
        study("frequencies", tmp_path)
