"""Results into files; the suffix says how. A file is written whole or not at all, and never holds a NaN."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from caplens.errors import UsageError
from caplens.files.atomic import atomic_path, check_writable

SUFFIXES = (".json", ".jsonl", ".csv", ".parquet")


class Scored(Protocol):
    """What is asked of the scores of a system: see `caplens.Result`."""

    def summary(self) -> dict[str, dict[str, Any]]:
        """Return the corpus scores."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the item scores."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything."""

    def to_arrow(self) -> Any:  # noqa: ANN401 (pyarrow is loaded when it is used)
        """Return the item scores as an Arrow table."""


def check_output(path: str | os.PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    check_suffix(path, suffixes)
    check_writable(path)


def check_suffix(path: str | os.PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """Return the suffix of an output file, or say which ones there are."""
    suffix, listed = Path(path).suffix.lower(), " or ".join(suffixes)
    if suffix == ".html":
        raise UsageError(f"HTML pages are not part of this version; write {listed}.")
    if suffix not in suffixes:
        raise UsageError(f"{Path(path).name!r} cannot be written: its name must end in {listed}.")
    return suffix


def write_scores(scores: Scored, path: str | os.PathLike[str]) -> None:
    """Write a result: .json holds everything, .jsonl, .csv and .parquet the item scores (and their parts)."""
    suffix = check_suffix(path)
    if suffix == ".json":
        _write_bytes(path, _json(scores.to_dict()))
    elif suffix == ".parquet":
        _write_parquet(path, scores.to_arrow(), {"caplens": _json(scores.summary())})
    else:
        _WRITE_ROWS[suffix](path, scores.to_rows())


def write_comparison(comparison: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a comparison: .json holds everything, .jsonl, .csv and .parquet the tests."""
    suffix = check_suffix(path)
    if suffix == ".json":
        _write_bytes(path, _json(comparison))
        return
    rows = []
    for test in comparison["tests"]:
        low, high = test["interval"]
        rows.append({**{key: value for key, value in test.items() if key != "interval"}, "low": low, "high": high})
    if suffix == ".parquet":
        import pyarrow as pa

        _write_parquet(path, pa.Table.from_pylist(rows), {"caplens": _json(comparison["systems"])})
    else:
        _WRITE_ROWS[suffix](path, rows)


def write_explanations(explanations: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write explanations as a JSON list."""
    check_suffix(path, (".json",))
    _write_bytes(path, _json(explanations))


def _json(data: object) -> bytes:
    import msgspec

    return msgspec.json.encode(data)


def _write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def _write_jsonl(path: str | os.PathLike[str], rows: Iterable[dict[str, Any]]) -> None:
    _write_bytes(path, b"".join(_json(row) + b"\n" for row in rows))


def _write_csv(path: str | os.PathLike[str], rows: Iterable[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)  # None becomes an empty cell
    _write_bytes(path, text.getvalue().encode("utf-8"))


def _write_parquet(path: str | os.PathLike[str], table: Any, facts: dict[str, bytes]) -> None:  # noqa: ANN401 (pyarrow)
    import pyarrow.parquet as pq

    metadata = {key.encode(): value for key, value in facts.items()}
    with atomic_path(path) as temporary:
        pq.write_table(table.replace_schema_metadata(metadata), temporary, compression="zstd")


_WRITE_ROWS: dict[str, Callable[[str | os.PathLike[str], Iterable[dict[str, Any]]], None]] = {
    ".jsonl": _write_jsonl,
    ".csv": _write_csv,
}
