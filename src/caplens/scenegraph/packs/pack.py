"""A pack: captions whose tuples are known, found by a hash of their words in a mapped file.

A pack holds no caption. For each one it has 48 bits of a hash of its words and the numbers of its tuples; a caption
that is in no pack is taken for one that is with a probability of 1 in a billion (captions / 2**48). Tuples are numbered
by frequency, so that the numbers of most take one or two bytes: 242,000 captions with 1.5 million tuples fit into 7 MB.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.files.checks import DamagedFileError
from caplens.scenegraph.rules.tuples import Proposal

FORMAT = "caplens-pack-1"
SUFFIX = ".pack.safetensors"
LONGEST = 3  # words of a tuple: subject, object, relation
_LOW_BITS = 16
_MORE = 0x80  # the bit that says that another byte follows

Proposals = tuple[Proposal, ...]


def key_of(words: Sequence[str]) -> int:
    """Return the 48 bits by which a caption is found: a hash of its words, joined by spaces.

    Examples
    --------
    >>> key_of(["a", "dog"]) == key_of("a dog".split()) != key_of(["a", "dogs"])
    True
    """
    # The tokenizer keeps ``1 1/2`` together with a no-break space, which other tools write as a space.
    text = " ".join(words).replace("\xa0", " ")
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "big")


@dataclass(frozen=True, eq=False)
class Pack:
    """Known captions with their tuples.

    Attributes
    ----------
    arrays : Arrays
        ``high`` and ``low``, the sorted keys of captions; ``sizes``, how many bytes of ``numbers`` each has;
        ``numbers``, of tuples, seven bits a byte; ``tuples``, the words of each, one more than their number where there
        is none; ``words`` and ``word_sizes``, the text.

    Examples
    --------
    >>> pack = Pack.build({("a", "tall", "man"): [("man",), ("man", "tall")], ("hello",): []})
    >>> pack.find([["a", "tall", "man"], ["a", "man"], ["hello"]])
    [(('man',), ('man', 'tall')), None, ()]
    """

    arrays: Arrays

    def __post_init__(self) -> None:
        arrays = self.arrays
        captions = len(arrays["high"])
        consistent = (
            captions == len(arrays["low"]) == len(arrays["sizes"])
            and int(arrays["sizes"].sum(dtype=np.int64)) == len(arrays["numbers"])
            and int(arrays["word_sizes"].sum(dtype=np.int64)) == len(arrays["words"])
            and arrays["tuples"].ndim == 2
            and arrays["tuples"].shape[1] == LONGEST
            and int(arrays["tuples"].max(initial=0)) <= len(arrays["word_sizes"])
            and bool((arrays["high"][1:] >= arrays["high"][:-1]).all())
        )
        if not consistent:
            raise DamagedFileError("the arrays of a pack are inconsistent")

    def __len__(self) -> int:
        return len(self.arrays["high"])

    @property
    def fingerprint(self) -> str:
        """What tells the pack from others: a hash of its content."""
        return self.arrays.facts["fingerprint"]

    @property
    def about(self) -> str:
        """Where its captions and tuples come from."""
        return self.arrays.facts.get("about", "")

    @classmethod
    def build(cls, captions: Mapping[tuple[str, ...], Iterable[Proposal]], about: str = "") -> Self:
        """Pack captions (as words) with their tuples."""
        lists = {key_of(words): tuple(tuples) for words, tuples in captions.items()}
        if len(lists) < len(captions):
            raise InputError("Two captions have the same hash: remove one of them.")
        frequency = Counter(each for tuples in lists.values() for each in tuples)
        ranked = sorted(frequency, key=lambda each: (-frequency[each], each))
        rank = {each: place for place, each in enumerate(ranked)}
        words = sorted({word for each in ranked for word in each})
        place_of = {word: place for place, word in enumerate(words)}
        table = np.full((len(ranked), LONGEST), len(words), dtype=np.uint32)
        for place, each in enumerate(ranked):
            table[place, : len(each)] = [place_of[word] for word in each]
        keys = sorted(lists)
        streams = [b"".join(_written(rank[each]) for each in lists[key]) for key in keys]
        texts = [word.encode("utf-8") for word in words]
        numbers = np.array(keys, dtype=np.uint64)
        arrays: dict[str, npt.NDArray[Any]] = {
            "high": (numbers >> np.uint64(_LOW_BITS)).astype(np.uint32),
            "low": (numbers & np.uint64((1 << _LOW_BITS) - 1)).astype(np.uint16),
            "sizes": _narrow(np.array([len(stream) for stream in streams], dtype=np.uint32)),
            "numbers": np.frombuffer(b"".join(streams), dtype=np.uint8),
            "tuples": _narrow(table),
            "words": np.frombuffer(b"".join(texts), dtype=np.uint8),
            "word_sizes": _narrow(np.array([len(text) for text in texts], dtype=np.uint32)),
        }
        content = hashlib.blake2b(digest_size=8)
        for name in sorted(arrays):
            content.update(arrays[name].tobytes())
        facts = {"format": FORMAT, "fingerprint": content.hexdigest(), "about": about}
        return cls(Arrays.in_memory(arrays, facts))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Map a pack from its file."""
        try:
            arrays = read_arrays(path)
            if arrays.facts.get("format") != FORMAT:
                raise DamagedFileError(f"{path} is not a pack of scene graphs.")
            return cls(arrays)
        except KeyError as error:
            raise DamagedFileError(f"{path} is a pack that lacks the array {error}.") from error
        except DamagedFileError as error:
            raise DamagedFileError(f"{Path(path).name} cannot be used: {error}") from error

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the pack to a file, whole or not at all."""
        with atomic_path(path) as temporary:
            write_arrays(temporary, self.arrays, self.arrays.facts)

    def find(self, captions: Sequence[Sequence[str]]) -> list[Proposals | None]:
        """Return the tuples of captions, given as words; None for those that are not known."""
        places = self._places(np.array([key_of(words) for words in captions], dtype=np.uint64))
        known = places[places >= 0]
        starts, ends = self._ends[known].tolist(), self._ends[known + 1].tolist()
        found: list[Proposals | None] = [None] * len(captions)
        with self.arrays["numbers"].data as numbers:
            for row, start, end in zip(np.flatnonzero(places >= 0).tolist(), starts, ends, strict=True):
                found[row] = self._tuples(numbers[start:end])
        return found

    def _places(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return the places of captions by their keys; -1 where there is none."""
        high = (keys >> np.uint64(_LOW_BITS)).astype(np.uint32)
        low = (keys & np.uint64((1 << _LOW_BITS) - 1)).astype(np.uint16)
        first = np.searchsorted(self.arrays["high"], high, side="left")
        places = np.full(len(keys), -1, dtype=np.int64)
        for further in range(self._most_alike):
            place = first + further  # captions that share the high bits stand side by side
            within = place < len(self)
            place[~within] = 0
            hit = within & (self.arrays["high"][place] == high) & (self.arrays["low"][place] == low)
            places[hit] = place[hit]
        return places

    @cached_property
    def _most_alike(self) -> int:
        """How many captions share the high bits of their keys at the most: hardly ever more than two."""
        changes = np.flatnonzero(np.diff(self.arrays["high"]))
        return int(np.diff(np.concatenate([[-1], changes, [len(self) - 1]])).max()) if len(self) else 0

    @cached_property
    def _ends(self) -> npt.NDArray[np.uint32]:
        """Where the numbers of each caption end, after a 0."""
        return np.cumsum(np.append(0, self.arrays["sizes"]), dtype=np.uint32)

    @cached_property
    def _words(self) -> list[str]:
        """The words of tuples."""
        text = self.arrays["words"].tobytes()
        ends = list(accumulate(self.arrays["word_sizes"].tolist(), initial=0))
        return [text[start:end].decode("utf-8") for start, end in pairwise(ends)]

    @cached_property
    def _known(self) -> dict[int, Proposal]:
        """Tuples that were looked up already: the same few come again and again."""
        return {}

    def _tuples(self, numbers: memoryview) -> Proposals:
        """Return the tuples with some numbers."""
        number = shift = 0
        tuples = []
        for byte in numbers:
            number |= (byte & (_MORE - 1)) << shift
            if byte & _MORE:
                shift += 7
            else:
                tuples.append(self._tuple(number))
                number = shift = 0
        return tuple(tuples)

    def _tuple(self, number: int) -> Proposal:
        known = self._known.get(number)
        if known is None:
            if number >= len(self.arrays["tuples"]):
                raise DamagedFileError("a pack names a tuple that it does not have")
            words = self._words
            named = tuple(words[place] for place in self.arrays["tuples"][number].tolist() if place < len(words))
            known = self._known[number] = cast(Proposal, named)
        return known


def _written(number: int) -> bytes:
    """Write a number, seven bits a byte, the lowest first."""
    written = bytearray()
    while number >= _MORE:
        written.append(number & (_MORE - 1) | _MORE)
        number >>= 7
    written.append(number)
    return bytes(written)


def _narrow(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.unsignedinteger]:
    """Use as few bytes as the largest number needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
