"""The metrics by name, groups of them, and how requests become metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module

from caplens.core.grammar import Request, parse
from caplens.core.metric import Metric
from caplens.core.options import as_written, convert_options, declared_options
from caplens.errors import CaplensError, MissingDataError, Notice, UsageError
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
    "composite": ("caplens.metrics.composite.metric", "Composite"),
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
# Names that stand for a metric with options: composites with weights that ship.
_PRESETS = {
    title.lower(): Request("composite", (("weights", title),))
    for title in (
        *("Eval_MS", "Eval_CS", "Eval_MCS", "Eval_WCS", "Eval_MWS", "Eval_MWCS"),
        *("Eval_All", "Eval_All_H", "Eval_All_C"),
    )
}
# What the COCO evaluation reports.
COCO = ("bleu", "meteor", "rouge", "cider", "spice")
GROUPS = {"coco": COCO, "all": (*_METRICS, *_PRESETS)}
DEFAULT = "coco"


def names() -> tuple[str, ...]:
    """Return the names of all metrics."""
    return (*_METRICS, *_PRESETS)


@cache
def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric."""
    name = ALIASES.get(name, name)
    if name in _PRESETS:
        name = _PRESETS[name].name
    if name not in _METRICS:
        raise UsageError(_unknown(name))
    module, attribute = _METRICS[name]
    found: type[Metric] = getattr(import_module(module), attribute)
    return found


def _unknown(name: str) -> str:
    if name in GROUPS:
        return f"{name!r} is a group of metrics, not one: choose from {', '.join(names())}."
    close = get_close_matches(name, [*names(), *GROUPS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join([*names(), *GROUPS])}."
    return f"There is no metric {name!r}; {hint}"


def describe_metrics() -> list[tuple[str, ...]]:
    """Return for each metric: name, result keys, origin, idea, what it needs or what of that is missing here."""
    rows: list[tuple[str, ...]] = []
    for name in names():
        metric, missing = attempt(name)
        if metric is None:
            rows.append((name, "", "", "", f"MISSING: {missing}"))
            continue
        keys, (origin, idea, needs) = metric.keys, metric.about()
        shown = keys[0] if len(keys) == 1 else f"{keys[0]} .. {keys[-1]}"
        rows.append((name, shown, origin, idea, needs if missing is None else f"MISSING: {missing}"))
    return rows


def attempt(name: str, **defaults: str) -> tuple[Metric | None, str | None]:
    """Make a metric by name; return it, unless even that fails (weights are damaged), and what it lacks, if anything.

    Examples
    --------
    >>> attempt("rouge")
    (RougeL(label=None, beta=1.2, tokenizer='ptb'), None)
    """
    try:
        metric = build(Request(name), **defaults)
        return metric, metric.missing_data()
    except CaplensError as error:
        return None, str(error)


def describe_metric(name: str) -> list[tuple[str, ...]]:
    """Return for each option of a metric: name, default, meaning."""
    metric = build(Request(name))
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
    request = _written_out(request)
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


def _written_out(request: Request) -> Request:
    """Return the request that a name with options stands for."""
    preset = _PRESETS.get(request.name)
    if preset is None:
        return request
    fixed = dict(preset.options)
    changed = next((key for key, _ in request.options if key in fixed), None)
    if changed is not None:
        raise UsageError(f"{request.name} stands for {preset}: write {preset.name}({changed}=...) for other {changed}.")
    return replace(request, name=preset.name, options=(*preset.options, *request.options))


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
        metric, lacking = attempt(name, **defaults)
        if metric is not None and lacking is None:
            found.append(metric)
        else:
            missing.append(Notice("metric-left-out", f"{name} is left out of {request.name!r}: {lacking}"))
    return found, missing


def _ready(metric: Metric) -> Metric:
    lacking = metric.missing_data()
    if lacking is not None:
        raise MissingDataError(f"{metric.request().name} cannot run here: {lacking}")
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
