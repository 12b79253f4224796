"""What metrics have in common, and sums of them."""

from __future__ import annotations

import numpy as np
import pytest

from caplens import study
from caplens.errors import UsageError
from caplens.meta.between.complementarity import subset_sums

stats = pytest.importorskip("scipy.stats")


class TestComplementarity:
    def test_every_subset_by_hand(self):
        generator = np.random.default_rng(5)
        human = generator.normal(size=50)
        columns = {name: human + noise * generator.normal(size=50) for name, noise in (("A", 1), ("B", 2), ("C", 3))}
        found = {tuple(entry.metrics): entry for entry in subset_sums(columns, human)}
        assert len(found) == 7
        unit = {name: (column - column.min()) / (column.max() - column.min()) for name, column in columns.items()}
        entry = found["A", "C"]
        assert entry.spearman == pytest.approx(stats.spearmanr(unit["A"] + unit["C"], human).statistic)
        assert entry.raw_pearson == pytest.approx(stats.pearsonr(columns["A"] + columns["C"], human).statistic)
        assert 0 <= entry.williams_p <= 1
        assert found["A",].williams_p is None

    def test_the_study_orders_metrics_by_their_correlation_with_people(self, flickr):
        result = study("complementarity", flickr, metrics="rouge, bleu(n=2)", preset="kilickaya2017")
        with_people = list(result.to_dict()["spearman_with_people"].values())
        assert with_people == sorted(with_people, reverse=True)
        assert len(result.to_dict()["subsets"]) == 7
        for key in result.to_dict()["order"]:
            assert result.to_dict()["spearman_between"][key][key] == pytest.approx(1)

    def test_one_score_has_nothing_to_complement(self, flickr):
        with pytest.raises(UsageError, match="at least two scores, not 1"):
            study("complementarity", flickr, metrics="rouge")
