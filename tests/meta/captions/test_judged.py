"""Judged captions: what is left out, and references that are the candidate."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.meta.captions.judged import JudgedCaptions, among_references, without_candidates


def test_rows_that_are_left_out_are_listed():
    judged = JudgedCaptions(
        ["1", "2", "3"], ["i", "i", "j"], ["a", "b", "c"], [("r",)] * 3, {"x": np.eye(3)}, np.zeros(3, bool), ["s"] * 3
    )
    kept = judged.leave_out(np.array([True, False, False]), "odd", "odd ones").leave_out(
        np.zeros(2, bool), "no", "none"
    )
    assert (kept.ids, kept.images, kept.candidates, kept.systems) == (["2", "3"], ["i", "j"], ["b", "c"], ["s", "s"])
    assert kept.ratings["x"].tolist() == [[0, 1, 0], [0, 0, 1]]
    assert [(gone.code, gone.ids) for gone in kept.left_out] == [("odd", ("1",))]


@pytest.mark.parametrize(
    ("candidate", "reference", "same"),
    [
        ("a t - shirt", "A t-shirt.", True),
        ("dogs/cats", "dogs / cats", True),
        ("a man.and a dog", "A man. And a dog", True),
        ("a man 's hat", "a man's hat", True),
        ("a dog", "a dogs", False),
        ("2 dogs", "3 dogs", False),
        ("किताब", "कताब", False),
        ("CAF\u00c9", "cafe\u0301", True),
    ],
)
def test_captions_are_the_same_by_letters_and_digits(candidate, reference, same):
    assert among_references([candidate], [(reference,)]).tolist() == [same]
    assert without_candidates([candidate], [(reference, "other")]) == [("other",) if same else (reference, "other")]


def test_captions_with_the_same_words_are_the_same():
    candidates, references = ["A dog .", "a cat"], [("a dog", "two dogs"), ("A bus!",)]
    assert among_references(candidates, references).tolist() == [True, False]
    assert without_candidates(candidates, references) == [("two dogs",), ("A bus!",)]
