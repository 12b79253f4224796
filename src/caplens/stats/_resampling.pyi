import numpy as np
import numpy.typing as npt

def label_keys(labels: list[str], keys: npt.NDArray[np.uint64]) -> None: ...
def bootstrap_weights(
    seed: int, first_sample: int, keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64]
) -> None: ...
def exchange_weights(
    seed: int, first_sample: int, keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64]
) -> None: ...
def add_weighted(
    weights: npt.NDArray[np.float64],
    table: npt.NDArray[np.float64],
    first_row: int,
    sums: npt.NDArray[np.float64],
    first_sample: int,
) -> None: ...
