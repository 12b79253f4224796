"""The metrics by name, groups of them, and how requests become metrics."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, replace
from functools import cache
from importlib import import_module

from caplens.core.grammar import NAME, Request
from caplens.core.metric import Metric
from caplens.core.options import convert_options, declared_options
from caplens.errors import CaplensError, UsageError
from caplens.files.plugins import imported, installed, loaded, names_code
from caplens.files.telling import said
from caplens.text.tokenizers import get_tokenizer

# Name -> module:Class. A metric is imported when it is asked for.
_METRICS = {
    "bleu": "caplens.metrics.bleu.metric:Bleu",
    "bleu_smoothed": "caplens.metrics.bleu.metric:SmoothedBleu",
    "meteor": "caplens.metrics.meteor.metric:Meteor",
    "rouge": "caplens.metrics.rouge.metric:RougeL",
    "cider": "caplens.metrics.cider.metric:Cider",
    "spice": "caplens.metrics.spice.metric:Spice",
    "wmd": "caplens.metrics.wmd.metric:WordMoversDistance",
    "wembsim": "caplens.metrics.embedding.wembsim:WEmbSim",
    "scenesim": "caplens.metrics.embedding.wembsim:SceneSim",
    "wembsim_c": "caplens.metrics.embedding.contextual:WEmbSimC",
    "wembsim_e": "caplens.metrics.embedding.contextual:WEmbSimE",
    "embedding_average": "caplens.metrics.embedding.soft:EmbeddingAverage",
    "vector_extrema": "caplens.metrics.embedding.soft:VectorExtrema",
    "greedy_matching": "caplens.metrics.embedding.soft:GreedyMatching",
    "spider": "caplens.metrics.combination.spider:Spider",
    "critique": "caplens.metrics.critique.metric:Critique",
    "chair": "caplens.metrics.chair.metric:Chair",
    "diversity": "caplens.metrics.diversity.metric:Diversity",
    "fluency": "caplens.metrics.fluency.metric:Fluency",
    "lens": "caplens.metrics.lens.metric:Lens",
    "mean": "caplens.metrics.combination.mean:Mean",
    "sum": "caplens.metrics.combination.mean:Sum",
    "composite": "caplens.metrics.composite.metric:Composite",
    "given": "caplens.metrics.given.metric:Given",
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
# Names that stand for a metric with options, such as composites with weights that ship.
_PRESETS = {
    title.lower(): Request("composite", (("weights", title),))
    for title in ("Eval_MS", "Eval_CS", "Eval_MCS", "Eval_WCS", "Eval_MWS", "Eval_MWCS")
} | {"lens_s": Request("lens", (("variant", "supervised"),))}
# BLEU of one order alone.
_SINGLE = {
    name: Request("bleu", (("n", str(order)), ("report", "last")))
    for order in range(1, 5)
    for name in (f"bleu_{order}", f"bleu{order}")
}
_WRITTEN_OUT = {**_PRESETS, **_SINGLE}
# What the COCO evaluation reports.
COCO = ("bleu", "meteor", "rouge", "cider", "spice")
# A metric that is nothing without options is not among all of them.
GROUPS = {"coco": COCO, "all": tuple(name for name in (*_METRICS, *_PRESETS) if name != "given")}


GROUP = "caplens.metrics"
"""The group of entry points in which other packages offer metrics: ``name = "module:Class"``."""

_registered: dict[str, type[Metric]] = {}


def names() -> tuple[str, ...]:
    """Return the names of caplens' own metrics."""
    return (*_METRICS, *_PRESETS)


def plugged_names() -> tuple[str, ...]:
    """Return the names of metrics that were registered, and of those that installed packages offer."""
    return tuple(name for name in dict.fromkeys([*_registered, *installed(GROUP)]) if not _is_own(name))


def register_metric(kind: type[Metric]) -> type[Metric]:
    """Register a metric under its name, for use anywhere in this process.

    Parameters
    ----------
    kind : type
        A frozen dataclass derived from `Metric` whose fields all have defaults. Registering a name again replaces the
        class; the names of built-in metrics cannot be used.

    Returns
    -------
    type
        The class, so that this function can be used as a decorator.

    See Also
    --------
    caplens.metric : also accepts ``module:Class``, with ``allow_code=True``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import caplens, numpy as np
    >>> @caplens.register_metric
    ... @dataclass(frozen=True)
    ... class Characters(caplens.Metric):
    ...     name = "characters"
    ...     keys = ("Characters",)
    ...     def statistics(self, prepared, state, inputs=()):
    ...         counts = [[float(len(caption))] for caption in prepared.candidates.captions]
    ...         return caplens.Statistics(("characters",), np.array(counts))
    ...     def aggregate(self, sums, rows):
    ...         return sums / np.asarray(rows)[..., np.newaxis]
    >>> caplens.score(["a dog", "a cat!"], [["a dog"], ["a cat"]], metrics="characters")["Characters"].score
    5.5
    """
    found = _checked(kind, f"The metric {kind!r}")
    if not NAME.fullmatch(found.name) or found.name != found.name.lower() or _is_own(found.name):
        raise UsageError(
            f"A metric cannot be named {found.name!r}: choose another name, made of lower-case letters, digits and "
            f"underscores."
        )
    _registered[found.name] = found
    return found


def _is_own(name: str) -> bool:
    return name in _METRICS or name in _WRITTEN_OUT or name in ALIASES or name in GROUPS


