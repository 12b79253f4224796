"""One metric at a time, as ``aac_metrics.functional`` has them: words are what stands between white space.

Examples
--------
>>> corpus, sentences = rouge_l(["rain falls"], [["rain falls"]])
>>> float(corpus["rouge_l"]), float(rouge_l(["rain falls"], [["rain"]], return_all_scores=False)) < 1
(1.0, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caplens.compat.aac_metrics.evaluating import evaluate

__all__ = [
    "bleu",
    "bleu_1",
    "bleu_2",
    "bleu_3",
    "bleu_4",
    "cider_d",
    "evaluate",
    "meteor",
    "rouge_l",
    "spice",
    "spider",
]

Texts = Sequence[str]


def _of(name: str, candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool) -> Any:  # noqa: ANN401
    """Return corpus and sentence scores by name, or the corpus score alone."""
    corpus, sentences = evaluate(candidates, mult_references, preprocess=False, metrics=[name])
    return (corpus, sentences) if return_all_scores else corpus[name]


def bleu(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True, n: int = 4) -> Any:  # noqa: ANN401
    """Return BLEU-n."""
    return _of(f"bleu_{n}", candidates, mult_references, return_all_scores)


def bleu_1(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return BLEU-1."""
    return bleu(candidates, mult_references, return_all_scores, 1)


def bleu_2(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return BLEU-2."""
    return bleu(candidates, mult_references, return_all_scores, 2)


def bleu_3(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return BLEU-3."""
    return bleu(candidates, mult_references, return_all_scores, 3)


def bleu_4(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return BLEU-4."""
    return bleu(candidates, mult_references, return_all_scores, 4)


def cider_d(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return CIDEr-D, document frequencies from the references."""
    return _of("cider_d", candidates, mult_references, return_all_scores)


def meteor(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True, **unused: Any) -> Any:  # noqa: ANN401
    """Return METEOR; there is no Java, so its options are not used."""
    return _of("meteor", candidates, mult_references, return_all_scores)


def rouge_l(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True) -> Any:  # noqa: ANN401
    """Return ROUGE-L."""
    return _of("rouge_l", candidates, mult_references, return_all_scores)


def spice(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True, **unused: Any) -> Any:  # noqa: ANN401
    """Return SPICE; there is no Java, so its options are not used."""
    return _of("spice", candidates, mult_references, return_all_scores)


def spider(candidates: Texts, mult_references: Sequence[Texts], return_all_scores: bool = True, **unused: Any) -> Any:  # noqa: ANN401
    """Return SPIDEr, with CIDEr-D and SPICE."""
    return _of("spider", candidates, mult_references, return_all_scores)
