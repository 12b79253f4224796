"""``caplens explain``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from caplens.cli import framework, options, output_options
from caplens.cli.framework import argument, option
from caplens.errors import UsageError

if TYPE_CHECKING:
    from caplens.corpus.core import Corpus


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(
    options.References,
    options.AllowCode,
    output_options.Outputs,
    options.Tokenizer,
    options.Language,
    options.Missing,
    options.Reading,
    options.Parses,
    options.MaxWords,
    options.Quiet,
):
    """What ``caplens explain`` takes."""

    caption: str = argument("Caption to explain, or a file of candidates (with --id).")
    reference: tuple[str, ...] = option((), "Reference caption; can be repeated.", metavar="TEXT")
    identifier: str | None = option(None, "Id of the row to explain.", "--id", metavar="ID")
    metrics: str = option(
        "bleu",
        'Metrics to explain, such as "spice, cider(df=coco-val2014)".',
        "-m",
        "--metrics",
        metavar="METRICS",
        join=", ",
    )
    output: tuple[str, ...] = option(
        (),
        "Output file: .json, .html (a page), or .svg for a drawing. - is stdout (JSON).",
        "-o",
        "--output",
        metavar="OUT",
    )


def explain(given: ExplainOptions) -> None:
    """Explain why a caption has its score."""
    from rich.console import Group

    from caplens.api.explaining import explain_by_all
    from caplens.cli.console import progress, show, warn
    from caplens.core.plan import columns_of
    from caplens.core.selection import select
    from caplens.output.explanation import Explanation
    from caplens.output.terminal import explanation_view

    given.check(Explanation)
    selection = select(given.metrics, allow_code=given.allow_code, language=given.language, tokenizer=given.tokenizer)
    with progress(given.quiet):
        corpus, identifier = _corpus(given, columns_of(selection.metrics), selection.needs_references)
        explanations = explain_by_all(corpus, identifier, selection, given.parses, given.max_words)
        given.write(explanations)
    warn((*corpus.notices, *selection.left_out), given.quiet)
    if given.takes_stdout:
        given.show(explanations)
    else:
        show(Group(*(explanation_view(explanation) for explanation in explanations)))


def _corpus(given: ExplainOptions, further_columns: frozenset[str], needs_references: bool) -> tuple[Corpus, str]:
    """Return what the caption is compared with, and its id there."""
    from caplens.api.inputs import corpus_of
    from caplens.api.loading import load_corpus
    from caplens.corpus import batch_table, without_references

    if given.reference and (given.identifier is not None or given.references):
        raise UsageError("Use either --reference TEXT or FILE -r REFERENCES --id ID, not both.")
    if given.identifier is not None:
        reading = given.reading(further_columns)
        corpus = load_corpus(
            given.caption, given.references or None, reading, given.missing, needs_references=needs_references
        )
        return corpus, given.identifier
    if given.reference:
        return corpus_of([given.caption], [given.reference]), "0"
    if not needs_references and not given.references:
        return without_references(batch_table([given.caption])), "0"
    raise UsageError('Specify what to compare with: --reference "TEXT" ..., or FILE -r REFERENCES --id ID.')


command = framework.command(
    ExplainOptions,
    explain,
    examples=[
        'caplens explain "a man rides a horse" --reference "a horse" -m spice',
        "caplens explain captions.json -r annotations.json --id 391895 -m cider",
    ],
)
