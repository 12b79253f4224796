import numpy as np
import numpy.typing as npt

from caplens.text._tables import PairTable

Ints = npt.NDArray[np.int32]

class SpanFinder:
    def __init__(
        self, node_words: Ints, first_child: Ints, paraphrase_offsets: Ints, is_paraphrase: npt.NDArray[np.uint8]
    ) -> None: ...
    def find(
        self,
        offsets: npt.NDArray[np.int64],
        ids: Ints,
        known: Ints,
        beginnings: Ints,
        first: int,
        last: int,
    ) -> tuple[npt.NDArray[np.int64], Ints, Ints, Ints]: ...

def relate(
    paraphrase_offsets: Ints, paraphrases: Ints, candidate_nodes: Ints, reference_nodes: Ints
) -> tuple[PairTable, Ints, Ints, Ints, Ints]: ...
