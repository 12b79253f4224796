import numpy as np
import numpy.typing as npt

from caplens.text._tables import BytesTable

def index(blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint32], word: bytes) -> int: ...
def find(
    blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint32], table: BytesTable, first: int
) -> npt.NDArray[np.int32]: ...
