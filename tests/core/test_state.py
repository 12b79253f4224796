"""What metrics learn: facts for signatures."""

from __future__ import annotations

import caplens
from caplens.core.state import NamedState, State
from caplens.errors import Notice

REFERENCES = {1: ["a dog runs", "dogs"], 2: ["a red bus"]}


def test_a_state_that_learned_nothing_has_no_facts():
    assert State().facts == {}
    assert State((Notice("odd", "something odd"),)).notices[0].code == "odd"


def test_names_of_data_are_facts():
    assert NamedState(data=(("table", "5f"), ("parser", "p 1"))).facts == {"table": "5f", "parser": "p 1"}


def test_facts_stand_in_signatures():
    evaluator = caplens.Evaluator("cider, wmd, spider", REFERENCES)
    result = evaluator.score({1: "a dog"})
    for run in result.runs:
        facts = "|".join(f"{key}:{value}" for key, value in run.state.facts.items())
        assert facts
        for score in result.values():
            if score.run is run:
                for key, value in run.state.facts.items():
                    assert f"|{key}:" in score.signature
                    assert value.split()[0].strip('"') in score.signature
    assert set(result["SPIDEr"].run.state.facts) >= {"documents", "df", "parser"}
