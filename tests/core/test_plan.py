"""The planner: everything once, combinations after what they combine."""

from __future__ import annotations

import pytest
from tests import toys

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.plan import Run, fit, run, with_inputs
from caplens.core.prepared import Usage, prepare
from caplens.errors import InputError


def test_inputs_come_first_and_once():
    first, second = toys.Characters(), toys.Characters(2)
    both = toys.Sum((first, second))
    assert with_inputs([both, first, toys.Sum((second,))]) == [first, second, both, toys.Sum((second,))]


def test_what_is_combined_is_run_once():
    toys.calls.clear()
    corpus = corpus_of(["a", "bcd"], [["x"], ["y"]])
    metrics = [toys.Sum((toys.Characters(), toys.Characters(2))), toys.Characters()]
    prepared = prepare(corpus)
    done = run(metrics, prepared, fit(metrics, prepared.references, Usage.of(corpus)))
    assert [entry.metric for entry in done] == metrics
    assert isinstance(done[0], Run)
    assert done[0].item_scores[:, 0].tolist() == [3, 9]
    assert done[0].corpus_scores.tolist() == [6]
    assert toys.calls["statistics characters(1)"] == 1
    assert toys.calls["lengths of candidates"] == 1


def test_words_are_not_compared_with_scene_graphs():
    with pytest.raises(InputError, match="rouge, bleu compare words, but 1 reference is a scene graph"):
        caplens.score({7: "a man"}, {7: [[("man",)]]}, "rouge, bleu")
    with pytest.raises(InputError, match=r"rouge compares words, but 1 candidate is a scene graph \(id 7\)"):
        caplens.score({7: [("man",)]}, {7: ["a man"]}, "rouge")
