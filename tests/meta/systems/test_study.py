"""System-level correlation: the leaderboards of 2015, and caption files of teams."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta.systems.study import leave_one_out

stats = pytest.importorskip("scipy.stats")


class TestLeaderboards:
    def test_the_figures_are_close_to_those_of_the_paper(self, shared_dir):
        """11 of the 16 entries match, so they cannot be equal."""
        result = study("coco2015", shared_dir, resamples=20)
        assert result.to_dict()["n"] == 11
        for key, printed in {"SPICE": 0.88, "METEOR": 0.53, "CIDEr": 0.43, "Bleu_4": 0.05}.items():
            assert result[key]["M1"]["pearson"]["value"] == pytest.approx(printed, abs=0.06), key
        assert (result["SPICE"]["rank_of_human"], result["SPICE"]["top_five"]) == (1, 5)

    def test_the_row_of_spice_follows_from_the_scores_that_the_paper_prints(self, shared_dir):
        result = study("coco2015", shared_dir, preset="anderson2016-table2", resamples=20)
        assert result.to_dict()["n"] == 16
        for measure, expected in {"M1": 0.878, "M2": 0.887, "M3": 0.887, "M4": 0.458, "M5": 0.968}.items():
            assert result["SPICE"][measure]["pearson"]["value"] == pytest.approx(expected, abs=0.0005)
        assert (result["SPICE"]["rank_of_human"], result["SPICE"]["top_five"]) == (1, 5)

    def test_coefficients_and_leave_one_out_by_hand(self, shared_dir):
        result = study("coco2015", shared_dir, metrics="cider", resamples=20)
        scores, human = np.array(result["CIDEr"]["scores"]), np.array(result.to_dict()["human"]["M2"])
        figures = result["CIDEr"]["M2"]["spearman"]
        assert figures["value"] == pytest.approx(stats.spearmanr(scores, human).statistic)
        without = [stats.spearmanr(np.delete(scores, one), np.delete(human, one)).statistic for one in range(11)]
        assert figures["leave_one_out"] == [pytest.approx(min(without)), pytest.approx(max(without))]

    def test_later_entries_are_named(self, shared_dir):
        result = study("coco2015", shared_dir, metrics="cider, spice", join="team", resamples=20)
        assert result.to_dict()["n"] == 16
        assert "ACVT: a later entry, from 2015-08-02." in str(result)

    def test_a_metric_that_is_not_there_is_named(self, shared_dir):
        result = study("coco2015", shared_dir, metrics="cider, bleu_smoothed", resamples=20)
        assert list(result.to_dict()["metrics"]) == ["CIDEr"]
        assert result.warnings[0].code == "not-on-leaderboard"

    def test_own_scores_of_teams(self, shared_dir):
        teams = study("coco2015", shared_dir, metrics="cider", resamples=5).to_dict()["systems"]
        rows = [{"id": team, "Mine": place} for place, team in enumerate(teams)]
        result = study("coco2015", shared_dir, metrics="none", scores=rows, resamples=20)
        assert result["Mine"]["scores"] == list(range(11))

    def test_a_preset_of_captions_needs_them(self, shared_dir):
        with pytest.raises(UsageError, match="'cui2018' scores captions: specify the folder"):
            study("coco2015", shared_dir, preset="cui2018")


@pytest.fixture
def challenge(tmp_path):
    """Judgments of four teams, COCO captions, and a caption file a team."""
    entries, systems = [], tmp_path / "systems"
    systems.mkdir()
    (tmp_path / "captions_val2014.json").write_text(
        json.dumps(
            {
                "images": [{"id": image} for image in (1, 2)],
                "annotations": [
                    {"id": place, "image_id": 1 + place % 2, "caption": text}
                    for place, text in enumerate(["a dog runs", "a cat sits", "the dog is running", "a cat on a bed"])
                ],
            }
        )
    )
    captions = {"Good Team": "a dog runs", "m-RNN (x)": "a dog", "Poor": "a bus", "Lost": "a tree"}
    for place, (team, caption) in enumerate(captions.items()):
        results = json.dumps({f"q{question}": 1 - place / 10 for question in range(1, 6)})
        entries.append({"team": {"name": team}, "date": "2015-05-01", "results": results})
        if team != "Lost":
            name = "".join(filter(str.isalnum, team)).lower()
            rows = [{"image_id": 1, "caption": caption}, {"image_id": 2, "caption": f"{caption} cat"}]
            (systems / f"{name}.json").write_text(json.dumps(rows))
    (tmp_path / "cap_challenge2015.json").write_text(json.dumps(entries))
    return tmp_path


class TestCaptionFiles:
    def test_captions_of_teams_are_scored(self, challenge):
        result = study("coco2015", challenge, metrics="rouge", systems=challenge / "systems", resamples=20)
        assert result.to_dict()["systems"] == ["Good Team", "m-RNN (x)", "Poor"]
        assert result.to_dict()["left_out"]["no-captions"]["ids"] == ["Lost"]
        assert result["ROUGE_L"]["M1"]["spearman"]["value"] == pytest.approx(1)
        assert result.to_dict()["preset"]["name"] == "cui2018"

    def test_a_folder_without_captions_is_refused(self, challenge, tmp_path):
        with pytest.raises(InputError, match="captions of 0 of the 4 judged teams"):
            study("coco2015", challenge, metrics="rouge", systems=tmp_path.parent)

    def test_no_folder(self, challenge):
        with pytest.raises(InputError, match="is not a folder"):
            study("coco2015", challenge, metrics="rouge", systems=challenge / "nowhere")


def test_leave_one_out_of_constant_scores_has_none():
    assert np.isnan(leave_one_out(np.ones(4), np.arange(4.0))["pearson"]).all()
