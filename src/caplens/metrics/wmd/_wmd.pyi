import numpy as np
import numpy.typing as npt

class Distances:
    def __init__(
        self, below: npt.NDArray[np.float32], above: npt.NDArray[np.float32], kept: npt.NDArray[np.float64]
    ) -> None: ...

class Bags:
    most_words: int
    def __init__(
        self,
        offsets: npt.NDArray[np.int64],
        words: npt.NDArray[np.int32],
        counts: npt.NDArray[np.int32],
        totals: npt.NDArray[np.int64],
        most_words: int,
    ) -> None: ...

def nearest(
    ours: Bags,
    theirs: Bags,
    distances: Distances,
    set_offsets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    table: npt.NDArray[np.float64],
    best: npt.NDArray[np.int64],
    most_references: int,
    first: int,
    last: int,
) -> None: ...
def every(
    ours: Bags,
    theirs: Bags,
    distances: Distances,
    rows: npt.NDArray[np.int64],
    captions: npt.NDArray[np.int64],
    found: npt.NDArray[np.float64],
    first: int,
    last: int,
) -> None: ...
