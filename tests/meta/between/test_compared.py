"""Tests between metrics and sums of metrics: on captions and on systems, on the rows that all metrics have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta.between.complementarity import cluster

stats = pytest.importorskip("scipy.stats")


@pytest.fixture
def table(tmp_path):
    """Forty judged captions, two an image, and scores of three metrics, one of which has holes."""
    generator = np.random.default_rng(2)
    human = generator.normal(size=40)
    path = tmp_path / "table.csv"
    lines = [f"{row},a dog,a dog,{value},{row // 2}" for row, value in enumerate(human.tolist())]
    path.write_text("\n".join(["id,candidate,references,human,image", *lines]))
    columns = {name: human + noise * generator.normal(size=40) for name, noise in (("A", 0.5), ("B", 1), ("C", 2))}
    columns["B"][[3, 8]] = np.nan
    scores = [{"id": row, **{name: column[row] for name, column in columns.items()}} for row in range(40)]

    def run(name, **options):
        return study(name, path, on="table", metrics="none", scores=scores, **options)

    return run, columns, human


class TestCaptions:
    def test_all_metrics_are_judged_by_the_rows_that_all_have(self, table):
        run, columns, human = table
        result = run("williams")
        assert (result.to_dict()["n"], result.to_dict()["compared"]) == (40, 38)
        assert "2 rows excluded because a score is missing" in [notice.message for notice in result.warnings]
        known = np.isfinite(columns["B"])
        tau = {name: stats.kendalltau(column[known], human[known]).statistic for name, column in columns.items()}
        found = {(test["first"], test["second"]): test["difference"] for test in result.to_dict()["differences"]}
        assert found["A", "C"] == pytest.approx(tau["A"] - tau["C"])

    def test_a_sum_is_tested_against_every_single_metric(self, table):
        run, columns, human = table
        subsets = {tuple(entry["metrics"]): entry for entry in run("complementarity").to_dict()["subsets"]}
        entry = subsets["A", "B"]
        assert set(entry["williams"]) == {"A", "B", "C"}
        assert entry["williams_p"] == max(entry["williams"].values())
        known = np.isfinite(columns["B"])
        unit = [(column - column.min()) / np.ptp(column) for column in (columns["A"][known], columns["B"][known])]
        total, other, people = sum(unit), columns["C"][known], human[known]
        r13, r23, r12 = (np.corrcoef(*pair)[0, 1] for pair in ((total, people), (other, people), (total, other)))
        k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
        t = (r13 - r23) * math.sqrt(37 * (1 + r12)) / math.sqrt(2 * k * 37 / 35 + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3)
        assert entry["williams"]["C"] == pytest.approx(stats.t.sf(t, 35), rel=1e-6)

    def test_similar_metrics_stand_beside_each_other_when_asked(self, table):
        data = table[0]("complementarity", cluster=True).to_dict()
        assert data["order"] == cluster(data["spearman_between"])
        assert "ordered by their similarity" in str(table[0]("complementarity", cluster=True))

    def test_a_metric_without_any_score(self, table, tmp_path):
        run, *_ = table
        path = tmp_path / "table.csv"
        scores = [{"id": row, "A": row if row < 20 else None, "B": row if row >= 20 else None} for row in range(40)]
        with pytest.raises(InputError, match="No row has all of the scores"):
            study("williams", path, on="table", metrics="none", scores=scores)
        with pytest.raises(UsageError, match="Only judged systems have measures: see on='coco2015'"):
            run("williams", measure="M1")


class TestSystems:
    def test_williams_test_by_hand(self, shared_dir):
        board = study("coco2015", shared_dir, metrics="cider, meteor", resamples=5)
        result = study("williams", shared_dir, on="coco2015", metrics="cider, meteor", measure="m2")
        assert (result.to_dict()["n"], result.to_dict()["measure"], result.to_dict()["resampling"]["units"]) == (
            11,
            "M2",
            "systems",
        )
        first, second, people = (
            *(np.array(board[key]["scores"]) for key in ("METEOR", "CIDEr")),
            np.array(board.to_dict()["human"]["M2"]),
        )
        r13, r23, r12 = (np.corrcoef(*pair)[0, 1] for pair in ((first, people), (second, people), (first, second)))
        k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
        t = (r13 - r23) * math.sqrt(10 * (1 + r12)) / math.sqrt(2 * k * 10 / 8 + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3)
        (test,) = (test for test in result.to_dict()["williams"] if test["first"] == "METEOR")
        assert (test["t"], test["p"]) == (pytest.approx(t), pytest.approx(stats.t.sf(t, 8)))
        assert "few-rows" in [notice.code for notice in result.warnings]
        assert "n = 11 systems: " in str(result)

    def test_sums_of_corpus_scores(self, shared_dir):
        result = study("complementarity", shared_dir, on="coco2015", metrics="cider, meteor, spice")
        assert (result.to_dict()["measure"], len(result.to_dict()["subsets"]), result.to_dict()["order"][0]) == (
            "M1",
            7,
            "SPICE",
        )
        assert result.to_dict()["spearman_between"]["CIDEr"]["METEOR"] < 1

    def test_captions_of_teams_and_later_entries_serve_too(self, shared_dir):
        result = study("complementarity", shared_dir, on="coco2015", metrics="cider, meteor", join="team")
        assert result.to_dict()["n"] == 16

    def test_scores_of_systems_by_their_rating(self, shared_dir):
        result = study("distributions", shared_dir, on="coco2015", metrics="cider")
        by_rating = result["CIDEr"]["by_rating"]
        assert sum(entry["n"] for entry in by_rating) == 11
        assert len(by_rating) >= 3

    def test_refusals(self, shared_dir):
        with pytest.raises(UsageError, match="no measure 'M9': choose from M1, M2, M3, M4, M5"):
            study("williams", shared_dir, on="coco2015", metrics="cider, meteor", measure="M9")
        with pytest.raises(UsageError, match=r"flickr8k-expert has no option 'join'; it has .*preset"):
            study("williams", shared_dir, metrics="cider, meteor", join="team")
        with pytest.raises(
            UsageError, match="coco2015 has no preset 'kilickaya2017': choose from anderson2016, anderson2016-"
        ):
            study("williams", shared_dir, on="coco2015", metrics="cider, meteor", preset="kilickaya2017")
