"""Correlations at caption level as a table, in the units of the preset."""

from __future__ import annotations

from caplens.meta.captions.outcome import CaptionOutcome, Correlated, InterHuman
from caplens.meta.captions.rows import CaptionFacts
from caplens.meta.correlations import Estimate
from caplens.meta.datasets.flickr8k import Flickr8kExpert
from caplens.meta.datasets.table import OwnTable
from caplens.meta.outcome import Resamples
from caplens.meta.scoring import ScoreFacts

ESTIMATES = dict.fromkeys(("pearson", "spearman", "kendall_b", "kendall_c"), Estimate(0.5, None, (0.25, None)))


def outcome(preset, aspects=("rating",), people=None):
    return CaptionOutcome(
        study="flickr8k-expert",
        rows=CaptionFacts(Flickr8kExpert.presets()[preset], 12, 6, 4, {}),
        aspects=list(aspects),
        inter_human=people,
        resampling=Resamples(20, 0, 7, "images"),
        metrics={"CIDEr": Correlated(ESTIMATES, 12, ScoreFacts("cider"))},
    )


def test_figures_are_multiplied_as_the_paper_prints_them():
    (table,) = outcome(0).tables()
    assert [column.name for column in table.columns[:2]] == ["metric", "Kendall c x 100"]
    assert table.rows == (("CIDEr", 50, 25, None, None, 50, 50, 50, 43.9),)
    (table,) = outcome(1).tables()
    assert table.rows == (("CIDEr", 0.5, 0.25, None, None, 0.5, 0.5, 0.5, 0.44),)


def test_people_have_a_row_and_notes_say_what_must_be_known():
    people = InterHuman(ESTIMATES, 3, 3, 6)
    (table,) = outcome(0, ("correctness", "thoroughness"), people).tables()
    assert [row[0] for row in table.rows] == ["CIDEr", "inter-human"]
    assert "20 resamples of images, seed 7" in table.notes[2]
    assert table.notes[-2].endswith("so rely on the interval.")
    assert table.notes[-1] == "the mean of the correlations with correctness and thoroughness."


def test_the_kind_of_row_is_said_once():
    facts = CaptionFacts(OwnTable.presets()[0], 12, 6, 4, {})
    assert facts.notes[0] == "preset captions: a row is a caption with its mean rating."
