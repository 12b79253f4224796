"""Files scored part by part into a folder of shards."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from caplens.errors import InputError, name_some
from caplens.files.progress import step
from caplens.readers import Batch, ReadOptions, read_batches
from caplens.scale.files import digest_of_file, expand, shard_name
from caplens.scale.parts import Part, Where, encode_items
from caplens.scale.scoring import BatchScorer
from caplens.scale.shards import LOCK, ShardFolder, held, remove_others
from caplens.scale.task import Task

SCORES = "scores"
"""What the manifest calls shards of scores."""


@dataclass
class Report:
    """What was done: the names of shards.

    ``scored`` had something to do, ``found`` were finished before, ``busy`` are being made by other processes.
    """

    scored: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)


def score_files(
    inputs: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str], task: Task, *, wait: bool = False
) -> Report:
    r"""Score files, each into a shard of its own; shards that are finished are left alone.

    Parameters
    ----------
    inputs : iterable of paths
        Files, folders, or patterns such as ``data/*.parquet``.
    folder : path
        Where the shards are, or will be. Processes on several machines may use it at once.
    task : Task
        What is computed.
    wait : bool
        Whether to wait for shards that other processes are making.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     file = Path(place, "a.jsonl")
    ...     _ = file.write_text('{"id": 1, "candidate": "a dog", "references": ["a dog", "dogs"]}\n')
    ...     for _ in range(2):
    ...         score_files([file], Path(place, "shards"), Task.of("rouge"))
    Report(scored=['a-jsonl'], found=[], busy=[])
    Report(scored=[], found=['a-jsonl'], busy=[])
    """
    return make_shards(inputs, ShardFolder.make(folder, SCORES, task.options), ScoreMaker(task), wait=wait)


class Maker(Protocol):
    """Makes the parts of shards of one kind."""

    @property
    def reading(self) -> ReadOptions:
        """How files are read."""

    @property
    def batch_rows(self) -> int:
        """How many rows make a part."""

    def find(self, path: Path) -> Where | None:
        """Return the record of a part that is there as a whole."""

    def make(self, path: Path, batch: Batch, file: Path, task: str, source: str) -> Where:
        """Make a part and return its record."""


class ScoreMaker:
    """Scores batches."""

    def __init__(self, task: Task) -> None:
        self._scorer = BatchScorer(task)
        self.reading, self.batch_rows = task.reading, task.batch_rows

    def find(self, path: Path) -> Where | None:
        """Return the record of a part."""
        found = Part.read(path)
        return None if found is None else found.record

    def make(self, path: Path, batch: Batch, file: Path, task: str, source: str) -> Where:
        """Score a batch and write its part."""
        result = self._scorer.score(batch.read(), file.name, batch.first)
        items = encode_items(result)
        part = Part.of(result, items, task=task, source=source, first=batch.first, read=batch.rows)
        part.write(path, items)
        return part.record


def make_shards(
    inputs: Iterable[str | os.PathLike[str]], shards: ShardFolder, maker: Maker, *, wait: bool = False
) -> Report:
    """Make the shards of files; those that other processes are making come last, or are left to them."""
    files = expand(inputs)
    check_names(files)
    report = Report()
    busy = [file for file in files if not make_shard(file, shards, maker, report, wait=False)]
    for file in busy:
        if wait:
            with step(f"waiting for {shard_name(file)}"):
                make_shard(file, shards, maker, report, wait=True)
        else:
            report.busy.append(shard_name(file))
    return report


def make_shard(file: Path, shards: ShardFolder, maker: Maker, report: Report, *, wait: bool) -> bool:
    """Make what a shard lacks; return False if another process is working on it."""
    name = shard_name(file)
    with held(shards.path / f"{name}{LOCK}", wait=wait) as is_ours:
        if not is_ours:
            return False
        source = digest_of_file(file)
        folder = shards.begin(file, source)
        was_finished = shards.record(name) is not None
        parts: dict[str, str] = {}
        rows = made = 0
        for number, batch in enumerate(read_batches(file, maker.reading, size=maker.batch_rows)):
            path = folder / part_name(number)
            found = maker.find(path)
            if found is not None and found.source != source:
                raise shards.other_source(file, file.name)
            if found is None or (found.task, found.first, found.read) != (shards.task, batch.first, batch.rows):
                with step(f"{file.name} from row {batch.first + 1:,}"):
                    found = maker.make(path, batch, file, shards.task, source)
                made += 1
            parts[path.name] = found.items
            rows += found.rows
        if not rows:
            raise InputError(f"There is nothing to score in {file}.")
        remove_others(folder, parts.__contains__)
        shards.finish(file, source, rows, parts)
    (report.found if was_finished and not made else report.scored).append(name)
    return True


def part_name(number: int) -> str:
    """Return the name of a part: names have the order of the batches."""
    return f"part-{number:06}"


def check_names(files: Iterable[Path]) -> None:
    """Refuse files whose shards would have the same name."""
    seen: dict[str, Path] = {}
    for file in files:
        other = seen.setdefault(shard_name(file), file)
        if other is not file:
            raise InputError(f"{other} and {file} have the same name, but each needs its own shard: rename one.")


def refuse_other_shards(inputs: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str]) -> None:
    """Refuse a folder with shards of other files than these: they would be part of the result."""
    names = {shard_name(file) for file in expand(inputs)}
    others = [name for name in ShardFolder.open(folder, SCORES).shards() if name not in names]
    if others:
        raise InputError(
            f"{os.fspath(folder)} also contains shards of other files ({name_some(others)}): use another folder, or "
            "combine all of them with caplens merge."
        )
