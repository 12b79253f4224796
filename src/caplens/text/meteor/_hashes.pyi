import numpy as np
import numpy.typing as npt

from caplens.text._tables import BytesTable, PairTable

def java_hash(text: str) -> int: ...
def number_hashes(words: BytesTable, first: int, numbers: PairTable) -> npt.NDArray[np.int32]: ...
