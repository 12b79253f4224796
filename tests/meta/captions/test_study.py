"""Caption-level correlation: against the golden file, and by hand on small sets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.conftest import needs_meteor

from caplens import study
from caplens.core.registry import metric_class
from caplens.errors import UsageError
from caplens.meta.datasets.flickr8k import Flickr8kExpert

stats = pytest.importorskip("scipy.stats")

NAMES = {
    "tau_b": ("kendall_b", 100),
    "tau_c": ("kendall_c", 100),
    "pearson": ("pearson", 1),
    "spearman": ("spearman", 1),
}


@pytest.fixture
def golden_rows(golden, shared_dir):
    """The golden scores of Flickr8k-Expert as the user's own, by the ids of the study."""
    pairs = golden("flickr8k_expert_golden")["pairs"]
    judged = Flickr8kExpert.presets()[0].judged(shared_dir).judged
    assert judged.candidates == [pair["candidate"] for pair in pairs]
    np.testing.assert_array_equal(judged.ratings["rating"], [pair["ratings"] for pair in pairs])
    keys = golden("flickr8k_expert_golden")["correlations"]
    return [
        {"id": identifier, **{key: pair[key] for key in keys}}
        for identifier, pair in zip(judged.ids, pairs, strict=True)
    ]


class TestGolden:
    def test_golden_scores_give_the_golden_correlations(self, golden, golden_rows, shared_dir):
        result = study("flickr8k-expert", shared_dir, metrics="none", scores=golden_rows, resamples=20)
        for key, coefficients in golden("flickr8k_expert_golden")["correlations"].items():
            for name, value in coefficients.items():
                coefficient, factor = NAMES[name]
                assert result[key][coefficient]["value"] == pytest.approx(value / factor, abs=1e-9), (key, name)
        assert (result.to_dict()["n"], result.to_dict()["captions"]) == (16_992, 5664)
        left_out = result.to_dict()["left_out"]["own-reference"]
        assert (left_out["count"], len(left_out["ids"])) == (158, 158)
        assert "158 (the candidate is among the image's own references)" in str(result)
        assert result.to_dict()["inter_human"]["kendall_b"]["value"] == pytest.approx(0.736, abs=0.0005)

    @needs_meteor
    def test_our_own_scores_give_the_printed_figures(self, golden, shared_dir):
        """The documents of CIDEr are the judgments, although every caption is scored once."""
        result = study("flickr8k-expert", shared_dir, metrics="bleu, rouge, meteor, cider", resamples=20)
        for key, printed in {"Bleu_4": 30.8, "ROUGE_L": 32.3, "METEOR": 41.8, "CIDEr": 43.9}.items():
            assert 100 * result[key]["kendall_c"]["value"] == pytest.approx(printed, abs=0.05)
        expected = golden("flickr8k_expert_golden")["correlations"]
        for key, coefficients in expected.items():
            assert result[key]["kendall_c"]["value"] == pytest.approx(coefficients["tau_c"] / 100, abs=1e-6)

    def test_spice_is_close_to_the_printed_figure(self, shared_dir):
        """Its rules are the reference's, its parser is not."""
        lacking = metric_class("spice")().missing_data()
        if lacking is not None:
            pytest.skip(f"SPICE: {lacking}")
        result = study("flickr8k-expert", shared_dir, metrics="spice", resamples=20)
        assert 100 * result["SPICE"]["kendall_c"]["value"] == pytest.approx(44.9, abs=0.4)


