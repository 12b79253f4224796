"""Scores by the names of ``aac_metrics``, as tensors where torch is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from caplens.api.scoring import score
from caplens.core.result import Result
from caplens.errors import UsageError
from caplens.files.telling import silently

METRICS_SETS: dict[str, tuple[str, ...]] = {
    "default": ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "meteor", "rouge_l", "spider"),
    "dcase2020": ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "meteor", "rouge_l", "spider"),
}
"""The sets of metrics by name; those of later years need models that caplens does not have."""

# What a name gives: names of results, each with our metric and its key. SPIDEr brings what it is made of.
_SCORES: dict[str, tuple[tuple[str, str, str], ...]] = {
    **{f"bleu_{order}": ((f"bleu_{order}", "bleu", f"Bleu_{order}"),) for order in range(1, 5)},
    "meteor": (("meteor", "meteor", "METEOR"),),
    "rouge_l": (("rouge_l", "rouge", "ROUGE_L"),),
    "cider_d": (("cider_d", "cider", "CIDEr"),),
    "spice": (("spice", "spice", "SPICE"),),
    "spider": (("cider_d", "cider", "CIDEr"), ("spice", "spice", "SPICE"), ("spider", "spider", "SPIDEr")),
}


def evaluate(
    candidates: Sequence[str],
    mult_references: Sequence[Sequence[str]],
    preprocess: bool | Callable[[list[str]], list[str]] = True,
    metrics: str | Iterable[str] = "default",
    cache_path: object = None,
    java_path: object = None,
    tmp_path: object = None,
    device: object = None,
    verbose: int = 0,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the corpus scores and the scores of the sentences.

    Parameters
    ----------
    candidates : list of str
        The captions.
    mult_references : list of list of str
        The references of each.
    preprocess : bool or callable
        Whether captions go through the PTB tokenizer first; a function replaces it.
    metrics : str or list of str
        The name of a set, or names of metrics: ``bleu_1`` to ``bleu_4``, ``meteor``, ``rouge_l``, ``cider_d``,
        ``spice``, ``spider``. Others, which need models, are refused.
    cache_path, java_path, tmp_path, device, verbose
        Not used: there is no Java, no download and no model.

    Returns
    -------
    corpus, sentences : dict
        Tensors of float64 by name, or numpy values where torch is not installed.
    """
    names = METRICS_SETS.get(metrics, (metrics,)) if isinstance(metrics, str) else tuple(metrics)
    unknown = [name for name in names if name not in _SCORES]
    if unknown:
        raise UsageError(f"caplens has no {unknown[0]!r} of aac_metrics; it has {', '.join(_SCORES)}.")
    wanted = dict.fromkeys(entry for name in names for entry in _SCORES[name])
    tokenizer = "ptb"
    if callable(preprocess):
        candidates = preprocess(list(candidates))
        mult_references = [preprocess(list(texts)) for texts in mult_references]
    if preprocess is not True:
        tokenizer = "none"
    asked = list(dict.fromkeys(metric for _, metric, _ in wanted))
    sets = [list(texts) for texts in mult_references]
    with silently():  # the original says nothing
        result = score(list(candidates), sets, asked, tokenizer=tokenizer, progress=False)
    return _values(result, wanted)


class Evaluate:
    """`evaluate` with its options given once.

    Examples
    --------
    >>> evaluate = Evaluate(metrics=["rouge_l"])
    >>> float(evaluate(["rain falls"], [["rain falls"]])[0]["rouge_l"])
    1.0
    """

    def __init__(self, preprocess: bool = True, metrics: str | Iterable[str] = "default", **others: object) -> None:
        self.preprocess = preprocess
        self.metrics = metrics if isinstance(metrics, str) else tuple(metrics)

    def __call__(
        self, candidates: Sequence[str], mult_references: Sequence[Sequence[str]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the corpus scores and the scores of the sentences."""
        return evaluate(candidates, mult_references, self.preprocess, self.metrics)


def _values(result: Result, wanted: Iterable[tuple[str, str, str]]) -> tuple[dict[str, Any], dict[str, Any]]:
    as_tensor = _tensor_maker()
    corpus = {name: as_tensor(result[key].score) for name, _, key in wanted}
    sentences = {name: as_tensor(result[key].item_scores.copy()) for name, _, key in wanted}
    return corpus, sentences


def _tensor_maker() -> Callable[[Any], Any]:
    try:
        import torch
    except ImportError:
        return np.float64  # of an array: an array
    return lambda value: torch.as_tensor(value, dtype=torch.float64)
