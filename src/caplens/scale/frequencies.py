"""Document frequencies of a corpus that no memory holds: counted part by part, put together, and pruned once.

Parts keep all n-grams, sorted, also those of a single document, which may well be in the next part too. They are merged
range by range, so that memory holds a piece of each part and what is kept in the end.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caplens._version import __version__
from caplens.api.frequencies import BuiltFrequencies
from caplens.core.prepared import PreparedReferences, cut_notices
from caplens.core.requirement import NgramCounts, WordIds
from caplens.corpus import collect
from caplens.errors import InputError, Notice, add_notices, counted
from caplens.files.progress import blocks
from caplens.metrics.cider.document_frequencies import (
    DocumentFrequencies,
    as_ngrams,
    count_documents,
    fingerprint_of,
    save_ngrams,
)
from caplens.metrics.cider.frequency_files import SUFFIXES
from caplens.output.writing import check_file
from caplens.readers import Batch, ReadOptions, for_references, references_of
from caplens.scale.parts import ITEMS, Where, checksum, read_files, write_files
from caplens.scale.shards import ShardFolder
from caplens.scale.streaming import Report, make_shards
from caplens.text import MAX_WORDS
from caplens.text.tokenizers import get_tokenizer

if TYPE_CHECKING:
    import pyarrow as pa

FREQUENCIES = "document frequencies"
"""What the manifest calls such shards."""
BATCH_ROWS = 50_000
GROUP_NGRAMS = 1 << 14
"""N-grams of a group of rows in the file of a part: what is read at a time."""
RANGE_NGRAMS = 1 << 22
"""N-grams, of all parts, that are added up at a time."""


class FrequencyRecord(Where, frozen=True, kw_only=True):
    """A part of counted references; ``notices`` say what was odd."""

    notices: list[Notice]


@dataclass(frozen=True, kw_only=True)
class Counting:
    """How references are counted.

    Attributes
    ----------
    tokenizer, stem, max_order, max_words
        As for `caplens df build`.
    reading : ReadOptions
        How files are read.
    batch_rows : int
        How many rows are counted at a time.
    """

    tokenizer: str = "ptb"
    stem: bool = False
    max_order: int = 4
    max_words: int = MAX_WORDS
    reading: ReadOptions = field(default_factory=ReadOptions)
    batch_rows: int = BATCH_ROWS

    @property
    def ngrams(self) -> NgramCounts:
        """The n-grams that are counted."""
        return NgramCounts(WordIds(self.tokenizer, split=True, stem=self.stem), self.max_order)

    @property
    def options(self) -> dict[str, str]:
        """What decides about the counts, as text."""
        columns = ", ".join(f"{role}={name}" for role, name in sorted(self.reading.columns.items()))
        return {
            "caplens": __version__,
            "tokenizer": self.tokenizer,
            "stem": str(self.stem).lower(),
            "max_order": str(self.max_order),
            "max_words": str(self.max_words),
            "batch_rows": str(self.batch_rows),
            "input_format": self.reading.input_format or "",
            "columns": columns,
            "split": self.reading.split or "",
        }


def build_shards(
    inputs: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str], counting: Counting
) -> Report:
    r"""Count the references of files, each into a shard of its own; shards that are finished are left alone.

    A document is a row, or the rows of one id within a batch.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     for name, text in {"a": "a dog", "b": "a cat"}.items():
    ...         _ = Path(place, f"{name}.jsonl").write_text(f'{{"id": "{name}", "references": ["{text}"]}}\n')
    ...         _ = build_shards([Path(place, f"{name}.jsonl")], Path(place, "shards"), Counting())
    ...     merge_shards(Path(place, "shards"), Path(place, "df.safetensors"))
    BuiltFrequencies(documents=2, ngrams=1, warnings=())
    """
    get_tokenizer(counting.tokenizer)
    shards = ShardFolder.make(folder, FREQUENCIES, counting.options)
    return make_shards(inputs, shards, _Counter(counting))


def merge_shards(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> BuiltFrequencies:
    """Put counted shards together and write them to a file of document frequencies, as `caplens df build` does."""
    check_file(path, SUFFIXES)
    shards = ShardFolder.open(folder, FREQUENCIES)
    import pyarrow as pa

    options = shards.manifest.options
    places = shards.parts()
    documents = hash_sum = 0
    notices: list[Notice] = []
    for place in places:
        found = read_files(place, FrequencyRecord)
        if found is None:
            raise shards.damaged(place)
        record, arrays = found
        documents += int(arrays["documents"][0])
        hash_sum += int(arrays["hash_sum"][0])
        notices.extend(record.notices)
    nothing = pa.table({"ngram": pa.array([], pa.string()), "df": pa.array([], pa.int32())})
    table = pa.concat_tables([nothing, *_kept([place.with_suffix(ITEMS) for place in places])])
    words = WordIds(options["tokenizer"], split=True, stem=options["stem"] == "true")
    fingerprint = fingerprint_of(words, hash_sum)
    names, counts = table.column("ngram").to_pylist(), table.column("df").to_numpy().astype(np.int64)
    ngrams = save_ngrams(names, counts, documents, words, int(options["max_order"]), fingerprint, Path(path))
    return BuiltFrequencies(documents, ngrams, add_notices(notices))


class _Counter:
    """Counts batches of references."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self.reading, self.batch_rows = for_references(counting.reading), counting.batch_rows

    def find(self, path: Path) -> Where | None:
        found = read_files(path, FrequencyRecord)
        return None if found is None else found[0]

    def make(self, path: Path, batch: Batch, file: Path, task: str, source: str) -> Where:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sets, notices = collect(references_of(batch.read()))
        if sets.graphs is not None:
            number = counted(len(sets.graphs.places), "reference")
            raise InputError(f"{number} in {file} cannot be counted: scene graphs have no n-grams.")
        prepared = PreparedReferences(sets, max_words=self._counting.max_words)
        found = count_documents(prepared, self._counting.ngrams, np.ones(len(sets), dtype=np.int64))
        buffer = pa.BufferOutputStream()
        pq.write_table(_as_table(found), buffer, compression="zstd", row_group_size=GROUP_NGRAMS)
        items = buffer.getvalue().to_pybytes()
        record = FrequencyRecord(
            task=task,
            source=source,
            first=batch.first,
            read=batch.rows,
            rows=len(sets),
            items=checksum(items),
            notices=[*notices, *cut_notices(prepared)],
        )
        numbers = {"documents": np.array([found.documents]), "hash_sum": np.array([found.hash_sum], dtype=np.uint64)}
        write_files(path, items, numbers, record)
        return record


