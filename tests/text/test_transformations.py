"""Permuted, random and repeated words, and transformations of the user's own."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins import offer

import caplens
from caplens.errors import InputError, UsageError
from caplens.text.transformations import (
    GROUP,
    concerned_words,
    get_transformation,
    import_transformation,
    permute_words,
    repeat_words,
    replace_words,
)

captions = st.lists(st.sampled_from(["a", "dog", "runs", "on", "grass"]), min_size=0, max_size=12)
strengths = st.floats(0, 1)
seeds = st.integers(0, 1000)


@given(captions, strengths, seeds)
def test_a_permutation_keeps_the_words_and_changes_their_order(words, strength, seed):
    changed = permute_words(words, strength, np.random.default_rng(seed))
    assert Counter(changed) == Counter(words)
    if strength > 0 and len(set(words)) > 1:
        moved = sum(one != other for one, other in zip(words, changed, strict=True))
        assert 2 <= moved <= concerned_words(len(words), strength)
    else:
        assert changed == words


@given(captions, strengths, seeds)
def test_replaced_words_are_other_words(words, strength, seed):
    changed = replace_words(words, strength, ["cat", "dog", "bus"], np.random.default_rng(seed))
    moved = sum(one != other for one, other in zip(words, changed, strict=True))
    assert moved == concerned_words(len(words), strength)


@pytest.mark.parametrize(
    ("words", "strength", "number"), [(10, 0, 0), (10, 0.01, 2), (10, 0.35, 4), (10, 1, 10), (1, 0.5, 1), (0, 1, 0)]
)
def test_at_least_two_words_are_concerned(words, strength, number):
    assert concerned_words(words, strength) == number


def test_a_caption_that_cannot_change_stays():
    generator = np.random.default_rng(0)
    assert permute_words(["dog", "dog"], 1, generator) == ["dog", "dog"]
    assert permute_words(["dog"], 1, generator) == ["dog"]
    assert replace_words(["dog", "dog"], 1, ["dog"], generator) == ["dog", "dog"]


@given(captions, strengths)
def test_repeated_words_are_the_last_ones(words, strength):
    changed = repeat_words(words, strength)
    number = concerned_words(len(words), strength)
    assert changed[: len(words)] == words
    assert changed[len(words) :] == (["and", *words[len(words) - number :]] if number else [])


def test_a_function_of_the_caption_alone_or_with_strength_and_generator():
    caplens.register_transformation("shouted", str.upper)
    caplens.register_transformation("cut", lambda caption, strength: caption[: round(len(caption) * (1 - strength))])

    def drawn(caption, generator):
        """Words in any order."""
        return " ".join(generator.permutation(caption.split()))

    caplens.register_transformation("drawn", drawn)
    generator = np.random.default_rng(0)
    assert get_transformation("shouted")("a dog", 0.5, generator) == "A DOG"
    assert get_transformation("cut")("abcd", 0.5, generator) == "ab"
    assert sorted(get_transformation("drawn")("a dog", 0.5, generator).split()) == ["a", "dog"]
    assert get_transformation("drawn").title == "Words in any order"


def test_what_is_no_transformation_is_refused():
    for name in ("rp", "two words", "", 5):
        with pytest.raises(UsageError, match="cannot be named"):
            caplens.register_transformation(name, str.upper)
    with pytest.raises(UsageError, match="must be a function"):
        caplens.register_transformation("seven", 7)
    caplens.register_transformation("counted", len)
    with pytest.raises(InputError, match=r"'counted' must return a caption, but for 'a dog' it returned 5"):
        get_transformation("counted")("a dog", 1.0, np.random.default_rng(0))
    with pytest.raises(UsageError, match="no transformation 'nowhere'"):
        get_transformation("nowhere")


def test_transformations_of_modules_and_of_installed_packages(tmp_path, monkeypatch):
    (tmp_path / "my_changes.py").write_text("def backwards(caption):\n    return caption[::-1]\n")
    offer(tmp_path, monkeypatch, GROUP, "reversed", "my_changes:backwards")
    generator = np.random.default_rng(0)
    assert get_transformation("reversed")("dog", 1.0, generator) == "god"
    import_transformation("my_changes:backwards")
    assert get_transformation("my_changes:backwards")("dog", 1.0, generator) == "god"
