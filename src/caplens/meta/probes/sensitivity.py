"""How scores react to small changes of a caption: Kilickaya et al. (2017), table 2, or sentences of the user's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from caplens.core.selection import MetricRequest
from caplens.errors import InputError, Notice
from caplens.files.telling import setting
from caplens.meta.drawing import Figure, dots, or_nan
from caplens.meta.outcome import INLINED, LeftOut, Outcome
from caplens.meta.published import kilickaya2017
from caplens.meta.scoring import OwnScores, ScoreFacts, score_rows
from caplens.meta.study import NO_DATA, Preset, Scoring
from caplens.output.document import number
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
        named = setting("data", "FILE")
        raise InputError(f"{path} is a folder: specify a file of sentences ({named}), or none for those of the paper.")
    rows = read_records(path)
    require_columns(rows, ["kind", "sentence"], path)
    sentences = {str(row["kind"]).strip().lower(): str(row["sentence"]) for row in rows}
    if ORIGINAL not in sentences:
        raise InputError(f"{path} has no sentence of the kind {ORIGINAL!r}, which is the reference of the others.")
    return sentences


@dataclass(frozen=True)
class SentenceScores:
    """The score of each sentence by kind."""

    scores: dict[str, float | None]
    score: ScoreFacts = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SensitivityOutcome(Outcome):
    """Scores of every sentence against the original one."""

    preset: Preset
    n: int
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    sentences: dict[str, str]
    metrics: dict[str, SentenceScores]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line a sentence, one column per metric."""
        columns = (Column("sentence"), *map(Column, self.metrics), Column("text"))
        rows = tuple(
            (kind, *(entry.scores[kind] for entry in self.metrics.values()), text)
            for kind, text in self.sentences.items()
        )
        note = "every sentence against the original one, which is the only reference."
        return (NumberTable("sensitivity: scores of changed captions", columns, rows, (note,)),)

    def figure(self) -> Figure:
        """Draw one line per metric, one dot a sentence."""
        main = {key: entry for key, entry in self.metrics.items() if entry.score.detail_of is None}
        values = {kind: [or_nan(entry.scores[kind]) for entry in main.values()] for kind in self.sentences}
        return dots(list(main), values, "score", "sensitivity: scores of changed captions")[0]


@dataclass(frozen=True)
class Sensitivity(Scoring):
    """Scores of sentences that differ in one respect from an original one."""

    name: ClassVar[str] = "sensitivity"
    data_help: ClassVar[str] = "file of sentences (kind, sentence); by default, those of the paper"
    needs_data: ClassVar[bool] = False
    published: ClassVar[Preset] = Preset(
        kilickaya2017.NAME, f"{kilickaya2017.SOURCE}, table 2", published=kilickaya2017.TABLE_2
    )

    def run(self, data: Path = NO_DATA, metrics: MetricRequest = None, scores: OwnScores = None) -> SensitivityOutcome:
        """Score every sentence against the original one."""
        options = self.scoring(metrics, scores)
        sentences = read_sentences(None if data == NO_DATA else data)
        kinds = list(sentences)
        references: list[tuple[str, ...]] = [(sentences[ORIGINAL],)] * len(kinds)
        scored = score_rows(options, kinds, list(sentences.values()), references, ["1"] * len(kinds))
        notices = list(scored.notices)
        if any(key.startswith("CIDEr") and "df=corpus" in signature for key, signature in scored.signatures.items()):
            message = "CIDEr needs external document frequencies here, such as cider(df=coco-val2014): those of "
            notices.append(Notice("one-document", f"{message}one reference make all its scores 0"))
        return SensitivityOutcome(
            study=self.name,
            preset=self.published,
            n=len(kinds),
            sentences=sentences,
            metrics={
                key: SentenceScores(
                    {kind: number(float(value)) for kind, value in zip(kinds, column, strict=True)},
                    scored.describe(key),
                )
                for key, column in scored.columns.items()
            },
            warnings=tuple(notices),
        )
