import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

def group(keys: Ints, owners: Ints, count: int) -> tuple[Ints, Ints]: ...
