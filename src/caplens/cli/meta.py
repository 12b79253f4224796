"""``caplens meta``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import click

from caplens.cli import framework, options
from caplens.cli.framework import argument, option
from caplens.errors import UsageError


def parse_numbers(text: str) -> tuple[int, ...]:
    """Turn ``1,5,48`` into numbers.

    Examples
    --------
    >>> parse_numbers("1, 5,48"), parse_numbers("")
    ((1, 5, 48), ())
    """
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--curve takes numbers of references such as 1,5,20,48, not {text!r}.")
    return tuple(int(part) for part in parts)


@dataclass(frozen=True, kw_only=True)
class MetaOptions(options.Metrics, options.Tokenizer, options.Jobs, options.Parses, options.Seed, options.Quiet):
    """What ``caplens meta`` takes."""

    study: str = argument("Such as flickr8k-expert, pascal50s, table or all.")
    data: str | None = option(None, "Folder with the judgments; the file for table and distraction.", metavar="DIR")
    captions: str | None = option(None, "Folder with reference captions, where it is another.", metavar="DIR")
    scores: str | None = option(
        None, "Scores of your own (id and columns of numbers) join in; -m none: alone.", metavar="FILE"
    )
    output: str | None = option(
        None, "Write .json, .txt, .md, .tex or .csv; a folder for all.", "-o", "--output", metavar="OUT"
    )
    preset: str | None = option(None, "Whose conventions to follow.", metavar="NAME")
    table_format: options.TableFormat = option("text", "How tables are printed.", "--format")
    figure: str | None = option(None, "Draw a figure: .svg, .pdf or .png (extra report).", metavar="FILE")
    items: str | None = option(None, "Write the captions to score (.jsonl), for scores of your own.", metavar="FILE")
    references: int | None = option(None, "Pairs: how many references.", least=1)
    ties: Literal["half", "wrong", "right"] | None = option(None, "Pairs: what equal scores count.")
    draws: int = option(5, "Pairs: random draws of references; 0: the first ones.", least=0)
    curve: tuple[int, ...] | None = option(
        None, "Pairs: accuracy by number of references, such as 1,5,20,48.", metavar="NUMBERS", convert=parse_numbers
    )
    join: Literal["date", "team"] = option("date", "Leaderboards: by team and date, or also later entries.")
    systems: str | None = option(None, "Folder with a caption file for each system.", metavar="DIR")
    on: str = option(
        "flickr8k-expert", "Studies of scores: whose judged captions or systems are used.", metavar="STUDY"
    )
    coefficient: str = option("pearson", "williams: pearson, spearman, kendall_b or kendall_c.", metavar="NAME")
    measure: str | None = option(None, "Studies of scores on systems: M1 to M5; M1 by default.", metavar="NAME")
    cluster: bool = option(False, "complementarity: similar metrics beside each other.")
    images: int = option(1000, "robustness: how many images are drawn.", least=2)
    resamples: int = option(1000, "Bootstrap resamples.", least=1)


def meta(given: MetaOptions) -> None:
    """Tell how well metrics agree with people."""
    from caplens.cli.console import progress, warn
    from caplens.meta import study as run_study
    from caplens.meta.figures import check_figure_output
    from caplens.meta.run import check_has_rows
    from caplens.meta.study import check_study_output

    if given.study == "all":
        _run_all(given)
        return
    if given.output:
        check_study_output(given.output)
    if given.items:
        check_study_output(given.items, (".jsonl",))
        check_has_rows(given.study)
    if given.figure:
        check_figure_output(given.figure)
    with progress(given.quiet):
        result = run_study(
            given.study,
            given.data,
            captions=given.captions,
            metrics=given.metrics,
            scores=given.scores,
            preset=given.preset,
            references=given.references,
            ties=given.ties,
            draws=given.draws,
            curve=given.curve or (),
            join=given.join,
            systems=given.systems,
            on=given.on,
            coefficient=given.coefficient,
            measure=given.measure,
            cluster=given.cluster,
            images=given.images,
            tokenizer=given.tokenizer,
            resamples=given.resamples,
            jobs=given.jobs,
            parses=given.parses,
            seed=given.seed,
        )
        if given.output:
            result.write(given.output)
        if given.items:
            result.write_items(given.items)
        if given.figure:
            result.write_figure(given.figure)
    warn(result.warnings, given.quiet)
    click.echo(result.render(given.table_format))


def _run_all(given: MetaOptions) -> None:
    from caplens.cli.console import progress
    from caplens.meta import study_all
    from caplens.meta.everything import summary

    if not given.output or not given.data:
        raise UsageError("All studies need the folder of the judgments and one to write to: --data DIR -o DIR.")
    single = ("preset", "scores", "figure", "items", "references", "ties", "curve", "systems", "measure")
    strange = [f"--{name}" for name in single if getattr(given, name) is not None]
    if strange:
        raise UsageError(f"{' and '.join(strange)} cannot be used with all studies: run the study that they are for.")
    with progress(given.quiet):
        finished = study_all(
            given.data,
            given.output,
            captions=given.captions,
            metrics=given.metrics,
            tokenizer=given.tokenizer,
            resamples=given.resamples,
            jobs=given.jobs,
            parses=given.parses,
            seed=given.seed,
        )
    click.echo(summary(finished, given.output))


command = framework.command(MetaOptions, meta, examples=["caplens meta flickr8k-expert --data data -m coco"])
