import numpy as np
import numpy.typing as npt

def scan(
    data: bytes, annotations: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]] | None: ...
