"""Parquet tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus import Column, PairedTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers.base import Glance, ReadOptions, Table
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
            offered = file.schema_arrow.names
            columns: dict[str, Values] = {name: [] for name in wanted_names(options) if name in offered}
            distinct = all(offered.count(name) == 1 for name in columns)  # else the table is refused below
            for batch in file.iter_batches(columns=list(columns)) if columns and distinct else ():
                for name, column in columns.items():
                    column.extend(_values(batch.column(name)))
            further = _further(file, options)
        _refuse_nested(columns, options, content.name)
        table = table_of_columns(columns, offered, options, content.name, further)
        return merge_repeated_rows(table) if isinstance(table, PairedTable) else table


@contextmanager
def parquet_file(content: Content) -> Iterator[Any]:
    """Open content as a `pyarrow.parquet.ParquetFile`; what is wrong with it becomes an `InputError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        source = str(content.path) if content.path else pa.BufferReader(content.read())
        with pq.ParquetFile(source) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{content.name} cannot be read as a Parquet file: {_one_line(error)}.") from error


def _further(file: Any, options: ReadOptions) -> dict[str, Column]:  # noqa: ANN401 - pyarrow has no types
    """Read the further columns; one of lists of numbers, all equally long (features), becomes an array."""
    import pyarrow as pa

    schema = file.schema_arrow

    def is_plain(name: str) -> bool:
        kind = schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return not pa.types.is_nested(kind) and not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind)

    names = further_names(schema.names, options, is_plain)
    if not names:
        return {}
    table = file.read(columns=names)
    return {name: _column(table.column(name).combine_chunks()) for name in names}


def _column(array: Any) -> Column:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if not len(array) or not lists or array.null_count or not pa.types.is_floating(kind.value_type):
        return array.to_pylist()  # type: ignore[no-any-return]
    lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any():
        return array.to_pylist()  # type: ignore[no-any-return]
    numbers: npt.NDArray[np.floating[Any]] = array.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(len(array), -1)


def _refuse_nested(columns: dict[str, Values], options: ReadOptions, source: str) -> None:
    """Refuse scene graphs among captions: a table has columns of its own for them."""
    roles = {"candidate": "candidate_graph", "caption": "candidate_graph", "references": "reference_graphs"}
    for role, graphs in roles.items():
        for name in options.names(role):
            if any(
                type(value) is list and any(type(entry) is list for entry in value) for value in columns.get(name, ())
            ):
                raise InputError(
                    f"{source} has lists of lists in {name!r}: scene graphs belong in a column {graphs!r}."
                )


def _values(array: Any) -> list[Any]:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        array = array.cast(pa.large_string())  # some writers leave out the mark that says text
    return array.to_pylist()  # type: ignore[no-any-return]


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
