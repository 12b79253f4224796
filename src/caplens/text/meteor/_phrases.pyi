import numpy as np
import numpy.typing as npt

from caplens.text._tables import PairTable

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

class SpanFinder:
    def __init__(
        self,
        node_words: Ints,
        first_child: Ints,
        paraphrase_offsets: Ints,
        source_offsets: Ints,
        known: Ints,
        beginnings: Ints,
        numbers: PairTable,
        words: int,
    ) -> None: ...
    def find(self, offsets: Longs, ids: Ints, counts: Longs, first: int, last: int) -> None: ...
    def take(self) -> tuple[Ints, Ints, Ints]: ...

class Relater:
    def __init__(
        self, paraphrase_offsets: Ints, paraphrases: Ints, source_offsets: Ints, sources: Ints, references: PairTable
    ) -> None: ...
    def relate(self, nodes: Ints, found: Ints) -> tuple[Ints, Ints]: ...
