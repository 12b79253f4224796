"""A part: what is kept of one batch. Item scores in a Parquet file, and beside it, written last, the sums.

The second file carries a checksum of the first and one of its own, so a part is there as a whole or it is made again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from caplens.core.result import Result
from caplens.core.statistics import Share
from caplens.core.totals import Totals
from caplens.errors import InputError, Notice, reason_of
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.atomic import replacing
from caplens.files.checks import DamagedFileError

if TYPE_CHECKING:
    import pyarrow as pa

ITEMS, SUMS = ".parquet", ".sums"
_FACTS = "part"

Record = TypeVar("Record", bound="Where")


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where the rows of a part come from.

    Attributes
    ----------
    task, source : str
        Hashes of the options and of the file that the rows come from.
    first, read, rows : int
        How many rows of the file come before, how many were read, how many were used.
    items : str
        A checksum of the first of its files.
    """

    task: str
    source: str
    first: int
    read: int
    rows: int
    items: str


class PartRecord(Where, frozen=True, kw_only=True):
    """What is said of a scored part besides its numbers.

    Attributes
    ----------
    fewest, most : int
        How many references rows have.
    cut : int
        How many captions were too long.
    widths : list of int
        How many columns of statistics each metric has.
    facts : list of dict
        For each metric, the data that it used.
    coverage : list of dict
        For each metric, what files say beside its main score: how many of how many.
    notices : list of Notice
        What was odd.
    """

    fewest: int
    most: int
    cut: int
    widths: list[int]
    facts: list[dict[str, str]]
    coverage: list[dict[str, tuple[int, int]]]
    notices: list[Notice]


@dataclass(frozen=True)
class Part:
    """The sums of a batch, and what is said of it."""

    record: PartRecord
    totals: Totals

    @classmethod
    def of(cls, result: Result, items: bytes, **where: Any) -> Self:  # noqa: ANN401 (fields of the record)
        """Make the part of a scored batch; ``where`` says where its rows come from."""
        sizes = np.diff(result.corpus.references.offsets)
        facts = result.facts
        record = PartRecord(
            rows=len(result.corpus),
            fewest=int(sizes.min(initial=int(sizes.max(initial=0)))),
            most=int(sizes.max(initial=0)),
            cut=int(facts.get("cut", 0)),
            widths=[len(run.statistics.columns) for run in result.runs],
            facts=[run.state.facts for run in result.runs],
            coverage=[_shares(run.coverage) for run in result.runs],
            notices=list(result.warnings),
            items=checksum(items),
            **where,
        )
        return cls(record, Totals.of(result))

    def write(self, path: Path, items: bytes) -> None:
        """Write both files; ``path`` is theirs without the ending."""
        totals = self.totals
        arrays = {"sums": totals.sums, "resampled": totals.resampled, "units": totals.units}
        write_files(path, items, arrays, self.record)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Read a part; None if it is absent, damaged, or its item scores are not those it was written with."""
        found = read_files(path, PartRecord)
        if found is None:
            return None
        record, arrays = found
        return cls(record, Totals(record.rows, arrays["sums"], arrays["resampled"], arrays["units"]))


def _shares(coverage: Mapping[str, Share | float]) -> dict[str, tuple[int, int]]:
    """Return shares as numbers that can be added up; metrics that are computed in parts have nothing else."""
    return {name: (share.part, share.whole) for name, share in coverage.items() if isinstance(share, Share)}


def write_files(path: Path, items: bytes, arrays: Mapping[str, NDArray[Any]], record: Where) -> None:
    """Write the two files of a part, the one with the checksums last; ``path`` is theirs without the ending."""
    with writing(path):
        with replacing(path.with_suffix(ITEMS)) as temporary:
            temporary.write_bytes(items)
        with replacing(path.with_suffix(SUMS)) as temporary:
            write_arrays(temporary, arrays, {_FACTS: msgspec.json.encode(record).decode()})


def read_files(path: Path, kind: type[Record]) -> tuple[Record, Arrays] | None:
    """Read what `write_files` wrote; None if that is not all there as it was."""
    try:
        arrays = read_arrays(path.with_suffix(SUMS))
        record = msgspec.json.decode(arrays.facts[_FACTS], type=kind)
        if checksum(path.with_suffix(ITEMS).read_bytes()) != record.items:
            return None
    except (OSError, KeyError, DamagedFileError, msgspec.MsgspecError):
        return None
    return record, arrays


def encode_items(result: Result) -> bytes:
    """Return the item scores as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(result.to_arrow(), buffer, compression="zstd")
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def read_items(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read the item scores of a part; ``pyarrow.parquet.read_table`` would load pandas, where it is installed."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read(columns)


def checksum(content: bytes) -> str:
    """Return a checksum of the content of a file."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what goes wrong while a file is written into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{os.fspath(path)} cannot be written: {reason_of(error)}.") from error
