import numpy as np
import numpy.typing as npt

def bucket_numbers(
    words: list[bytes], shortest: int, longest: int, buckets: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