def metric_class(name: str, *, allow_code: bool = False) -> type[Metric]:
    """Return the class of a metric.

    Parameters
    ----------
    name : str
        Of one of caplens' own metrics, of one that was registered or that an installed package offers; or
        ``module:Class``.
    allow_code : bool
        Whether ``module:Class`` may be imported, which runs its code: only where a person typed the name and allowed
        it, never where caplens reads it from a file or a request.
    """
    name = ALIASES.get(name, name)
    if name in _WRITTEN_OUT:
        name = _WRITTEN_OUT[name].name
    if name in _METRICS:
        return _own_class(name)
    if names_code(name):
        check_code(name, "metric", allow_code)
        return _checked(imported(name, "metric"), f"The metric {name!r}")
    if name in _registered:
        return _registered[name]
    offered = installed(GROUP)
    if name in offered:
        return _checked(loaded(offered[name], "metric"), f"The metric {name!r}")
    raise UsageError(_unknown(name))


@cache
def _own_class(name: str) -> type[Metric]:
    module, _, attribute = _METRICS[name].partition(":")
    found: type[Metric] = getattr(import_module(module), attribute)
    return found


def check_code(text: str, what: str, allow_code: bool) -> None:
    """Refuse ``module:attribute`` unless code may be run."""
    if not allow_code:
        raise UsageError(
            f"The {what} {text!r} would run code from a module: use {said('--allow-code', 'allow_code=True')} if you "
            f"trust that module, or register the {what}. Names read from files or requests never run code."
        )


def _checked(kind: object, what: str) -> type[Metric]:
    """Refuse what is no metric that can be made by name."""
    if not isinstance(kind, type) or not issubclass(kind, Metric):
        raise UsageError(f"{what} must be a class derived from caplens.Metric.")
    missing = sorted(kind.__abstractmethods__)
    if missing or not isinstance(getattr(kind, "name", None), str):
        raise UsageError(f"{what} lacks {', '.join(missing) or 'a name'}.")
    options = {name for name, value in vars(kind).items() if isinstance(value, Field)}
    required = [entry.name for entry in fields(kind) if entry.default is MISSING and entry.default_factory is MISSING]
    if options:
        raise UsageError(f"{what} is not a dataclass: decorate it with @dataclass(frozen=True).")
    if required:
        raise UsageError(f"{what} has options without defaults ({', '.join(required)}).")
    return kind


def _unknown(name: str) -> str:
    known = [*names(), *plugged_names()]
    if name in GROUPS:
        return f"{name!r} is a group of metrics, not one: choose from {', '.join(known)}."
    from difflib import get_close_matches

    close = get_close_matches(name, [*known, *GROUPS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join([*known, *GROUPS])}."
    return f"There is no metric {name!r}; {hint}"


def attempt(name: str, language: str | None = None, **defaults: str) -> tuple[Metric | None, str | None]:
    """Make a metric by name; return it, unless even that fails (weights are damaged), and what it lacks, if anything.

    Examples
    --------
    >>> attempt("rouge")
    (RougeL(label=None, beta=1.2, tokenizer='ptb'), None)
    """
    try:
        metric = build(Request(name), allow_code=False, allow_files=True, language=language, **defaults)
        return metric, metric.missing_data()
    except CaplensError as error:
        return None, str(error)


def build(
    request: Request,
    *,
    allow_code: bool = False,
    allow_files: bool = True,
    language: str | None = None,
    **defaults: str,
) -> Metric:
    """Make the metric of one request.

    Parameters
    ----------
    request : Request
        What was asked for.
    allow_code : bool
        Whether it may name code to import, see `metric_class`; so may the option ``parser`` of SPICE.
    allow_files : bool
        Whether its options may name files; if not, only what ships or what the user gave a name.
    language : str, optional
        The language of the captions, which sets further defaults; metrics for English only are then refused.
    **defaults : str
        Options used where the request has none.
    """
    request = _written_out(request)
    kind = metric_class(request.name, allow_code=allow_code)
    inherited = {**defaults, "known": "false"}
    if language is not None:
        defaults |= kind.options_for(language, defaults["tokenizer"])
    given = {key: value for key, value in defaults.items() if key in declared_options(kind)} | dict(request.options)
    if request.inputs and not kind.usual_inputs:
        raise UsageError(f"{kind.name} does not combine other metrics; write options as key=value.")
    values = convert_options(kind, given)
    if "tokenizer" in values:
        values["tokenizer"] = get_tokenizer(values["tokenizer"].lower()).name
    for name, value in values.items():
        if not allow_files:
            declared_options(kind)[name].check_named(value)
        load = declared_options(kind)[name].load
        if load is not None and isinstance(value, str) and ":" in value:
            check_code(value, name, allow_code)
            load(value)
    if kind.usual_inputs:
        wanted = request.inputs or tuple(Request(name) for name in kind.usual_inputs)
        # Constants and weights were measured with every caption parsed: what is known of some would change them.
        values["metrics"] = tuple(
            build(one, allow_code=allow_code, allow_files=allow_files, language=language, **inherited) for one in wanted
        )
    metric = kind(**values)
    if language not in (None, "en") and metric.only_english:
        raise UsageError(f"{request.name} is for English captions only: {metric.only_english}.")
    return metric


def _written_out(request: Request) -> Request:
    """Return the request that a name with options stands for."""
    preset = _WRITTEN_OUT.get(request.name)
    if preset is None:
        return request
    fixed = dict(preset.options)
    changed = next((key for key, _ in request.options if key in fixed), None)
    if changed is not None:
        raise UsageError(
            f"{request.name} is short for {preset}: to change {changed}, write {preset.name}({changed}=...)."
        )
    return replace(request, name=preset.name, options=(*preset.options, *request.options))
