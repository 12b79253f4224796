import numpy as np
import numpy.typing as npt

LONGEST: int

def choose(
    offsets: npt.NDArray[np.int32],
    words: npt.NDArray[np.uint32],
    tag_starts: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    tag_scores: npt.NDArray[np.float32],
    arc_starts: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    arc_scores: npt.NDArray[np.float32],
    kinds: npt.NDArray[np.uint8],
    speaking: npt.NDArray[np.uint8],
    inner: npt.NDArray[np.uint8],
    named: tuple[int, int, int, int],
    weights: npt.NDArray[np.float32],
    chosen: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float32],
) -> None: ...
