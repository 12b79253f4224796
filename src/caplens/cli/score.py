"""``caplens score``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caplens.cli import framework, options
from caplens.cli.framework import argument, option
from caplens.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from caplens.core.result import Result
    from caplens.corpus import CaptionTable
    from caplens.output.presentation import Presentation


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(options.ScoringOptions, options.Scale):
    """What ``caplens score`` takes."""

    candidates: tuple[str, ...] = argument(
        "Captions to score, or rows that include their references. - is stdin. With --stream or --shard-out, any "
        "number of files, folders and patterns.",
        default=(),
        metavar="CANDIDATES",
    )
    again: str | None = option(
        None,
        "Repeat the scoring recorded in this .json file and check whether its numbers reproduce.",
        metavar="RESULT",
    )

    @property
    def one_file(self) -> str:
        """The candidates; more or fewer files than one are refused."""
        if len(self.candidates) > 1:
            files = " ".join(self.candidates)
            raise UsageError(
                f"score takes one candidate file, not {len(self.candidates)}: to compare systems, run caplens "
                f"compare {files} -r REFERENCES; pass references with -r."
            )
        if not self.candidates:
            raise UsageError("Specify a candidate file: caplens score CANDIDATES -r REFERENCES.")
        return self.candidates[0]


def score(given: ScoreOptions) -> None:
    """Score one system: print a table and write results to files."""
    if given.again is not None:
        from caplens.cli.again import repeat

        repeat(given, given.again)
    elif given.stream or given.shard_out or given.engine:
        from caplens.cli.streaming import score_in_parts

        score_in_parts(given)
    else:
        from caplens.files.ahead import reading_ahead
        from caplens.files.threads import load_numpy_alone

        with reading_ahead([*given.references, *given.candidates]):  # while modules are loaded
            load_numpy_alone()
            _score_at_once(given, reading_references(given))


def reading_references(given: ScoreOptions) -> Callable[[], CaptionTable] | None:
    """Begin to read the references, if there are files of them; return what waits for them."""
    from caplens.api.loading import references_ahead

    return references_ahead(given.references, given.reading()) if given.references else None


def _score_at_once(given: ScoreOptions, references: Callable[[], CaptionTable] | None) -> None:
    from caplens.api.inputs import name_systems
    from caplens.cli.console import scores_view, show_line, warn
    from caplens.core.result import Result
    from caplens.files.threads import Ahead

    candidates = given.one_file
    given.check(Result)
    given.check_captions(".json", ".jsonl", ".csv", ".parquet")
    report = given.report(given.files)
    (name,) = name_systems([candidates])
    recorded = Ahead(lambda: given.inputs({name: candidates})) if given.files or given.takes_stdout else None
    result, summary = scored(given, candidates, references)
    subsets = _subsets(result, given.wanted)
    warn(result.warnings, given.quiet)
    if recorded is not None:
        result.inputs = recorded.result()
    given.deliver(
        result.with_captions() if given.with_captions else result,
        lambda form: result.tables(given.wanted, name, form),
        lambda: scores_view(summary, given.wanted, subsets),
        report=report,
    )
    if given.table_format == "text" and not given.quiet and not given.takes_stdout:
        for signature in dict.fromkeys(score.signature for score in result.values()):
            show_line(signature)


def _subsets(result: Result, wanted: Presentation) -> list[RenderableType]:
    if not result.subsets:
        return []
    from caplens.output.subsets import subsets_view

    return [subsets_view(name, found, wanted) for name, found in result.subset_dicts().items()]


def scored(
    given: ScoreOptions, candidates: str, references: Callable[[], CaptionTable] | None
) -> tuple[Result, dict[str, dict[str, Any]]]:
    """Read and score; also return the summary, whose intervals take time, so that progress is shown for them too.

    ``references`` are those that are being read already, see `caplens.api.loading.references_ahead`.
    """
    from caplens.api.loading import corpus_of
    from caplens.api.scoring import score as score_captions
    from caplens.cli.console import load_ahead, progress, takes_plain_text
    from caplens.core.plan import columns_of
    from caplens.core.selection import select

    selection = select(given.metrics, allow_code=given.allow_code, language=given.language, tokenizer=given.tokenizer)
    reading = given.reading(columns_of(selection.metrics) | given.subset_columns)
    with progress(given.quiet):
        corpus = corpus_of(
            candidates,
            references,
            reading,
            given.missing,
            needs_references=selection.needs_references,
            several=given.several,
        )
        if not takes_plain_text():
            load_ahead("caplens.output.terminal")  # which draws the table
        result = score_captions(
            corpus,
            metrics=selection,
            jobs=given.jobs,
            parses=given.parses,
            max_words=given.max_words,
            seed=given.seed,
        )
        given.divide(result)
        return result, result.summary()


command = framework.command(
    ScoreOptions,
    score,
    examples=[
        "caplens score captions.json -r annotations.json",
        'caplens score rows.jsonl -m "cider(df=coco-val2014), spice" -o scores.json',
        "caplens score captions.json -r refs.json --format latex --style coco",
        "caplens score captions.json --config eval.toml -o - | jq .metrics",
        "caplens score nocaps.json -r references.json --by domains.csv:domain",
        "caplens score 'data/*.parquet' -m rouge --stream -o scores/",
        "caplens score --again scores.json",
    ],
)
