import numpy as np
import numpy.typing as npt

from caplens.text._tables import BytesTable

def find_bases(
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.uint32],
    synset_offsets: npt.NDArray[np.uint32],
    rules: tuple[tuple[bytes, bytes], ...],
    table: BytesTable,
    first: int,
) -> npt.NDArray[np.int32]: ...
