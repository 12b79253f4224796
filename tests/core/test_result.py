"""Results: what they keep, and what is computed when."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests import toys

import caplens
from caplens.core.metric import Metric
from caplens.core.plan import Run
from caplens.core.result import Result
from caplens.files import telling
from caplens.text.meteor import resources

CANDIDATES = {7: "a man rides a horse", "x": "two dogs", 9: ""}
REFERENCES = {7: ["a man on a horse"], "x": ["two dogs run"], 9: ["a cat", "the cat"]}


@pytest.fixture
def result():
    return caplens.score(CANDIDATES, REFERENCES, "rouge, cider")


def test_it_keeps_its_corpus_and_its_states(result):
    assert list(result.corpus.candidates) == list(CANDIDATES.values())
    assert result.corpus.references.texts(2) == ["a cat", "the cat"]
    assert result.ids == [7, "x", 9]
    assert [row["id"] for row in result.to_rows()] == ["7", "x", "9"]
    assert result.to_pandas().index.tolist() == [7, "x", 9]
    assert result.groups is None
    cider = caplens.metric("cider")
    assert result.states[cider].facts["documents"] == "3"
    assert result.states[cider] is result["CIDEr"].run.state


def test_percentages_are_told_from_other_scores():
    found = caplens.score(CANDIDATES, REFERENCES, "rouge, lens(label=ours)").summary(intervals=False)
    assert {key: entry.get("percent") for key, entry in found.items()} == {
        "ROUGE_L": None,
        **dict.fromkeys(["ours", "ours_Support", "ours_Coverage", "ours_Form"], True),
    }


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


class TestWhatItSays:
    def test_warnings_are_printed_below_the_table(self, result):
        assert str(result).splitlines()[-1].startswith("warning: CIDEr's document frequencies come from only 3 rows")
        assert repr(result) == str(result)
        assert len(repr(result)) < 1000

    def test_a_score_is_a_number(self, result):
        assert float(result["CIDEr"]) == result["CIDEr"].score

    def test_a_score_that_was_left_out_says_why(self, monkeypatch):
        monkeypatch.setattr(resources, "missing_data", lambda *arguments: "its data is not here: pip install it")
        result = caplens.score(CANDIDATES, REFERENCES, "coco")
        with pytest.raises(KeyError) as caught:
            result["METEOR"]
        assert isinstance(caught.value, caplens.UsageError)
        assert str(caught.value).startswith("There is no score 'METEOR' in this result, only Bleu_1, ")
        assert str(caught.value).endswith("; meteor is omitted from 'coco': its data is not here: pip install it")
        assert result.get("METEOR") is None

    def test_html(self, result):
        shown = result._repr_html_()
        assert "<td class='words'>CIDEr</td>" in shown
        assert f"{result['CIDEr'].score:.4f}" in shown
        assert "warning: CIDEr&#x27;s document frequencies" in shown


class TestWarnings:
    @pytest.fixture(autouse=True)
    def nothing_issued(self, monkeypatch):
        monkeypatch.setattr(telling, "_issued", set())

    def test_once_per_process_at_the_line_of_the_caller(self, result):
        telling._issued.clear()
        with pytest.warns(caplens.CaplensWarning, match="CIDEr's document frequencies come from only 3 rows") as caught:
            caplens.score(CANDIDATES, REFERENCES, "cider")
        assert {one.filename for one in caught} == {__file__}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = caplens.score(CANDIDATES, REFERENCES, "cider")
        assert {notice.code for notice in again.warnings} == {"empty-candidate", "few-documents"}

    def test_every_way_in_python_warns(self):
        evaluator = caplens.Evaluator("cider", REFERENCES)
        ways = [
            lambda: evaluator.score(CANDIDATES),
            lambda: evaluator.compare({"a": CANDIDATES, "b": CANDIDATES}),
            lambda: caplens.compare({"a": CANDIDATES, "b": CANDIDATES}, REFERENCES, "cider"),
            lambda: caplens.metric("cider").prepare(REFERENCES),
            lambda: caplens.metric("cider")(CANDIDATES, REFERENCES),
        ]
        for way in ways:
            telling._issued.clear()
            with pytest.warns(caplens.CaplensWarning, match="CIDEr's document frequencies"):
                way()

    def test_batches_of_a_training_loop_do_not(self):
        cider = caplens.metric("cider")
        prepared = cider.prepare(REFERENCES)
        telling._issued.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            batch = cider(CANDIDATES, prepared)
        assert "few-documents" in {notice.code for notice in batch.warnings}

    def test_the_drop_in_says_nothing(self):
        from caplens.compat.pycocoevalcap.cider.cider import Cider

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Cider().compute_score({1: ["a dog"]}, {1: ["a dog"]})[0] == 0
