"""``caplens meta``: a command for each study, derived from what the study declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from caplens.cli import framework, options, output_options
from caplens.cli.framework import Command, Declared, Parsed, declared_in, option
from caplens.errors import UsageError

if TYPE_CHECKING:
    from caplens.core.options import Option
    from caplens.meta.study import Study

ALL = "all"
# How options are written that have a short name, or another one than in Python.
_FLAGS = {"references": ("-r", "--references"), "folder": ("-o", "--output")}
# What all studies together share: each is handed on to the studies that have it.
_SHARED = ("captions", "tokenizer", "jobs", "parses", "max_words", "resamples", "seed")


@dataclass(frozen=True, kw_only=True)
class Printing(options.Quiet):
    """Of every study."""

    figure: str | None = option(None, "Save a figure: .svg, .pdf or .png (requires the report extra).", metavar="FILE")
    table_format: output_options.TableFormat = option("text", "Table format.", "--format")


@dataclass(frozen=True, kw_only=True)
class Writing(output_options.Outputs):
    """Of every study but those that write into a folder."""

    output: tuple[str, ...] = option(
        (),
        "Output file: .json, .html (a page), or tables as .txt, .md, .tex or .csv; can be repeated. - is stdout.",
        "-o",
        "--output",
        metavar="OUT",
    )


@dataclass(frozen=True, kw_only=True)
class OwnScores:
    """Of studies in which scores of the user's own can join."""

    scores: str | None = option(
        None, "Table of your own scores (id and numeric columns) to include; -m none: only these.", metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True)
class Items:
    """Of studies with rows that a metric of the user's own could score."""

    items: str | None = option(
        None, "Write the captions to a .jsonl file, so that you can score them yourself.", metavar="FILE"
    )


def option_of(one: Option, kind: type[Study]) -> Declared:
    """Return an option of a study as an option of a command; what presets fix has no default of its own."""
    from caplens.meta.study import preset_names

    # The study itself refuses an unknown preset: it can tell what an old name is called today.
    presets = "|".join(preset_names(kind)) if one.name == "preset" else ""
    by_preset = bool(presets) or one.name in kind.conventions
    in_one_text = one.is_list and one.kind != tuple[str, ...]
    return Declared(
        one.name,
        f"{one.help[:1].upper()}{one.help[1:]}.",
        kind=one.kind if one.kind in (int, float, bool) else str,
        flags=_FLAGS.get(one.name, (f"--{one.name.replace('_', '-')}",)),
        default=None if by_preset or in_one_text else one.default,
        many=one.is_list and not in_one_text,
        choices=() if presets else one.choices,
        least=one.least if one.kind in (int, float) else None,
        metavar=f"[{presets}]" if presets else one.metavar,
    )


def options_of(kind: type[Study], names: Sequence[str] | None = None) -> list[Declared]:
    """Return the options that a study declares, or some of them: its own first, then those that many studies have."""
    from caplens.core.options import declared_options

    declared = declared_options(kind)
    order = dict.fromkeys(name for base in kind.__mro__ for name in vars(base).get("__annotations__", ()))
    return [option_of(declared[name], kind) for name in order if name in (names or declared) and name in declared]


def given_options(parsed: Parsed, kind: type[Study]) -> dict[str, Any]:
    """Return the options of a study that the user typed."""
    return {one.name: parsed.values[one.name] for one in options_of(kind) if one.name in parsed.given}


def study_command(name: str) -> Command:
    """Make the command of a study."""
    from caplens.meta.registry import study_class, study_title

    if name == ALL:
        return all_command()
    kind = study_class(name)
    where = Declared("data", f"{kind.data_help[:1].upper()}{kind.data_help[1:]}.", flags=("--data",), metavar="PATH")
    shown = [
        where,
        *(declared_in(options.Metrics) if kind.takes_metrics else ()),
        *options_of(kind),
        *(declared_in(OwnScores) if kind.takes_scores else ()),
        *declared_in(Writing),
        *(declared_in(Items) if kind.has_items else ()),
        *declared_in(Printing),
    ]

    def run(parsed: Parsed) -> None:
        run_study(kind, parsed)

    metrics = ' -m "cider, spice"' if kind.takes_metrics else ""
    examples = [
        f"caplens meta {name} --data DATA{metrics} -o study.json",
        f"caplens meta {name} --data DATA --format markdown",
    ]
    title = study_title(name)
    explain = f"{title[:1].upper()}{title[1:]}."
    return framework.derive(name, shown, run, explain=explain, examples=examples)


