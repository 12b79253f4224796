"""Files of word vectors: word2vec (text, binary), GloVe, fastText's ``.vec``; known by content, read in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from caplens.embeddings.table import Kind
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.files.progress import blocks, step

BLOCK_WORDS = 1024
LONGEST_WORD = 10_000  # bytes; what is longer is no word but a damaged file
MOST_DIMENSIONS = 100_000  # a false header must not reserve all memory
_HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?\n")
_FLOAT = np.dtype("<f4")

Batch = tuple[list[bytes], npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Layout:
    """What a file of vectors looks like.

    Attributes
    ----------
    kind : str
        What made it, as far as the layout tells: text with a header comes from word2vec or fastText.
    dimensions : int
        The length of a vector.
    count : int or None
        How many words it says it has; GloVe's files do not say.
    binary : bool
        Whether vectors are bytes instead of text.
    """

    kind: Kind
    dimensions: int
    count: int | None
    binary: bool = False


def recognise(content: Content) -> Layout:
    r"""Tell the layout from the beginning of a file.

    Examples
    --------
    >>> import io
    >>> text = b"dog 0.1 0.2 0.3\ncat 0.4 0.5 0.6\n"
    >>> recognise(Content("vectors.txt", text, io.BufferedReader(io.BytesIO(text))))
    Layout(kind='glove', dimensions=3, count=None, binary=False)
    """
    header = _HEADER.match(content.head)
    if header is None:
        first = content.head.partition(b"\n")[0].split()
        if len(first) < 3 or not _are_numbers(first[1:]):
            raise InputError(
                f"{content.name} is not a file of word vectors: it is neither word2vec (text or binary), nor GloVe, "
                "nor fastText (.vec or .bin)."
            )
        return Layout("glove", len(first) - 1, None)
    count, dimensions = int(header[1]), int(header[2])
    if not dimensions:
        raise InputError(f"{content.name} is damaged: its header declares vectors without dimensions.")
    if dimensions > MOST_DIMENSIONS:
        raise InputError(f"{content.name} is damaged: its header declares vectors of {dimensions:,} numbers.")
    line = content.head[header.end() :].partition(b"\n")[0].split()
    binary = len(line) <= dimensions or not _are_numbers(line[-dimensions:])
    # A line longer than what was looked at has its last number cut off, but no other bytes than text.
    if len(line) > 2 and _are_numbers(line[1:-1]):
        binary = False
    return Layout("word2vec", dimensions, count, binary)


def read_batches(content: Content, layout: Layout, limit: int | None) -> Iterator[Batch]:
    """Return words with their vectors, some at a time."""
    if layout.binary:
        return _binary_batches(content, layout, limit)
    return _text_batches(content, layout, limit)


def _text_batches(content: Content, layout: Layout, limit: int | None) -> Iterator[Batch]:
    lines = iter(content.stream)
    number = 1
    if layout.count is not None:
        next(lines)
        number = 2
    if layout.count is None and limit is None:
        with step(f"reading {content.name}"):
            while batch := list(islice(lines, BLOCK_WORDS)):
                yield _parsed(content.name, batch, layout.dimensions, number)
                number += len(batch)
        return
    wanted = min(count for count in (layout.count, limit) if count is not None)
    for first, last in blocks(f"reading {content.name}", wanted, BLOCK_WORDS):
        batch = list(islice(lines, last - first))
        if batch:
            yield _parsed(content.name, batch, layout.dimensions, number)
        number += len(batch)
        if len(batch) < last - first:
            if layout.count is not None:
                raise _cut_short(content.name, first + len(batch), layout.count)
            return


def _parsed(name: str, lines: list[bytes], dimensions: int, number: int) -> Batch:
    """Cut lines into words and numbers; words may have spaces inside, as some of GloVe's 840B have."""
    words: list[bytes] = []
    numbers: list[bytes] = []
    for place, line in enumerate(lines):
        fields = line.rstrip().rsplit(None, dimensions)
        if len(fields) != dimensions + 1:
            raise InputError(
                f"Line {number + place:,} of {name} does not consist of a word and {dimensions} numbers: the file is "
                f"damaged or truncated."
            )
        words.append(fields[0])
        numbers.extend(fields[1:])
    vectors = _floats(numbers)
    if vectors is None or not np.isfinite(vectors).all():
        wrong = next(
            place for place in range(len(lines)) if not _are_numbers(numbers[place * dimensions :][:dimensions])
        )
        raise InputError(f"Line {number + wrong:,} of {name} does not have {dimensions} finite numbers.")
    return words, vectors.reshape(len(lines), dimensions)


def _binary_batches(content: Content, layout: Layout, limit: int | None) -> Iterator[Batch]:
    assert layout.count is not None
    stream = content.stream
    stream.readline()
    wanted = layout.count if limit is None else min(limit, layout.count)
    for first, last in blocks(f"reading {content.name}", wanted, BLOCK_WORDS):
        words: list[bytes] = []
        rows: list[npt.NDArray[np.float32]] = []  # no more memory than there are bytes, whatever the header says
        for place in range(last - first):
            word = _binary_word(content)
            data = stream.read(layout.dimensions * _FLOAT.itemsize)
            if word is None or len(data) < layout.dimensions * _FLOAT.itemsize:
                raise _cut_short(content.name, first + place, layout.count)
            words.append(word)
            rows.append(np.frombuffer(data, dtype=_FLOAT))
        vectors = np.array(rows, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise InputError(
                f"{content.name} is damaged: vectors after word {first:,} contain values that are not numbers."
            )
        yield words, vectors


def _binary_word(content: Content) -> bytes | None:
    """Read up to the next space; the word2vec tool puts a line feed before each word but the first, gensim none."""
    word = bytearray()
    while True:
        byte = content.stream.read(1)
        if not byte:
            return None
        if byte == b" ":
            return bytes(word)
        if byte != b"\n" or word:
            word += byte
        if len(word) > LONGEST_WORD:
            raise InputError(f"{content.name} is damaged: a word in it has more than {LONGEST_WORD:,} bytes.")


def _cut_short(name: str, found: int, count: int) -> InputError:
    return InputError(f"{name} is truncated: it has {found:,} of the {count:,} words declared in its first line.")


def _floats(numbers: list[bytes]) -> npt.NDArray[np.float32] | None:
    if any(b"_" in number for number in numbers):  # which Python's numbers may have inside
        return None
    try:
        with np.errstate(over="ignore"):  # too large is infinite, which the caller refuses
            return np.fromiter(map(float, numbers), np.float32, len(numbers))
    except ValueError:
        return None


def _are_numbers(fields: list[bytes]) -> bool:
    found = _floats(fields)
    return found is not None and bool(np.isfinite(found).all())
