"""Scores of captions for Hugging Face `evaluate`, which copies this file and runs the copy."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import caplens

_DESCRIPTION = "Scores of image captions by caplens: BLEU, METEOR, ROUGE-L, CIDEr, SPICE and others, without Java."
_INPUTS = """
predictions : list of str
    The captions.
references : list of lists of str
    The references of each.
metrics : str
    In the metric grammar of caplens; the COCO metrics by default.
"""


class CaplensCaptions(evaluate.Metric):
    """Computes any metrics of caplens; the result has their corpus scores by key."""

    def _info(self) -> evaluate.MetricInfo:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": datasets.Sequence(texts)}),
        )

    def _compute(
        self, predictions: list[str], references: list[list[str]], metrics: str | None = None, tokenizer: str = "ptb"
    ) -> dict[str, Any]:
        result = caplens.score(list(predictions), [list(texts) for texts in references], metrics, tokenizer=tokenizer)
        return {key: score.score for key, score in result.items()}
