"""The types of arrays, by what they hold."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Numbers in double precision: statistics and scores."""

Singles: TypeAlias = npt.NDArray[np.float32]
"""Numbers in single precision: word vectors and weights of networks."""

Integers: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers: counts, places and offsets."""

ShortIntegers: TypeAlias = npt.NDArray[np.int32]
"""Whole numbers of 32 bits: numbers of words, where there are many."""
