"""``caplens compare``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument, option
from caplens.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class CompareOptions(options.ScoringOptions):
    """What ``caplens compare`` takes."""

    systems: tuple[str, ...] = argument(
        "Caption files, one per system: FILE, NAME=FILE, or NAME=FILE,FILE for several training runs.",
        metavar="SYSTEMS...",
    )
    baseline: str | None = option(None, "Test the others against this system only.", metavar="NAME")


def compare(given: CompareOptions) -> None:
    """Compare systems on their common ids: intervals, paired tests."""
    from rich.console import Group

    from caplens.api.comparing import compare as compare_systems
    from caplens.api.inputs import name_runs
    from caplens.api.loading import load_candidates, load_references
    from caplens.cli.console import progress, warn
    from caplens.core.comparison import Comparison
    from caplens.core.plan import columns_of
    from caplens.core.selection import select
    from caplens.corpus import Runs, each_run
    from caplens.output.comparison_view import ComparisonView
    from caplens.output.subsets import subsets_view

    given.check(Comparison)
    given.check_captions(".json")
    report = given.report(given.files)
    named = name_runs(given.systems)
    baseline = given.baseline
    if baseline is not None and baseline not in named:
        baseline = next((name for name, paths in named.items() if paths == [baseline]), baseline)
    selection = select(given.metrics, allow_code=given.allow_code, language=given.language, tokenizer=given.tokenizer)
    if not given.references and selection.needs_references:
        raise UsageError("A comparison needs references: -r REFERENCES.")
    reading = given.reading(columns_of(selection.metrics) | given.subset_columns)
    with progress(given.quiet):
        systems = {name: Runs(load_candidates(path, reading) for path in paths) for name, paths in named.items()}
        comparison = compare_systems(
            systems,
            load_references(given.references, reading) if given.references else None,
            selection,
            baseline=baseline,
            missing=given.missing,
            several=given.several,
            jobs=given.jobs,
            parses=given.parses,
            max_words=given.max_words,
            seed=given.seed,
        )
        given.divide(comparison)
        subsets = [subsets_view(name, found, given.wanted) for name, found in comparison.subset_dicts().items()]
        data = comparison.to_dict(items=False)
    warn(comparison.warnings, given.quiet)
    if given.files or given.takes_stdout:
        files = (path for paths in named.values() for path in paths)
        comparison.inputs = given.inputs(dict(zip(each_run(systems), files, strict=True)))
    given.deliver(
        comparison.with_captions() if given.with_captions else comparison,
        lambda form: comparison.tables(given.wanted, form),
        lambda: Group(ComparisonView(data, given.wanted), *subsets),
        report=report,
    )


command = framework.command(
    CompareOptions,
    compare,
    examples=[
        "caplens compare ours.json theirs.json -r annotations.json",
        "caplens compare new=a.json old=b.json -r refs.json --baseline old -o tests.csv",
        "caplens compare ours=a1.json,a2.json theirs=b1.json,b2.json -r refs.json",
        "caplens compare *.json -r refs.json --style coco --format latex",
    ],
)
