import numpy as np
import numpy.typing as npt

def replace(
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    part_offsets: npt.NDArray[np.int64],
    parts: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
