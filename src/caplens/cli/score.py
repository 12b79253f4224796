"""``caplens score``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument
from caplens.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(options.ScoringOptions, options.Language, options.Scale):
    """What ``caplens score`` takes."""

    candidates: tuple[str, ...] = argument(
        "Captions to score, or rows with their references; - is stdin. With --stream or --shard-out, any number of "
        "files, folders and patterns.",
        metavar="CANDIDATES",
    )


def score(given: ScoreOptions) -> None:
    """Score one system: a table on the screen, and everything in OUT."""
    from rich.console import Group

    from caplens.api.inputs import name_systems
    from caplens.api.loading import load_corpus
    from caplens.api.scoring import score as score_captions
    from caplens.cli.console import progress, show_line, warn
    from caplens.core.plan import columns_of
    from caplens.core.registry import select
    from caplens.core.result import Result
    from caplens.output.subsets import subsets_view
    from caplens.output.terminal import score_table

    if given.stream or given.shard_out or given.engine:
        from caplens.cli.streaming import score_in_parts

        score_in_parts(given)
        return
    if len(given.candidates) > 1:
        files = " ".join(given.candidates)
        raise UsageError(
            f"score takes one file of candidates, not {len(given.candidates)}: to compare systems, run caplens compare "
            f"{files} -r REFERENCES; references go behind -r."
        )
    (candidates,) = given.candidates
    given.check(Result)
    selection = select(given.metrics, allow_code=given.allow_code, language=given.language, tokenizer=given.tokenizer)
    reading = given.reading(columns_of(selection.metrics) | given.subset_columns)
    with progress(given.quiet):
        corpus = load_corpus(
            candidates,
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
        given.divide(result)
        subsets = [subsets_view(name, found) for name, found in result.subset_dicts().items()]
        summary = result.summary()
    warn(result.warnings, given.quiet)
    (name,) = name_systems([candidates])
    given.deliver(
        result,
        lambda form: result.tables(given.wanted, name, form),
        lambda: Group(score_table(summary, given.wanted), *subsets),
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
        "caplens score captions.json -r refs.json --format latex --style coco",
        "caplens score captions.json --config eval.toml -o - | jq .metrics",
        "caplens score nocaps.json -r references.json --by domains.csv:domain",
        "caplens score 'data/*.parquet' -m rouge --stream -o scores/",
    ],
)
