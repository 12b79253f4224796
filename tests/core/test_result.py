"""Results: what they keep, and what is computed when."""

from __future__ import annotations

import numpy as np
import pytest
from tests import toys

import caplens
from caplens.core.metric import Metric
from caplens.core.plan import Run
from caplens.core.result import Result

CANDIDATES = {7: "a man rides a horse", "x": "two dogs", 9: ""}
REFERENCES = {7: ["a man on a horse"], "x": ["two dogs run"], 9: ["a cat", "the cat"]}


@pytest.fixture
def result():
    return caplens.score(CANDIDATES, REFERENCES, "rouge, cider")


def test_it_keeps_its_corpus_and_its_states(result):
    assert list(result.corpus.candidates) == list(CANDIDATES.values())
    assert result.corpus.references.texts(2) == ["a cat", "the cat"]
    assert result.ids == ["7", "x", "9"]
    assert result.groups is None
    cider = caplens.metric("cider")
    assert result.states[cider].facts["documents"] == "3"
    assert result.states[cider] is result["CIDEr"].run.state


def test_a_metric_on_a_batch_gives_the_same_type(result):
    batch = caplens.metric("cider")(CANDIDATES, REFERENCES)
    assert type(batch) is type(result) is Result
    assert batch["CIDEr"].signature == result["CIDEr"].signature
    assert str(batch).split()[:2] == ["metric", "score"]
    assert batch.to_rows()[0] == {"id": "7", "CIDEr": pytest.approx(result["CIDEr"].item_scores[0])}


def test_its_states_score_other_captions_of_the_same_references(result):
    again = caplens.Evaluator("rouge, cider", result.corpus.references).score(result.corpus)
    assert again["CIDEr"].item_scores.tolist() == result["CIDEr"].item_scores.tolist()


def test_corpus_scores_wait_until_somebody_asks(monkeypatch):
    def refuse(self, statistics):
        raise AssertionError("a training loop pays for what it does not use")

    monkeypatch.setattr(Metric, "corpus_scores", refuse)
    batch = caplens.metric("rouge")(CANDIDATES, REFERENCES)
    assert batch["ROUGE_L"].item_scores[2] == 0
    with pytest.raises(AssertionError, match="training loop"):
        _ = batch["ROUGE_L"].score


def test_parts_of_scores(result):
    assert result["CIDEr"].parts == {}
    spice = caplens.score(CANDIDATES, REFERENCES, "spice")
    for key in ("SPICE", "SPICE_Object"):
        assert list(spice[key].parts) == ["precision", "recall"]
        assert len(spice[key].parts["recall"].item_scores) == 3


def test_what_metrics_say_is_said_once():
    corpus = caplens.score(CANDIDATES, REFERENCES, [toys.Characters()]).corpus
    notice = caplens.errors.Notice("odd", "something odd")
    state = caplens.State((notice,))
    statistics = caplens.Statistics(("characters",), np.ones((3, 1)))
    runs = [Run(toys.Characters(times), state, statistics) for times in (1, 2)]
    found = Result(corpus, runs[:1], warnings=[notice])
    assert found.warnings == (notice,)
    assert found["Characters"].score == 1
    assert "|references:1-2|" in found["Characters"].signature
