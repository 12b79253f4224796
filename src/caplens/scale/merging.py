"""From a folder of shards to one result."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from caplens.core.grammar import parse
from caplens.core.metric import Metric
from caplens.core.plan import Run
from caplens.core.registry import build
from caplens.core.result import Result
from caplens.core.state import NamedState
from caplens.core.statistics import Share
from caplens.core.totals import Totals
from caplens.corpus import Corpus, ReferenceSets
from caplens.errors import InputError, UsageError, add_notices, counted, name_some
from caplens.files.progress import blocks
from caplens.scale.parts import ITEMS, Part, PartRecord, read_items
from caplens.scale.shards import ShardFolder
from caplens.scale.streaming import SCORES
from caplens.stats import _resampling
from caplens.text.captions import Captions

if TYPE_CHECKING:
    import pyarrow as pa

KEYS_AT_ONCE = 1 << 25
"""How many ids are compared at a time: 256 MB of keys."""


class MergedResult(Result):
    """The result of many parts: corpus scores, intervals, signatures and warnings; the items stay in their files.

    Attributes
    ----------
    files : tuple of pathlib.Path
        The Parquet files of item scores, in order.
    rows : int
        How many items they hold.
    """

    files: tuple[Path, ...]
    rows: int

    @classmethod
    def of(
        cls,
        metrics: tuple[Metric, ...],
        records: list[PartRecord],
        totals: Totals,
        options: Mapping[str, str],
        files: tuple[Path, ...] = (),
    ) -> MergedResult:
        """Make the result of parts, given what is said of each, the sum of their sums, and the options of the task."""
        widths = records[0].widths
        ends = np.cumsum(widths)
        runs = []
        for place, metric in enumerate(metrics):
            state = NamedState.merge([NamedState(data=tuple(record.facts[place].items())) for record in records])
            columns = slice(ends[place] - widths[place], ends[place])
            coverage = _added_shares([record.coverage[place] for record in records])
            runs.append(Run.of_sums(metric, state, totals.sums[columns], totals.rows, coverage))
        low, high = min(record.fewest for record in records), max(record.most for record in records)
        facts = {"rows": str(totals.rows), "references": str(low) if low == high else f"{low}-{high}"}
        cut = sum(record.cut for record in records)
        if cut:
            facts |= {"max_words": options["max_words"], "cut": str(cut)}
        nothing = Corpus([], Captions.from_texts([])[0], ReferenceSets.empty(), np.zeros(0, dtype=np.int64))
        warnings = add_notices(notice for record in records for notice in record.notices)
        resamples = len(totals.resampled)
        seed = int(options["seed"])
        result = cls(nothing, runs, facts=facts, warnings=warnings, resamples=resamples, seed=seed)
        result.intervals.adopt(totals.scores_of_resamples(metrics, widths), int(totals.left_out.sum()))
        result.files, result.rows = files, totals.rows
        return result

    def parts(self) -> Iterator[pa.Table]:
        """Return the item scores, a part at a time."""
        return map(read_items, self.files)

    def with_captions(self) -> Self:
        """Refuse: shards hold scores only."""
        raise UsageError("A merged result has no captions: shards contain scores only.")

    def to_dict(self, *, intervals: bool = True, items: Any = ()) -> dict[str, Any]:  # noqa: ANN401 (as of `Result`)
        """Return everything but the items as plain data, and how many there are."""
        data = super().to_dict(intervals=intervals, items=items)
        del data["items"]
        return {**data, "rows": self.rows}

    def write(self, path: str | os.PathLike[str], *, csv_safe: bool = False, report: object = None) -> None:
        """Write to a file; the suffix says how: .json for everything but the items, a table for the items.

        Tables (.parquet, .jsonl, .csv) are written part by part, in bounded memory.
        """
        from caplens.scale.writing import ITEM_SUFFIXES, write_items

        if Path(path).suffix.lower() in ITEM_SUFFIXES:
            write_items(self, path, csv_safe=csv_safe)
        else:
            super().write(path, csv_safe=csv_safe, report=report)


def merge(folder: str | os.PathLike[str], *, check_ids: bool = True, allow_code: bool = False) -> MergedResult:
    """Put the shards of a folder together: the result is that of all rows scored at once.

    Parameters
    ----------
    folder : path
        Where `score_files` put the shards; all of them must be finished.
    check_ids : bool
        Whether to refuse ids that occur twice.
    allow_code : bool
        Whether the metrics of the shards may be code of your own (``module:Class``), which is then imported and run.
    """
    shards = ShardFolder.open(folder, SCORES)
    options = shards.manifest.options
    metrics = tuple(build(request, allow_code=allow_code) for request in parse(options["metrics"]))
    places = shards.parts()
    records: list[PartRecord] = []
    totals = Totals.add(_totals(places, shards, records))
    files = tuple(place.with_suffix(ITEMS) for place in places)
    if check_ids:
        refuse_repeated_ids(files, totals.rows)
    return MergedResult.of(metrics, records, totals, options, files)


def _totals(places: list[Path], shards: ShardFolder, records: list[PartRecord]) -> Iterator[Totals]:
    """Read the sums part by part, and keep what is said of each."""
    for first, _ in blocks("merging", len(places), 1):
        part = Part.read(places[first])
        if part is None or part.record.task != shards.task:
            raise shards.damaged(places[first])
        records.append(part.record)
        yield part.totals


def refuse_repeated_ids(files: Iterable[Path], rows: int) -> None:
    """Refuse ids that occur in two rows, in bounded memory: 64-bit keys of ids are compared range by range."""
    passes = -(-rows // KEYS_AT_ONCE)
    files = list(files)
    for number in range(passes):
        keys = np.concatenate([_keys(ids, number, passes) for ids in map(_ids, files)])
        keys.sort()
        repeated = keys[1:][keys[1:] == keys[:-1]]
        if len(repeated):
            _name_repeated(files, repeated)


def _name_repeated(files: list[Path], keys: npt.NDArray[np.uint64]) -> None:
    """Look up the ids behind keys; two ids may share a key, which is no fault."""
    seen: set[str] = set()
    repeated: dict[str, None] = {}
    for ids in map(_ids, files):
        for place in np.flatnonzero(np.isin(_all_keys(ids), keys)).tolist():
            if ids[place] in seen:
                repeated[ids[place]] = None
            seen.add(ids[place])
    if repeated:
        raise InputError(
            f"The shards repeat {counted(len(repeated), 'id')} ({name_some(list(repeated))}): every row needs a "
            f"unique id; the same file may have been scored twice under two names."
        )


def _ids(file: Path) -> list[str]:
    ids: list[str] = read_items(file, ["id"]).column("id").to_pylist()
    return ids


def _all_keys(ids: list[str]) -> npt.NDArray[np.uint64]:
    keys = np.empty(len(ids), dtype=np.uint64)
    _resampling.label_keys(ids, keys)
    return keys


def _keys(ids: list[str], number: int, passes: int) -> npt.NDArray[np.uint64]:
    keys = _all_keys(ids)
    return keys if passes == 1 else keys[keys % np.uint64(passes) == number]


def _added_shares(coverage: list[dict[str, tuple[int, int]]]) -> dict[str, Share]:
    added: dict[str, Share] = {}
    for shares in coverage:
        for name, (part, whole) in shares.items():
            before = added.get(name, Share(0, 0))
            added[name] = Share(before.part + part, before.whole + whole)
    return added
