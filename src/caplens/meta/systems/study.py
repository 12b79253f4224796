"""How well corpus scores of captioning systems correlate with people's judgments of the systems."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np

from caplens.api.comparing import compare
from caplens.arrays import Floats
from caplens.core import DEFAULT_METRICS
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError, Notice, UsageError
from caplens.files.telling import setting
from caplens.meta.between.compared import Compared, RatedSet
from caplens.meta.correlations import CoefficientName, Estimate, correlate_columns, mean_estimates
from caplens.meta.outcome import by_code
from caplens.meta.scoring import OwnScores, ScoreColumns, ScoringOptions, own_scores, read_own_scores
from caplens.meta.study import PathLike, Preset
from caplens.meta.systems.files import coco_references, load_systems, team_files
from caplens.meta.systems.judged import HUMAN, JudgedSystems, rank_of, shared_best
from caplens.meta.systems.outcome import RankedSystems, ScoreSource, SystemFacts, SystemOutcome
from caplens.output.document import number
from caplens.readers.records import Record
from caplens.stats.correlation import COEFFICIENTS, correlate
from caplens.stats.resampling import Units

# Requests that mean: whatever the leaderboard has.
_ALL = (None, DEFAULT_METRICS, "coco", "all")


class Board(NamedTuple):
    """Judged systems that a leaderboard has, their scores there, and the date of every later entry that was taken."""

    systems: JudgedSystems
    rows: list[Record]
    later: dict[str, str]


class ScoredSystems(NamedTuple):
    """Judged systems, a corpus score of each by every metric, and where the scores come from."""

    systems: JudgedSystems
    scores: ScoreColumns
    source: ScoreSource


@dataclass(frozen=True)
class SystemStudy(RatedSet):
    """Captioning systems that people judged; a data set is a subclass with `load`, `find_on_board` and `presets`.

    Attributes
    ----------
    measures : tuple of str
        The human judgments that are reported.
    without : tuple of str
        Entries that are left out.
    leaderboard : str or None
        The leaderboard that scores are read from; None where captions are scored.
    """

    conventions: ClassVar[tuple[str, ...]] = ("coefficient", "measures", "without", "leaderboard")

    preset: Preset = option(Preset(), "evaluation protocol to follow (docs/presets.md)")
    coefficient: CoefficientName = option("pearson", "coefficient to show first; all four are computed")
    join: Literal["date", "team"] = option(
        "date", "match leaderboard entries by team and date, or also take later ones"
    )
    systems: PathLike | None = option(
        None, "folder with one caption file per team, to be scored instead", metavar="DIR"
    )
    measures: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    leaderboard: str | None = None

    @abstractmethod
    def load(self, data: Path) -> JudgedSystems:
        """Read the judgments from ``data``."""

    @abstractmethod
    def find_on_board(self, systems: JudgedSystems, data: Path, leaderboard: str) -> Board:
        """Find the entries of judged systems on a leaderboard."""

    @classmethod
    def default(cls, given: Mapping[str, object]) -> Self:
        """Return the first preset; where caption files are given, the first that scores captions."""
        return next(one for one in cls.presets() if one.leaderboard is None or "systems" not in given)

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return the presets that need no caption files."""
        return tuple({"preset": one.preset.name} for one in cls.presets() if one.leaderboard)

    def scored(self, data: Path, metrics: MetricRequest, scores: OwnScores) -> ScoredSystems:
        """Return the systems that have scores, and these."""
        options = self.scoring(metrics, scores)
        systems = self.load(data).without(self.without)
        if self.systems is not None:
            systems, files = team_files(systems, Path(self.systems))
            captions = self.captions_in(data)
            columns = caption_columns(options, files, captions)
            source = ScoreSource("captions", files={name: path.name for name, path in files.items()})
        elif self.leaderboard is None:
            raise UsageError(
                f"The preset {self.preset.name!r} scores captions: specify the folder with a file for each team "
                f"({setting('systems', 'DIR')})."
            )
        else:
            board = self.find_on_board(systems, data, self.leaderboard)
            systems = board.systems
            columns = board_columns(options, systems, board.rows, self.leaderboard)
            source = ScoreSource(self.leaderboard, join=self.join, later_entries=board.later)
        own = read_own_scores(options, systems.names)
        if own is not None:
            columns = columns.and_those(*own)
        return ScoredSystems(systems, columns, source)

    def _facts(self, systems: JudgedSystems, source: ScoreSource) -> SystemFacts:
        return SystemFacts(self, len(systems.names), systems.names, by_code(systems.left_out), source)

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> SystemOutcome:
        """Correlate corpus scores with people, measure by measure."""
        systems, scored, source = self.scored(data, metrics, scores)
        if not scored.columns:
            raise InputError(
                f"There are no scores of systems: specify metrics, a file of scores ({setting('scores', 'FILE')}) or "
                f"caption files ({setting('systems', 'DIR')})."
            )
        human = {measure: systems.human[measure] for measure in self.measures}
        pairs = {
            (key, measure): (column, values)
            for key, column in scored.columns.items()
            for measure, values in human.items()
        }
        units = system_units(systems)
        found = correlate_columns(pairs, units, self.resamples, self.seed, self.resampling.threads)
        first = human[self.measures[0]]
        ranked = scored.ranked()
        entries = {
            key: RankedSystems(
                {
                    measure: _with_ranges(mean_estimates([found[key, measure]]), column, values)
                    for measure, values in human.items()
                },
                rank_of(HUMAN, systems.names, ranked[key]),
                shared_best(systems.names, ranked[key], first),
                [number(value) for value in column.tolist()],
                scored.describe(key),
            )
            for key, column in scored.columns.items()
        }
        return SystemOutcome(
            study=self.name,
            rows=self._facts(systems, source),
            human={measure: values.tolist() for measure, values in human.items()},
            resampling=self.resampling.of(units, "systems"),
            metrics=entries,
            warnings=scored.notices,
            items=systems.items(),
        )

    def compared(
        self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None, measure: str | None = None
    ) -> Compared:
        """Take corpus scores for a study between metrics, and one measure of people: the first unless named."""
        systems, scored, source = self.scored(data, metrics, scores)
        wanted = self.measures[0] if measure is None else measure.upper()
        if wanted not in systems.human:
            raise UsageError(f"There is no measure {measure!r}: choose from {', '.join(systems.human)}.")
        facts = replace(self._facts(systems, source), measure=wanted)
        return Compared(
            self.name,
            scored,
            systems.human[wanted],
            system_units(systems),
            "systems",
            self.coefficient,
            facts,
            facts.notes,
            systems.items(),
        )


