"""Score every metric at once and in shards: ``shards.py ROWS OUT NUMBERS``.

ROWS is a Parquet file whose ids are those of COCO's images, with a column ``number``; NUMBERS of shards are joined by
commas. OUT holds for each metric the largest difference of a score, of a part of one, or of a bound of an interval from
those of the whole, for each number of shards, and the metrics that were left out, with the reason.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

import caplens
from caplens.api.loading import load_corpus
from caplens.core.metric import Metric
from caplens.core.registry import names
from caplens.core.result import Result
from caplens.core.selection import select
from caplens.errors import CaplensError
from caplens.readers import ReadOptions
from caplens.scale import Task, merge, score_files

FIXED = "df=coco-val2014"
REQUESTS = {
    "cider": f"cider({FIXED})",
    "spider": f"spider({FIXED})",
    "mean": "mean(rouge, meteor, normalize=none)",
    "sum": "sum(rouge, meteor)",
    "composite": "composite(weights=Eval_MS, label=composite)",
    "given": "given(column=number)",
}
"""How metrics are asked for that do not run, or not in parts, with their usual options."""


def main(path: str, output: str, numbers: str) -> None:
    """Score, compare and write."""
    metrics, without = _metrics()
    reading = ReadOptions(further_columns=("number",))
    whole = caplens.score(load_corpus(path, options=reading), metrics=list(metrics.values()))
    differences: dict[str, list[float]] = {name: [] for name in metrics}
    for number in map(int, numbers.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            _cut(Path(path), Path(folder, "rows"), number)
            task = Task.of(list(metrics.values()), reading=reading)
            score_files([Path(folder, "rows")], Path(folder, "shards"), task)
            merged = merge(Path(folder, "shards"))
        for name, metric in metrics.items():
            differences[name].append(max(_difference(merged, whole, key) for key in metric.result_keys))
    Path(output).write_text(json.dumps({"differences": differences, "without": without}))


def _metrics() -> tuple[dict[str, Metric], dict[str, str]]:
    """Return all registered metrics, and why some cannot be scored in parts or not here."""
    found: dict[str, Metric] = {}
    without: dict[str, str] = {}
    for name in names():
        try:
            metric = select(REQUESTS.get(name, name)).metrics[0]
        except CaplensError as error:
            without[name] = str(error)
            continue
        reason = metric.missing_data() or metric.hindrance_to_parts
        if reason is None:
            found[name] = metric
        else:
            without[name] = reason
    return found, without


def _cut(path: Path, folder: Path, shards: int) -> None:
    """Write rows to files of nearly equal size; files have another order than their rows."""
    folder.mkdir()
    table = pq.read_table(path)
    for number in range(shards):
        rows = list(range(number, len(table), shards))
        pq.write_table(table.take(rows), folder / f"part-{(number * 11) % shards:04}.parquet")


def _difference(merged: Result, whole: Result, key: str) -> float:
    ours, theirs = merged[key], whole[key]
    pairs = [(ours.score, theirs.score), *zip(ours.interval, theirs.interval, strict=True)]
    pairs += [(ours.parts[name].score, part.score) for name, part in theirs.parts.items()]
    return max(abs(one - other) for one, other in pairs)


if __name__ == "__main__":
    main(*sys.argv[1:])
