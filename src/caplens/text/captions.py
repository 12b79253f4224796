"""Captions held compactly: one UTF-8 buffer and offsets, the layout of an Arrow string array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntFlag
from itertools import pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

from caplens.text import _captions


class Finding(IntFlag):
    """What was noticed in a caption while it was taken in (the values are those of the kernel)."""

    NOT_TEXT = 1
    BLANK = 2
    LINE_SEPARATOR = 4
    CONTROL_CHARACTER = 8
    LONE_SURROGATE = 16


def as_places(indices: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Turn indices (negative ones count from the end) or a mask into places within ``count`` items.

    Examples
    --------
    >>> as_places([0, -1], 3).tolist(), as_places([False, True], 2).tolist()
    ([0, 2], [1])
    """
    chosen = np.asarray(indices)
    places: npt.NDArray[np.int64] = np.arange(count, dtype=np.int64)[chosen if chosen.size else chosen.astype(np.int64)]
    return places


class Texts(Sequence[str]):
    """Texts as a file holds them, in one UTF-8 buffer: a list that makes a string only of what is looked at.

    Examples
    --------
    >>> texts = Texts(np.frombuffer(b"a dogtwo cats", np.uint8), np.array([0, 5, 13]))
    >>> texts, texts[-1], texts == ["a dog", "two cats"]
    (['a dog', 'two cats'], 'two cats', True)
    """

    __slots__ = ("buffer", "offsets")
    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __init__(self, buffer: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> None:
        self.buffer = buffer
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.buffer[self.offsets[index] : self.offsets[index + 1]].tobytes().decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        data, ends = self.buffer.tobytes(), self.offsets.tolist()
        return (data[start:end].decode("utf-8") for start, end in pairwise(ends))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Texts | list) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))

    def take(self, places: npt.NDArray[np.int64]) -> Texts:
        """Return some texts, in that order."""
        return Texts(*_captions.take(self.buffer, self.offsets, places))


class Captions:
    r"""An immutable sequence of captions in one UTF-8 buffer.

    Line separators (CR, LF, VT, FF, U+0085, U+2028, U+2029) and control characters are stored as a space, a lone
    surrogate as U+FFFD, so that every caption is one line of valid Unicode.

    Parameters
    ----------
    buffer : numpy.ndarray of uint8
        The UTF-8 text of all captions, one after the other.
    offsets : numpy.ndarray of int64
        Caption ``i`` is ``buffer[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> captions, findings = Captions.from_texts(["a dog", "two\u2028cats"])
    >>> list(captions)
    ['a dog', 'two cats']
    >>> Finding(int(findings[1]))
    <Finding.LINE_SEPARATOR: 4>
    """

    __slots__ = ("buffer", "offsets")

    def __init__(self, buffer: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> None:
        self.buffer = buffer
        self.offsets = offsets

    @classmethod
    def from_texts(cls, texts: Iterable[object]) -> tuple[Captions, npt.NDArray[np.uint8]]:
        """Take texts in; return them with one `Finding` (as an integer) a caption."""
        if isinstance(texts, Texts):
            buffer, offsets, findings = _captions.clean(texts.buffer, texts.offsets)
        else:
            buffer, offsets, findings = _captions.encode(texts if isinstance(texts, list) else list(texts))
        return cls(buffer, offsets), findings

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.buffer[self.offsets[index] : self.offsets[index + 1]].tobytes().decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(len(self)))

    @property
    def is_ascii(self) -> bool:
        """Whether there is nothing but ASCII in them."""
        return int(self.buffer.max(initial=0)) < 0x80

    def take(self, indices: npt.ArrayLike) -> Captions:
        """Return the captions at ``indices``, in that order (repeats allowed)."""
        return Captions(*_captions.take(self.buffer, self.offsets, as_places(indices, len(self))))

    def hashes(self) -> npt.NDArray[np.uint64]:
        """Return a 64-bit hash of each caption, the same on every machine."""
        return _captions.hashes(self.buffer, self.offsets)
