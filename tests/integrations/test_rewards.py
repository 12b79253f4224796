"""Rewards: columns, conversations, prepared references in other processes, and the toy training."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from tests.conftest import ROOT

import caplens
from caplens.integrations.rewards import reward

REFERENCES = {7: ["a man on a horse", "a person rides a brown horse"], 8: ["two dogs run"], 9: ["a cat on a mat"]}
CAPTIONS = ["a man rides a horse", "two dogs", "a dog"]


def column(ids=(7, 8, 8)):
    return [REFERENCES[identifier] for identifier in ids]


@pytest.mark.parametrize("request_text", ["rouge", "cider(df=coco-val2014)", "mean(rouge, cider(df=coco-val2014))"])
def test_any_metric(request_text):
    found = reward(request_text)(prompts=["x"] * 3, completions=CAPTIONS, references=column(), unused=[1, 2, 3])
    (score,) = caplens.score(CAPTIONS, column(), request_text).values()
    assert found == pytest.approx(score.item_scores.tolist(), rel=1e-12)
    assert all(type(value) is float for value in found)


def test_conversations():
    rouge = reward("rouge", "captions")
    messages = [
        [{"role": "assistant", "content": "two dogs run"}],
        [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": [{"type": "text", "text": "two dogs run"}]},
        ],
    ]
    assert rouge(prompts=None, completions=messages, captions=[["two dogs run"], "two dogs run"]) == [1, 1]
    assert rouge(completions=[], captions=[]) == []
    with pytest.raises(caplens.InputError, match="not int"):
        rouge(completions=[3], captions=[["a"]])


@pytest.mark.filterwarnings("ignore::caplens.CaplensWarning")
def test_prepared_references_know_the_document_frequencies():
    cider = reward("cider", REFERENCES)
    found = cider(completions=CAPTIONS, image_id=[7, 8, 8])
    metric = caplens.metric("cider")
    expected = metric(CAPTIONS, metric.prepare(REFERENCES), ids=[7, 8, 8])["CIDEr"].item_scores
    assert found == pytest.approx(expected.tolist())
    assert pickle.loads(pickle.dumps(cider))(completions=CAPTIONS, image_id=[7, 8, 8]) == found
    assert cider.__name__ == "caplens_CIDEr"
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        assert processes.submit(cider, None, CAPTIONS, image_id=[7, 8, 8]).result() == found


def test_lower_scores_are_turned_round_and_missing_ones_are_0():
    chair = reward("chair", key="CHAIRi")
    assert chair(completions=["a dog and a man", "a man", "a dog"], image_id=[391895, 391895, "mine"]) == [-0.5, 0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: reward("cider"), "cider learns from all references"),
        (lambda: reward("bleu"), "choose the reward with key=, one of Bleu_1, Bleu_2"),
        (
            lambda: reward("rouge")(completions=["a"]),
            "no column 'references', which should contain the references; it has none",
        ),
        (lambda: reward("rouge")(completions=["a"], references=[]), "has 0 entries for 1 completions"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(caplens.CaplensError, match=message):
        make()


def test_the_toy_training_learns():
    pytest.importorskip("torch", reason="torch is not installed (pip install 'caplens[train]')")
    script = ROOT / "examples" / "self_critical.py"
    done = subprocess.run(
        [sys.executable, str(script), "--steps", "60"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    first, last = (float(line.split()[-1]) for line in (done.stdout.splitlines()[0], done.stdout.splitlines()[-2]))
    assert last > first + 0.2
