"""``caplens meta``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caplens.cli import options
from caplens.errors import UsageError
from caplens.stats import SEED


class TableFormat(StrEnum):
    """How tables are printed."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


class TieRule(StrEnum):
    """What two equal scores count."""

    half = "half"
    wrong = "wrong"
    right = "right"


class JoinRule(StrEnum):
    """How judged systems are found on a leaderboard."""

    date = "date"
    team = "team"


def meta(
    study: Annotated[str, typer.Argument(help="Such as flickr8k-expert, pascal50s, table or all.")],
    data: Annotated[
        str | None, typer.Option(help="Folder with the judgments; the file for table and distraction.", metavar="DIR")
    ] = None,
    captions: Annotated[
        str | None, typer.Option(help="Folder with reference captions, where it is another.", metavar="DIR")
    ] = None,
    metrics: options.Metrics = "coco",
    scores: Annotated[
        str | None,
        typer.Option(help="Scores of your own (id and columns of numbers) join in; -m none: alone.", metavar="FILE"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Write .json, .txt, .md, .tex or .csv; a folder for all.", metavar="OUT"),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Whose conventions to follow.", metavar="NAME")] = None,
    table_format: Annotated[
        TableFormat, typer.Option("--format", case_sensitive=False, help="How tables are printed.")
    ] = TableFormat.text,
    figure: Annotated[
        str | None, typer.Option(help="Draw a figure: .svg, .pdf or .png (extra report).", metavar="FILE")
    ] = None,
    items: Annotated[
        str | None, typer.Option(help="Write the captions to score (.jsonl), for scores of your own.", metavar="FILE")
    ] = None,
    references: Annotated[int | None, typer.Option(min=1, help="Pairs: how many references.")] = None,
    ties: Annotated[TieRule | None, typer.Option(case_sensitive=False, help="Pairs: what equal scores count.")] = None,
    draws: Annotated[int, typer.Option(min=0, help="Pairs: random draws of references; 0: the first ones.")] = 5,
    curve: Annotated[
        str | None, typer.Option(help="Pairs: accuracy by number of references, such as 1,5,20,48.", metavar="NUMBERS")
    ] = None,
    join: Annotated[
        JoinRule, typer.Option(case_sensitive=False, help="Leaderboards: by team and date, or also later entries.")
    ] = JoinRule.date,
    systems: Annotated[
        str | None, typer.Option(help="Folder with a caption file for each system.", metavar="DIR")
    ] = None,
    on: Annotated[
        str, typer.Option(help="Studies of scores: whose judged captions or systems are used.", metavar="STUDY")
    ] = "flickr8k-expert",
    coefficient: Annotated[
        str, typer.Option(help="williams: pearson, spearman, kendall_b or kendall_c.", metavar="NAME")
    ] = "pearson",
    measure: Annotated[
        str | None, typer.Option(help="Studies of scores on systems: M1 to M5; M1 by default.", metavar="NAME")
    ] = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="complementarity: similar metrics beside each other.")
    ] = False,
    images: Annotated[int, typer.Option(min=2, help="robustness: how many images are drawn.")] = 1000,
    tokenizer: options.Tokenizer = options.TokenizerName.ptb,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    jobs: options.Jobs = None,
    cache: options.Cache = None,
    seed: options.Seed = SEED,
    quiet: options.Quiet = False,
) -> None:
    """Tell how well metrics agree with people."""
    from caplens.cli.console import progress, warn
    from caplens.meta import study as run_study
    from caplens.meta import study_all
    from caplens.meta.everything import summary
    from caplens.meta.figures import check_figure_output
    from caplens.meta.run import check_has_rows
    from caplens.meta.study import check_study_output

    if study == "all":
        if not output or not data:
            raise UsageError("All studies need the folder of the judgments and one to write to: --data DIR -o DIR.")
        refuse_for_all(
            preset=preset,
            scores=scores,
            figure=figure,
            items=items,
            references=references,
            ties=ties,
            curve=curve,
            systems=systems,
            measure=measure,
        )
        with progress(quiet):
            finished = study_all(
                data,
                output,
                captions=captions,
                metrics=metrics,
                tokenizer=tokenizer.value,
                resamples=resamples,
                jobs=jobs,
                cache=cache,
                seed=seed,
            )
        typer.echo(summary(finished, output))
        return
    if output:
        check_study_output(output)
    if items:
        check_study_output(items, (".jsonl",))
        check_has_rows(study)
    if figure:
        check_figure_output(figure)
    with progress(quiet):
        result = run_study(
            study,
            data,
            captions=captions,
            metrics=metrics,
            scores=scores,
            preset=preset,
            references=references,
            ties=ties.value if ties else None,
            draws=draws,
            curve=parse_numbers(curve),
            join=join.value,
            systems=systems,
            on=on,
            coefficient=coefficient,
            measure=measure,
            cluster=cluster,
            images=images,
            tokenizer=tokenizer.value,
            resamples=resamples,
            jobs=jobs,
            cache=cache,
            seed=seed,
        )
        if output:
            result.write(output)
        if items:
            result.write_items(items)
        if figure:
            result.write_figure(figure)
    warn(result.warnings, quiet)
    typer.echo(result.render(table_format.value))


def refuse_for_all(**options: object) -> None:
    """Refuse options of a single study where all are run."""
    given = [f"--{name}" for name, value in options.items() if value is not None]
    if given:
        raise UsageError(f"{' and '.join(given)} cannot be used with all studies: run the study that they are for.")


def parse_numbers(text: str | None) -> tuple[int, ...]:
    """Turn ``1,5,48`` into numbers.

    Examples
    --------
    >>> parse_numbers("1, 5,48"), parse_numbers(None)
    ((1, 5, 48), ())
    """
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--curve takes numbers of references such as 1,5,20,48, not {text!r}.")
    return tuple(int(part) for part in parts)
