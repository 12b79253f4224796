"""Correlations at system level as tables, and what is said of the systems."""

from __future__ import annotations

from caplens.meta.correlations import Estimate
from caplens.meta.datasets.coco2015 import Coco2015
from caplens.meta.outcome import LeftOut, Resamples, plain_data
from caplens.meta.scoring import ScoreFacts
from caplens.meta.systems.outcome import RankedSystems, ScoreSource, SystemFacts, SystemOutcome

COEFFICIENTS = ("pearson", "spearman", "kendall_b", "kendall_c")


def outcome(**source):
    estimate = Estimate(0.5, 0.25, (0.25, 0.75), (0.375, 0.625))
    gone = {"preset": LeftOut("preset", "the preset excludes Random", ("Random",))}
    return SystemOutcome(
        study="coco2015",
        rows=SystemFacts(Coco2015.presets()[0], 3, ["a", "b", "Human"], gone, ScoreSource("cap_c40.json", **source)),
        human={"M1": [0.1, 0.2, 0.6]},
        resampling=Resamples(5, 1, 7, "systems"),
        metrics={
            "SPICE": RankedSystems(
                {"M1": dict.fromkeys(COEFFICIENTS, estimate)}, 1, None, [0.1, None, 0.3], ScoreFacts("spice")
            )
        },
    )


def test_the_table_has_intervals_ranges_and_printed_figures():
    correlations, ranks = outcome().tables()
    assert correlations.rows == (("SPICE", "M1", 0.5, 0.25, 0.75, 0.375, 0.625, 0.25, 0.5, 0.5, 0.5, 0.88),)
    assert "excluded: 1 (the preset excludes Random): Random." in correlations.notes
    assert ranks.rows == (("SPICE", 1, None),)


def test_files_hold_where_the_scores_come_from():
    data = outcome(join="team", later_entries={"a": "2016-01-01"}).to_dict()
    assert (data["scores_from"], data["join"], data["later_entries"]) == ("cap_c40.json", "team", {"a": "2016-01-01"})
    assert "files" not in data
    assert data["inter_human"] is None
    assert data["metrics"]["SPICE"]["M1"]["pearson"] == {
        "value": 0.5, "p": 0.25, "interval": [0.25, 0.75], "leave_one_out": [0.375, 0.625]
    }  # fmt: skip
    assert list(data["preset"])[:4] == ["name", "source", "coefficient", "measures"]
    assert data["preset"] == plain_data(Coco2015.presets()[0])
