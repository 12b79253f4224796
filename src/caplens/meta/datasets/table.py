"""A table of the user's own: id, candidate, references and human scores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.corpus import normalise_id
from caplens.errors import InputError, counted, name_some
from caplens.files.telling import setting
from caplens.meta.captions.judged import JudgedCaptions, among_references
from caplens.meta.captions.study import CaptionStudy
from caplens.meta.study import Preset
from caplens.readers.records import numbers, read_records, require_columns, texts


@dataclass(frozen=True)
class OwnTable(CaptionStudy):
    """Rows with any ids; several columns that begin with ``human`` are several raters."""

    name: ClassVar[str] = "table"
    data_help: ClassVar[str] = "file with the columns id, candidate, references, human"

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return nothing: a file of the user's own is not among the data of all studies."""
        return ()

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(preset=Preset("captions", "a row is a caption with its mean rating"), coefficient="kendall_b"),
            cls(preset=Preset("judgments", "a row is a single judgment"), coefficient="kendall_b", rows="judgments"),
            cls(
                preset=Preset("captions-clean", "as captions, excluding candidates that are among their references"),
                coefficient="kendall_b",
                own="excluded",
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read a file of rows: CSV, TSV, JSON lines, JSON or Parquet."""
        if data.is_dir():
            raise InputError(f"{data} is a folder: specify the file of the table ({setting('data', 'FILE')}).")
        rows = read_records(data)
        require_columns(rows, ["id", "candidate", "references"], data)
        raters = list(dict.fromkeys(name for row in rows for name in row if name.lower().startswith("human")))
        if not raters:
            raise InputError(f"{data} has no column 'human'; it has {name_some(list(rows[0]))}.")
        ids = [normalise_id(row["id"]) for row in rows]
        repeated = [key for key, count in _counts(ids).items() if count > 1]
        if repeated:
            raise InputError(f"Ids must be unique, but {data} repeats {name_some(repeated)}.")
        without = [key for key, row in zip(ids, rows, strict=True) if row["candidate"] is None]
        if without:
            raise InputError(f"{counted(len(without), 'row')} of {data} have no candidate ({name_some(without)}).")
        candidates = [str(row["candidate"]) for row in rows]
        references = [tuple(texts(row["references"])) for row in rows]
        return JudgedCaptions(
            ids=ids,
            images=[str(row.get("image", key)) for key, row in zip(ids, rows, strict=True)],
            candidates=candidates,
            references=references,
            ratings={"human": np.array([numbers(rows, column, data) for column in raters]).T},
            own=among_references(candidates, references),
        )


def _counts(ids: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for key in ids:
        counts[key] = counts.get(key, 0) + 1
    return counts
