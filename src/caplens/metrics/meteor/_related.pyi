import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
_Groups = tuple[Ints, Ints]

class WordRelater:
    def __init__(
        self, forms: Ints, by_form: _Groups | None, by_stem: _Groups | None, by_synset: _Groups | None
    ) -> None: ...
    def relate(
        self, ids: Ints, forms: Ints, stems: Ints, meaning_offsets: npt.NDArray[np.int64], meanings: Ints
    ) -> tuple[Ints, Ints]: ...
