"""In how many documents each n-gram occurs: counted from references, or kept in a file.

A file (`caplens.metrics.cider.frequency_files`) also says how many documents there are, and which tokenizer. N-grams of
a single document are left out: CIDEr treats 0 and 1 alike, and they are three quarters of all. Those of COCO val2014
and train2014 ship with caplens. Pickles of self-critical training code are read too (`caplens.metrics.cider.pickles`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.arrays import Integers
from caplens.core.prepared import PreparedCaptions, PreparedReferences
from caplens.core.requirement import NgramCounts, Requirement, WordIds
from caplens.errors import InputError
from caplens.files.claims import claim_input
from caplens.files.paths import is_file
from caplens.files.threads import BLOCK_ROWS, side_by_side
from caplens.text import _ngrams
from caplens.text._tables import PairTable
from caplens.text.captions import Captions
from caplens.text.ngrams import NgramIndex
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

_FOLDER = Path(caplens.data.__file__).parent / "composite"
SHIPPED = {name: _FOLDER / f"{name}.df.safetensors" for name in ("coco-val2014", "coco-train2014")}
"""The document frequencies that ship with caplens, by name."""

_MOST_ORDERS = 9  # the longest n-grams that CIDEr takes
_PICKLED_ORDERS = 4  # of the tools that pickle them


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """Document frequencies over an n-gram index.

    Attributes
    ----------
    index : NgramIndex
        What the ids mean.
    frequencies : tuple of numpy.ndarray
        For each order, by n-gram id.
    documents : int
        Number of documents.
    words : WordIds
        The tokenizer (and stemming) of the n-grams.
    fingerprint : str
        A short hash of the content, whatever the order of the documents.
    hash_sum : int or None
        What the fingerprint is made from: sums of parts can be added up. None if n-grams of a single document were
        left out, as in files, so that the frequencies cannot be added to others.
    tokenizer_facts : mapping of str to str
        Which library and dictionary found the words, where the tokenizer has some.
    any_words : bool
        The source does not say how its words were found: they are taken for those of whoever uses it.
    """

    index: NgramIndex
    frequencies: tuple[npt.NDArray[np.int64], ...]
    documents: int
    words: WordIds
    fingerprint: str
    hash_sum: int | None = None
    tokenizer_facts: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    any_words: bool = field(default=False, kw_only=True)

    @cached_property
    def log_documents(self) -> float:
        """Logarithm of the number of documents: the weight of an n-gram that no document has."""
        return float(np.log(float(max(self.documents, 1))))

    def inverse(self, frequencies: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return log(documents) - log(max(1, frequency))."""
        most = int(frequencies.max(initial=0))
        if most < len(frequencies):  # few different ones, whose logarithms are looked up
            return (self.log_documents - np.log(np.maximum(1.0, np.arange(most + 1))))[frequencies]
        return self.log_documents - np.log(np.maximum(1.0, frequencies))


def count_documents(
    references: PreparedReferences, ngrams: NgramCounts, documents: npt.NDArray[np.int64]
) -> DocumentFrequencies:
    """Count in how many documents each reference n-gram occurs; set ``s`` stands for ``documents[s]`` documents."""
    counts = references.get(ngrams)

    def count(order: int) -> npt.NDArray[np.int64]:
        entries = counts.orders[order - 1]
        return _ngrams.document_frequencies(
            entries.offsets, entries.ids, references.offsets, documents, counts.index.size(order)
        )

    tasks: list[Callable[[], Any]] = [partial(count, order) for order in range(len(counts.orders), 0, -1)]
    tasks.append(partial(hash_sum_of_sets, references, documents))
    *longest_first, total = side_by_side(tasks, references.jobs if len(references) > BLOCK_ROWS else 1)
    frequencies = tuple(reversed(longest_first))
    return DocumentFrequencies(
        counts.index, frequencies, int(documents.sum()), ngrams.words, fingerprint_of(ngrams.words, total), total
    )


def hash_sum_of_sets(references: PreparedReferences, documents: npt.NDArray[np.int64]) -> int:
    """Hash reference sets so that neither their order nor the order of captions within a set matters."""
    running = np.concatenate([[np.uint64(0)], np.cumsum(_mixed(references.captions.hashes()), dtype=np.uint64)])
    sets = _mixed(running[references.offsets[1:]] - running[references.offsets[:-1]])
    return int((sets * documents.astype(np.uint64)).sum(dtype=np.uint64))


