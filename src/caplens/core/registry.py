"""The metrics by name, groups of them, and how requests become metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module

from caplens.core.grammar import Request, parse
from caplens.core.metric import Metric
from caplens.core.options import as_written, convert_options, declared_options
from caplens.errors import MissingDataError, Notice, UsageError
from caplens.text.tokenizers import get_tokenizer

# Name -> module and class. A metric is imported when it is asked for.
_METRICS = {
    "bleu": ("caplens.metrics.bleu.metric", "Bleu"),
    "bleu_smoothed": ("caplens.metrics.bleu.metric", "SmoothedBleu"),
    "meteor": ("caplens.metrics.meteor.metric", "Meteor"),
    "rouge": ("caplens.metrics.rouge.metric", "RougeL"),
    "cider": ("caplens.metrics.cider.metric", "Cider"),
    "spice": ("caplens.metrics.spice.metric", "Spice"),
    "wmd": ("caplens.metrics.wmd.metric", "WordMoversDistance"),
    "wembsim": ("caplens.metrics.embedding.wembsim", "WEmbSim"),
    "scenesim": ("caplens.metrics.embedding.wembsim", "SceneSim"),
    "wembsim_c": ("caplens.metrics.embedding.contextual", "WEmbSimC"),
    "wembsim_e": ("caplens.metrics.embedding.contextual", "WEmbSimE"),
    "embedding_average": ("caplens.metrics.embedding.soft", "EmbeddingAverage"),
    "vector_extrema": ("caplens.metrics.embedding.soft", "VectorExtrema"),
    "greedy_matching": ("caplens.metrics.embedding.soft", "GreedyMatching"),
    "spider": ("caplens.metrics.combination.spider", "Spider"),
    "critique": ("caplens.metrics.critique.metric", "Critique"),
    "mean": ("caplens.metrics.combination.mean", "Mean"),
    "sum": ("caplens.metrics.combination.mean", "Sum"),
    "eval_ms": ("caplens.metrics.composite.metric", "EvalMS"),
    "eval_cs": ("caplens.metrics.composite.metric", "EvalCS"),
    "eval_mcs": ("caplens.metrics.composite.metric", "EvalMCS"),
    "eval_wcs": ("caplens.metrics.composite.metric", "EvalWCS"),
    "eval_mws": ("caplens.metrics.composite.metric", "EvalMWS"),
    "eval_mwcs": ("caplens.metrics.composite.metric", "EvalMWCS"),
    "eval_all": ("caplens.metrics.composite.eval_all", "EvalAll"),
    "eval_all_h": ("caplens.metrics.composite.eval_all", "EvalAllH"),
    "eval_all_c": ("caplens.metrics.composite.eval_all", "EvalAllC"),
}
ALIASES = {
    "rouge_l": "rouge",
    "rougel": "rouge",
    "rouge-l": "rouge",
    "cider-d": "cider",
    "ciderd": "cider",
    "wembsim-c": "wembsim_c",
    "wembsim-e": "wembsim_e",
}
# What the COCO evaluation reports.
COCO = ("bleu", "meteor", "rouge", "cider", "spice")
GROUPS = {"coco": COCO, "all": tuple(_METRICS)}
DEFAULT = "coco"


def names() -> tuple[str, ...]:
    """Return the names of all metrics."""
    return tuple(_METRICS)


@cache
def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric."""
    name = ALIASES.get(name, name)
    if name not in _METRICS:
        raise UsageError(_unknown(name))
    module, attribute = _METRICS[name]
    found: type[Metric] = getattr(import_module(module), attribute)
    return found


