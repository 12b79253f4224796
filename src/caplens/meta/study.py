"""What a study is: a frozen dataclass whose fields are its options, with a name, a title and `run`.

A preset is an instance with other field values and the figures that a paper prints. The command line, Python calls and
``caplens meta all`` derive from these declarations.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from caplens.core.options import check_ranges, convert_options, declared_options, option
from caplens.core.selection import MetricRequest
from caplens.errors import UsageError
from caplens.files.threads import available_cpus
from caplens.meta.outcome import Outcome, Resamples, plain_data
from caplens.meta.published.tables import Published
from caplens.meta.scoring import OwnScores, ScoringOptions
from caplens.stats import SEED
from caplens.stats.resampling import Units
from caplens.stats.significance import LEAST_RESAMPLES
from caplens.text import MAX_WORDS

PathLike = str | os.PathLike[str]
NO_DATA = Path()
"""Where a study that can do without data is given none."""
MOST_SEEDS = 2**63 - 1
RENAMED = {
    "000": "kilickaya2017",
    "001": "cui2018",
    "002": "sharif2018",
    "003": "sharif2020",
    "004": "anderson2016",
    "clipscore": "hessel2021",
}
"""What presets were called before they had the names of papers."""


@dataclass(frozen=True)
class Preset:
    """Whose convention a study follows.

    Attributes
    ----------
    name, source : str
        What it is called (the convention of a paper: by author and year), and the paper or tool.
    published : mapping
        The figures of the paper: by the key of the score, then by coefficient, category or measure.
    note : str
        What else should be known.
    """

    name: str = ""
    source: str = ""
    published: Published = field(default_factory=dict)
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"name": self.name, "source": self.source}


@dataclass(frozen=True)
class Study(ABC):
    """A study with its options; a subclass is a frozen dataclass whose fields (made with `option`) are the options.

    Attributes
    ----------
    name : str
        What it is called; `caplens.meta.registry` also has a title, one line for people.
    data_help : str
        What ``data`` must be.
    needs_data, takes_metrics, takes_scores, has_items : bool
        Whether it needs data; whether metrics can be chosen, and scores from a file join in; whether it has rows that
        a metric of the user's own could score.
    """

    name: ClassVar[str]
    data_help: ClassVar[str] = "folder with the judgments"
    needs_data: ClassVar[bool] = True
    takes_metrics: ClassVar[bool] = True
    takes_scores: ClassVar[bool] = True
    has_items: ClassVar[bool] = False
    # The fields that presets fix: result files hold them with the preset.
    conventions: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_ranges(self)

    @abstractmethod
    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> Outcome:
        """Run the study.

        Parameters
        ----------
        data : pathlib.Path
            Folder or file of the judgments.
        metrics : str, Metric or list, optional
            In the metric grammar; ``"none"`` for the user's own scores alone.
        scores : path or rows, optional
            Scores of the user's own.
        """

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the study by the conventions of papers, the default first; empty where there are none to choose."""
        return ()

    @classmethod
    def default(cls, given: Mapping[str, object]) -> Self:
        """Return the study as it is unless a preset is named, for the options that were given."""
        return next(iter(cls.presets()), None) or cls()

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return the options of each run among all studies: every preset by default."""
        return tuple({"preset": name} for name in preset_names(cls)) or ({},)


def preset_names(kind: type[Study]) -> tuple[str, ...]:
    """Return the names of the presets of a study, the default first."""
    return tuple(one.preset.name for one in kind.presets() if isinstance(one, JudgedSet))


AnyStudy = TypeVar("AnyStudy", bound=Study)


def configure(kind: type[AnyStudy], options: Mapping[str, object]) -> AnyStudy:
    """Make a study with options: those of the preset that is named (or the default), and those given on top."""
    given = dict(options)
    wanted = given.pop("preset", None) if preset_names(kind) else None
    values = {name: value for name, value in convert_options(kind, given).items() if value is not None}
    if wanted is None:
        return replace(kind.default(values), **values)
    for name, preset in zip(preset_names(kind), kind.presets(), strict=True):
        if name == str(wanted).lower():
            return replace(preset, **values)
    known = preset_names(kind)
    renamed = RENAMED.get(str(wanted).lower())
    if renamed in known:
        raise UsageError(
            f"The preset {wanted!r} of {kind.name} is now named {renamed!r}: presets are named by author and year."
        )
    raise UsageError(f"{kind.name} has no preset {wanted!r}: choose from {', '.join(known)}.")


@dataclass(frozen=True)
class WithCaptions(Study):
    """A study that may need reference captions from elsewhere."""

    captions: PathLike | None = option(
        None, "folder with the reference captions, if it is not the data folder", metavar="DIR"
    )

    def captions_in(self, data: Path) -> Path:
        """Return the folder of the reference captions: that of the data unless another is named."""
        return data if self.captions is None else Path(self.captions)


@dataclass(frozen=True)
class Scoring(Study):
    """A study that scores captions."""

    tokenizer: str = option("ptb", "tokenizer: ptb, none, intl or char", metavar="NAME")
    jobs: int | None = option(None, "number of threads; by default, all CPUs available to the process")
    parses: PathLike | None = option(None, "folder in which to keep SPICE's parses for later runs", metavar="DIR")
    max_words: int = option(
        MAX_WORDS, "maximum number of words per caption; longer captions are truncated; 0: no limit", least=0
    )

    def scoring(self, metrics: MetricRequest, scores: OwnScores = None) -> ScoringOptions:
        """Return what to score with."""
        return ScoringOptions(metrics, scores, self.tokenizer, self.jobs, self.parses, self.max_words)


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn."""

    resamples: int = LEAST_RESAMPLES
    seed: int = SEED
    jobs: int | None = None

    @property
    def threads(self) -> int:
        """Threads to use."""
        return self.jobs or available_cpus()

    def of(self, units: Units, what: str) -> Resamples:
        """Return what result files say about the resamples; ``what`` names the units."""
        return Resamples(self.resamples, units.left_out(self.resamples, self.seed), self.seed, what)


@dataclass(frozen=True)
class Resampled(Scoring):
    """A study whose figures have bootstrap intervals."""

    resamples: int = option(LEAST_RESAMPLES, "number of bootstrap resamples")
    seed: int = option(SEED, "random seed", least=0, most=MOST_SEEDS)

    @property
    def resampling(self) -> Resampling:
        """How intervals are drawn."""
        return Resampling(self.resamples, self.seed, self.jobs)


@dataclass(frozen=True)
class JudgedSet(WithCaptions, Resampled):
    """A set that people judged, and the study of how well scores agree with them.

    A preset is an instance: it has a `preset`, and the fields in `conventions` as the paper has them.
    """

    has_items: ClassVar[bool] = True

    preset: Preset = option(Preset(), "evaluation protocol to follow (docs/presets.md)")

    def to_dict(self) -> dict[str, Any]:
        """Return the conventions as plain data."""
        fixed = {name: plain_data(getattr(self, name)) for name in self.conventions}
        published = plain_data(self.preset.published)
        return {**self.preset.to_dict(), **fixed, "published": published, "note": self.preset.note}


def own_options(study: Study, names: Sequence[str]) -> dict[str, object]:
    """Return some options of a study that differ from their defaults, to be handed on to another."""
    declared = declared_options(type(study))
    return {name: getattr(study, name) for name in names if getattr(study, name) != declared[name].default}
