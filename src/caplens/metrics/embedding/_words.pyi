import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

def counting(ids: Rows, offsets: Offsets, numbers: Rows) -> tuple[Offsets, Rows]: ...
def mean_vectors(
    offsets: Offsets, rows: Rows, below: Vectors, above: Vectors, means: Vectors, first: int, last: int
) -> None: ...
def extreme_vectors(
    offsets: Offsets, rows: Rows, below: Vectors, above: Vectors, extremes: Vectors, first: int, last: int
) -> None: ...
def cosines(
    ours: Vectors,
    theirs: Vectors,
    set_offsets: Offsets,
    reference_set: Offsets,
    signed: bool,
    table: Floats,
    first: int,
    last: int,
) -> None: ...
def greedy_matches(
    offsets: Offsets,
    rows: Rows,
    reference_offsets: Offsets,
    reference_rows: Rows,
    below: Vectors,
    above: Vectors,
    set_offsets: Offsets,
    reference_set: Offsets,
    table: Floats,
    first: int,
    last: int,
) -> None: ...
