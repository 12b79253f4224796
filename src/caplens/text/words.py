"""Captions as word ids: one flat integer array, one table of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError
from caplens.files.progress import blocks
from caplens.files.threads import attentive_pool
from caplens.text import _words
from caplens.text._encode import ChunkEncoder
from caplens.text._tables import BytesTable
from caplens.text.captions import Captions
from caplens.text.ragged import offsets_of
from caplens.text.snowball import snowball
from caplens.text.tokenizers import Tokenizer

BLOCK_CAPTIONS = 16_384
MOST_WORDS = 2**28
"""Of one caption."""


@dataclass(frozen=True, eq=False)
class Words:
    """The words of captions.

    Attributes
    ----------
    ids : numpy.ndarray of int32
        The word ids of all captions, one after the other.
    offsets : numpy.ndarray of int64
        Caption ``i`` has the words ``ids[offsets[i]:offsets[i + 1]]``.
    table : BytesTable
        The words themselves (UTF-8) by id.
    """

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    table: BytesTable

    def __post_init__(self) -> None:
        # Kernels count the words of a caption in 32 bits, and sums of a few such counts.
        if self.longest > MOST_WORDS:
            caption = int(self.lengths.argmax()) + 1
            raise InputError(f"Caption {caption:,} has more than {MOST_WORDS:,} words: shorten it.")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of words of each caption."""
        return self.offsets[1:] - self.offsets[:-1]

    @cached_property
    def longest(self) -> int:
        """Number of words of the longest caption."""
        return int(np.maximum.reduce(self.lengths, initial=0))

    @cached_property
    def used(self) -> npt.NDArray[np.int64]:
        """The ids of the words that occur, ascending; the table may hold more, such as those of its base."""
        if 8 * len(self.ids) < len(self.table):  # a batch on top of many references
            return np.unique(self.ids).astype(np.int64)
        return np.flatnonzero(np.bincount(self.ids, minlength=len(self.table)))

    @cached_property
    def spelling(self) -> Mapping[int, str]:
        """The words by id, each decoded when it is first asked for."""
        return _Spelling(self.table)

    def __getitem__(self, index: int) -> list[str]:
        spelling = self.spelling
        return [spelling[word] for word in self.ids[self.offsets[index] : self.offsets[index + 1]].tolist()]

    def text(self, index: int) -> str:
        """Return caption ``index`` as its words joined by spaces."""
        return " ".join(self[index])


class _Spelling(dict[int, str]):
    """Words by id, as far as they were asked for."""

    def __init__(self, table: BytesTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, word: int) -> str:
        found = self[word] = self._table.key(word).decode("utf-8")
        return found


