"""Scores of judged captions: by metrics, and from a file of the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.toys import Characters

from caplens import study
from caplens.core.selection import select
from caplens.errors import InputError, UsageError
from caplens.meta.outcome import plain_data
from caplens.meta.scoring import ScoreColumns

stats = pytest.importorskip("scipy.stats")


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
        assert list(result.to_dict()["metrics"]) == ["ROUGE_L", "Mine"]
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
        with pytest.raises(UsageError, match="'rouge_l', which is also a score requested"):
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
        assert list(study("table", judged_table, metrics="none", scores=rows, resamples=5).to_dict()["metrics"]) == [
            "Mine"
        ]

    def test_without_metrics_there_must_be_scores(self, judged_table):
        with pytest.raises(UsageError, match="nothing to judge"):
            study("table", judged_table, metrics="none")


def test_details_of_scores_stay_out_of_tests_between_metrics():
    names = ("SPICE", "SPICE_Object", "Bleu_1", "Bleu_2", "Mean_SPICE", "Mean_SPICE_Bleu_1")
    columns = {name: np.zeros(1) for name in names}
    scores = ScoreColumns.of(select("spice, bleu(n=2)").metrics, columns, dict.fromkeys(names, ""), ())
    assert list(scores.without_details().columns) == [name for name in names if name != "SPICE_Object"]
    assert scores.describe("SPICE_Object").detail_of == "SPICE"
    assert plain_data(scores.describe("Bleu_1")) == {"signature": ""}


def test_scores_of_which_lower_ones_are_better_are_turned_around_before_they_are_compared():
    class Distance(Characters):
        higher_is_better = False

    columns = {"Characters": np.array([3.0, 1.0])}
    scores = ScoreColumns.of([Distance()], columns, {"Characters": ""}, ())
    assert scores.ranked()["Characters"].tolist() == [-3.0, -1.0]
    assert ScoreColumns.of([Characters()], columns, {"Characters": ""}, ()).ranked() == columns
