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
        result = study("distraction", path, metrics="rouge", preset="003", resamples=10)
        assert result["ROUGE_L"]["accuracy"] == {"share-person": 0.5, "just-scene": 1, "mean": 0.75}
        assert result.to_dict()["categories"] == {"share-person": 2, "just-scene": 1}

    def test_kinds_that_a_preset_does_not_have_are_left_out(self, tmp_path):
        path = tmp_path / "distractors.csv"
        path.write_text("image,correct,distractor,kind,references\n1,a b,c,share person,a b\n2,a,b,mine,a\n")
        result = study("distraction", path, metrics="rouge", preset="000", resamples=5)
        assert (result.to_dict()["n"], result.to_dict()["left_out"]["other-kind"]["ids"]) == (1, ["2"])

    def test_a_folder_of_captions_makes_distractors(self, flickr):
        result = study("distraction", flickr, metrics="rouge", resamples=5)
        assert {"just-person", "just-scene", "replace-scene"} <= set(result.to_dict()["categories"])
        assert {item["kind"] for item in result.items} == set(result.to_dict()["categories"])
