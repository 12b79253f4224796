import numpy as np
import numpy.typing as npt

COLUMNS: tuple[str, ...]
SHARPNESS: float
LEAST_AGREEMENT: float
LEAST_LIKENESS: float
MORE_REFERENCES: float
SUPPORTED_WORD: float

class Encoded:
    def __init__(
        self,
        offsets: npt.NDArray[np.int64],
        vectors: npt.NDArray[np.float32],
        weights: npt.NDArray[np.float32],
        captions: npt.NDArray[np.float32],
    ) -> None: ...

def compare(
    candidates: Encoded,
    usual: npt.NDArray[np.float32],
    references: Encoded,
    sets: npt.NDArray[np.int64],
    reference_set: npt.NDArray[np.int64],
    table: npt.NDArray[np.float64],
) -> None: ...
