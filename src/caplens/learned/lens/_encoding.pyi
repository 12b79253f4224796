import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]

class Captions:
    below: int
    above: int

    def __init__(self, ids: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64], below: int, above: int) -> None: ...
    @property
    def number(self) -> int: ...
    @property
    def rows(self) -> int: ...

def add_up(captions: Captions, below: Singles, above: Singles, sums: Singles) -> None: ...
def add_windows(captions: Captions, below: Singles, above: Singles, bias: Singles, states: Singles) -> None: ...
def gather(
    captions: Captions,
    below: Singles,
    above: Singles,
    gates: Singles,
    biases: Singles,
    states: Singles,
    vectors: Singles,
    weights: Singles,
    means: Singles,
) -> None: ...
