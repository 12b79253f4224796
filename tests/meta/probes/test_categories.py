"""SPICE by kind of tuple."""

from __future__ import annotations

from caplens import study


def test_spice_by_category(coco):
    result = study("categories", coco, jobs=1)
    assert (result.to_dict()["n"], list(result.to_dict()["systems"])) == (2, ["one", "two"])
    assert set(result.to_dict()["systems"]["one"]["SPICE"]) == {"f", "precision", "recall"}
    assert result.to_dict()["systems"]["one"]["SPICE"]["f"] > result.to_dict()["systems"]["two"]["SPICE"]["f"]
