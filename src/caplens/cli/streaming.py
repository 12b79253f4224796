"""``caplens score`` with ``--stream``, ``--shard-out`` or ``--engine``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caplens.errors import UsageError, counted

if TYPE_CHECKING:
    from caplens.cli.score import ScoreOptions
    from caplens.scale.task import Task

NOT_CHECKED = "note: --stream does not detect ids that occur in several batches; caplens merge does."


def score_in_parts(given: ScoreOptions) -> None:
    """Score files into a folder of shards and, with ``--stream``, put them together."""
    from caplens.cli.console import progress, show_text, tell
    from caplens.cli.merge import deliver
    from caplens.scale.merging import merge
    from caplens.scale.streaming import refuse_other_shards, score_files

    if given.shard_out is not None and (given.stream or given.output):
        raise UsageError("--shard-out only writes shards: omit -o, and combine the shards with caplens merge.")
    if given.shard_out is None and len(given.output) != 1:
        raise UsageError("Specify one output folder for the scores: -o DIR/.")
    folder = given.shard_out or given.output[0]
    if given.by:
        raise UsageError("--by needs all rows at once: omit it, or score without --stream and --shard-out.")
    if given.several:
        raise UsageError("--several needs all rows at once: omit it, or score without --stream and --shard-out.")
    if given.with_captions:
        raise UsageError("--with-captions needs all rows at once: omit it, or score without --stream and --shard-out.")
    task = _task(given)
    with progress(given.quiet):
        if given.engine is not None:
            from caplens.scale.ray import score_files as score_on_ray

            report = score_on_ray(given.candidates, folder, task, address=given.address)
        else:
            report = score_files(given.candidates, folder, task, wait=given.shard_out is None)
        if given.shard_out is None:
            refuse_other_shards(given.candidates, folder)
            result = merge(folder, check_ids=False, allow_code=given.allow_code)
            result.write(Path(folder) / "result.json")
    if not given.quiet:
        done = f"{counted(len(report.scored), 'shard')} scored, {len(report.found):,} already complete"
        busy = f", {len(report.busy):,} left to other processes" if report.busy else ""
        tell(f"{folder}: {done}{busy}")
    if given.shard_out is None:
        if not given.quiet:
            tell(NOT_CHECKED)
        deliver(result, replace(given, output=()), given.quiet, Path(folder).name)
    elif not given.quiet:
        show_text(f"caplens merge {folder} -o result.json combines the shards")


def _task(given: ScoreOptions) -> Task:
    from caplens.core.selection import select
    from caplens.scale.task import BATCH_ROWS, Task

    selection = select(given.metrics, allow_code=given.allow_code, language=given.language, tokenizer=given.tokenizer)
    return Task.of(
        selection,
        references=given.references,
        reading=given.reading(),
        missing=given.missing,
        jobs=given.jobs,
        parses=given.parses,
        max_words=given.max_words,
        seed=given.seed,
        batch_rows=given.batch_rows or BATCH_ROWS,
    )
