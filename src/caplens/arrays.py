"""The types of arrays, by what they hold."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Double-precision numbers: statistics and scores."""

Singles: TypeAlias = npt.NDArray[np.float32]
"""Single-precision numbers: word vectors and network weights."""

Integers: TypeAlias = npt.NDArray[np.int64]
"""Integers: counts, indices and offsets."""

ShortIntegers: TypeAlias = npt.NDArray[np.int32]
"""32-bit integers: word numbers, where there are many."""
