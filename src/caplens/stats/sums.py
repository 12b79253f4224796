"""Sums of many rows that do not depend on their order, to the last bit.

Every column is written as one or two columns of multiples of a power of two, so coarse that no sum of them is ever
rounded: then they can be added, weighted with whole numbers and multiplied as matrices in any order, and only the last
addition rounds. Columns of counts need one such column; what is cut off the others is beyond the last bit of a sum.
"""

from __future__ import annotations

import math

import numpy as np

from caplens.arrays import Floats

# Powers of two between the number of rows and the largest sum of weights: no unit is drawn more than 12 times.
_ROOM = 4
# Quanta of columns whose numbers are all below 2 to this power would underflow: what is far smaller counts as zero.
_SMALLEST_POWER = -900


class ExactColumns:
    """A table whose column sums, also under small whole weights, are exact until they are rounded once at the end.

    Parameters
    ----------
    table : numpy.ndarray, shape (rows, columns)
        The numbers. A column with one that is not finite is taken as it is.

    Attributes
    ----------
    parts : numpy.ndarray, shape (rows, columns + number of fine columns)
        The columns, coarse, and what is left of those that need more.
    """

    def __init__(self, table: Floats) -> None:
        columns = np.ascontiguousarray(table.T)  # a column's numbers side by side are several times as fast
        # For sums of so many rows to be exact, numbers may have this many bits.
        bits = np.finfo(np.float64).nmant + 1 - _ROOM - math.ceil(math.log2(max(len(table), 1)))
        self._fine: list[int] = []
        coarse, fine = [], []
        for place, numbers in enumerate(columns):
            largest = float(np.abs(numbers).max(initial=0.0))
            if not math.isfinite(largest):
                coarse.append(numbers)
                continue
            power = max(math.frexp(largest)[1], _SMALLEST_POWER)
            coarse.append(_rounded(numbers, power - bits))
            left = numbers - coarse[-1]
            if left.any():
                self._fine.append(place)
                fine.append(_rounded(left, power - 2 * bits))
        self._columns = len(columns)
        self.parts = np.array([*coarse, *fine]).reshape(len(coarse) + len(fine), len(table)).T

    def join(self, sums: Floats) -> Floats:
        """Return sums of the columns from sums of the parts (last axis)."""
        joined = sums[..., : self._columns].copy()
        joined[..., self._fine] += sums[..., self._columns :]
        return joined


def column_sums(table: Floats) -> Floats:
    """Return the sum of each column, independent of the order of the rows.

    Examples
    --------
    >>> table = np.array([[0.1], [0.7], [1e9], [-1e9]])
    >>> column_sums(table) == column_sums(table[::-1])
    array([ True])
    """
    columns = ExactColumns(table)
    return columns.join(columns.parts.sum(axis=0))


def _rounded(numbers: Floats, power: int) -> Floats:
    """Round to multiples of a power of two."""
    rounded: Floats = np.rint(numbers * math.ldexp(1.0, -power)) * math.ldexp(1.0, power)
    return rounded
