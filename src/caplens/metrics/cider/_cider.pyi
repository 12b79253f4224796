import numpy as np
import numpy.typing as npt

def norms(
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    idf: npt.NDArray[np.float64],
    own_idf: npt.NDArray[np.float64],
    norm: npt.NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
def similarities(
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
    norm: npt.NDArray[np.float64],
    reference_offsets: npt.NDArray[np.int64],
    reference_ids: npt.NDArray[np.int32],
    reference_counts: npt.NDArray[np.int32],
    reference_lengths: npt.NDArray[np.int64],
    reference_norm: npt.NDArray[np.float64],
    set_offsets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    idf: npt.NDArray[np.float64],
    clip: bool,
    sigma: float,
    table: npt.NDArray[np.float64],
    order: int,
    first: int,
    last: int,
) -> None: ...
