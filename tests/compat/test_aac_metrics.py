"""`evaluate` of aac_metrics."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import needs_meteor

import caplens
from caplens.compat import aac_metrics

CANDIDATES = ["A man is speaking.", "rain falls"]
REFERENCES = [["a man speaks.", "Someone speaks."], ["rain is falling hard on a surface"]]


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
