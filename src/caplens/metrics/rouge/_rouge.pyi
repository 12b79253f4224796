import numpy as np
import numpy.typing as npt

def precision_recall(
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    reference_offsets: npt.NDArray[np.int64],
    reference_ids: npt.NDArray[np.int32],
    set_offsets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    table: npt.NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