class SpacedWords(dict[int, npt.NDArray[np.int32]]):
    """Words with white space inside them, as PTB's `1 1/2`, each with the words that it consists of."""

    def places(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Return the places where such words stand.

        Examples
        --------
        >>> SpacedWords({3: np.array([0, 1], np.int32)}).places(np.array([7, 3, 0, 3], np.int32)).tolist()
        [1, 3]
        """
        if not self:
            return np.empty(0, dtype=np.int64)
        return np.take(self._is_spaced, ids, mode="clip").nonzero()[0]

    @cached_property
    def _is_spaced(self) -> npt.NDArray[np.bool_]:
        """Whether a word is one of them, by id; the last entry stands for all higher ids."""
        found = np.zeros(max(self) + 2, dtype=bool)
        found[list(self)] = True
        return found


@dataclass(frozen=True, eq=False)
class EncodedWords(Words):
    """Words with the encoder that made them, which later captions can be encoded on top of.

    Attributes
    ----------
    encoder : ChunkEncoder
        The encoder.
    spaced : SpacedWords
        The words with white space inside them.
    """

    encoder: ChunkEncoder
    spaced: SpacedWords


def encode_words(
    captions: Captions, tokenizer: Tokenizer, base: EncodedWords | None = None, jobs: int = 1
) -> EncodedWords:
    """Tokenise captions; words that ``base`` knows keep its ids, new ones are numbered after them.

    With several ``jobs``, each thread takes a share of the captions; the numbers do not depend on how many.

    Examples
    --------
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> words = encode_words(Captions.from_texts(["A dog.", "a cat"])[0], get_tokenizer("intl"))
    >>> words.ids.tolist(), words[1]
    ([0, 1, 0, 2], ['a', 'cat'])
    """
    special = tokenizer.special_words() if tokenizer.special_words else None
    known = base.encoder if base is not None else None
    shares = max(1, min(jobs, len(captions) // BLOCK_CAPTIONS))
    ends = [len(captions) * share // shares for share in range(shares + 1)]
    encoders = [ChunkEncoder(tokenizer.tokenize, special, base=known) for _ in range(shares)]
    offsets = np.zeros(len(captions) + 1, dtype=np.int64)

    def encode(share: int, first: int, last: int) -> None:
        begin, end = ends[share], ends[share + 1]
        block = min(begin + first, end), min(begin + last, end)
        encoders[share].encode(captions.buffer, captions.offsets, offsets, *block)

    most = max(end - begin for begin, end in pairwise(ends))
    with attentive_pool(shares - 1) if shares > 1 else nullcontext(None) as submit:
        for first, last in blocks("words", most, BLOCK_CAPTIONS):
            others = [submit(encode, share, first, last) for share in range(1, shares)] if submit else []
            encode(0, first, last)
            for other in others:
                other.result()
    whole = encoders[0]
    for share in range(1, shares):
        offsets[ends[share] + 1 : ends[share + 1] + 1] += offsets[ends[share]]
        whole.append(encoders[share])
    spaced = _spaced_words(whole.words)
    if base is not None:
        spaced = SpacedWords({**base.spaced, **spaced}) if spaced else base.spaced
    return EncodedWords(whole.take_ids(), offsets, whole.words, whole, spaced)


def _spaced_words(table: BytesTable) -> SpacedWords:
    """Find the words of a table (not of its base) with white space inside; what they consist of gets ids as well."""
    parts = {word: list(map(str.encode, word.decode("utf-8").split())) for word in table.unusual_keys()}
    spaced = {table.get(word): table.insert_all(found) for word, found in parts.items() if found != [word]}
    return SpacedWords(spaced)


def cut_long(words: EncodedWords, most: int) -> tuple[EncodedWords, npt.NDArray[np.int64]]:
    """Keep the first ``most`` words of each caption; also return which captions had more.

    Examples
    --------
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> words = encode_words(Captions.from_texts(["a big dog", "a cat"])[0], get_tokenizer("none"))
    >>> cut, longer = cut_long(words, 2)
    >>> cut.text(0), cut.text(1), longer.tolist()
    ('a big', 'a cat', [0])
    """
    if words.longest <= most:
        return words, np.empty(0, dtype=np.int64)
    longer = np.flatnonzero(words.lengths > most)
    offsets = offsets_of(np.minimum(words.lengths, most))
    kept = np.arange(offsets[-1]) + np.repeat(words.offsets[:-1] - offsets[:-1], np.diff(offsets))
    return replace(words, ids=words.ids[kept], offsets=offsets), longer


def stem_words(
    words: Words, base: Words | None = None, stem: Callable[[Sequence[bytes]], list[bytes]] | None = None
) -> Words:
    """Replace every word by its stem, Snowball English unless another ``stem`` is given.

    Stems that ``base`` knows keep its ids; a word whose stem is empty stays as it is.
    """
    stem = stem or snowball("english")
    return replace_words(
        words, lambda found: [(after or before,) for before, after in zip(found, stem(found), strict=True)], base
    )


def split_inner_spaces(words: EncodedWords) -> Words:
    r"""Cut words at white space inside them.

    Examples
    --------
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> words = encode_words(Captions.from_texts(["1 1/2 cups", "two"])[0], get_tokenizer("ptb"))
    >>> words[0], split_inner_spaces(words)[0]
    (['1\xa01/2', 'cups'], ['1', '1/2', 'cups'])
    """
    places = words.spaced.places(words.ids)
    if not len(places):
        return words
    parts = [words.spaced[word] for word in words.ids[places].tolist()]
    pieces, behind = [], 0
    for place, part in zip(places.tolist(), parts, strict=True):
        pieces += [words.ids[behind:place], part]
        behind = place + 1
    more = offsets_of(np.array([len(part) - 1 for part in parts], dtype=np.int64))
    offsets = words.offsets + more[np.searchsorted(places, words.offsets)]
    return Words(np.concatenate([*pieces, words.ids[behind:]]), offsets, words.table)


def replace_words(
    words: Words, replace: Callable[[list[bytes]], list[tuple[bytes, ...]]], base: Words | None = None
) -> Words:
    """Replace every word by none, one or several others.

    ``replace`` gets the distinct words, all at once; words that ``base`` knows keep its ids.
    """
    table = BytesTable(base.table if base is not None else None)
    replacements = replace(words.table.keys(words.used))
    counts = np.zeros(len(words.table), dtype=np.int64)
    counts[words.used] = [len(parts) for parts in replacements]
    parts = table.insert_all([part for parts in replacements for part in parts])
    return Words(*_words.replace(words.ids, words.offsets, offsets_of(counts), parts), table)


def replace_captions(words: Words, captions: Mapping[int, Sequence[bytes]]) -> Words:
    """Put other words in the place of some captions; new words are added to the table.

    Examples
    --------
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> words = encode_words(Captions.from_texts(["a dog", "a cat", "x"])[0], get_tokenizer("none"))
    >>> changed = replace_captions(words, {1: [b"the", b"big", b"cat"]})
    >>> changed.text(0), changed.text(1), changed.text(2)
    ('a dog', 'the big cat', 'x')
    """
    lengths = words.lengths.copy()
    pieces, behind = [], 0
    for caption in sorted(captions):
        pieces.append(words.ids[behind : words.offsets[caption]])
        pieces.append(np.array([words.table.insert(word) for word in captions[caption]], dtype=np.int32))
        lengths[caption] = len(captions[caption])
        behind = int(words.offsets[caption + 1])
    pieces.append(words.ids[behind:])
    return Words(np.concatenate(pieces), offsets_of(lengths), words.table)