def run_study(kind: type[Study], parsed: Parsed) -> None:
    """Run a study and give out what came of it."""
    from caplens.cli.console import progress, show_text, warn
    from caplens.meta.drawing import check_figure_file
    from caplens.meta.outcome import ITEM_SUFFIXES, Outcome
    from caplens.meta.run import study
    from caplens.output.writing import check_file

    given: Mapping[str, Any] = parsed.values
    writing, items, figure = parsed.into(Writing), given.get("items"), given["figure"]
    writing.check(Outcome)
    if items:
        check_file(items, ITEM_SUFFIXES)
    if figure:
        check_figure_file(figure)
    with progress(given["quiet"]):
        outcome = study(
            kind.name,
            given["data"],
            metrics=given.get("metrics"),
            scores=given.get("scores"),
            allow_code=given.get("allow_code", False),
            **given_options(parsed, kind),
        )
        writing.write(outcome)
        if items:
            outcome.write_items(items)
        if figure:
            outcome.write_figure(figure)
    warn(outcome.warnings, given["quiet"])
    if writing.takes_stdout:
        writing.show(outcome)
    else:
        show_text(outcome.render(given["table_format"]))


def all_command() -> Command:
    """Make the command that runs all studies."""
    from caplens.meta.registry import study_class, study_names

    shared: dict[str, Declared] = {}
    for name in study_names():
        for one in options_of(study_class(name), _SHARED):
            shared.setdefault(one.name, one)
    shown = [
        Declared("data", "Folder with the judgments of all datasets.", flags=("--data",), metavar="DIR"),
        *declared_in(options.Metrics),
        *shared.values(),
        Declared("output", "Output folder.", flags=("-o", "--output"), metavar="DIR"),
        *declared_in(options.Quiet),
    ]
    explain = (
        "Run every study and preset that the data supports and report on one page; rerun the same command to resume."
    )
    return framework.derive(
        ALL, shown, run_all_studies, explain=explain, examples=["caplens meta all --data DATA -o studies"]
    )


def run_all_studies(parsed: Parsed) -> None:
    """Run all studies into a folder."""
    from caplens.cli.console import progress, show_text
    from caplens.meta.everything import summary
    from caplens.meta.run import study_all

    given = parsed.values
    if not given["output"] or not given["data"]:
        raise UsageError("Running all studies requires a data folder and an output folder: --data DIR -o DIR.")
    shared = {name: given[name] for name in _SHARED if name in parsed.given}
    with progress(given["quiet"]):
        allow_code = given["allow_code"]
        # Without -m, each study has the metrics of the paper that it follows.
        metrics = given["metrics"] if "metrics" in parsed.given else None
        finished = study_all(given["data"], given["output"], metrics=metrics, allow_code=allow_code, **shared)
    show_text(summary(finished, given["output"]))


def as_argument(declared: Sequence[Declared], name: str) -> list[Declared]:
    """Return options of which one is an argument that must be given."""
    return [replace(one, flags=(), required=True) if one.name == name else one for one in declared]


def _names() -> list[str]:
    from caplens.meta.registry import study_names

    return [*study_names(), ALL]


def _title(name: str) -> str:
    from caplens.meta.registry import study_title

    return "every study that the data supports, on one page" if name == ALL else study_title(name)


command = framework.Group(
    "meta",
    "Measure how well metrics agree with people. For the options of a study, run caplens meta STUDY --help.",
    _names,
    study_command,
    _title,
    ("study", "studies"),
    (
        'caplens meta flickr8k-expert --data flickr8k -m "coco, wmd"',
        'caplens meta williams --data flickr8k -m "meteor, cider, spice"',
        "caplens meta all --data data -o study",
    ),
)
