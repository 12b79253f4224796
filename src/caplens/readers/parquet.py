"""Parquet tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus import Column, PairedTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.files.packages import require_arrow
from caplens.readers.base import Batch, Glance, ReadOptions, Table, source_of_rows
from caplens.readers.fields import Values, further_names, merge_repeated_rows, table_of_columns, wanted_names


class Parquet:
    """Columns of strings, numbers and lists of strings, plain or dictionary-encoded."""

    name = "parquet"
    example = "columns id, candidate, references"

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See the magic number."""
        return glance.head.startswith(b"PAR1")

    def read(self, content: Content, options: ReadOptions) -> Table:
        """Read the wanted columns batch by batch."""
        with parquet_file(content) as file:
            schema = file.schema_arrow
            offered = schema.names
            columns: dict[str, Values] = {name: [] for name in wanted_names(options) if name in offered}
            distinct = all(offered.count(name) == 1 for name in columns)  # else the table is refused below
            for batch in file.iter_batches(columns=list(columns)) if columns and distinct else ():
                for name, column in columns.items():
                    column.extend(_values(batch.column(name)))
            names = _further_names(schema, options)
            further = _further(file.read(columns=names), names) if names else {}
        return _table(columns, schema, options, content.name, further)

    def batches(self, content: Content, options: ReadOptions, size: int) -> Iterator[Batch]:
        """Read so many rows at a time, however the file groups them."""
        with parquet_file(content) as file:
            schema = file.schema_arrow
            further = _further_names(schema, options)
            wanted = [name for name in wanted_names(options) if name in schema.names]
            if not wanted or any(schema.names.count(name) > 1 for name in wanted):
                table_of_columns({name: [] for name in wanted}, schema.names, options, content.name)  # refuses it
            first = 0
            for rows in _regrouped(file.iter_batches(size, columns=[*wanted, *further]), size):
                source = source_of_rows(content.name, first, rows.num_rows)
                yield Batch(first, rows.num_rows, partial(_read_rows, rows, wanted, further, schema, options, source))
                first += rows.num_rows


def arrow_table(rows: Any, options: ReadOptions, source: str) -> Table:  # noqa: ANN401 - pyarrow has no types
    """Read captions from an Arrow table with the columns of a file."""
    wanted = [name for name in wanted_names(options) if name in rows.schema.names]
    return _read_rows(rows, wanted, _further_names(rows.schema, options), rows.schema, options, source)


def _read_rows(
    rows: Any,  # noqa: ANN401 - pyarrow has no types
    wanted: list[str],
    further: list[str],
    schema: Any,  # noqa: ANN401
    options: ReadOptions,
    source: str,
) -> Table:
    columns = {name: _values(rows.column(name)) for name in wanted}
    return _table(columns, schema, options, source, _further(rows, further))


def _table(
    columns: dict[str, Values],
    schema: Any,  # noqa: ANN401 - pyarrow has no types
    options: ReadOptions,
    source: str,
    further: dict[str, Column],
) -> Table:
    _refuse_nested(schema, options, source)
    table = table_of_columns(columns, schema.names, options, source, further)
    return merge_repeated_rows(table) if isinstance(table, PairedTable) else table


def _regrouped(batches: Iterator[Any], size: int) -> Iterator[Any]:
    """Put record batches together, or cut them, so that each table but the last has ``size`` rows."""
    import pyarrow as pa

    waiting: list[Any] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        while rows >= size:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, size)
            waiting = table.slice(size).to_batches()
            rows -= size
    if rows:
        yield pa.Table.from_batches(waiting)


@contextmanager
def parquet_file(content: Content) -> Iterator[Any]:
    """Open content as a `pyarrow.parquet.ParquetFile`; what is wrong with it becomes an `InputError`."""
    require_arrow("Parquet files")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        source = str(content.path) if content.path else pa.BufferReader(content.read())
        # Buffered beforehand, the whole file would be in memory while its first rows are read.
        with pq.ParquetFile(source, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{content.name} cannot be read as a Parquet file: {_one_line(error)}.") from error


def _further_names(schema: Any, options: ReadOptions) -> list[str]:  # noqa: ANN401 - pyarrow has no types
    """Return the further columns that are kept."""
    import pyarrow as pa

    def is_plain(name: str) -> bool:
        kind = schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return not pa.types.is_nested(kind) and not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind)

    return further_names(schema.names, options, is_plain)


def _further(table: Any, names: list[str]) -> dict[str, Column]:  # noqa: ANN401 - pyarrow has no types
    """Return further columns; one of lists of numbers, all equally long (features), becomes an array."""
    return {name: _column(table.column(name).combine_chunks()) for name in names}


def _column(array: Any) -> Column:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if not len(array) or not _is_list(kind) or array.null_count or not pa.types.is_floating(kind.value_type):
        return array.to_pylist()  # type: ignore[no-any-return]
    lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any():
        return array.to_pylist()  # type: ignore[no-any-return]
    numbers: npt.NDArray[np.floating[Any]] = array.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(len(array), -1)


def _refuse_nested(schema: Any, options: ReadOptions, source: str) -> None:  # noqa: ANN401 - pyarrow has no types
    """Refuse scene graphs among captions: a table has columns of its own for them."""
    roles = {"candidate": "candidate_graph", "caption": "candidate_graph", "references": "reference_graphs"}
    homes = {name: graphs for role, graphs in roles.items() for name in options.names(role)}
    for name, kind in zip(schema.names, schema.types, strict=True):
        if name in homes and _is_list(kind) and _is_list(kind.value_type):
            raise InputError(
                f"{source} has lists of lists in {name!r}: scene graphs belong in a column {homes[name]!r}."
            )


def _is_list(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _values(array: Any) -> list[Any]:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        array = array.cast(pa.large_string())  # some writers leave out the mark that says text
    return array.to_pylist()  # type: ignore[no-any-return]


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
