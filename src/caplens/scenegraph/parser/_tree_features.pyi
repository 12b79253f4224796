import numpy as np
import numpy.typing as npt

def tree_features(
    words: npt.NDArray[np.uint32],
    tags: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    kinds: npt.NDArray[np.uint8],
    speaking: npt.NDArray[np.uint8],
    inner: npt.NDArray[np.uint8],
    named: tuple[int, int, int, int],
    bits: int,
) -> list[int]: ...
