"""``caplens score``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(options.ScoringOptions):
    """What ``caplens score`` takes."""

    candidates: str = argument("Captions to score, or rows with their references; - is stdin.")


def score(given: ScoreOptions) -> None:
    """Score one system: a table on the screen, and everything in OUT."""
    from caplens.api.inputs import name_systems
    from caplens.api.loading import load_corpus
    from caplens.api.scoring import score as score_captions
    from caplens.cli.console import progress, show_line, warn
    from caplens.core.plan import columns_of
    from caplens.core.registry import select
    from caplens.core.result import Result
    from caplens.output.terminal import score_table

    given.check(Result)
    selection = select(given.metrics, allow_code=given.allow_code, tokenizer=given.tokenizer)
    reading = given.reading(columns_of(selection.metrics))
    with progress(given.quiet):
        corpus = load_corpus(
            given.candidates,
            given.references or None,
            reading,
            given.missing,
            needs_references=selection.needs_references,
        )
        result = score_captions(
            corpus,
            metrics=selection,
            jobs=given.jobs,
            parses=given.parses,
            max_words=given.max_words,
            seed=given.seed,
        )
        summary = result.summary()
    warn(result.warnings, given.quiet)
    (name,) = name_systems([given.candidates])
    given.deliver(
        result,
        lambda form: result.tables(given.wanted, name, form),
        lambda: score_table(summary, given.wanted),
    )
    if given.table_format == "text" and not given.quiet and not given.takes_stdout:
        for signature in dict.fromkeys(score.signature for score in result.values()):
            show_line(signature)


command = framework.command(
    ScoreOptions,
    score,
    examples=[
        "caplens score captions.json -r annotations.json",
        'caplens score rows.jsonl -m "cider(df=coco.parquet), spice" -o scores.json',
    ],
)
