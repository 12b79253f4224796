"""Data frames, where pandas is installed, and columns of Arrow tables, where it need not be loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from caplens.arrays import Floats
from caplens.errors import MissingDataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_MOST_BYTES = 2**31 - 1  # of the texts of one Arrow column


def data_frame(columns: Mapping[str, Any] | list[dict[str, Any]], index: Sequence[str] = ()) -> pd.DataFrame:
    """Make a data frame, if pandas is there; ``index`` are the columns that rows are found by."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingDataError("to_pandas() needs pandas: pip install pandas.") from None
    frame = pd.DataFrame(columns)
    return frame.set_index(list(index)) if index else frame


def text_column(texts: Sequence[str]) -> pa.Array:
    """Return texts as a column of an Arrow table.

    ``pyarrow.array`` gives the same, but loads pandas, where it is installed, to see whether it was given a series:
    that takes longer than to score some thousand rows of a stream.

    Examples
    --------
    >>> text_column(["a", "bc"]).to_pylist()
    ['a', 'bc']
    """
    import pyarrow as pa

    encoded = [text.encode("utf-8") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)])
    if ends[-1] > _MOST_BYTES:
        return pa.array(texts, pa.string())
    buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def number_column(values: Floats) -> pa.Array:
    """Return numbers as a column of an Arrow table, NaN as null; see `text_column` for why.

    Examples
    --------
    >>> number_column(np.array([1.5, np.nan])).to_pylist()
    [1.5, None]
    """
    import pyarrow as pa

    values = np.ascontiguousarray(values, dtype=np.float64)
    missing = np.isnan(values)
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(pa.float64(), len(values), [valid, pa.py_buffer(values)])
