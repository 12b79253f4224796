"""What was asked for: a text in the grammar, metrics, or both, made into metrics that are ready."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from caplens.core import DEFAULT_METRICS
from caplens.core.grammar import Request, parse
from caplens.core.languages import tokenizer_for, warnings_of_english, what_was_picked
from caplens.core.metric import Metric
from caplens.core.registry import GROUPS, attempt, build
from caplens.errors import MissingDataError, Notice, UsageError
from caplens.text.tokenizers import get_tokenizer


@dataclass(frozen=True)
class Selection:
    """Metrics that were asked for, and what a group left out because it is not ready here."""

    metrics: tuple[Metric, ...]
    left_out: tuple[Notice, ...] = ()

    @property
    def needs_references(self) -> bool:
        """Whether one of the metrics compares captions with references."""
        return any(metric.needs_references for metric in self.metrics)


MetricRequest = str | Metric | Sequence[str | Metric] | Selection | None


def select(
    metrics: MetricRequest = None,
    *,
    allow_code: bool = False,
    allow_files: bool = True,
    language: str | None = None,
    **defaults: str,
) -> Selection:
    """Make the metrics of a request: a text in the grammar, metrics, or a list of both; a selection stays as it is.

    ``allow_code`` is for texts that a person typed, see `metric_class`; without ``allow_files`` options may name what
    ships and what has a name, but no files: for requests of strangers. ``language`` picks the tokenizer, unless
    another than the usual one is given, and what else a language means to a metric; the selection says what was picked.

    Examples
    --------
    >>> [metric.name for metric in select("rouge, cider(n=2)").metrics]
    ['rouge', 'cider']
    """
    if isinstance(metrics, Selection):
        return metrics
    wanted = DEFAULT_METRICS if metrics is None else metrics
    # What is neither is refused by its type, as if it were in a list.
    items = [wanted] if isinstance(wanted, str | Metric) or not isinstance(wanted, Iterable) else list(wanted)
    chosen: list[Metric] = []
    left_out: list[Notice] = []
    if language is not None:
        language = language.lower()
        usual = tokenizer_for(language)
        if defaults.get("tokenizer", "ptb") == "ptb":
            defaults["tokenizer"] = usual
    for item in items:
        if isinstance(item, Metric):
            chosen.append(_ready(item))
            continue
        for request in parse(item):
            if request.name in GROUPS or item == DEFAULT_METRICS:
                group = request.name if request.name in GROUPS else DEFAULT_METRICS
                found, missing = _group(request, group, language, defaults)
                chosen.extend(found)
                left_out.extend(missing)
            else:
                made = build(request, allow_code=allow_code, allow_files=allow_files, language=language, **defaults)
                chosen.append(_ready(made))
    unique = tuple(dict.fromkeys(chosen))
    if language is not None:
        left_out.insert(0, what_was_picked(language, unique))
    left_out.extend(warnings_of_english(unique))
    if not unique:
        raise UsageError("No metric was requested.")
    _check_keys(unique)
    return Selection(unique, tuple(left_out))


def _group(
    request: Request, group: str, language: str | None, defaults: dict[str, str]
) -> tuple[list[Metric], list[Notice]]:
    """Make the metrics of a group, or one that the default names: what cannot run is left out, with a notice."""
    if request.options or request.inputs:
        raise UsageError(f"{request.name!r} is a group and takes no options; pass them to its metrics.")
    if "tokenizer" in defaults:
        get_tokenizer(defaults["tokenizer"].lower())  # one that does not exist is no reason to leave metrics out
    found, missing = [], []
    for name in GROUPS.get(request.name, (request.name,)):
        metric, lacking = attempt(name, language, **defaults)
        if metric is not None and lacking is None:
            found.append(metric)
        else:
            # That a metric is English is no surprise to who names another language.
            level: Literal["warning", "note"] = "warning" if language is None else "note"
            message = f"{name} is omitted from {group!r}: {lacking}"
            missing.append(Notice("metric-left-out", message, level=level))
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
