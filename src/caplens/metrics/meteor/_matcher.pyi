import numpy as np
import numpy.typing as npt

from caplens.text._tables import PairTable

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

class Side:
    def __init__(
        self,
        offsets: Longs,
        words: Ints,
        forms: Ints,
        stems: Ints,
        span_offsets: Longs,
        span_starts: Ints,
        span_lengths: Ints,
        span_nodes: Ints,
    ) -> None: ...

class Lexicon:
    def __init__(
        self,
        is_function: npt.NDArray[np.uint8],
        meaning_offsets: Longs,
        meanings: Ints,
        relations: tuple[PairTable, Ints, Ints, Ints, Ints],
        stems: int,
        synsets: int,
    ) -> None: ...
