"""What is said about several systems together."""

from __future__ import annotations

import caplens


def test_a_note_that_each_of_many_systems_has_is_said_once():
    captions = [["a man riding a wave on top of a surfboard"], ["a cat"], ["two dogs in the grass"], ["zebras"]]
    systems = dict(zip("abcd", captions, strict=True))
    references = [["a man riding a wave on top of a surfboard"]]
    compared = caplens.compare({**systems, "e": captions[0], "f": captions[0]}, references, "spice")
    said = [str(notice) for notice in compared.warnings if notice.code.startswith("known") or "packs" in str(notice)]
    candidates = [line for line in said if "candidate" in line]
    assert len(candidates) == 1
    assert "; similarly for " in candidates[0]
    two = caplens.compare({"a": captions[0], "b": captions[0]}, references, "spice")
    assert not any("similarly" in str(notice) for notice in two.warnings)
