import numpy as np
import numpy.typing as npt

from caplens.text._tables import PairTable

def extend(
    table: PairTable,
    prefixes: npt.NDArray[np.int32],
    words: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    order: int,
    first: int,
    last: int,
) -> npt.NDArray[np.int32]: ...
def count(
    starts: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    order: int,
    entry_offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    first: int,
    last: int,
) -> None: ...
def document_frequencies(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    set_offsets: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int64],
    size: int,
) -> npt.NDArray[np.int64]: ...
