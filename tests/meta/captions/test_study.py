"""Caption-level correlation: against the golden file, and by hand on small sets."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import needs_meteor
from tests.toys import Characters

from caplens.core.registry import metric_class, select
from caplens.errors import InputError, UsageError
from caplens.meta import study
from caplens.meta.captions.judged import JudgedCaptions, Preset, apply_preset
from caplens.meta.captions.study import JudgedRows
from caplens.meta.datasets import CAPTION_SETS
from caplens.meta.scoring import ScoreColumns

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
    known = CAPTION_SETS["flickr8k-expert"]
    judged = apply_preset(known.load(shared_dir, shared_dir), known.presets[0])
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
        assert (result.data["n"], result.data["captions"]) == (16_992, 5664)
        left_out = result.data["left_out"]["own-reference"]
        assert (left_out["count"], len(left_out["ids"])) == (158, 158)
        assert "158 (the candidate is among the image's own references)" in str(result)
        assert result.data["inter_human"]["kendall_b"]["value"] == pytest.approx(0.736, abs=0.0005)

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
        obstacle = metric_class("spice").obstacle()
        if obstacle is not None:
            pytest.skip(f"SPICE: {obstacle}")
        result = study("flickr8k-expert", shared_dir, metrics="spice", resamples=20)
        assert 100 * result["SPICE"]["kendall_c"]["value"] == pytest.approx(44.9, abs=0.4)


def judged(ratings, aspects=("rating",)):
    rows = len(ratings[0])
    return JudgedCaptions(
        ids=[f"c{row}" for row in range(rows)],
        images=[f"i{row // 2}" for row in range(rows)],
        candidates=[f"word{row} dog" for row in range(rows)],
        references=[("a dog",)] * rows,
        ratings={aspect: np.array(values, dtype=float) for aspect, values in zip(aspects, ratings, strict=True)},
        own=np.zeros(rows, dtype=bool),
    )


def same_image(owners):
    return [(one, two) for one, two in combinations(range(len(owners)), 2) if owners[one] == owners[two]]


class TestRows:
    def test_a_caption_with_its_mean_rating(self):
        rows = JudgedRows(judged([[[1, 2], [3, np.nan], [2, 2]]]), Preset("p", "s", "pearson"))
        assert rows.human["rating"].tolist() == [1.5, 3, 2]
        assert same_image(rows.owners.owners) == [(0, 1)]

    def test_a_row_a_judgment(self):
        rows = JudgedRows(judged([[[1, 2], [3, np.nan], [2, 2]]]), Preset("p", "s", "pearson", rows="judgments"))
        assert rows.human["rating"].tolist() == [1, 2, 3, 2, 2]
        assert rows.place.tolist() == [0, 0, 1, 2, 2]
        assert same_image(rows.owners.owners) == [(0, 1), (0, 2), (1, 2), (3, 4)]


class TestOwnScores:
    def scores(self, folder, values, suffix=".csv"):
        rows = [{"id": place + 1, "Mine": value, "remark": "x"} for place, value in enumerate(values)]
        path = Path(folder) / f"own{suffix}"
        if suffix == ".csv":
            path.write_text("id,Mine,remark\n" + "".join(f"{r['id']},{r['Mine']},x\n" for r in rows))
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    @pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
    def test_they_join_in_beside_metrics(self, judged_table, tmp_path, suffix):
        path = self.scores(tmp_path, [0.3, 0.2, 0.1, 0.9], suffix)
        result = study("table", judged_table, metrics="rouge", scores=path, resamples=10)
        assert list(result.data["metrics"]) == ["ROUGE_L", "Mine"]
        expected = stats.kendalltau([0.3, 0.2, 0.1, 0.9], [4, 3, 1, 5])
        assert result["mine"]["kendall_b"]["value"] == pytest.approx(expected.statistic)
        assert result["mine"]["kendall_b"]["p"] == pytest.approx(expected.pvalue)
        assert result["Mine"]["signature"] == f"scores from own{suffix}"

    def test_a_missing_score_of_a_row_is_an_error(self, judged_table, tmp_path):
        path = self.scores(tmp_path, [0.3, 0.2])
        with pytest.raises(InputError, match=r"no scores for 2 of the 4 rows of the study \(3, 4\)"):
            study("table", judged_table, metrics="none", scores=path)

    def test_rows_too_many_are_counted(self, judged_table, tmp_path):
        path = self.scores(tmp_path, [0.3, 0.2, 0.1, 0.9, 0.5])
        result = study("table", judged_table, metrics="none", scores=path, resamples=10)
        assert [(notice.code, notice.count) for notice in result.warnings] == [("unused-scores", 1)]

    def test_an_empty_score_is_left_out_of_its_figures_and_counted(self, judged_table, tmp_path):
        path = self.scores(tmp_path, [0.3, "", 0.1, 0.9])
        result = study("table", judged_table, metrics="none", scores=path, resamples=10)
        assert result["Mine"]["n"] == 3
        assert [notice.code for notice in result.warnings] == ["no-score"]

    def test_a_name_that_is_taken_is_refused(self, judged_table):
        rows = [{"id": place, "rouge_l": 1.0 * place} for place in range(1, 5)]
        with pytest.raises(UsageError, match="'rouge_l', which is also a score asked for"):
            study("table", judged_table, metrics="rouge", scores=rows)

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([{"id": 1, "x": 1}, {"id": "1", "x": 2}], "1 repeated id"),
            ([{"id": place, "x": "good"} for place in range(1, 5)], "no column of numbers"),
            ([{"name": 1, "x": 1}], "no column 'id'"),
        ],
    )
    def test_wrong_files(self, judged_table, rows, message):
        with pytest.raises(InputError, match=message):
            study("table", judged_table, metrics="none", scores=rows)

    def test_a_cell_that_is_no_number_is_named_and_words_are_passed_over(self, judged_table):
        rows = [{"id": row, "Mine": "oops" if row == 3 else "0.5", "Words": "a b"} for row in range(1, 5)]
        with pytest.raises(InputError, match="Row 3 of the scores has 'oops' in 'Mine', which is not a number"):
            study("table", judged_table, metrics="none", scores=rows)
        rows[2]["Mine"] = "0.25"
        assert list(study("table", judged_table, metrics="none", scores=rows, resamples=5).data["metrics"]) == ["Mine"]

    def test_without_metrics_there_must_be_scores(self, judged_table):
        with pytest.raises(UsageError, match="nothing to judge"):
            study("table", judged_table, metrics="none")


def test_details_of_scores_stay_out_of_tests_between_metrics():
    names = ("SPICE", "SPICE_Object", "Bleu_1", "Bleu_2", "Mean_SPICE", "Mean_SPICE_Bleu_1")
    columns = {name: np.zeros(1) for name in names}
    scores = ScoreColumns.of(select("spice, bleu(n=2)").metrics, columns, dict.fromkeys(names, ""), ())
    assert list(scores.without_details().columns) == [name for name in names if name != "SPICE_Object"]
    assert scores.describe("SPICE_Object")["detail_of"] == "SPICE"
    assert "detail_of" not in scores.describe("Bleu_1")


def test_scores_of_which_lower_ones_are_better_are_turned_around_before_they_are_compared():
    class Distance(Characters):
        higher_is_better = False

    columns = {"Characters": np.array([3.0, 1.0])}
    scores = ScoreColumns.of([Distance()], columns, {"Characters": ""}, ())
    assert scores.ranked()["Characters"].tolist() == [-3.0, -1.0]
    assert ScoreColumns.of([Characters()], columns, {"Characters": ""}, ()).ranked() == columns


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
        result = study("composite", flickr, metrics="none", scores=rows, preset="000", resamples=10)
        expected = [stats.kendalltau([4, 1, 3, 2], human).statistic for human in ([5, 1, 3, 3], [3, 2, 4, 1])]
        assert result["Mine"]["kendall_b"]["value"] == pytest.approx(np.mean(expected))
        assert result["Mine"]["kendall_b"]["p"] is None
        assert "correctness and thoroughness" in str(result)

    def test_inter_human_is_the_mean_over_pairs_of_raters(self, flickr):
        result = study("flickr8k-expert", flickr, metrics="rouge", resamples=10, preset="000")
        lines = (flickr / "ExpertAnnotations.txt").read_text().splitlines()
        ratings = np.array([line.split("\t")[2:] for line in lines], dtype=float)
        expected = [stats.kendalltau(ratings[:, a], ratings[:, b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))]
        assert result.data["inter_human"]["kendall_b"]["value"] == pytest.approx(np.mean(expected))

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
        people = study("table", path, metrics="none", scores=scores, resamples=5).data["inter_human"]
        assert (people["raters"], people["pairs"]) == (3, 1)
        assert people["kendall_b"]["value"] == pytest.approx(
            stats.kendalltau([1, 2, 3, 4, 5], [2, 1, 3, 4, 4]).statistic
        )

    def test_everything_comes_back_from_the_file(self, judged_table, tmp_path):
        result = study("table", judged_table, metrics="rouge", resamples=10)
        for name in ("out.json", "out.md", "out.tex", "out.csv", "out.txt"):
            result.write(tmp_path / name)
        data = json.loads((tmp_path / "out.json").read_text())
        assert (data["schema"], data["study"], data["n"], data["preset"]["name"]) == (1, "table", 4, "captions")
        assert set(data["metrics"]["ROUGE_L"]["kendall_b"]) == {"value", "p", "interval"}
        assert (tmp_path / "out.csv").read_text().startswith("metric,Kendall b,low,high,p,")
        with pytest.raises(UsageError, match=r"must end in \.json or \.txt"):
            result.write(tmp_path / "out.html")

    def test_the_same_seed_gives_the_same_intervals(self, flickr):
        asked = {"metrics": "rouge", "preset": "000"}
        one, two, other = (study("flickr8k-expert", flickr, seed=seed, **asked)["rouge_l"] for seed in (1, 1, 2))
        assert one == two
        assert one["pearson"]["interval"] != other["pearson"]["interval"]

    def test_studies_and_options_that_do_not_exist(self, judged_table):
        with pytest.raises(UsageError, match="no study 'flickr'"):
            study("flickr", judged_table)
        with pytest.raises(UsageError, match="has no pairs"):
            study("table", judged_table, ties="half")
        with pytest.raises(UsageError, match="has no leaderboards"):
            study("table", judged_table, join="team")
