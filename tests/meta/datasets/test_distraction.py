"""Forced choices between a caption and a distractor."""

from __future__ import annotations

import json

from caplens import study


class TestDistraction:
    def test_kinds_and_their_unweighted_mean(self, tmp_path):
        path = tmp_path / "distractors.jsonl"
        rows = [
            ("share person", "a man sits", "a man runs"),
            ("share person", "a dog", "a man sits down here"),
            ("just scene", "a man sits on a bench", "a bench"),
        ]
        names = ("kind", "correct", "distractor")
        path.write_text(
            "\n".join(
                json.dumps({"image": place, "references": ["a man sits"]} | dict(zip(names, row, strict=True)))
                for place, row in enumerate(rows)
            )
        )
        result = study("distraction", path, metrics="rouge", preset="sharif2020", resamples=10)
        assert result["ROUGE_L"]["accuracy"] == {"share-person": 0.5, "just-scene": 1, "mean": 0.75}
        assert result.to_dict()["categories"] == {"share-person": 2, "just-scene": 1}

    def test_kinds_that_a_preset_does_not_have_are_left_out(self, tmp_path):
        path = tmp_path / "distractors.csv"
        path.write_text("image,correct,distractor,kind,references\n1,a b,c,share person,a b\n2,a,b,mine,a\n")
        result = study("distraction", path, metrics="rouge", preset="kilickaya2017", resamples=5)
        assert (result.to_dict()["n"], result.to_dict()["left_out"]["other-kind"]["ids"]) == (1, ["2"])

    def test_a_folder_of_captions_makes_distractors(self, flickr):
        result = study("distraction", flickr, metrics="rouge", resamples=5)
        assert {"just-person", "just-scene", "replace-scene"} <= set(result.to_dict()["categories"])
        assert {item["kind"] for item in result.items} == set(result.to_dict()["categories"])

    def test_of_flickr30k_only_images_that_are_kept_apart_are_used(self, tmp_path):
        captions = {
            f"{image}.jpg": [f"A man sits on the beach {image}.", "A person rests.", "Sand."] for image in range(4)
        }
        (tmp_path / "captions.json").write_text(json.dumps(captions))
        (tmp_path / "kept_apart.txt").write_text("1.jpg\n3.jpg\n")
        result = study("distraction", tmp_path, metrics="rouge", resamples=5)
        assert {item["image"] for item in result.items} == {"1", "3"}
        assert result.to_dict()["images_of"] == "2 images of captions.json that kept_apart.txt lists"
        assert "chosen among 2 images of captions.json that kept_apart.txt lists" in str(result)
