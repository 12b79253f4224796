"""The language model against a slow one, and files that do not hold one."""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, write_arrays
from caplens.files.checks import DamagedFileError
from caplens.learned.fluency import language_model
from caplens.learned.fluency.language_model import LanguageModel, numbers_of, shipped

RECIPE = Path(__file__).resolve().parents[3] / "training" / "fluency"
WORDS = ("a", "dog", "on", "runs", "the")
BEGIN, END, UNKNOWN = 5, 6, 7


@pytest.fixture(scope="module")
def recipe():
    sys.path.insert(0, str(RECIPE))
    import kneser_ney
    import make_model

    yield kneser_ney, make_model
    sys.path.remove(str(RECIPE))


@pytest.fixture(scope="module")
def captions():
    generator = np.random.default_rng(3)
    drawn = [generator.choice([0, 0, 0, 1, 1, 2, 3, 4, UNKNOWN], generator.integers(1, 7)) for _ in range(300)]
    return [[BEGIN, *words.tolist(), END] for words in drawn]


@pytest.fixture(scope="module")
def arrays(recipe, captions):
    kneser_ney, make_model = recipe
    orders = kneser_ney.estimate(captions, 3, BEGIN, 8)
    blob = np.frombuffer("".join(WORDS).encode(), np.uint8)
    found = {"words": blob, "word_lengths": np.array([len(word) for word in WORDS], np.uint8)}
    found |= make_model.laid_out(orders, 8)
    for name in list(found):  # exact, to be compared with the slow model
        if name.startswith(("probability", "backoff")):
            order = int(name[-1])
            source = orders[order - 1].logs if name.startswith("p") else orders[order - 1].backoffs
            ngrams = sorted(orders[order - 1].logs) if order > 1 else [(w,) for w in range(8)]
            found[name] = np.array([source.get(ngram, -20.0 if name[0] == "p" else 0.0) for ngram in ngrams])
    return found, orders


@pytest.fixture(scope="module")
def model(arrays):
    return LanguageModel(Arrays.in_memory(arrays[0], {"fingerprint": "toy"}))


def slow_log(orders, context, word):
    """Back off by recursion."""
    ngram = (*context, word)
    if ngram in orders[len(context)].logs:
        return orders[len(context)].logs[ngram]
    weight = orders[len(context) - 1].backoffs.get(context, 0.0)
    return weight + slow_log(orders, context[1:], word)


def test_probabilities_after_any_words_add_up_to_one(arrays):
    orders = arrays[1]
    contexts = [(), (0,), (BEGIN,), (UNKNOWN,), (0, 1), (BEGIN, 0), (4, 4), (3, 2)]
    for context in contexts:
        total = sum(math.exp(slow_log(orders, context, word)) for word in range(8) if word != BEGIN)
        assert total == pytest.approx(1, abs=1e-9), context


def test_it_agrees_with_the_slow_model(model, arrays, captions):
    some = [words[1:-1] for words in captions[:50]]
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in some])])
    logs, orders = model.score(np.concatenate(some), offsets)
    expected = [
        slow_log(arrays[1], tuple(([BEGIN, *words])[max(0, place - 1) : place + 1]), word)
        for words in some
        for place, word in enumerate([*words, END])
    ]
    np.testing.assert_allclose(logs, expected, rtol=1e-5)
    assert set(orders.tolist()) <= {1, 2, 3}
    alone = [model.score(np.array(words), np.array([0, len(words)]))[0] for words in some]
    np.testing.assert_array_equal(np.concatenate(alone), logs)  # neighbours change nothing


def test_n_grams_that_occur_once_are_not_listed(arrays, captions):
    counted = Counter(tuple(words[place : place + 3]) for words in captions for place in range(len(words) - 2))
    assert set(arrays[1][2].logs) == {ngram for ngram, number in counted.items() if number > 1}
    assert 1 in counted.values()


def test_unknown_words_have_one_number(model):
    assert numbers_of(model, ["dog", "zorgl", "a"]).tolist() == [1, UNKNOWN, 0]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("word_2", lambda array: array[::-1].copy(), "must be ascending"),
        ("count_3", lambda array: array + 1, "must add up"),
        ("count_2", lambda array: array[:-1], "must have the shape"),
        ("probability_2", lambda array: array * np.nan, "finite"),
        ("word_3", lambda array: array + 8, "whole numbers from 0 to 7"),
        ("probability_1", lambda array: array[:-1], "must have the shape"),
    ],
)
def test_arrays_that_contradict_each_other_are_refused(arrays, name, change, message):
    changed = {**arrays[0], name: change(arrays[0][name])}
    with pytest.raises(DamagedFileError, match=message):
        LanguageModel(Arrays.in_memory(changed, {"fingerprint": "toy"}))


def test_a_file_that_is_missing_or_something_else(tmp_path, monkeypatch):
    shipped.cache_clear()
    monkeypatch.setattr(language_model, "PATH", tmp_path / "none.safetensors")
    with pytest.raises(MissingDataError, match=r"cannot be read .*pip install"):
        shipped()
    write_arrays(tmp_path / "none.safetensors", {"words": np.zeros(1)}, {"format": "other"})
    with pytest.raises(MissingDataError, match="does not contain a language model"):
        shipped()
    shipped.cache_clear()
