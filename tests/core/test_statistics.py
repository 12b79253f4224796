"""Tables of statistics."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.core.statistics import Statistics


def table(*rows, columns=("a", "b")):
    return Statistics(columns, np.array(rows, dtype=float))


def test_columns_by_name():
    found = table([1, 2], [3, 4])
    assert found["b"].tolist() == [2, 4]
    assert len(found) == 2


def test_shards_are_put_together_in_order():
    assert Statistics.concatenate([table([1, 2]), table([3, 4], [5, 6])])["a"].tolist() == [1, 3, 5]


def test_statistics_of_two_metrics_are_refused():
    with pytest.raises(ValueError, match="of the same metric"):
        Statistics.concatenate([table([1, 2]), table([1, 2], columns=("a", "c"))])
