import numpy as np
import numpy.typing as npt

from caplens.text._tables import BytesTable, PairTable

class PhrasePairReader:
    words: BytesTable
    edges: PairTable
    lines: int
    def __init__(self) -> None: ...
    def feed(self, piece: bytes) -> None: ...
    def finish(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
