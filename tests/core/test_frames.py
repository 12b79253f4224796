"""Columns of Arrow tables are those that pyarrow makes itself."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.core import frames
from caplens.core.frames import number_column, text_column

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("texts", [[], [""], ["a", "", "männer 😀", "x" * 1000], ["7"] * 300])
def test_texts(texts, monkeypatch):
    column = text_column(texts)
    column.validate(full=True)
    assert column.equals(pa.array(texts, pa.string()))
    monkeypatch.setattr(frames, "_MOST_BYTES", -1)
    assert text_column(texts).equals(column)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("every", [1, 3, 2000])
def test_numbers(count, every):
    values = np.arange(count) / 3
    values[::every] = np.nan
    for given in (values, np.column_stack([values, values])[:, 1]):
        column = number_column(given)
        column.validate(full=True)
        assert column.equals(pa.array(values, pa.float64(), from_pandas=True))
        assert column.null_count == np.isnan(values).sum()
