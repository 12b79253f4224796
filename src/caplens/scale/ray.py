"""Ray Data as the engine: files scored on a cluster, and Ray datasets scored where they are.

`score_files` lets Ray schedule the shards of the file protocol, so its result is that of one process, bit for bit, and
a rerun resumes. `score` takes a dataset that is in Ray already. On one machine Ray costs more than it brings unless
there is a lot to do: it is never chosen by itself.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caplens.core.evaluator import Evaluator
from caplens.core.selection import MetricRequest, Selection
from caplens.core.totals import Totals
from caplens.errors import CaplensError, InputError, MissingDataError, reason_of
from caplens.readers.parquet import arrow_table
from caplens.scale.files import digest_of_text, expand
from caplens.scale.merging import MergedResult, refuse_repeated_ids
from caplens.scale.parts import ITEMS, Part, PartRecord, encode_items
from caplens.scale.scoring import BatchScorer
from caplens.scale.shards import ShardFolder
from caplens.scale.streaming import SCORES, Report, ScoreMaker, check_names, make_shard
from caplens.scale.task import BATCH_ROWS, Task

if TYPE_CHECKING:
    from ray.data import Dataset

ACTOR_CPUS = 0.5
"""CPUs that an actor reserves: with a whole one each, actors leave none to the tasks that read for them."""
ROW_BYTES = 25_000
"""Memory that a row takes while its batch is scored, at most: measured with all COCO metrics at once."""
FEWEST_ROWS = 500


def score_files(
    inputs: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    task: Task,
    *,
    address: str | None = None,
) -> Report:
    """Score files into a folder of shards, as `caplens.scale.score_files` does, on the workers of a Ray cluster.

    Files and folder must be on a file system that all workers see. A worker that is lost loses one batch: its shard is
    given to another, which continues where it stopped.

    Parameters
    ----------
    inputs : iterable of paths
        Files, folders or patterns. A file is scored by one worker, so have at least as many files as workers.
    folder : path
        Where the shards are, or will be.
    task : Task
        What is computed. Each worker uses one thread, whatever it says.
    address : str, optional
        The cluster; by default the one that this process is connected to, else one is started on this machine.
    """
    ray = start(address)
    files = [path.absolute() for path in expand(inputs)]
    check_names(files)
    task = replace(task, jobs=1, references=tuple(str(Path(path).absolute()) for path in task.references))
    shards = ShardFolder.make(Path(folder).absolute(), SCORES, task.options)
    load_data(task)
    rows = ray.data.from_items([{"file": str(file)} for file in files], override_num_blocks=len(files))
    done = rows.map_batches(
        _ShardActor,
        fn_constructor_kwargs={"task": task, "folder": str(shards.path)},
        batch_size=1,
        **_workers(ray, len(files)),
    )
    report = Report()
    for row in done.iter_rows():
        if row["problem"]:
            raise InputError(row["problem"])
        getattr(report, row["state"]).append(row["name"])
    for names in (report.scored, report.found):
        names.sort()
    return report


def score(
    dataset: Dataset,
    metrics: MetricRequest = None,
    *,
    items: str | os.PathLike[str] | None = None,
    batch_rows: int | None = None,
    check_ids: bool = True,
    **settings: Any,  # noqa: ANN401 (those of Task.of)
) -> MergedResult:
    """Score the rows of a Ray dataset on the workers that store them.

    Parameters
    ----------
    dataset : ray.data.Dataset
        With the columns of a file of rows: ``id``, ``candidate``, ``references`` (a list), perhaps ``image``. Every row
        needs an id, since Ray does not keep their order.
    metrics : str or list, optional
        In the metric grammar. CIDEr needs fixed document frequencies.
    items : path, optional
        A folder accessible to all workers, for Parquet files of item scores; by default, item scores are not kept.
    batch_rows : int, optional
        Number of rows that a worker scores at a time; by default, as many as its memory allows, at most 20,000.
    check_ids : bool
        Whether to reject duplicate ids (only if ``items`` is given).
    **settings
        As for `caplens.scale.Task.of`: ``missing``, ``max_words``, ``resamples``, ``seed``, ``reading``.

    Returns
    -------
    MergedResult
        The corpus scores; equal to those of one process up to rounding, since Ray decides which rows are in a batch.
    """
    ray = start(None)
    task = replace(Task.of(metrics, **settings), jobs=1)
    load_data(task)
    workers = _workers(ray, int(ray.cluster_resources().get("CPU", 1)))
    size = batch_rows or rows_that_fit(ray.cluster_resources().get("memory", 0.0), workers["compute"].max_size)
    folder = None if items is None else Path(items).absolute()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    scored = dataset.map_batches(
        _BatchActor,
        fn_constructor_kwargs={"task": task, "folder": folder},
        batch_size=size,
        batch_format="pyarrow",
        **workers,
    )
    parts = _collected(scored)
    names = sorted(parts)
    files = () if folder is None else tuple(folder / f"{name}{ITEMS}" for name in names)
    totals = Totals.add(parts[name].totals for name in names)
    if check_ids:
        refuse_repeated_ids(files, totals.rows)
    return MergedResult.of(task.metrics, [parts[name].record for name in names], totals, task.options, files)


def start(address: str | None) -> Any:  # noqa: ANN401 (the module)
    """Return Ray, connected to a cluster: to one that is running, or to one that is started on this machine."""
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingDataError('The engine ray needs Ray Data: pip install "caplens[ray]".') from None
    if not ray.is_initialized():
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # caplens sends nothing anywhere
        try:
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = f"at {address}" if address else "on this machine"
            raise InputError(f"There is no Ray cluster {where}: {reason_of(error).splitlines()[0]}.") from error
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    return ray


def load_data(task: Task) -> None:
    """Load what the metrics need, here and once, so that workers find METEOR's index made instead of all making it."""
    Evaluator(Selection(task.metrics), [["a dog"]], max_words=task.max_words).fitted()


