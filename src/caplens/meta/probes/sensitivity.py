"""How scores react to small changes of a caption: paper 000, table 2, or sentences of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caplens.errors import InputError, Notice
from caplens.meta.correlations import plain
from caplens.meta.scoring import ScoringOptions, score_rows
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable
from caplens.readers.records import read_records, require_columns

ORIGINAL = "original"
SENTENCES = {
    ORIGINAL: "a man wearing a red life jacket is sitting in a canoe on a lake",
    "candidate": "a man wearing a life jacket is in a small boat on a lake",
    "synonyms": "a guy wearing a life vest is in a small boat on a lake",
    "redundancy": "a man wearing a life jacket is in a small boat on a lake at sunset",
    "word order": "in a small boat on a lake a man is wearing a life jacket",
}
"""Kilickaya et al. (EACL 2017), table 2: the original is the reference of all, and of itself."""


def read_sentences(path: Path | None) -> dict[str, str]:
    """Read rows ``kind, sentence``; the kind ``original`` is the reference. Without a file, the paper's sentences."""
    if path is None:
        return dict(SENTENCES)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file of sentences (--data FILE), or none for those of the paper.")
    rows = read_records(path)
    require_columns(rows, ["kind", "sentence"], path)
    sentences = {str(row["kind"]).strip().lower(): str(row["sentence"]) for row in rows}
    if ORIGINAL not in sentences:
        raise InputError(f"{path} has no sentence of the kind {ORIGINAL!r}, which is the reference of the others.")
    return sentences


def sensitivity_study(sentences: Mapping[str, str], options: ScoringOptions) -> Study:
    """Score every sentence against the original one."""
    reference = (sentences[ORIGINAL],)
    kinds = list(sentences)
    count = len(kinds)
    scores = score_rows(options, kinds, list(sentences.values()), [reference] * count, ["1"] * count)
    notices = list(scores.notices)
    if any(key.startswith("CIDEr") and "df=corpus" in signature for key, signature in scores.signatures.items()):
        message = "CIDEr needs document frequencies from elsewhere here, such as cider(df=coco.parquet): those of one "
        notices.append(Notice("one-document", f"{message}reference make all its scores 0"))
    data: dict[str, Any] = {
        "preset": {"name": "000", "source": "Kilickaya et al. (EACL 2017), table 2"},
        "n": count,
        "left_out": {},
        "sentences": dict(sentences),
        "metrics": {
            key: {
                "scores": {kind: plain(float(value)) for kind, value in zip(kinds, column, strict=True)},
                **scores.describe(key),
            }
            for key, column in scores.columns.items()
        },
    }
    columns = (Column("sentence"), *(Column(key) for key in scores.columns), Column("text"))
    rows = tuple(
        (kind, *(data["metrics"][key]["scores"][kind] for key in scores.columns), sentences[kind]) for kind in kinds
    )
    note = "every sentence against the original one, which is the only reference."
    table = NumberTable("sensitivity: scores of changed captions", columns, rows, (note,))
    return Study("sensitivity", data, (table,), tuple(notices))