class TestStudy:
    def test_the_mean_of_two_aspects(self, flickr):
        (flickr / "composite.csv").write_text(
            "source,image_id,position,caption,correctness_1to5,thoroughness_1to5\n"
            + "".join(
                f"flickr8k,{image},0,{caption},{one},{two}\n"
                for image, caption, one, two in [
                    ("dog", "a dog runs", 5, 3),
                    ("cat", "a dog", 1, 2),
                    ("bus", "a bus", 3, 4),
                    ("man", "a man on a cow", 3, 1),
                ]
            )
        )
        rows = [
            {"id": f"flickr8k {image} 0", "Mine": value}
            for image, value in zip(("dog", "cat", "bus", "man"), (4, 1, 3, 2), strict=True)
        ]
        result = study("composite", flickr, metrics="none", scores=rows, preset="kilickaya2017", resamples=10)
        expected = [stats.kendalltau([4, 1, 3, 2], human).statistic for human in ([5, 1, 3, 3], [3, 2, 4, 1])]
        assert result["Mine"]["kendall_b"]["value"] == pytest.approx(np.mean(expected))
        assert result["Mine"]["kendall_b"]["p"] is None
        assert "correctness and thoroughness" in str(result)

    def test_single_judgments_give_what_elliott_and_keller_measured(self, shared_dir):
        """Their repository has Spearman .581 for CIDEr and .560 for METEOR."""
        result = study("flickr8k-expert", shared_dir, metrics="meteor, cider", preset="kilickaya2017", resamples=5)
        assert result.to_dict()["n"] == 17_466
        assert result["CIDEr"]["spearman"]["value"] == pytest.approx(0.582, abs=0.0006)
        assert result["METEOR"]["spearman"]["value"] == pytest.approx(0.560, abs=0.0006)
        head = str(result).splitlines()[2]
        assert head.endswith("published  Spearman published  Pearson published")

    def test_inter_human_is_the_mean_over_pairs_of_raters(self, flickr):
        result = study("flickr8k-expert", flickr, metrics="rouge", resamples=10, preset="kilickaya2017")
        lines = (flickr / "ExpertAnnotations.txt").read_text().splitlines()
        ratings = np.array([line.split("\t")[2:] for line in lines], dtype=float)
        expected = [stats.kendalltau(ratings[:, a], ratings[:, b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))]
        assert result.to_dict()["inter_human"]["kendall_b"]["value"] == pytest.approx(np.mean(expected))

    def test_raters_who_share_no_caption_have_no_part_in_inter_human(self, tmp_path):
        path = tmp_path / "table.jsonl"
        ratings = [(1, 2, None), (2, 1, None), (3, 3, None), (4, 4, 1), (5, 4, None)]
        rows = [
            {"id": row, "candidate": "a", "references": ["b"]}
            | {f"human{rater}": one for rater, one in enumerate(given)}
            for row, given in enumerate(ratings)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        scores = [{"id": row, "Mine": row} for row in range(5)]
        people = study("table", path, metrics="none", scores=scores, resamples=5).to_dict()["inter_human"]
        assert (people["raters"], people["pairs"]) == (3, 1)
        assert people["kendall_b"]["value"] == pytest.approx(
            stats.kendalltau([1, 2, 3, 4, 5], [2, 1, 3, 4, 4]).statistic
        )

    def test_everything_comes_back_from_the_file(self, judged_table, tmp_path):
        result = study("table", judged_table, metrics="rouge", resamples=10)
        for name in ("out.json", "out.md", "out.tex", "out.csv", "out.txt"):
            result.write(tmp_path / name)
        data = json.loads((tmp_path / "out.json").read_text())
        assert (data["schema"], data["study"], data["n"], data["preset"]["name"]) == (2, "table", 4, "captions")
        assert set(data["metrics"]["ROUGE_L"]["kendall_b"]) == {"value", "p", "interval"}
        assert (tmp_path / "out.csv").read_text().startswith("metric,Kendall b,low,high,p,")
        with pytest.raises(UsageError, match=r"must end in \.json or \.txt"):
            result.write(tmp_path / "out.xlsx")

    def test_the_same_seed_gives_the_same_intervals(self, flickr):
        asked = {"metrics": "rouge", "preset": "kilickaya2017", "rows": "captions"}
        one, two, other = (study("flickr8k-expert", flickr, seed=seed, **asked)["rouge_l"] for seed in (1, 1, 2))
        assert one == two
        assert one["pearson"]["interval"] != other["pearson"]["interval"]
