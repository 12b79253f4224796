"""What comes out of a study: plain data, tables, files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from caplens.errors import Notice, UsageError
from caplens.meta.outcome import IF_ANY, INLINED, LeftOut, Outcome, by_code, no_score_notices, plain_data
from caplens.output.tables import Column, NumberTable


@dataclass(frozen=True)
class Figures:
    share: float | None
    more: dict[str, int] = field(metadata=INLINED)
    note: str | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Toy(Outcome):
    n: int
    left_out: dict[str, LeftOut]
    metrics: dict[str, Figures]

    def tables(self):
        return (NumberTable("toy", (Column("metric"), Column("share")), (("CIDEr", 0.25),)),)


@pytest.fixture
def toy():
    return Toy(
        study="toy",
        n=3,
        left_out=by_code([LeftOut("tied", "equal votes", ("7", "9"))]),
        metrics={"CIDEr": Figures(None, {"right": 2})},
        warnings=(Notice("odd", "something is odd"),),
        items=[{"id": "1"}, {"id": "2"}],
    )


def test_plain_data_has_the_fields_in_order(toy):
    data = toy.to_dict()
    assert list(data) == ["schema", "caplens", "study", "n", "left_out", "metrics", "warnings"]
    assert data["metrics"] == {"CIDEr": {"share": None, "right": 2}}
    assert data["left_out"] == {"tied": {"count": 2, "why": "equal votes", "ids": ["7", "9"]}}
    assert plain_data(Figures(0.5, {}, "said")) == {"share": 0.5, "note": "said"}


def test_metrics_are_looked_up_whatever_the_case(toy):
    assert toy["cider"] == {"share": None, "right": 2}
    with pytest.raises(KeyError):
        toy["SPICE"]


def test_tables_are_what_people_see(toy):
    assert str(toy) == repr(toy) == toy.render("text")
    assert toy.render("csv") == "metric,share\nCIDEr,0.25"
    assert str(toy.left_out["tied"]) == "excluded: 2 (equal votes): 7, 9."


def test_files(toy, tmp_path):
    toy.write(tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == toy.to_dict()
    toy.write_items(tmp_path / "items.jsonl")
    assert [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()] == toy.items
    with pytest.raises(UsageError, match=r"must end in \.json"):
        toy.write(tmp_path / "out.xlsx")


def test_missing_scores_are_said_of_the_metrics_that_lack_some():
    (notice,) = no_score_notices({"CIDEr": 0, "SPICE": 2}, "row")
    assert notice.message == "2 rows without a SPICE score excluded"
