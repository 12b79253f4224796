"""Evaluators, results, states and prepared references pickle and copy, whatever starts the other process."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import caplens
from caplens.core.grammar import Request
from caplens.core.registry import build, names

REFERENCES = {7: ["a man on a horse", "a person rides a brown horse"], "x": ["two dogs run"], 9: ["a cat on a mat"]}
CANDIDATES = {7: "a man rides a horse", "x": "two dogs", 9: "a cat"}
FILES = {"wembsim_e"}  # not without a file of vectors; its state is that of wembsim_c


def ready():
    return [name for name in names() if name not in FILES and build(Request(name)).missing_data() is None]


def assert_same(result, expected):
    assert list(result) == list(expected)
    for key, score in expected.items():
        np.testing.assert_allclose(result[key].item_scores, score.item_scores, rtol=1e-12, atol=1e-12)
        assert result[key].signature == score.signature
    assert result.warnings == expected.warnings


@pytest.mark.parametrize("name", ready())
def test_everything_of_every_metric_pickles_and_copies(name):
    evaluator = caplens.Evaluator([build(Request(name))], REFERENCES, jobs=1)
    expected = evaluator.score(CANDIDATES)
    for copied in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator), copy.copy(evaluator)):
        assert_same(copied.score(CANDIDATES), expected)
    for copied in (pickle.loads(pickle.dumps(expected)), copy.deepcopy(expected)):
        assert_same(copied, expected)
        assert copied.ids == expected.ids
        assert list(copied.corpus.candidates) == list(CANDIDATES.values())
        for key, score in expected.items():
            assert copied[key].interval == pytest.approx(score.interval, nan_ok=True)
    prepared = pickle.loads(pickle.dumps(evaluator.references))
    assert prepared.ids == ["7", "x", "9"]
    for metric, state in evaluator.states.items():
        copied = pickle.loads(pickle.dumps(state))
        assert copied.facts == state.facts
        assert copied.notices == state.notices
        assert type(copied) is type(state)
        for requirement in metric.requires():
            prepared.get(requirement)


def test_an_evaluator_takes_along_what_it_learned_and_computes_the_rest():
    evaluator = caplens.Evaluator("rouge, bleu", REFERENCES)
    copied = pickle.loads(pickle.dumps(evaluator))
    assert "states" in copied.__dict__
    assert "references" not in copied.__dict__
    evaluator.score(CANDIDATES)
    assert evaluator.references._values
    assert len(pickle.dumps(evaluator)) < len(pickle.dumps(copied)) + 50  # no words, no n-grams


def test_a_comparison_pickles():
    comparison = caplens.compare({"a": CANDIDATES, "b": {7: "a", "x": "b", 9: "c"}}, REFERENCES, "rouge, cider")
    assert pickle.loads(pickle.dumps(comparison)).to_dict() == comparison.to_dict()


def score_in_process(evaluator, candidates):
    """Score, and send the result back."""
    return evaluator.score(candidates)


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_other_processes_score_with_the_same_evaluator(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot start processes by {start}")
    evaluator = caplens.Evaluator("rouge, cider, spice", REFERENCES, jobs=1)
    shards = [{identifier: caption} for identifier, caption in CANDIDATES.items()]
    with ProcessPoolExecutor(2, multiprocessing.get_context(start)) as processes:
        results = list(processes.map(score_in_process, [evaluator] * len(shards), shards))
    whole = evaluator.score(CANDIDATES)
    for key, score in whole.items():
        found = [result[key].item_scores[0] for result in results]
        np.testing.assert_allclose(found, score.item_scores, rtol=1e-12, atol=1e-12)
