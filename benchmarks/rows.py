"""Files of many rows: val2014 again and again, with new ids, and the commands that score them."""

from __future__ import annotations

import shutil
import sys
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import Bench
from measuring import Measurement

LEXICAL = "bleu, rouge, cider(df=coco-val2014)"
QUICK_SHARE = 50  # of the rows, where only some images are used


def share(bench: Bench) -> int:
    """Return what numbers of rows are divided by: more than one in a quick run."""
    return 1 if bench.inputs.images > 5_000 else QUICK_SHARE


class Rows:
    """Candidates with their references, repeated as often as needed."""

    def __init__(self, bench: Bench) -> None:
        references: dict[int, list[str]] = {}
        for row in bench.captions.references:
            references.setdefault(row["image_id"], []).append(row["caption"])
        candidates = bench.captions.candidates[: bench.inputs.images]
        self._candidates = pa.array([row["caption"] for row in candidates])
        self._references = pa.array([references[row["image_id"]] for row in candidates])

    def write(self, path: Path, rows: int, first: int = 0, *, shared: bool = False) -> Path:
        """Write rows with new ids.

        The references of every repetition stand in another order, so that each row has some of its own as rows of new
        images have; if ``shared``, they are the same lists, which are prepared once for all rows that have them.
        """
        writer = None
        for number, start in enumerate(range(0, rows, len(self._candidates))):
            references = self._references if shared else self._reordered(number)
            count = min(len(self._candidates), rows - start)
            ids = pa.array([f"row {first + start + place}" for place in range(count)])
            columns = {"candidate": self._candidates[:count], "references": references[:count], "id": ids}
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
        if writer is not None:
            writer.close()
        return path

    def _reordered(self, number: int) -> pa.ListArray:
        """Return the references of each row in another order for each ``number`` below 120."""
        offsets = self._references.offsets.to_numpy()
        lengths = np.diff(offsets)
        places = np.arange(offsets[-1])
        for length in np.unique(lengths).tolist():
            begins = offsets[:-1][lengths == length, np.newaxis]
            orders = list(islice(permutations(range(length)), 120))
            places[(begins + np.arange(length)).ravel()] = (begins + orders[number % len(orders)]).ravel()
        return pa.ListArray.from_arrays(self._references.offsets, self._references.values.take(pa.array(places)))


def score(path: Path, metrics: str, *options: object) -> list[str]:
    """Return the command that scores a file or a folder."""
    command = "from caplens.cli import main; main()"
    return [sys.executable, "-c", command, "score", str(path), "-m", metrics, "-q", *map(str, options)]


def stream(bench: Bench, label: str, path: Path, metrics: str, *options: object) -> Measurement:
    """Score a file or a folder part by part."""
    folder = bench.folder / "shards"
    shutil.rmtree(folder, ignore_errors=True)
    return bench.progress.measure(label, score(path, metrics, "--stream", "-o", folder, *options))