def fingerprint_of(words: WordIds, hash_sum: int) -> str:
    """Return the short hash of frequencies."""
    rules = f"{words.tokenizer} {words.stem} {hash_sum % 2**64}"
    return hashlib.blake2b(rules.encode(), digest_size=6).hexdigest()


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread 64-bit values (the finaliser of SplitMix64), so that sums of them stay well distributed."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@dataclass(frozen=True)
class Translation(Requirement[tuple[npt.NDArray[np.int32], ...]]):
    """The ids that a side's own n-grams have in another index; -1 where that index does not know one."""

    target: NgramIndex
    ngrams: NgramCounts

    def compute(self, side: PreparedCaptions) -> tuple[npt.NDArray[np.int32], ...]:
        """Translate words first, then order by order through prefix and last word."""
        index = side.get(self.ngrams).index
        base = side.base_value(self)
        own_words = [self.target.words.get(index.words.key(word)) for word in range(index.base_size(1), index.size(1))]
        maps = [np.array(own_words, dtype=np.int32)]

        def translated(order: int, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
            size = index.base_size(order)
            result = np.empty(len(ids), dtype=np.int32)
            own = ids >= size
            result[own] = maps[order - 1][ids[own] - size]
            if base is not None:
                result[~own] = base[order - 1][ids[~own]]
            return result

        for order, (table, target) in enumerate(zip(index.tables, self.target.tables, strict=False), 2):
            prefixes, words = table.pairs()
            maps.append(target.lookup(translated(order - 1, prefixes), translated(1, words)))
        return tuple(maps)


@dataclass(frozen=True)
class InverseFrequencies(Requirement[tuple[npt.NDArray[np.float64], ...]]):
    """The inverse document frequencies of a side's own n-grams, for each order."""

    frequencies: DocumentFrequencies
    ngrams: NgramCounts

    def compute(self, side: PreparedCaptions) -> tuple[npt.NDArray[np.float64], ...]:
        """Look them up, through a translation where the frequencies belong to another index."""
        known, index = self.frequencies, side.get(self.ngrams).index
        if index is known.index:
            return tuple(known.inverse(frequencies) for frequencies in known.frequencies)
        own_sizes = [index.size(order) - index.base_size(order) for order in range(1, index.max_order + 1)]
        if side.base is not None and side.base.get(self.ngrams).index is known.index:
            return tuple(np.full(size, known.log_documents) for size in own_sizes)
        # Orders that the frequencies do not know (a file of shorter n-grams) have none.
        inverse = [np.full(size, known.log_documents) for size in own_sizes]
        translation = side.get(Translation(known.index, self.ngrams))
        for order, (ids, frequencies) in enumerate(zip(translation, known.frequencies, strict=False)):
            found = np.zeros(len(ids), dtype=np.int64)
            found[ids >= 0] = frequencies[ids[ids >= 0]]
            inverse[order] = known.inverse(found)
        return tuple(inverse)


def save(frequencies: DocumentFrequencies, path: Path) -> int:
    """Write frequencies to a file, as its suffix says; return the number of n-grams in it."""
    ngrams, counts = as_ngrams(frequencies, least=2)
    orders = len(frequencies.frequencies)
    return save_ngrams(ngrams, counts, frequencies.documents, frequencies.words, orders, frequencies.fingerprint, path)


def as_ngrams(frequencies: DocumentFrequencies, least: int) -> tuple[list[str], Integers]:
    """Return the n-grams of at least so many documents, sorted, with their numbers."""
    index = frequencies.index
    words = [index.words.key(word).decode("utf-8") for word in range(index.size(1))]
    names = words
    ngrams: list[str] = []
    counts: list[npt.NDArray[np.int64]] = []
    for order, found in enumerate(frequencies.frequencies, 1):
        if order > 1:
            prefixes, lasts = (ids.tolist() for ids in index.tables[order - 2].pairs())
            names = [f"{names[prefix]} {words[last]}" for prefix, last in zip(prefixes, lasts, strict=True)]
        frequent = np.flatnonzero(found >= least)
        ngrams.extend(names[identifier] for identifier in frequent.tolist())
        counts.append(found[frequent])
    order_of_text = sorted(range(len(ngrams)), key=ngrams.__getitem__)
    return [ngrams[place] for place in order_of_text], np.concatenate(counts)[order_of_text]


def save_ngrams(
    ngrams: Sequence[str],
    counts: Integers,
    documents: int,
    words: WordIds,
    max_order: int,
    fingerprint: str,
    path: Path,
) -> int:
    """Write n-grams of several documents, sorted, to a file; return their number."""
    facts = {
        "documents": str(documents),
        "tokenizer": words.tokenizer,
        "stem": str(words.stem).lower(),
        "max_order": str(max_order),
        "fingerprint": fingerprint,
        **get_tokenizer(words.tokenizer).facts(),
    }
    from caplens.metrics.cider.frequency_files import FrequencyTable, write_table

    write_table(FrequencyTable(ngrams, counts, facts), path)
    return len(ngrams)


def add_frequencies(parts: Sequence[DocumentFrequencies]) -> DocumentFrequencies:
    """Add up the frequencies of parts of a corpus, of which nothing may have been left out."""
    sums = [part.hash_sum for part in parts if part.hash_sum is not None]
    if len(sums) < len(parts) or len({(part.words, len(part.frequencies)) for part in parts}) > 1:
        raise InputError(
            "Document frequencies can be combined only if they were counted in the same way and include n-grams that "
            "occur in one document, which files omit: count parts with caplens df build PART --shard-out DIR."
        )
    words, orders, total = parts[0].words, len(parts[0].frequencies), sum(sums) % 2**64
    added: dict[str, int] = {}
    for part in parts:
        ngrams, counts = as_ngrams(part, least=1)
        for ngram, count in zip(ngrams, counts.tolist(), strict=True):
            added[ngram] = added.get(ngram, 0) + count
    names = sorted(added)
    index, frequencies = index_ngrams(names, np.array([added[name] for name in names], dtype=np.int64), orders)
    documents = sum(part.documents for part in parts)
    return DocumentFrequencies(index, frequencies, documents, words, fingerprint_of(words, total), total)


def load(path: Path) -> DocumentFrequencies:
    """Read frequencies from a file that `save` wrote, or from a pickle of training code."""
    if not is_file(path):
        raise InputError(
            f"There is no file of document frequencies at {path}; create it with: caplens df build REFERENCES -o {path}"
        )
    # Most runs count their own frequencies and need none of these.
    from caplens.metrics.cider.frequency_files import read_table
    from caplens.metrics.cider.pickles import SUFFIXES

    claim_input(path)
    if path.suffix.lower() in SUFFIXES:
        return _from_pickle(path)
    try:
        table = read_table(path)
        facts = table.facts
        documents, max_order = int(facts["documents"]), int(facts["max_order"])
        words = WordIds(facts["tokenizer"], split=True, stem=facts["stem"] == "true")
        fingerprint = facts["fingerprint"]
        ngrams, counts = table.ngrams, table.counts
        if not 1 <= max_order <= _MOST_ORDERS:
            raise ValueError(f"its longest n-grams have {max_order:,} words")
        if not max(int(counts.max(initial=0)), 1) <= documents < 2**53 or counts.min(initial=1) < 1:
            raise ValueError(f"its frequencies are inconsistent with its {documents:,} documents")
        get_tokenizer(words.tokenizer)
    except (KeyError, OSError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"{path} is not a file of document frequencies, or is damaged ({why}); create one with: caplens df build "
            f"REFERENCES -o FILE"
        ) from error
    index, frequencies = index_ngrams(ngrams, counts, max_order)
    tokenizer_facts = {key: facts[key] for key in get_tokenizer(words.tokenizer).facts() if key in facts}
    return DocumentFrequencies(index, frequencies, documents, words, fingerprint, tokenizer_facts=tokenizer_facts)


def _from_pickle(path: Path) -> DocumentFrequencies:
    """Read frequencies that training code pickled; n-grams of a single document weigh like unknown ones."""
    from caplens.metrics.cider.pickles import read

    found = read(path)
    documents = int(found.documents)
    ngrams, numbers = [], []
    for ngram, count in found.document_frequency.items():
        if not isinstance(ngram, tuple) or not all(isinstance(word, str) for word in ngram):
            raise InputError(f"{path} is not a pickle of document frequencies: its n-grams are not tuples of words.")
        if not isinstance(count, int | float) or count != int(count) or not 0 <= count <= documents:
            raise InputError(f"{path} is not a pickle of document frequencies: its numbers are not valid counts.")
        if count > 1 and 1 <= len(ngram) <= _PICKLED_ORDERS:
            ngrams.append(" ".join(ngram))
            numbers.append(int(count))
    counts = np.array(numbers, dtype=np.int64)
    order = sorted(range(len(ngrams)), key=ngrams.__getitem__)
    lines = "\n".join(f"{ngrams[place]} {numbers[place]}" for place in order)
    fingerprint = hashlib.blake2b(f"{documents}\n{lines}".encode(), digest_size=6).hexdigest()
    index, frequencies = index_ngrams(ngrams, counts, _PICKLED_ORDERS)
    return DocumentFrequencies(index, frequencies, documents, WordIds("none", split=True), fingerprint, any_words=True)


def index_ngrams(
    ngrams: Sequence[str], counts: npt.NDArray[np.int64], max_order: int
) -> tuple[NgramIndex, tuple[npt.NDArray[np.int64], ...]]:
    """Give ids to n-grams written with spaces, and order their counts by id."""
    words = encode_words(Captions.from_texts(ngrams)[0], get_tokenizer("none"))
    tables = tuple(PairTable() for _ in range(max_order - 1))
    frequencies = []
    for order in range(1, max_order + 1):
        rows = np.flatnonzero(words.lengths == order)
        starts = words.offsets[rows]
        ids = words.ids[starts]
        for place, table in enumerate(tables[: order - 1], 1):
            ids = table.lookup(ids, words.ids[starts + place], add=True)
        size = len(words.table) if order == 1 else len(tables[order - 2])
        found = np.zeros(size, dtype=np.int64)
        found[ids] = counts[rows]
        frequencies.append(found)
    # A prefix that the file leaves out may have been added while a longer n-gram was indexed.
    sizes = [len(words.table), *(len(table) for table in tables)]
    padded = tuple(np.pad(found, (0, size - len(found))) for found, size in zip(frequencies, sizes, strict=True))
    return NgramIndex(words.table, tables), padded
