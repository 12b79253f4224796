"""Distractors made from captions."""

from __future__ import annotations

import pytest

from caplens.errors import InputError, UsageError
from caplens.meta.probes.distractors import KINDS, make_distractors


class TestDistractors:
    CAPTIONS = {
        "1": ["A young man sits on the beach.", "Somebody rests."],
        "2": ["A young man runs in a city park.", "A sportsman runs."],
        "3": ["Two girls play in a city park .", "Children play."],
        "4": ["A dog.", "An animal."],
    }

    def rows(self, kind, **options):
        return make_distractors(self.CAPTIONS, [kind], seed=3, **options)

    def test_just_a_chunk(self):
        assert [row["distractor"] for row in self.rows("just-person")] == ["a young man", "a young man", "two girls"]
        assert [row["distractor"] for row in self.rows("just-scene")] == ["the beach", "a city park", "a city park"]

    def test_a_shared_chunk_comes_from_another_image(self):
        found = {row["correct"]: row["distractor"] for row in self.rows("share-person")}
        assert found == {
            "A young man sits on the beach.": "A young man runs in a city park.",
            "A young man runs in a city park.": "A young man sits on the beach.",
        }

    def test_a_replaced_chunk_has_another_noun(self):
        for row in self.rows("replace-scene"):
            assert row["chunk"] in row["correct"].lower()
            assert row["chunk"] not in row["distractor"]
        (first, *_) = self.rows("replace-person")
        assert first["distractor"] in ("two girls sits on the beach", "children sits on the beach")

    def test_the_correct_caption_is_not_among_its_references(self):
        assert all(row["correct"] not in row["references"] for kind in KINDS for row in self.rows(kind))

    def test_draws_are_seeded_and_limited(self):
        assert self.rows("just-person", most=2) == self.rows("just-person", most=2)
        assert len(self.rows("just-person", most=2)) == 2

    def test_what_cannot_be_made(self):
        with pytest.raises(UsageError, match="no kind of distractor 'swap'"):
            make_distractors(self.CAPTIONS, ["swap"], seed=1)
        with pytest.raises(InputError, match="No distractor can be made"):
            make_distractors({"4": self.CAPTIONS["4"]}, seed=1)
