"""Scores that were made elsewhere, with the intervals and tests of every other metric."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.errors import InputError, UsageError, counted, name_some
from caplens.readers.records import number, numbers, read_records, require_columns
from caplens.readers.scores import SYSTEM, by_system, row_by_id

Scores = dict[str, dict[str, float]]
"""The numbers of one column by system and id; the system without a name is the empty text."""


@dataclass(frozen=True, eq=False)
class GivenState(State):
    """The scores of a file, and the file's hash."""

    scores: Scores = field(default_factory=dict)
    fingerprint: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """The hash of the file."""
        return {"scores": self.fingerprint} if self.fingerprint else {}


@dataclass(frozen=True)
class Given(Metric):
    r"""Scores computed elsewhere: CLIPScore, a language model as judge, human ratings.

    .. math:: \mathrm{Given} = \frac{1}{N} \sum_{i=1}^{N} s_i

    where :math:`s_i` is the number for item :math:`i` in a file, or in a column of the candidates' own file. Scoring,
    comparisons, combinations and studies treat them like any other metric. A row without a number is an error. In a
    comparison, the column ``system`` of the file identifies the system of each row.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a dog", "a cat"], [["dogs"], ["cats"]], "given(column=clip)", columns={"clip": [1, 2]})
    >>> result["clip"].score, result["clip"].item_scores.tolist()
    (1.5, [1.0, 2.0])
    """

    name: ClassVar[str] = "given"
    title: ClassVar[str] = "given scores"
    idea: ClassVar[str] = "the mean of scores computed elsewhere"
    needs: ClassVar[str] = "a file of scores, or a column of the candidates' file"
    reads_graphs: ClassVar[bool] = True

    column: str = option("score", "numeric column; its name becomes the key of the result", names=any_text)
    file: str | None = option(
        None, "table with `id` and the column; by default, the column is read from the candidates' file"
    )
    system: str | None = option(None, "system whose rows to use, if the file has several", names=any_text)
    lower: bool = option(False, "whether lower scores are better")

    @property
    def keys(self) -> tuple[str, ...]:
        """The name of the column."""
        return (self.column,)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Unless the user says otherwise."""
        return not self.lower

    @property
    def reads_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The column, unless it stands in a file of its own."""
        return () if self.file else (self.column,)

    @property
    def needs_references(self) -> bool:
        """The scores are there already."""
        return False

    def missing_data(self) -> str | None:
        """Return what a request without options lacks."""
        if self.file is None and self.column == "score":
            return (
                "specify a file, given(file=scores.csv, column=clip), or a column of the candidates, "
                "given(column=clip)."
            )
        return None

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> GivenState:
        """Read the file."""
        if self.file is None:
            return GivenState()
        scores, fingerprint = _read(self.file, self.column)
        return GivenState(scores=scores, fingerprint=fingerprint)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the number of each row."""
        if self.file is None:
            values = self._of_column(prepared)
        else:
            assert isinstance(state, GivenState)
            values = self._of_file(prepared, state.scores, self.file)
        return Statistics(("score",), np.array(values, dtype=np.float64).reshape(-1, 1))

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean."""
        return sums / np.asarray(rows)[..., np.newaxis]

    def _of_column(self, prepared: Prepared) -> list[float]:
        values = [number(value) for value in prepared.column(self.column, self.name)]
        wrong = [row for row, value in enumerate(values) if not math.isfinite(value)]
        if wrong:
            ids = [str(row) if prepared.ids is None else prepared.ids[row] for row in wrong]
            raise InputError(f"The column {self.column!r} has no number for {_rows(ids, len(values))}.")
        return values

    def _of_file(self, prepared: Prepared, scores: Scores, file: str) -> list[float]:
        ids = [str(row) for row in range(len(prepared))] if prepared.ids is None else prepared.ids
        if len(set(ids)) < len(ids):
            raise InputError(f"given(file={file}) needs one row per id, but ids repeat among the candidates.")
        own = scores[self._system(prepared, scores, file)]
        without = [key for key in ids if key not in own]
        if without:
            raise InputError(f"{file} has no {self.column!r} for {_rows(without, len(ids))}.")
        return [own[key] for key in ids]

    def _system(self, prepared: Prepared, scores: Scores, file: str) -> str:
        """Return the name of the system whose rows are meant."""
        wanted = self.system or prepared.system
        if not wanted and len(scores) > 1:
            raise UsageError(f"{file} has scores of {name_some(list(scores))}: write given(file={file}, system=NAME).")
        if wanted and list(scores) == [""]:
            raise InputError(f"{file} has no column {SYSTEM!r}, so it does not identify the scores of {wanted!r}.")
        if wanted and wanted not in scores:
            raise InputError(f"{file} has no scores for {wanted!r}, only for {name_some(list(scores))}.")
        return wanted or next(iter(scores))


def _rows(ids: Sequence[str], total: int) -> str:
    return f"{counted(len(ids), 'row')} of {total:,} (id {name_some(list(ids))})"


def _read(file: str, column: str) -> tuple[Scores, str]:
    """Read one column of a file for all systems; also return the hash of the file."""
    rows = read_records(file)
    require_columns(rows, [column], file)
    scores: Scores = {}
    for system, own in by_system(rows, file).items():
        source = f"{file} ({system})" if system else file
        places = row_by_id(own, source)
        values = numbers(own, column, source)
        scores[system] = {key: values[place] for key, place in places.items() if math.isfinite(values[place])}
    return scores, hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]
