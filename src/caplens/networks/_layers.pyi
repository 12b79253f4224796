import numpy as np
import numpy.typing as npt

ALL_INSTRUCTIONS: int

def use_instructions(level: int) -> None: ...

class Matrix:
    depth: int
    width: int
    def __init__(self, weights: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> None: ...
    def __call__(self, inputs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]: ...

class ShortMatrix(Matrix):
    bound: float
    def __init__(
        self, weights: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None, bound: float = 1.0
    ) -> None: ...

def run_lstm(
    recurrent: Matrix,
    inputs: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int32],
    input_column: int,
    backward: bool,
    outputs: npt.NDArray[np.float32],
    output_column: int,
) -> None: ...
def largest_rows(states: npt.NDArray[np.float32], offsets: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]: ...
def gelu(states: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]: ...
def add_normalized(
    states: npt.NDArray[np.float32],
    added: npt.NDArray[np.float32],
    scale: npt.NDArray[np.float32],
    shift: npt.NDArray[np.float32],
    epsilon: float,
) -> None: ...
def attention(
    queries: npt.NDArray[np.float32],
    query_offsets: npt.NDArray[np.int32],
    keys_values: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int32],
    heads: int,
) -> npt.NDArray[np.float32]: ...
