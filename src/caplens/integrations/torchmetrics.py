"""Caplens' metrics as `torchmetrics.Metric`: updated batch by batch, on as many processes as train.

A metric whose item scores do not depend on other items keeps sums of its statistics, which processes add up. One that
learns from the corpus, such as CIDEr without given document frequencies, keeps the captions themselves as bytes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric, MetricCollection
from torchmetrics.utilities.data import dim_zero_cat

from caplens.api.scoring import metric as make_metric
from caplens.api.scoring import score
from caplens.core import metric as core
from caplens.core.selection import MetricRequest, select
from caplens.corpus.inputs import Identifier
from caplens.errors import InputError, UsageError, counted
from caplens.files.telling import silently

_ID_NUMBERS = 2
"""64-bit numbers that stand for an id."""


class CaptionMetric(Metric):
    """A caplens metric that is updated with batches of captions.

    Parameters
    ----------
    metric : str or caplens.Metric
        One metric in the metric grammar, such as ``"cider(df=coco-val2014)"``.
    key : str, optional
        The score that `compute` returns as a tensor; by default, the main score. A metric without a main score, such
        as BLEU, returns a dictionary of all scores.
    tokenizer : str
        Tokenizer, if the metric does not specify one.
    allow_code : bool
        Whether ``metric`` may name code.
    **options
        Options of `torchmetrics.Metric`, such as ``dist_sync_on_step``.

    Notes
    -----
    Scores are float64 and equal to those of `caplens.score` on all captions together, regardless of batches and the
    number of processes; a process may have no captions. Pass ``ids`` to `update` if a sampler pads its last batch
    with captions of another process: captions with the same id count once.

    Examples
    --------
    >>> rouge = CaptionMetric("rouge")
    >>> rouge.update(["two dogs run"], [["two dogs run", "dogs"]])
    >>> rouge.update(["a cat"], [["a dog"]])
    >>> rouge.compute()
    tensor(0.7500, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        metric: str | core.Metric,
        *,
        key: str | None = None,
        tokenizer: str = "ptb",
        allow_code: bool = False,
        **options: Any,  # noqa: ANN401 (those of torchmetrics)
    ) -> None:
        super().__init__(**options)
        if isinstance(metric, str):
            metric = make_metric(metric, tokenizer=tokenizer, allow_code=allow_code)
        (self.metric,) = select(metric).metrics
        self.key = _chosen(self.metric, key)
        if self.metric.learns_from_corpus:
            for name in ("texts", "lengths", "reference_counts"):
                self.add_state(name, [], dist_reduce_fx="cat")
        else:
            width = len(self._statistics(["a"], [["a"]], None).columns)
            self.add_state("sums", torch.zeros(width, dtype=torch.float64), dist_reduce_fx="sum")
            self.add_state("rows", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
            self.add_state("row_statistics", [], dist_reduce_fx="cat")
        self.add_state("row_ids", [], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """Whether better captions have higher scores."""
        names = self.metric.result_keys if self.key is None else (self.key,)
        return not self.metric.falling_keys.issuperset(names)

    @property
    def plot_lower_bound(self) -> float | None:
        """The minimum of the score, if it is bounded."""
        return self._bound(0)

    @property
    def plot_upper_bound(self) -> float | None:
        """The maximum of the score, if it is bounded."""
        return self._bound(1)

    def _bound(self, place: int) -> float | None:
        names = dict(zip(self.metric.result_keys, self.metric.keys, strict=True))
        keys = self.metric.keys if self.key is None else (names[self.key],)
        bounds = {self.metric.range[key][place] for key in keys}
        return bounds.pop() if len(bounds) == 1 and all(map(math.isfinite, bounds)) else None

    def update(
        self,
        preds: Sequence[str],
        target: Sequence[Sequence[str] | str] | None = None,
        ids: Sequence[Identifier] | None = None,
    ) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : list of str
            The captions.
        target : list of lists of str
            The references of each; None for metrics that need none.
        ids : list, optional
            An id for each caption; captions whose id was already seen, in any process, are ignored.
            For CHAIR the ids are those of the images.
        """
        captions = list(preds)
        references = [[] for _ in captions] if target is None else [_as_list(texts) for texts in target]
        names = None if ids is None else [str(name) for name in ids]
        for what, given in (("target", references), ("id", names)):
            if given is not None and len(given) != len(captions):
                raise InputError(f"Found {counted(len(captions), 'caption')} but {counted(len(given), what)}.")
        if names is not None and len(set(names)) < len(names):
            first = {name: place for place, name in reversed(list(enumerate(names)))}
            places = sorted(first.values())
            captions, references = [captions[place] for place in places], [references[place] for place in places]
            names = [names[place] for place in places]
        if not captions:
            return
        if self.metric.learns_from_corpus:
            self._keep_captions(captions, references, names)
            return
        found = self._statistics(captions, references, names)
        table = torch.from_numpy(np.ascontiguousarray(found.table)).to(self.device)
        if names is None:
            self.sums += table.sum(dim=0)
            self.rows += len(captions)
        else:
            self.row_statistics.append(table.flatten())
            self.row_ids.append(_hashed(names).to(self.device))

    def _statistics(self, captions: list[str], references: list[list[str]], names: list[str] | None) -> core.Statistics:
        given: Any = None
        if self.metric.needs_references or any(references):
            given = references if names is None else dict(zip(names, references, strict=True))
        candidates: Any = captions if names is None else dict(zip(names, captions, strict=True))
        with silently():  # every batch would say the same again
            return score(candidates, given, metrics=self.metric, progress=False).runs[0].statistics

    def _keep_captions(self, captions: list[str], references: list[list[str]], names: list[str] | None) -> None:
        texts = [
            text.encode("utf-8", "surrogatepass")
            for caption, others in zip(captions, references, strict=True)
            for text in (caption, *others)
        ]
        blob = np.frombuffer(b"".join(texts), dtype=np.uint8).copy()
        self.texts.append(torch.from_numpy(blob))
        self.lengths.append(torch.tensor([len(text) for text in texts], dtype=torch.int64))
        self.reference_counts.append(torch.tensor([len(row) for row in references], dtype=torch.int64))
        # Without ids every row is one of its own: 0, 0 stands for none.
        row_ids = torch.zeros(_ID_NUMBERS * len(captions), dtype=torch.int64) if names is None else _hashed(names)
        self.row_ids.append(row_ids)
        for state in (self.texts, self.lengths, self.reference_counts, self.row_ids):
            state[-1] = state[-1].to(self.device)

    def compute(self) -> Any:  # noqa: ANN401 (a tensor, or tensors by key)
        """Return the score of all captions so far, or a dictionary of scores."""
        values = self._corpus_scores() if self.metric.learns_from_corpus else self._sum_scores()
        scores = dict(zip(self.metric.result_keys, values.tolist(), strict=True))
        if self.key is not None:
            return torch.tensor(scores[self.key], dtype=torch.float64, device=self.device)
        return {name: torch.tensor(value, dtype=torch.float64, device=self.device) for name, value in scores.items()}

    def _sum_scores(self) -> core.Floats:
        sums, rows = self.sums.clone().cpu().numpy(), int(self.rows)
        kept = self._state("row_ids", torch.int64).reshape(-1, _ID_NUMBERS)
        if len(kept):
            table = self._state("row_statistics", torch.float64).reshape(len(kept), -1).numpy()
            first = np.unique(kept.numpy(), axis=0, return_index=True)[1]
            sums = sums + table[np.sort(first)].sum(axis=0)
            rows += len(first)
        if not rows:
            return np.full(len(self.metric.keys), np.nan)
        return self.metric.aggregate(sums, np.asarray(float(rows)))

    def _corpus_scores(self) -> core.Floats:
        counts = self._state("reference_counts", torch.int64).tolist()
        if not counts:
            return np.full(len(self.metric.keys), np.nan)
        lengths = self._state("lengths", torch.int64).tolist()
        blob = self._state("texts", torch.uint8).numpy().tobytes()
        row_ids = [tuple(pair) for pair in self._state("row_ids", torch.int64).reshape(-1, _ID_NUMBERS).tolist()]
        captions: list[str] = []
        references: list[list[str]] = []
        seen: set[tuple[int, ...]] = set()
        place = caption = 0
        for row_id, count in zip(row_ids, counts, strict=True):
            texts = []
            for length in lengths[caption : caption + count + 1]:
                texts.append(blob[place : place + length].decode("utf-8", "surrogatepass"))
                place += length
            caption += count + 1
            if row_id not in seen:
                captions.append(texts[0])
                references.append(texts[1:])
            if any(row_id):
                seen.add(row_id)
        return score(captions, references, metrics=self.metric, progress=False).runs[0].corpus_scores

    def _state(self, name: str, dtype: torch.dtype) -> torch.Tensor:
        """Return a state as one tensor: a list before processes exchange it, a tensor after that."""
        value = getattr(self, name)
        if isinstance(value, list) and not value:
            return torch.empty(0, dtype=dtype)
        return dim_zero_cat(value).cpu().to(dtype)

    def plot(self, val: Any = None, ax: Any = None) -> Any:  # noqa: ANN401 (as in torchmetrics)
        """Plot the score, or values of it over time; see `torchmetrics.Metric.plot`."""
        return self._plot(val, ax)

    def _sync_dist(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 (as in torchmetrics)
        """Exchange states; a process without captions has empty ones of the right types, or all would wait for it."""
        types = {"texts": torch.uint8, "row_statistics": torch.float64}
        for name in self._reductions:
            value = getattr(self, name)
            if isinstance(value, list) and not value:
                setattr(self, name, [torch.empty(0, dtype=types.get(name, torch.int64), device=self.device)])
        super()._sync_dist(*args, **options)


class CaptionMetricCollection(MetricCollection):
    """Several caplens metrics; `compute` returns their scores by key.

    Parameters
    ----------
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default. Unavailable metrics of a group are omitted.
    tokenizer : str
        Tokenizer of metrics that do not specify one.
    prefix, postfix : str, optional
        Prefix and suffix of the keys.
    **options
        Options of `CaptionMetric`.

    Examples
    --------
    >>> metrics = CaptionMetricCollection("bleu(n=2), rouge", prefix="val/")
    >>> {key: round(value.item(), 3) for key, value in metrics(["two dogs"], [["two dogs run"]]).items()}
    {'val/ROUGE_L': 0.772, 'val/Bleu_1': 0.607, 'val/Bleu_2': 0.607}
    """

    def __init__(
        self,
        metrics: MetricRequest = None,
        *,
        tokenizer: str = "ptb",
        prefix: str | None = None,
        postfix: str | None = None,
        allow_code: bool = False,
        **options: Any,  # noqa: ANN401 (those of torchmetrics)
    ) -> None:
        chosen = select(metrics, allow_code=allow_code, tokenizer=tokenizer).metrics
        made: dict[str, Any] = {}
        for metric in chosen:
            wrapped = CaptionMetric(metric, **options)
            made[wrapped.key or str(metric.request())] = wrapped
        super().__init__(made, prefix=prefix, postfix=postfix, compute_groups=False)


def _chosen(metric: core.Metric, key: str | None) -> str | None:
    """Return the result key that is computed; None for all of them."""
    names = dict(zip(metric.keys, metric.result_keys, strict=True))
    if key is None:
        return None if metric.main_key is None else names[metric.main_key]
    found = next((name for name in (*names.values(), *names) if name.lower() == key.lower()), None)
    if found is None:
        raise UsageError(f"{metric.name} has no score {key!r}; it has {', '.join(names.values())}.")
    return names.get(found, found)


def _as_list(texts: Sequence[str] | str) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts)


def _hashed(names: Sequence[str]) -> torch.Tensor:
    """Return two 64-bit numbers for each id."""
    texts = (name.encode("utf-8", "surrogatepass") for name in names)
    digests = b"".join(hashlib.blake2b(text, digest_size=16).digest() for text in texts)
    return torch.frombuffer(bytearray(digests), dtype=torch.int64)
