"""Studies by name."""

from __future__ import annotations

import os
from pathlib import Path

from caplens.core.options import declared_options
from caplens.core.registry import check_code
from caplens.core.selection import MetricRequest, select
from caplens.errors import MissingDataError, UsageError
from caplens.files.plugins import names_code
from caplens.files.telling import setting, silently, warn_of
from caplens.meta.everything import run_all
from caplens.meta.outcome import Outcome
from caplens.meta.planned import Finished, Planned
from caplens.meta.registry import study_class
from caplens.meta.scoring import NO_METRICS, OwnScores
from caplens.meta.study import NO_DATA, PathLike, Study, configure


def study(
    name: str,
    data: PathLike | None = None,
    *,
    metrics: MetricRequest = None,
    scores: OwnScores = None,
    allow_code: bool = False,
    **options: object,
) -> Outcome:
    """Run a study of metrics.

    Parameters
    ----------
    name : str
        One of `caplens.meta.study_names`.
    data : path, optional
        The folder with the judgments; for ``table`` and ``distraction``, the file. Some studies need none.
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default, ``"none"`` for `scores` only.
    scores : path or list of dict, optional
        Your own scores: a column ``id`` and numeric columns, each of which is treated as a metric.
    allow_code : bool
        Whether ``metrics`` and options such as ``transformation`` may name code, as for `caplens.score`.
    **options
        Options of the study, such as ``preset``; ``caplens meta NAME --help`` lists them.

    Returns
    -------
    Outcome
        Tables, a figure, and everything as plain data.

    Examples
    --------
    >>> result = study("sensitivity", metrics="rouge")
    >>> round(result["ROUGE_L"]["scores"]["word order"], 2)
    0.41
    >>> study("sensitivity", metrics="rouge", draws=3)
    Traceback (most recent call last):
        ...
    caplens.errors.UsageError: sensitivity has no option 'draws'; it has tokenizer, jobs, parses, max_words.
    """
    kind = study_class(name)
    if data is None and kind.needs_data:
        raise UsageError(f"The study {name!r} needs data: specify the {kind.data_help} ({setting('data')}).")
    if metrics is not None and not kind.takes_metrics:
        raise UsageError(f"The study {name!r} does not take metrics.")
    if scores is not None and not kind.takes_scores:
        raise UsageError(f"The study {name!r} does not accept scores from a file.")
    configured = configure(kind, options)
    load_code(configured, allow_code)
    if allow_code:
        metrics = with_code(metrics, str(options.get("tokenizer") or "ptb"))
    with silently():
        outcome = configured.run(NO_DATA if data is None else Path(data), metrics, scores)
    warn_of(outcome.warnings)
    return outcome


def load_code(study: Study, allow_code: bool) -> None:
    """Import what options of a study name as ``module:attribute``, where the caller allows it."""
    for name, declared in declared_options(type(study)).items():
        value = getattr(study, name)
        for text in value if isinstance(value, tuple) else (value,):
            if declared.load is not None and isinstance(text, str) and names_code(text):
                check_code(text, name, allow_code)
                declared.load(text)


def with_code(metrics: MetricRequest, tokenizer: str) -> MetricRequest:
    """Make metrics that may name code, which the caller allows; a study itself imports none."""
    is_none = isinstance(metrics, str) and metrics.strip().lower() == NO_METRICS
    return metrics if is_none else select(metrics, allow_code=True, tokenizer=tokenizer)


def study_all(
    data: PathLike,
    output: PathLike,
    *,
    metrics: MetricRequest = None,
    tokenizer: str = "ptb",
    allow_code: bool = False,
    **options: object,
) -> list[Finished]:
    """Run every study that the data supports, with all presets.

    Writes ``index.html``, ``results.json`` and ``papers.md``, which shows the tables and figures of five papers next
    to ours.

    Studies finished by an earlier call with the same request are not repeated, unless data files have changed.
    Studies whose data is missing are listed with the reason.

    Parameters
    ----------
    data : path
        The folder with the judgments of all datasets, directly or in subfolders.
    output : path
        The folder to write to.
    metrics, tokenizer, allow_code
        As for `study`; without metrics, each study uses those of the paper that it follows.
    **options
        Passed to every study that accepts them: ``captions``, ``resamples``, ``seed``, ``jobs``, ``parses``.
    """
    # A metric that does not exist is refused before any work.
    selection = select(metrics, allow_code=allow_code, tokenizer=tokenizer)
    # As it was asked for, unless it names code: a leaderboard gives all that it has where nothing special is.
    chosen = selection if allow_code else metrics
    shared = {"tokenizer": tokenizer, **options}

    def run(wanted: Planned) -> Outcome:
        kind = study_class(wanted.name)
        given = {name: value for name, value in shared.items() if name in declared_options(kind)}
        where = Path(data) if wanted.reads_data else NO_DATA
        asked = of_paper(wanted, tokenizer) if metrics is None else chosen
        return configure(kind, {**given, **wanted.options}).run(where, asked if kind.takes_metrics else None)

    facts = {name: value for name, value in shared.items() if name not in ("jobs", "parses")}
    captions = options.get("captions")
    sources = [data] if captions is None else [data, str(captions)]
    imported = [] if metrics is not None else imported_wembsim()
    request = (os.path.realpath(data), metrics, sorted(facts.items()), imported)
    return run_all(output, run, request, sources, str(data))


def of_paper(wanted: Planned, tokenizer: str) -> MetricRequest:
    """Return the metrics of the paper whose table a study regenerates, without those that are not ready here.

    Where one of them is WEmbSim, there is also one with every kind of vectors that was imported.
    """
    ready: list[str] = []
    for request in wanted.metrics:
        try:
            select(request, tokenizer=tokenizer)
        except MissingDataError:
            continue
        ready.append(request)
    more = imported_wembsim() if "wembsim" in ready else []
    return [*ready, *more] or None


def imported_wembsim() -> list[str]:
    """Return a request for WEmbSim with each imported table, the first of every kind."""
    from caplens.embeddings import library

    kinds: dict[str, str] = {}
    names = set(library.imported())
    for entry in library.entries():
        if entry.name in names and entry.kind in ("word2vec", "glove", "fasttext"):
            kinds.setdefault(entry.kind, entry.name)
    return [f"wembsim(vectors={name})" for name in kinds.values()]
