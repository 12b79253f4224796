"""Options that metrics and studies declare, and what becomes of what users give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest

from caplens.core.options import as_written, check_ranges, convert_options, declared_options, option
from caplens.errors import UsageError


@dataclass(frozen=True)
class Toy:
    name: ClassVar[str] = "toy"
    size: int = option(4, "how large", most=9)
    share: float = option(0.5, "how much", most=1)
    ties: Literal["half", "wrong"] = option("half", "what ties count")
    clustered: bool = option(False, "whether neighbours are alike")
    curve: tuple[int, ...] = option((), "some numbers", most=50)
    limit: int | None = option(None, "at most so many")
    file: str | None = option(None, "a file")
    inner: str = "no option"


def test_what_is_declared_can_be_listed():
    declared = declared_options(Toy)
    assert list(declared) == ["size", "share", "ties", "clustered", "curve", "limit", "file"]
    assert (declared["ties"].choices, declared["size"].choices) == (("half", "wrong"), ())
    assert (declared["limit"].kind, declared["limit"].least) == (int, 1)
    assert declared["share"].least > 0
    assert declared["curve"].is_list
    assert declared["file"].help == "a file"


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("size", "9", 9),
        ("size", 2, 2),
        ("share", "0.25", 0.25),
        ("share", 1, 1.0),
        ("ties", "WRONG", "wrong"),
        ("clustered", "True", True),
        ("clustered", False, False),
        ("curve", "1, 5,48", (1, 5, 48)),
        ("curve", [1, 5], (1, 5)),
        ("limit", "3", 3),
        ("limit", None, None),
        ("file", "a.csv", "a.csv"),
    ],
)
def test_text_and_python_values_become_what_is_declared(name, given, value):
    found = convert_options(Toy, {name: given})[name]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("size", "10", r"toy\(size=...\) must be a whole number from 1 to 9, not '10'"),
        ("size", "1.5", "a whole number"),
        ("size", 1.5, "a whole number"),
        ("size", True, "a whole number"),
        ("limit", 0, "a whole number from 1 to 1e"),
        ("share", "much", "must be a number from 1e-06 to 1, not 'much'"),
        ("share", float("nan"), "a number from"),
        ("ties", "never", "must be one of half, wrong, not 'never'"),
        ("ties", 3, "must be one of half, wrong, not 3"),
        ("clustered", "perhaps", "must be true or false, not 'perhaps'"),
        ("curve", "a", "numbers from 1 to 50, not 'a'"),
        ("curve", "1,,2", "numbers from 1 to 50"),
        ("curve", "0", "numbers from 1 to 50"),
        ("curve", 5, "takes numbers such as 1,5,20, not 5"),
        ("file", 3, "must be text, not 3"),
        ("colour", "red", "toy has no option 'colour'; it has size, share, ties, clustered, curve, limit, file"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(name, given, message):
    with pytest.raises(UsageError, match=message):
        convert_options(Toy, {name: given})


def test_ranges_hold_for_instances_too():
    check_ranges(Toy(size=9))
    with pytest.raises(UsageError, match=r"toy\(size=...\) must be a whole number from 1 to 9, not 10"):
        check_ranges(Toy(size=10))


def test_values_are_written_as_they_are_read():
    for name, value in {"size": 3, "share": 0.1 + 0.2, "clustered": True, "curve": (1, 5)}.items():
        assert convert_options(Toy, {name: as_written(value)})[name] == value