def rows_that_fit(memory: float, workers: int) -> int:
    """Return how many rows a worker can score at a time, given the memory of all.

    Examples
    --------
    >>> rows_that_fit(64e9, 8), rows_that_fit(1e9, 8)
    (20000, 2500)
    """
    fitting = int(memory / max(workers, 1) / 2 / ROW_BYTES)  # half of it: Ray keeps blocks and results there too
    return min(max(fitting, FEWEST_ROWS), BATCH_ROWS)


def _workers(ray: Any, most: int) -> dict[str, Any]:  # noqa: ANN401 (the module)
    """Return how actors are made: as many as there is work or CPUs for; Ray Data makes a lost one again by itself."""
    cpus = int(ray.cluster_resources().get("CPU", 1))
    return {
        "compute": ray.data.ActorPoolStrategy(min_size=1, max_size=max(1, min(cpus, most))),
        "num_cpus": ACTOR_CPUS,
    }


class _ShardActor:
    """Makes shards of the file protocol, one after the other."""

    def __init__(self, task: Task, folder: str) -> None:
        self._maker = ScoreMaker(task)
        self._shards = ShardFolder.open(folder, SCORES)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[str]]:
        rows: dict[str, list[str]] = {"name": [], "state": [], "problem": []}
        for file in batch["file"].tolist():
            report, problem = Report(), ""
            try:
                make_shard(Path(file), self._shards, self._maker, report, wait=True)
            except CaplensError as error:
                problem = str(error)
            rows["name"].extend(report.scored or report.found or [file])
            rows["state"].append("scored" if report.scored else "found")
            rows["problem"].append(problem)
        return rows


class _BatchActor:
    """Scores batches of a dataset; gives their sums, each as a row."""

    def __init__(self, task: Task, folder: Path | None) -> None:
        self._scorer = BatchScorer(task)
        self._folder = folder

    def __call__(self, batch: Any) -> dict[str, list[Any]]:  # noqa: ANN401 (an Arrow table)
        try:
            return self._score(batch)
        except CaplensError as error:
            return {name: [str(error) if name == "problem" else None] for name in _COLUMNS}

    def _score(self, batch: Any) -> dict[str, list[Any]]:  # noqa: ANN401
        task = self._scorer.task
        table = arrow_table(batch, task.reading, "the dataset")
        if table.by_position:
            raise InputError("The dataset has no column of ids: add one, since Ray does not keep the order of rows.")
        result = self._scorer.score(table, "")
        content = encode_items(result)
        name = digest_of_text("\n".join(result.ids))
        part = Part.of(result, content, task=task.digest, source="", first=0, read=len(table.ids))
        if self._folder is not None:
            part.write(self._folder / name, content)
        arrays = (part.totals.sums, part.totals.resampled, part.totals.units)
        cells = [name, msgspec.json.encode(part.record), *(array.tobytes() for array in arrays), None]
        return {column: [cell] for column, cell in zip(_COLUMNS, cells, strict=True)}


_COLUMNS = ("name", "record", "sums", "resampled", "units", "problem")


def _collected(scored: Dataset) -> dict[str, Part]:
    """Return the parts by name; a batch that was scored twice, since a worker was lost, counts once."""
    parts = {}
    for row in scored.iter_rows():
        if row["problem"]:
            raise InputError(row["problem"])
        record = msgspec.json.decode(row["record"], type=PartRecord)
        sums = np.frombuffer(row["sums"])
        resampled = np.frombuffer(row["resampled"]).reshape(-1, len(sums) + 1)
        units = np.frombuffer(row["units"], dtype=np.uint64)
        parts[row["name"]] = Part(record, Totals(record.rows, sums, resampled, units))
    if not parts:
        raise InputError("There is nothing to score: the dataset has no rows.")
    return parts
