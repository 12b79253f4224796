from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from caplens.text._tables import BytesTable

class ChunkEncoder:
    words: BytesTable
    base: ChunkEncoder | None
    tokenize: Callable[[str], list[str]]
    ptb: bool
    def __init__(
        self,
        tokenize: Callable[[str], list[str]],
        special_words: tuple[Collection[str], Collection[str]] | None = None,
        base: ChunkEncoder | None = None,
    ) -> None: ...
    def encode(
        self,
        buffer: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        word_offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
    ) -> None: ...
    def append(self, other: ChunkEncoder) -> None: ...
    def take_ids(self) -> npt.NDArray[np.int32]: ...
