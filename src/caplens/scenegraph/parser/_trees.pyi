from typing import Any

import numpy as np
import numpy.typing as npt

def find_trees(
    queries: npt.NDArray[np.float32],
    keys: npt.NDArray[np.float32],
    root: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int32],
    heads: npt.NDArray[Any],
) -> None: ...
def likely_heads(
    queries: npt.NDArray[np.float32],
    keys: npt.NDArray[np.float32],
    root: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int32],
    least: float,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
