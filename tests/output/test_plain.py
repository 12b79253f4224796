"""The table of scores without rich is the one that rich draws."""

from __future__ import annotations

import pytest
from rich.console import Group

from caplens.output.plain import plain_scores
from caplens.output.presentation import Presentation
from caplens.output.terminal import as_text, score_table

PRESENTATIONS = [
    Presentation(),
    Presentation("coco"),
    Presentation(intervals=False),
    Presentation("coco", all_scores=True, intervals=False),
]


def scores(**more):
    return {
        "Bleu_1": {"score": 0.5, "interval": [0.4, 0.61234], **more},
        "CIDEr": {"score": 10.0, "interval": None, **more},
        "a_much_longer_name[/b]": {"score": None, "interval": [None, 1234.5], **more},
    }


@pytest.mark.parametrize("wanted", PRESENTATIONS)
@pytest.mark.parametrize(
    "metrics", [scores(), scores(several="each"), scores(percent=True), {"\x1b[2J": {"score": 1.0}}]
)
def test_it_is_what_rich_draws(wanted, metrics):
    assert plain_scores(metrics, wanted, 120) == as_text(Group(score_table(metrics, wanted)), 120)


def test_what_has_to_be_folded_or_measured_is_left_to_rich():
    table = plain_scores(scores(), Presentation(), 120)
    width = len(table.splitlines()[0])
    assert plain_scores(scores(), Presentation(), width) == table
    assert plain_scores(scores(), Presentation(), width - 1) is None
    assert plain_scores(scores(several="mean"), Presentation(), width + 1) is None  # its note is longer
    assert plain_scores({"分": {"score": 1.0}}, Presentation(), 120) is None
