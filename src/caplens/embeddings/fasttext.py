"""fastText's binary models (``.bin``): words, and vectors of words and of hash buckets of n-grams."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.files.progress import blocks

MAGIC = struct.pack("<i", 793_712_314)
_VERSION = 12
_SETTINGS = struct.Struct("<ii12id")
_COUNTS = struct.Struct("<iiiqq")
_ENTRY_REST = struct.Struct("<qb")
_SHAPE = struct.Struct("<?qq")
_WORD = 0  # the type of an entry; labels have 1
BLOCK_ROWS = 4096
BLOCK_BYTES = 1 << 26
MOST_DIMENSIONS = 100_000  # a false header must not reserve all memory
LONGEST_NGRAM = 1000
LONGEST_WORD = 10_000


@dataclass(frozen=True)
class Model:
    """What stands before the vectors.

    Attributes
    ----------
    words : list of bytes
        The words, whose rows come first.
    dimensions, buckets : int
        The length of a vector; how many rows of n-grams follow.
    shortest, longest : int
        How many characters an n-gram has.
    """

    words: list[bytes]
    dimensions: int
    buckets: int
    shortest: int
    longest: int


def read_model(content: Content) -> Model:
    """Read everything before the vectors; the stream then stands at the first one."""
    settings = _SETTINGS.unpack(_read(content, _SETTINGS.size))
    version, dimensions = settings[1], settings[2]
    buckets, shortest, longest = settings[10], settings[11], settings[12]
    if version != _VERSION:
        raise InputError(f"{content.name} has fastText version {version}; only version {_VERSION} is supported.")
    size, word_count, _, _, pruned = _COUNTS.unpack(_read(content, _COUNTS.size))
    words = []
    for first, last in blocks(f"reading the words of {content.name}", size, BLOCK_ROWS):
        for _ in range(first, last):
            word = _word(content)
            _, kind = _ENTRY_REST.unpack(_read(content, _ENTRY_REST.size))
            if kind == _WORD:
                words.append(word)
    quantized, rows, columns = _SHAPE.unpack(_read(content, _SHAPE.size))
    if quantized or pruned > 0:
        raise InputError(f"{content.name} is a quantised fastText model: use the .bin or .vec file instead.")
    sizes = 0 < dimensions <= MOST_DIMENSIONS and buckets >= 0 and shortest >= 0 and 0 <= longest <= LONGEST_NGRAM
    if len(words) != word_count or columns != dimensions or rows < word_count or not sizes:
        raise InputError(f"{content.name} is damaged: its numbers of words and vectors are inconsistent.")
    if not longest:
        buckets = 0
    if rows != word_count + buckets:
        raise InputError(f"{content.name} is damaged: it has {rows:,} vectors, not {word_count + buckets:,}.")
    return Model(words, dimensions, buckets, shortest, longest)


def read_rows(content: Content, model: Model, count: int, what: str) -> Iterator[npt.NDArray[np.float32]]:
    """Return the next ``count`` vectors, some at a time."""
    at_once = max(1, min(BLOCK_ROWS, BLOCK_BYTES // (4 * model.dimensions)))
    for first, last in blocks(f"reading {what} of {content.name}", count, at_once):
        data = _read(content, (last - first) * model.dimensions * 4)
        rows = np.frombuffer(data, dtype="<f4").reshape(last - first, model.dimensions)
        if not np.isfinite(rows).all():
            raise InputError(f"{content.name} is damaged: one of its vectors contains values that are not numbers.")
        yield rows


def _word(content: Content) -> bytes:
    word = bytearray()
    while (byte := _read(content, 1)) != b"\0":
        word += byte
        if len(word) > LONGEST_WORD:
            raise InputError(f"{content.name} is damaged: a word in it has more than {LONGEST_WORD:,} bytes.")
    return bytes(word)


def _read(content: Content, size: int) -> bytes:
    data = content.stream.read(size)
    if len(data) < size:
        raise InputError(f"{content.name} is truncated: it ends within the model; copy or download it again.")
    return data