def system_units(systems: JudgedSystems) -> Units:
    """Return the systems as what is resampled; with fewer than three of them every correlation is 1 or -1."""
    return Units.of(systems.names, fewest=3)


def board_columns(options: ScoringOptions, systems: JudgedSystems, rows: list[Record], source: str) -> ScoreColumns:
    """Take the scores that were asked for from a leaderboard; those that it does not have are named."""
    board = own_scores(rows, systems.names, source)
    if options.selection is None or options.metrics in _ALL:
        wanted = {} if options.selection is None else board.columns
        return ScoreColumns(dict(wanted), dict.fromkeys(wanted, f"scores from {source}"))
    keys = [key for metric in options.selection.metrics for key in metric.result_keys]
    details = {key: main for metric in options.selection.metrics for key, main in metric.details.items()}
    missing = [key for key in keys if key not in board.columns and details.get(key) not in board.columns]
    notices: tuple[Notice, ...] = ()
    if missing:
        instead = f"score caption files instead ({setting('systems', 'DIR')})"
        message = f"{', '.join(missing)} not on the leaderboard {source}: {instead}"
        notices = (Notice("not-on-leaderboard", message, len(missing)),)
    found = {key: board.columns[key] for key in keys if key in board.columns}
    signatures = dict.fromkeys(found, f"scores from {source}")
    return ScoreColumns.of(options.selection.metrics, found, signatures, notices)


def caption_columns(options: ScoringOptions, files: Mapping[str, Path], captions: Path) -> ScoreColumns:
    """Score the captions of every system on the images that all have; a column has one corpus score a system."""
    if options.selection is None:
        return ScoreColumns({}, {})
    comparison = compare(
        load_systems(dict(files)),
        coco_references(captions),
        list(options.selection.metrics),
        tokenizer=options.tokenizer,
        jobs=options.jobs,
        parses=options.parses,
        max_words=options.max_words,
    )
    results = [comparison[name] for name in files]
    columns = {key: np.array([result[key].score for result in results]) for key in results[0]}
    signatures = {key: results[0][key].signature for key in columns}
    return ScoreColumns.of(options.selection.metrics, columns, signatures, comparison.warnings)


def _with_ranges(estimates: dict[str, Estimate], scores: Floats, human: Floats) -> dict[str, Estimate]:
    bounds = leave_one_out(scores, human)
    return {
        name: replace(estimate, leave_one_out=(number(bounds[name][0]), number(bounds[name][1])))
        for name, estimate in estimates.items()
    }


def leave_one_out(scores: Floats, human: Floats) -> dict[str, tuple[float, float]]:
    """Return the smallest and largest coefficient when one system is left out.

    Examples
    --------
    >>> bounds = leave_one_out(np.array([1.0, 2, 3, 9]), np.array([1.0, 3, 2, 9]))
    >>> [round(bound, 2) for bound in bounds["spearman"]]
    [0.5, 1.0]
    """
    rows = np.arange(len(scores))
    found = [correlate(scores[rows != gone], human[rows != gone]) for gone in rows]
    bounds = {}
    for name in COEFFICIENTS:
        values = np.array([coefficients[name].value for coefficients in found])
        values = values[np.isfinite(values)]
        bounds[name] = (float(values.min()), float(values.max())) if len(values) else (float("nan"), float("nan"))
    return bounds
