"""Williams' test over all pairs of metrics, its companions, and its warnings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caplens import study
from caplens.errors import UsageError
from caplens.meta.between.williams import williams_matrix
from caplens.stats.significance import holm

stats = pytest.importorskip("scipy.stats")


def by_hand(first, second, human):
    """Williams' t as in Kilickaya et al. (2017), equations 1 and 2."""
    r13, r23, r12 = (stats.pearsonr(*pair).statistic for pair in ((first, human), (second, human), (first, second)))
    n = len(human)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    t = (r13 - r23) * math.sqrt((n - 1) * (1 + r12))
    t /= math.sqrt(2 * k * (n - 1) / (n - 3) + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3)
    return t, stats.t.sf(t, n - 3)


@pytest.fixture
def columns():
    generator = np.random.default_rng(8)
    human = generator.normal(size=80)
    return {name: human + noise * generator.normal(size=80) for name, noise in (("A", 0.5), ("B", 1), ("C", 3))}, human


class TestMatrix:
    def test_every_ordered_pair_by_hand(self, columns):
        scores, human = columns
        tests = williams_matrix(scores, human)
        assert [(test.first, test.second) for test in tests] == [
            *(("A", "B"), ("A", "C"), ("B", "A")),
            *(("B", "C"), ("C", "A"), ("C", "B")),
        ]
        for test in tests:
            t, p = by_hand(scores[test.first], scores[test.second], human)
            assert test.t == pytest.approx(t, rel=1e-9)
            assert test.p == pytest.approx(p, rel=1e-7)
        assert [test.p_holm for test in tests] == pytest.approx(holm([test.p for test in tests]))

    def test_it_is_antisymmetric(self, columns):
        found = {(test.first, test.second): test.t for test in williams_matrix(*columns)}
        assert found["A", "C"] == pytest.approx(-found["C", "A"])

    def test_a_constant_metric_has_no_test(self, columns):
        scores, human = columns
        tests = williams_matrix({"A": scores["A"], "flat": np.ones(80)}, human)
        assert [(test.t, test.p, test.p_holm) for test in tests] == [(None, None, None)] * 2


class TestStudy:
    def test_the_rows_of_another_study_with_companions(self, flickr):
        result = study("williams", flickr, metrics="rouge, bleu(n=1)", preset="kilickaya2017", resamples=50)
        assert (result.to_dict()["on"], result.to_dict()["n"], len(result.to_dict()["williams"])) == (
            "flickr8k-expert",
            24,
            2,
        )
        (difference,) = result.to_dict()["differences"]
        assert set(difference) >= {"difference", "interval", "p_bootstrap", "p_randomisation", "p_bootstrap_holm"}
        assert result.to_dict()["resampling"]["resamples"] == 1000  # enough for the correction, whatever was asked for
        assert "Williams' test" in str(result)

    def test_it_warns_where_its_assumptions_fail(self, flickr):
        result = study("williams", flickr, metrics="rouge, bleu(n=1)", preset="anderson2016", coefficient="kendall_b")
        codes = [notice.code for notice in result.warnings]
        assert {"rows-not-independent", "not-pearson"} <= set(codes)
        few = study("williams", flickr, metrics="rouge, bleu(n=1)", on="flickr8k-crowd")
        assert "few-rows" in [notice.code for notice in few.warnings]

    def test_far_from_normal_scores_are_named(self, tmp_path):
        path = tmp_path / "table.csv"
        lines = [f"{place},a dog {place},a dog,{place % 4}" for place in range(60)]
        path.write_text("\n".join(["id,candidate,references,human", *lines]))
        scores = [{"id": place, "Even": place % 7, "Peaked": 1.0 if place == 0 else place / 1e6} for place in range(60)]
        result = study("williams", path, on="table", metrics="none", scores=scores)
        (notice,) = result.warnings
        assert (notice.code, notice.message.rpartition(": ")[2]) == ("not-normal", "Peaked")

    def test_it_needs_two_scores_and_judged_captions(self, flickr):
        with pytest.raises(UsageError, match="at least two scores"):
            study("williams", flickr, metrics="rouge")
        with pytest.raises(UsageError, match="needs judged captions or systems"):
            study("williams", flickr, on="pascal50s")
        with pytest.raises(UsageError, match=r"williams\(coefficient=...\) must be one of pearson, .*, not 'gamma'"):
            study("williams", flickr, metrics="rouge", coefficient="gamma")
