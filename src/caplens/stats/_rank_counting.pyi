import numpy as np
import numpy.typing as npt

def weighted_sums(
    owner: npt.NDArray[np.int32],
    level: npt.NDArray[np.int32],
    begins: npt.NDArray[np.uint8],
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    levels: int,
    weights: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
) -> None: ...
