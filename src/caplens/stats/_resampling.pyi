import numpy as np
import numpy.typing as npt

def label_keys(labels: list[str], keys: npt.NDArray[np.uint64]) -> None: ...
def bootstrap_weights(
    seed: int, first_sample: int, keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64]
) -> None: ...
def exchange_weights(
    seed: int, first_sample: int, keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64]
) -> None: ...