def _kept(files: list[Path]) -> Iterator[pa.Table]:
    """Add up sorted tables range by range; what occurs in a single document is left out."""
    groups = [(*bounds, file, number) for file in files for number, bounds in _bounds_of_groups(file)]
    per_range = max(1, RANGE_NGRAMS // GROUP_NGRAMS)
    starts = list(dict.fromkeys(sorted(group[0] for group in groups)[::per_range]))
    pieces: list[list[tuple[Path, int]]] = [[] for _ in starts]
    for low, high, file, number in groups:
        for place in range(bisect_right(starts, low) - 1, bisect_right(starts, high)):
            pieces[place].append((file, number))
    for place, _ in blocks("merging n-grams", len(starts), 1):
        end = starts[place + 1] if place + 1 < len(starts) else None
        yield _added((_read_range(file, number, starts[place], end) for file, number in pieces[place]))


def _as_table(frequencies: DocumentFrequencies) -> pa.Table:
    """Return all n-grams, sorted, with their numbers."""
    import pyarrow as pa

    ngrams, counts = as_ngrams(frequencies, least=1)
    return pa.table({"ngram": pa.array(ngrams, pa.string()), "df": pa.array(counts, pa.int32())})


def _added(tables: Iterable[pa.Table]) -> pa.Table:
    """Add up tables of n-grams; keep those of two documents or more, sorted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    added = pa.concat_tables(tables).group_by("ngram").aggregate([("df", "sum")]).rename_columns(["ngram", "df"])
    kept = added.filter(pc.greater_equal(added.column("df"), 2)).sort_by("ngram")
    return kept.set_column(1, "df", kept.column("df").cast(pa.int32()))


def _read_range(file: Path, number: int, start: str, end: str | None) -> pa.Table:
    """Read what a group of rows has from ``start`` on and before ``end``."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parts:
        table = parts.read_row_group(number)
    inside = pc.greater_equal(table.column("ngram"), start)
    return table.filter(inside if end is None else pc.and_(inside, pc.less(table.column("ngram"), end)))


def _bounds_of_groups(file: Path) -> Iterator[tuple[int, tuple[str, str]]]:
    """Return the first and the last n-gram of each group of rows."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    for number in range(metadata.num_row_groups):
        statistics = metadata.row_group(number).column(0).statistics
        if metadata.row_group(number).num_rows:
            yield number, (statistics.min, statistics.max)