def _unknown(name: str) -> str:
    if name in GROUPS:
        return f"{name!r} is a group of metrics, not one: choose from {', '.join(_METRICS)}."
    close = get_close_matches(name, [*_METRICS, *GROUPS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join([*_METRICS, *GROUPS])}."
    return f"There is no metric {name!r}; {hint}"


def describe_metrics() -> list[tuple[str, ...]]:
    """Return for each metric: name, result keys, origin, idea, what it needs or what of that is missing here."""
    rows: list[tuple[str, ...]] = []
    for name in _METRICS:
        kind = metric_class(name)
        keys = kind().keys
        shown = keys[0] if len(keys) == 1 else f"{keys[0]} .. {keys[-1]}"
        obstacle = kind.obstacle()
        rows.append((name, shown, kind.origin, kind.idea, kind.needs if obstacle is None else f"MISSING: {obstacle}"))
    return rows


def describe_metric(name: str) -> list[tuple[str, ...]]:
    """Return for each option of a metric: name, default, meaning."""
    metric = metric_class(name)()
    return [
        (
            name,
            "" if getattr(metric, name) is None else as_written(getattr(metric, name)),
            declared.help,
        )
        for name, declared in declared_options(type(metric)).items()
    ]


def build(request: Request, **defaults: str) -> Metric:
    """Make the metric of one request; ``defaults`` are options used where the request has none."""
    kind = metric_class(request.name)
    given = {key: value for key, value in defaults.items() if key in declared_options(kind)} | dict(request.options)
    if request.inputs and not kind.usual_inputs:
        raise UsageError(f"{kind.name} combines no other metrics; write options as key=value.")
    values = convert_options(kind, given)
    if "tokenizer" in values:
        values["tokenizer"] = get_tokenizer(values["tokenizer"].lower()).name
    if kind.usual_inputs:
        wanted = request.inputs or tuple(Request(name) for name in kind.usual_inputs)
        values["metrics"] = tuple(build(one, **defaults) for one in wanted)
    return kind(**values)


@dataclass(frozen=True)
class Selection:
    """Metrics that were asked for, and what a group left out because it is not ready here."""

    metrics: tuple[Metric, ...]
    left_out: tuple[Notice, ...] = ()


MetricRequest = str | Metric | Sequence[str | Metric] | Selection | None


def select(metrics: MetricRequest = None, **defaults: str) -> Selection:
    """Make the metrics of a request: a text in the grammar, metrics, or a list of both; a selection stays as it is.

    Examples
    --------
    >>> [metric.name for metric in select("rouge, cider(n=2)").metrics]
    ['rouge', 'cider']
    """
    if isinstance(metrics, Selection):
        return metrics
    wanted = DEFAULT if metrics is None else metrics
    items = [wanted] if isinstance(wanted, str | Metric) else list(wanted)
    chosen: list[Metric] = []
    left_out: list[Notice] = []
    for item in items:
        if isinstance(item, Metric):
            chosen.append(_ready(item))
            continue
        if not isinstance(item, str):
            raise UsageError(f"A metric is asked for by name, not by {item!r} ({type(item).__name__}).")
        for request in parse(item):
            if request.name in GROUPS:
                found, missing = _group(request, defaults)
                chosen.extend(found)
                left_out.extend(missing)
            else:
                chosen.append(_ready(build(request, **defaults)))
    unique = tuple(dict.fromkeys(chosen))
    if not unique:
        raise UsageError("No metric was asked for.")
    _check_keys(unique)
    return Selection(unique, tuple(left_out))


def _group(request: Request, defaults: dict[str, str]) -> tuple[list[Metric], list[Notice]]:
    if request.options or request.inputs:
        raise UsageError(f"{request.name!r} is a group and takes no options; give them to its metrics.")
    if "tokenizer" in defaults:
        get_tokenizer(defaults["tokenizer"].lower())  # one that does not exist is no reason to leave metrics out
    found, missing = [], []
    for name in GROUPS[request.name]:
        obstacle = metric_class(name).obstacle()
        try:
            if obstacle is None:
                found.append(build(Request(name), **defaults))
        except UsageError as error:  # such as a tokenizer that a trained metric does not know
            obstacle = str(error)
        if obstacle is not None:
            missing.append(Notice("metric-left-out", f"{name} is left out of {request.name!r}: {obstacle}"))
    return found, missing


def _ready(metric: Metric) -> Metric:
    obstacle = metric.missing_data()
    if obstacle is not None:
        raise MissingDataError(f"{metric.name} cannot run here: {obstacle}")
    return metric


def _check_keys(metrics: Sequence[Metric]) -> None:
    owner: dict[str, Metric] = {}
    for metric in metrics:
        if metric.label is not None and (not metric.label.strip() or metric.label.lower() == "id"):
            raise UsageError(f"{metric.label!r} cannot be the label of a result: choose another name.")
        parts = (f"{key}_{part}" for key in metric.result_keys for part in metric.shown_parts)
        for key in (*metric.result_keys, *parts):
            other = owner.setdefault(key.lower(), metric)
            if other is not metric:
                raise UsageError(
                    f"{other.request()} and {metric.request()} would both be called {key}: give one a label, such as "
                    f"{metric.name}(label=My_{metric.name})."
                )
