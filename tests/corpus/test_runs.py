"""Training runs of systems: what a caller may pass, and what runs are called."""

from __future__ import annotations

import pytest

from caplens.corpus import Runs, by_system, each_run
from caplens.errors import InputError, UsageError


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([], "but it is empty"),
        ("a dog", "not str"),
        ({1: "a dog"}, "not dict"),
        (7, "not int"),
        (["a dog", "two cats"], r"one of them is a single caption \('a dog'\)"),
        ([Runs([["a dog"]])], "one of them is Runs"),
    ],
)
def test_what_is_not_a_list_of_runs_is_refused(runs, words):
    with pytest.raises(InputError, match=words):
        Runs(runs)


def test_runs_may_come_from_a_generator():
    found = Runs([caption] for caption in ("a dog", "a cat"))
    assert found.runs == (["a dog"], ["a cat"])
    assert repr(found) == "Runs of 2"


def test_a_single_run_is_called_as_its_system():
    assert each_run({"a": Runs([["a dog"]]), "b": ["a cat"]}) == {"a": ["a dog"], "b": ["a cat"]}


@pytest.mark.parametrize("turned", [False, True])
def test_a_system_cannot_be_called_as_a_run(turned):
    systems = {"a": Runs([["x"], ["y"]]), "a/2": ["z"]}
    with pytest.raises(UsageError, match="'a/2' is both a system and a run of 'a'"):
        each_run(dict(reversed(systems.items())) if turned else systems)


@pytest.mark.parametrize("kind", [list, tuple])
def test_mappings_in_a_plain_list_are_told_what_to_write(kind):
    with pytest.raises(UsageError, match=r"System 'a' is a list of mappings by id: write caplens.Runs"):
        each_run({"a": kind([{1: "x"}, {1: "y"}])})


def test_rows_of_a_plain_list_are_left_to_the_readers():
    rows = [{"image_id": 1, "caption": "x"}]
    assert each_run({"a": rows}) == {"a": rows}


def test_what_was_made_of_runs_is_found_by_system():
    systems = {"a": Runs([["x"], ["y"]]), "b": ["z"], "c": Runs([["p"]])}
    assert by_system(systems, {name: name.upper() for name in each_run(systems)}) == {
        "a": ["A/1", "A/2"],
        "b": ["B"],
        "c": ["C"],
    }
