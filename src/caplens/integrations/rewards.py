"""Any metric as a reward for reinforcement learning: a callable as TRL expects it, prepared once, safe to pickle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caplens.api.scoring import metric as make_metric
from caplens.core.evaluator import Evaluator
from caplens.core.metric import Metric
from caplens.core.selection import select
from caplens.corpus.inputs import References
from caplens.errors import InputError, UsageError


class Reward:
    """A reward function; `reward` makes it.

    Attributes
    ----------
    metric : Metric
        What is computed.
    key : str
        Its score that is the reward.
    """

    def __init__(self, metric: Metric, key: str, source: str | Evaluator, ids: str) -> None:
        self.metric = metric
        self.key = key
        self.__name__ = f"caplens_{key}"  # trainers log rewards by the names of functions
        self._source = source
        self._ids = ids
        self._sign = -1.0 if key in metric.falling_keys else 1.0

    def __call__(
        self,
        prompts: object = None,
        completions: Sequence[Any] | None = None,
        **columns: Any,  # noqa: ANN401
    ) -> list[float]:
        """Return the reward of each completion.

        Parameters
        ----------
        prompts : object
            Not used.
        completions : list
            Captions, or conversations (lists of messages ``{"role": ..., "content": ...}``) whose last message counts.
        **columns
            The columns of the batch, of which the references (or the ids of prepared ones) are read.
        """
        captions = [_text(completion) for completion in completions or ()]
        if not captions:
            return []
        if isinstance(self._source, Evaluator):
            ids = _column(columns, self._ids, len(captions), "the ids of prepared references")
            result = self._source.score_batch(self.metric, captions, ids)
        elif not self.metric.needs_references and self._source not in columns:
            ids = _column(columns, self._ids, len(captions), "the image of each caption")
            result = Evaluator(self.metric).score_batch(self.metric, captions, ids)
        else:
            given = _column(columns, self._source, len(captions), "the references")
            sets, ids = _distinct([texts] if isinstance(texts, str) else list(texts) for texts in given)
            result = Evaluator(self.metric, sets).score_batch(self.metric, captions, ids)
        scores = result[self.key].item_scores.tolist()
        return [0.0 if math.isnan(score) else self._sign * score for score in scores]

    def __repr__(self) -> str:
        return f"Reward({self.metric.request()}, key={self.key!r})"


def reward(
    metric: str | Metric,
    references: str | References | Evaluator = "references",
    *,
    key: str | None = None,
    ids: str = "image_id",
    tokenizer: str = "ptb",
    allow_code: bool = False,
) -> Reward:
    """Make a reward function from a metric or a combination of metrics.

    Parameters
    ----------
    metric : str or Metric
        In the metric grammar: ``"cider(df=coco-val2014)"``, ``"mean(cider(df=coco-val2014), spice)"``.
    references : str, References or Evaluator
        The column of the batch that contains the references of each completion; or the references themselves (by id)
        or the result of `Metric.prepare`, which are prepared once and looked up by the column ``ids``.
    key : str, optional
        The score to use if the metric has several; by default, the main score.
    ids : str
        The column with the ids of prepared references, or with images for metrics that need no references (CHAIR).
    tokenizer : str
        Tokenizer, if the metric does not specify one.
    allow_code : bool
        Whether ``metric`` may name code.

    Returns
    -------
    Reward
        A callable ``(prompts, completions, **columns) -> list of float``, as `trl.GRPOTrainer` expects in
        ``reward_funcs``. Scores for which lower is better are negated; undefined scores become 0. It can be pickled
        together with prepared references, for workers.

    Examples
    --------
    >>> rouge = reward("rouge")
    >>> rouge(prompts=["?", "?"], completions=["two dogs", "a cat"], references=[["two dogs"], ["a dog"]])
    [1.0, 0.5]
    >>> prepared = reward("cider", {7: ["two dogs run"], 8: ["a cat on a mat"]})
    >>> [round(score, 3) for score in prepared(completions=["two dogs run"], image_id=[7])]
    [7.5]
    """
    if isinstance(metric, str):
        metric = make_metric(metric, tokenizer=tokenizer, allow_code=allow_code)
    (chosen,) = select(metric).metrics
    if isinstance(references, str) and chosen.learns_from_corpus:
        raise UsageError(
            f"{chosen.name} learns from all references, so each batch would be scored differently: pass all "
            "references by id (references={...}), or document frequencies (cider(df=coco-val2014))."
        )
    source = references
    if not isinstance(source, str | Evaluator):
        source = chosen.prepare(source)
    return Reward(chosen, _reward_key(chosen, key), source, ids)


def _reward_key(metric: Metric, key: str | None) -> str:
    names = dict(zip(metric.keys, metric.result_keys, strict=True))
    wanted = key or metric.main_key
    offered = {name.lower(): shown for usual, shown in names.items() for name in (usual, shown)}
    found = offered.get(str(wanted).lower())
    if found is None:
        raise UsageError(f"{metric.name}: choose the reward with key=, one of {', '.join(names.values())}.")
    return found


def _column(columns: Mapping[str, Any], name: str, rows: int, what: str) -> Sequence[Any]:
    if name not in columns:
        there = ", ".join(columns) or "none"
        raise InputError(f"The batch has no column {name!r}, which should contain {what}; it has {there}.")
    column: Sequence[Any] = list(columns[name])
    if len(column) != rows:
        raise InputError(f"The column {name!r} has {len(column):,} entries for {rows:,} completions.")
    return column


def _distinct(sets: Iterable[list[str]]) -> tuple[list[list[str]], list[int]]:
    """Return the different sets of references, and the place of each row's: several samples of an image share one."""
    places: dict[tuple[str, ...], int] = {}
    rows = [places.setdefault(tuple(texts), len(places)) for texts in sets]
    return [list(texts) for texts in places], rows


def _text(completion: Any) -> str:  # noqa: ANN401 (what trainers pass)
    """Return the caption of a completion: a text, or the content of a conversation's last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1] if isinstance(completion, Sequence) and completion else completion
    if isinstance(content, Mapping):
        content = content.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = " ".join(part["text"] for part in content if isinstance(part, Mapping) and "text" in part)
    if not isinstance(content, str):
        raise InputError(f"A completion must be a string or a list of messages, not {type(completion).__name__}.")
    return content
