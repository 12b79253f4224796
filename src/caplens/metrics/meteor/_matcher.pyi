import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

class Side:
    def __init__(
        self, offsets: Longs, words: Ints, span_offsets: Longs, span_starts: Ints, span_numbers: Ints
    ) -> None: ...

class Lexicon:
    def __init__(
        self,
        is_function: npt.NDArray[np.uint8],
        forms: Ints,
        word_relations: tuple[Ints, Ints],
        phrase_lengths: Ints,
        phrase_relations: tuple[Ints, Ints],
        words: int,
        phrases: int,
    ) -> None: ...
