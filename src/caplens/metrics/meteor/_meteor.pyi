import numpy as np
import numpy.typing as npt

from caplens.metrics.meteor._matcher import Lexicon, Side

Longs = npt.NDArray[np.int64]

class Scorer:
    def __init__(
        self,
        candidates: Side,
        references: Side,
        lexicon: Lexicon,
        stages: tuple[bool, ...],
        weights: tuple[float, ...],
        alpha: float,
        beta: float,
        gamma: float,
        delta: float,
        beam: int,
    ) -> None: ...
    def score_captions(
        self,
        set_offsets: Longs,
        reference_set: Longs,
        table: npt.NDArray[np.float64],
        best: Longs,
        first: int,
        last: int,
    ) -> None: ...
    def alignment(self, row: int, caption: int) -> tuple[list[tuple[int, int, int, int, int]], list[float]]: ...
