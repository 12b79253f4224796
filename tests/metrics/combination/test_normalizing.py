"""Normalisation constants: files of them, what they record, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.toys import Characters

import caplens
from caplens.api.constants import build_constants
from caplens.errors import InputError, UsageError
from caplens.metrics.combination.mean import Mean
from caplens.metrics.combination.normalizing import COCO, FOLDER, SUFFIX, Constants, load, request_of
from caplens.metrics.combination.state import lasting_facts

CANDIDATES = ["a man rides a horse", "two dogs", "a cat on a mat"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run"], ["a cat", "the cat sits", "a mat"]]


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.json"
    build_constants(CANDIDATES, REFERENCES, "rouge(beta=2), wmd, spice", path)
    return path


class TestOwnConstants:
    @pytest.mark.parametrize("normalize", ["minmax", "z"])
    def test_they_normalise_what_they_were_measured_on(self, own, normalize):
        request = f"mean(rouge(beta=2), wmd, normalize={normalize}, normalize_on={own})"
        result = caplens.score(CANDIDATES, REFERENCES, f"rouge(beta=2), wmd, {request}")
        columns = np.column_stack([result[key].item_scores for key in ("ROUGE_L", "WMD")])
        size = np.ptp(columns, axis=0) if normalize == "minmax" else columns.std(axis=0)
        zero = columns.min(axis=0) if normalize == "minmax" else columns.mean(axis=0)
        expected = ((columns - zero) / size).mean(axis=1)
        np.testing.assert_allclose(result["Mean_ROUGE_L_WMD"].item_scores, expected, rtol=1e-12, atol=1e-15)

    def test_a_shard_has_the_scores_of_the_whole(self, own):
        request = f"mean(rouge(beta=2), wmd, normalize_on={own})"
        whole = caplens.score(CANDIDATES, REFERENCES, request)["Mean_ROUGE_L_WMD"].item_scores
        part = caplens.score(CANDIDATES[1:], REFERENCES[1:], request)["Mean_ROUGE_L_WMD"].item_scores
        np.testing.assert_array_equal(part, whole[1:])

    def test_the_signature_has_their_hash_and_round_trips(self, own):
        request = f"mean(rouge(beta=2), wmd, normalize_on={own})"
        score = caplens.score(CANDIDATES, REFERENCES, request)["Mean_ROUGE_L_WMD"]
        assert f"|constants:{load(str(own)).fingerprint}" in score.signature
        assert caplens.metric(score.signature) == caplens.metric(request)

    def test_a_file_that_was_written_again_is_read_again(self, own):
        before = load(str(own)).fingerprint
        build_constants(CANDIDATES[:2], REFERENCES[:2], "rouge(beta=2), wmd", own)
        assert load(str(own)).fingerprint != before

    def test_a_label_does_not_matter(self, own):
        Mean((caplens.metric("rouge(beta=2, label=Mine)"), caplens.metric("wmd")), normalize_on=str(own))

    def test_equal_scores_become_0(self, tmp_path):
        build_constants(["a"] * 2, [["a"]] * 2, "rouge, wmd", tmp_path / "c.json")
        result = caplens.score(["a"] * 2, [["a"]] * 2, f"mean(rouge, wmd, normalize_on={tmp_path / 'c.json'})")
        assert result["Mean_ROUGE_L_WMD"].item_scores.tolist() == [0, 0]


class TestRefused:
    def test_other_data_of_the_same_name(self, own):
        content = json.loads(own.read_text())
        wmd = next(request for request in content["metrics"] if request.startswith("wmd"))
        content["metrics"][wmd]["facts"]["table"] = "0123456789ab"
        own.write_text(json.dumps(content))
        metric = caplens.metric(f"mean(rouge(beta=2), wmd, normalize_on={own})")
        with pytest.raises(UsageError, match="measured with a WMD whose table is 0123456789ab, but here it is"):
            caplens.score(CANDIDATES, REFERENCES, metric)
        caplens.score(CANDIDATES, REFERENCES, f"mean(rouge(beta=2), spice, normalize_on={own})")  # WMD is not in it

    def test_a_fact_that_was_not_recorded(self, own):
        content = json.loads(own.read_text())
        for measured in content["metrics"].values():
            measured["facts"] = {}
        own.write_text(json.dumps(content))
        with pytest.raises(UsageError, match="whose parser is unknown, but here it is"):
            caplens.score(CANDIDATES, REFERENCES, f"mean(rouge(beta=2), spice, normalize_on={own})")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("no json", "is not a file of normalisation constants"),
            ("[]", "is not a file of normalisation constants"),
            (
                '{"schema": 1, "what": "", "metrics": {"rouge": {"facts": {}, "scores": {"R": {"least": "x"}}}}}',
                "float",
            ),
            ('{"schema": 7, "what": "", "metrics": {}}', "of schema 7, not 2: build it again"),
        ],
    )
    def test_files_of_something_else(self, tmp_path, content, message):
        (tmp_path / "other.json").write_text(content)
        with pytest.raises(InputError, match=message):
            caplens.metric(f"mean(rouge, wmd, normalize_on={tmp_path / 'other.json'})")

    def test_a_range_without_bounds(self):
        with pytest.raises(UsageError, match="Characters has no bounds to normalise by"):
            Mean((caplens.metric("rouge"), Characters()), normalize_on="range")


class TestShipped:
    def test_their_facts_are_those_in_force(self):
        for request in load(COCO).metrics:
            metric = caplens.metric(request)
            if metric.missing_data() is None:
                (run,) = caplens.score(CANDIDATES, REFERENCES, metric).runs
                assert lasting_facts(run.metric, run.state) == load(COCO).metrics[request].facts

    def test_what_the_file_says(self):
        text = (FOLDER / f"{COCO}{SUFFIX}").read_text(encoding="utf-8")
        assert "52,000 captions of 4,000 images" in json.loads(text)["what"]
        assert load(COCO).metrics[request_of(caplens.metric("rouge"))].scores["ROUGE_L"] == Constants(
            0.0, 1.0, 0.4906702366058965, 0.16589491325029915
        )

    def test_files_older_than_an_option_are_understood(self):
        """Some were made before METEOR had a language."""
        metric = caplens.metric("meteor")
        request = request_of(metric)
        before = request.replace("language=en,", "").replace("lowercase=true,", "")
        assert before != request
        table = load(COCO)
        older = replace(table, metrics={before: table.metrics[request]})
        assert older.find(metric).scores.keys() == {"METEOR"}
        assert older.find(caplens.metric("meteor(language=de)")) is None
