import numpy as np
import numpy.typing as npt

def clipped_matches(
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    reference_offsets: npt.NDArray[np.int64],
    reference_ids: npt.NDArray[np.int32],
    reference_counts: npt.NDArray[np.int32],
    set_offsets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    matches: npt.NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
def reference_lengths(
    lengths: npt.NDArray[np.int64],
    reference_caption_lengths: npt.NDArray[np.int64],
    set_offsets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    average: bool,
    chosen: npt.NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
