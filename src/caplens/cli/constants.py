"""``caplens constants``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument, option


@dataclass(frozen=True, kw_only=True)
class BuildOptions(
    options.References,
    options.Metrics,
    options.Tokenizer,
    options.Missing,
    options.Reading,
    options.Jobs,
    options.Parses,
    options.Quiet,
):
    """What ``caplens constants build`` takes."""

    candidates: str = argument("Captions to measure, or rows that include their references. - is stdin.")
    output: str = option(MISSING, "Output file (.json).", "-o", "--output", metavar="OUT")


def build_constants(given: BuildOptions) -> None:
    """Measure the scale of metric scores on given captions.

    The file is for mean(..., normalize_on=OUT).
    """
    from caplens.api import constants
    from caplens.api.loading import load_corpus
    from caplens.cli.console import progress, show_text, warn
    from caplens.core.plan import columns_of
    from caplens.core.selection import select
    from caplens.output.writing import check_file

    check_file(given.output, (".json",))
    # As in combinations, every caption is parsed: SPICE without options is spice(known=false) in mean(...).
    selection = select(given.metrics, allow_code=given.allow_code, tokenizer=given.tokenizer, known="false")
    reading = given.reading(columns_of(selection.metrics))
    with progress(given.quiet):
        corpus = load_corpus(given.candidates, given.references or None, reading, given.missing)
        built = constants.build_constants(
            corpus,
            None,
            selection,
            given.output,
            jobs=given.jobs,
            parses=given.parses,
        )
    warn(built.warnings, given.quiet)
    if not given.quiet:
        show_text(f"{given.output}: {', '.join(built.keys)} on {built.captions:,} captions")


build = framework.command(
    BuildOptions,
    build_constants,
    name="build",
    examples=['caplens constants build rows.jsonl -m "wmd, spice" -o mine.json'],
)
group = framework.group("constants", "Normalisation constants for mean(...).", {"build": "caplens.cli.constants:build"})
