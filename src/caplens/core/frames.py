"""Data frames, where pandas is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caplens.errors import MissingDataError

if TYPE_CHECKING:
    import pandas as pd


def data_frame(columns: Mapping[str, Any] | list[dict[str, Any]], index: Sequence[str] = ()) -> pd.DataFrame:
    """Make a data frame, if pandas is there; ``index`` are the columns that rows are found by."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingDataError("to_pandas() needs pandas: pip install pandas.") from None
    frame = pd.DataFrame(columns)
    return frame.set_index(list(index)) if index else frame
