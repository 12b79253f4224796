"""Hugging Face: the local module of `evaluate`, and columns of `datasets`, without the network."""

from __future__ import annotations

import pytest

import caplens
from caplens.integrations.huggingface import module_path

CANDIDATES = ["a man rides a horse", "two dogs"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run"]]


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))


def test_columns_of_a_dataset():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed (pip install 'caplens[huggingface]')")
    dataset = datasets.Dataset.from_dict({"caption": CANDIDATES, "references": REFERENCES})
    found = caplens.score(dataset["caption"], dataset["references"], "rouge")
    assert found["ROUGE_L"].score == caplens.score(CANDIDATES, REFERENCES, "rouge")["ROUGE_L"].score


@pytest.mark.filterwarnings("ignore")
def test_the_module_of_evaluate():
    pytest.importorskip("datasets", reason="datasets is not installed (pip install 'caplens[huggingface]')")
    evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed (pip install 'caplens[huggingface]')")
    module = evaluate.load(module_path())
    found = module.compute(predictions=CANDIDATES, references=REFERENCES, metrics="bleu, rouge")
    expected = caplens.score(CANDIDATES, REFERENCES, "bleu, rouge")
    assert found == pytest.approx({key: score.score for key, score in expected.items()})
