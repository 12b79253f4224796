import numpy as np
import numpy.typing as npt

def transport(
    costs: npt.NDArray[np.float64], supply: npt.NDArray[np.int64], demand: npt.NDArray[np.int64]
) -> tuple[float, npt.NDArray[np.int64]]: ...
