"""Items of files, made from columns block by block."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caplens
from caplens.core import items as module
from caplens.core._items import side_by_side
from caplens.core.items import Items


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_json_is_that_of_the_items_in_any_blocks(monkeypatch, count):
    scores = np.where(np.arange(count) == 2, np.nan, np.arange(count) / 7)
    columns = {"F": scores, "F_precision": scores / 2}
    items = Items({"id": [str(place) for place in range(count)]}, columns, ("F",), {"F": ("precision",)})
    monkeypatch.setattr(module, "BLOCK_ITEMS", 2)
    assert json.loads(bytes(items.json())) == items.dicts()
    if count > 2:
        assert items.dicts()[1:3] == [
            {"id": "1", "scores": {"F": 1 / 7}, "parts": {"F": {"precision": 1 / 14}}},
            {"id": "2", "scores": {"F": None}, "parts": {"F": {"precision": None}}},
        ]


def test_values_of_any_kind_stand_in_their_rows():
    described = {"id": ['a"],\\', "[b,"], "references": [["x, y", 'z"'], []]}
    items = Items(described, {"A,": np.array([0.5, np.inf]), "B": np.array([1e300, -0.0])}, ("A,", "B"), {})
    assert json.loads(bytes(items.json())) == items.dicts()


@pytest.mark.parametrize("columns", [[b"[1,2]", b"[3]"], [b"[1]", b"[3]"], [b"[1,2]", b"[3,4,5]"], [b"[1,2]", b"["]])
def test_columns_of_other_lengths_are_refused(columns):
    with pytest.raises(ValueError, match="column"):
        side_by_side(columns, [b"{", b","], b"}", 2)


def test_a_result_writes_what_it_returns():
    result = caplens.score(["a dog", "two cats"], [["a dog runs"], ["cats"]], "bleu, spice").with_captions()
    assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))
