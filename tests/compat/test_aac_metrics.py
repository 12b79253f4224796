"""`evaluate` of aac_metrics."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from tests.compat import reward_inputs
from tests.conftest import ROOT, needs_meteor

import caplens
from caplens.compat import aac_metrics
from caplens.compat.aac_metrics import functional

CANDIDATES = ["A man is speaking.", "rain falls"]
REFERENCES = [["a man speaks.", "Someone speaks."], ["rain is falling hard on a surface"]]
GOLDEN = json.loads((ROOT / "tests" / "data" / "aac_metrics_golden.json").read_text())
"""What aac-metrics 0.6.0 said."""


@pytest.fixture(scope="module")
def example():
    references, samples = reward_inputs.as_written(20)
    return [texts[0] for texts in samples], references


@pytest.fixture(scope="module")
def lower_case(example):
    candidates, references = example
    return [text.lower() for text in candidates], [[text.lower() for text in texts] for texts in references]


def assert_golden(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert list(ours) == list(theirs)
        for name, values in ours.items():
            assert values.dtype == torch.float64
            np.testing.assert_allclose(np.asarray(values), theirs[name], rtol=1e-9, atol=1e-12)


@needs_meteor
def test_golden(example, lower_case):
    names = list(GOLDEN["evaluate"][0])
    assert_golden(aac_metrics.evaluate(*example, metrics=names), GOLDEN["evaluate"])
    assert_golden(
        aac_metrics.evaluate(*lower_case, preprocess=False, metrics=["rouge_l", "meteor"]), GOLDEN["preprocess"]
    )


@pytest.mark.parametrize("name", GOLDEN["functional"])
def test_golden_functions(lower_case, name):
    function = getattr(functional, name)
    assert_golden(function(*lower_case), GOLDEN["functional"][name])
    (expected,) = GOLDEN["functional"][name][0].values()
    assert float(function(*lower_case, return_all_scores=False)) == pytest.approx(expected, rel=1e-9)


@needs_meteor
def test_every_function_gives_what_evaluate_gives(lower_case):
    for name in ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "meteor", "spice", "spider"):
        corpus, _ = getattr(functional, name)(*lower_case)
        assert float(corpus[name]) == float(
            aac_metrics.evaluate(*lower_case, preprocess=False, metrics=[name])[0][name]
        )


@needs_meteor
def test_the_default_set():
    corpus, sentences = aac_metrics.evaluate(CANDIDATES, REFERENCES)
    names = ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "meteor", "rouge_l", "cider_d", "spice", "spider"]
    assert list(corpus) == list(sentences) == names
    result = caplens.score(CANDIDATES, REFERENCES, "coco, spider")
    for name, key in zip(
        names, [*[f"Bleu_{n}" for n in range(1, 5)], "METEOR", "ROUGE_L", "CIDEr", "SPICE", "SPIDEr"], strict=False
    ):
        assert float(corpus[name]) == pytest.approx(result[key].score, rel=1e-12)
        np.testing.assert_allclose(np.asarray(sentences[name]), result[key].item_scores, rtol=1e-12)


def test_names_sets_and_preprocessing():
    plain, _ = aac_metrics.evaluate(["A man."], [["a man"]], preprocess=False, metrics=["rouge_l"])
    assert float(plain["rouge_l"]) == 0
    own, _ = aac_metrics.evaluate(["A man"], [["a man"]], lambda texts: [text.lower() for text in texts], ("rouge_l",))
    assert float(own["rouge_l"]) == 1
    assert list(aac_metrics.Evaluate(metrics="spider")(CANDIDATES, REFERENCES)[0]) == ["cider_d", "spice", "spider"]
    with pytest.raises(caplens.UsageError, match="caplens has no 'fense' of aac_metrics"):
        aac_metrics.evaluate(CANDIDATES, REFERENCES, metrics="fense")
