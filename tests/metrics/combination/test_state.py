"""Facts of the data that combinations use: put together, without those of the corpus, and compared."""

from __future__ import annotations

import pytest

import caplens
from caplens.core.state import State, differing_fact
from caplens.metrics.combination.state import lasting_facts, parts_of

CANDIDATES, REFERENCES = ["a man rides a horse", "two dogs"], [["a man on a horse"], ["two dogs run"]]


def facts(request):
    (run,) = caplens.score(CANDIDATES, REFERENCES, request).runs
    return lasting_facts(run.metric, run.state)


def test_what_is_learned_from_the_corpus_is_left_out_at_every_depth():
    assert facts("cider") == {}
    assert set(facts("cider(df=coco-val2014)")) == {"documents", "df"}
    assert set(facts("spider")) == {"parser", "known"}
    assert set(facts("sum(spider, wmd)")) == {"parser", "table"}
    assert set(facts("sum(spider(df=coco-val2014), wmd)")) == {"documents", "df", "parser", "table"}


@pytest.mark.parametrize(
    ("recorded", "found", "differs"),
    [
        ({"table": "5f", "df": "1"}, {"df": "1", "table": "5f"}, None),
        ({"table": "5f"}, {"table": "6e"}, "table"),
        ({"table": "5f"}, {}, "table"),
        ({}, {"parser": "1"}, "parser"),
    ],
)
def test_facts_differ_by_value_or_by_being_there(recorded, found, differs):
    assert differing_fact(recorded, found) == differs


def test_a_state_of_something_else_is_refused():
    with pytest.raises(TypeError, match="sum needs the state that its own fit returned"):
        parts_of(caplens.metric("sum(rouge, wmd)"), State())
