"""SPICE by category of tuples, for each captioning system."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from caplens.api.comparing import compare
from caplens.core.options import option
from caplens.core.result import Score
from caplens.core.selection import MetricRequest
from caplens.meta.drawing import Figure, dots, or_nan
from caplens.meta.outcome import LeftOut, Outcome
from caplens.meta.published import anderson2016
from caplens.meta.scoring import OwnScores, ScoreFacts
from caplens.meta.study import PathLike, Preset, WithCaptions
from caplens.meta.systems.files import coco_references, find_systems, load_systems
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, Value

# Anderson et al. (ECCV 2016), table 2, in its order.
KEYS = (
    *("SPICE", "SPICE_Object", "SPICE_Relation", "SPICE_Attribute"),
    *("SPICE_Color", "SPICE_Cardinality", "SPICE_Size"),
)


@dataclass(frozen=True)
class CategoryScore:
    """F, precision and recall of one kind of tuple."""

    f: float | None
    precision: float | None = None
    recall: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CategoryOutcome(Outcome):
    """SPICE by kind of tuple, for each system."""

    preset: Preset
    n: int
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    systems: dict[str, dict[str, CategoryScore]]
    metrics: dict[str, ScoreFacts]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return F, precision and recall: one line per system, one column a kind."""
        columns = (Column("system"), *(Column(_kind(key)) for key in KEYS))
        note = f"mean over {self.n:,} images that all systems have; a dash where no image has such tuples."
        tables = []
        for figure, title in (("f", "F"), ("precision", "P"), ("recall", "R")):
            rows: tuple[tuple[Value, ...], ...] = tuple(
                (name, *(getattr(scores[key], figure) for key in KEYS)) for name, scores in self.systems.items()
            )
            tables.append(NumberTable(f"categories: SPICE {title} by kind of tuple", columns, rows, (note,)))
        return tuple(tables)

    def figure(self) -> Figure:
        """Draw one line per system, one dot a kind."""
        values = {_kind(key): [or_nan(scores[key].f) for scores in self.systems.values()] for key in self.metrics}
        return dots(list(self.systems), values, "F", f"SPICE by kind of tuple, n = {self.n:,} images")[0]


def _kind(key: str) -> str:
    return key.removeprefix("SPICE_")


@dataclass(frozen=True)
class Categories(WithCaptions):
    """SPICE of systems on their common images: F, precision and recall by kind of tuple."""

    name: ClassVar[str] = "categories"
    data_help: ClassVar[str] = "folder with COCO's captions and caption files of systems (in a subfolder 'systems')"
    takes_metrics: ClassVar[bool] = False
    takes_scores: ClassVar[bool] = False
    published: ClassVar[Preset] = Preset(anderson2016.NAME, f"{anderson2016.SOURCE}, table 2")

    systems: PathLike | None = option(
        None, "folder with one caption file per system, if it is not in the data folder", metavar="DIR"
    )
    jobs: int | None = option(None, "number of threads; by default, all CPUs available to the process")
    parses: PathLike | None = option(None, "folder in which to keep SPICE's parses for later runs", metavar="DIR")

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> CategoryOutcome:
        """Score systems with SPICE."""
        files = find_systems(data, self.systems)
        references = coco_references(self.captions_in(data))
        comparison = compare(load_systems(files), references, "spice", jobs=self.jobs, parses=self.parses)
        first = comparison[next(iter(files))]
        return CategoryOutcome(
            study=self.name,
            preset=self.published,
            n=len(first.ids),
            systems={name: {key: _score(comparison[name][key]) for key in KEYS} for name in files},
            metrics={key: ScoreFacts(first[key].signature) for key in KEYS},
            warnings=comparison.warnings,
        )


def _score(score: Score) -> CategoryScore:
    return CategoryScore(number(score.score), **{part: number(score.parts[part].score) for part in score.parts})
