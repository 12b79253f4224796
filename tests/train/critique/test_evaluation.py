"""Scores of systems by critiques that were trained on them, against judgments."""

from __future__ import annotations

import pytest

from caplens.errors import InputError, UsageError
from caplens.train.critique.evaluation import (
    Convention,
    CritiqueScores,
    EvaluationOutcome,
    Pearson,
    Runs,
    SystemFigures,
    read_judgments,
)


def test_columns_with_a_number_for_every_system_are_judgments(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text("system,M1,M2,note\nb,0.1,,x\na,0.9,1,y\nc,5,5,z\n")
    assert read_judgments(path, ["a", "b"]) == {"M1": [0.9, 0.1]}
    with pytest.raises(InputError, match="no judgments of d"):
        read_judgments(path, ["a", "d"])
    path.write_text("system,note\na,x\n")
    with pytest.raises(InputError, match="no column with a number for each"):
        read_judgments(path, ["a"])


def outcome(human=None, **judgments):
    figures = {name: Runs(0.5, None, [0.5]) for name in ("score", "human", "capability", "RC", "WP", "RW")}
    return EvaluationOutcome(
        study="critique-evaluate",
        preset=Convention("cui2018", "a paper", "pearson"),
        n=1,
        systems=["a"],
        networks="preset quick",
        settings="",
        seeds=1,
        images=0,
        by_system={"a": SystemFigures(30, figures)},
        metrics={"Critique": CritiqueScores([0.5], "critique", judgments)},
        human=human,
    )


def test_judgments_are_there_only_where_they_were_given():
    plain = outcome()
    assert (plain.has_figure, len(plain.tables()), "human" in plain.to_dict()) == (False, 1, False)
    with pytest.raises(UsageError, match="'critique-evaluate' has no figure"):
        plain.figure()
    judged = outcome({"M1": [0.25]}, M1={"pearson": Pearson(0.75, None)})
    assert (judged.has_figure, judged.tables()[1].rows) == (True, (("M1", 0.75, None),))
    assert judged["critique"]["M1"] == {"pearson": {"value": 0.75, "p": None}}
    assert judged.to_dict()["by_system"]["a"]["score"] == {"mean": 0.5, "spread": None, "runs": [0.5]}
