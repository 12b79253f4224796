"""Composite metrics: a small network turns the scores of other metrics into the probability that a person wrote."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import ClassVar

from caplens.core.grammar import Request, parse
from caplens.core.metric import Floats, Metric, State, option
from caplens.core.prepared import PreparedReferences, Usage
from caplens.errors import InputError, MissingDataError, UsageError
from caplens.files.paths import is_file, is_folder
from caplens.learned.composite import feedforward
from caplens.learned.composite.feedforward import FeedForward
from caplens.metrics.cider.metric import Cider
from caplens.metrics.combination.base import Combination, first_missing
from caplens.metrics.combination.normalizing import FOLDER, request_of
from caplens.metrics.combination.state import CombinedState
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.spice.metric import Spice
from caplens.metrics.wmd.metric import WordMoversDistance
from caplens.scenegraph.parser.registry import OWN

SHIPPED = "shipped"
SUFFIX = ".safetensors"
COCO_FREQUENCIES = "coco-val2014"
REINSTALL = "pip install --force-reinstall caplens"


@dataclass(frozen=True, eq=False)
class CompositeState(CombinedState):
    """What the inputs learned, and a hash of the weights that combine them."""

    weights: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """The facts of all inputs and the hash."""
        return {**super().facts, "weights": self.weights}


@dataclass(frozen=True)
class LearnedCombination(Combination):
    """A network over the scores of other metrics, which refuses inputs that it was not trained with.

    ``recipe`` is the command that trains it.
    """

    recipe: ClassVar[str] = "caplens train composite"

    weights: str = option(SHIPPED, "`shipped`, or a file or folder that `caplens train composite` wrote")

    def __post_init__(self) -> None:
        super().__post_init__()
        if is_file(self.path):
            self._check_inputs()

    @classmethod
    @abstractmethod
    def shipped_path(cls) -> Path:
        """Return the weights that ship with caplens."""

    @classmethod
    def obstacle(cls) -> str | None:
        """Return what the shipped weights or the inputs lack."""
        if not cls.shipped_path().is_file():
            return f"the weights that ship with caplens are not there: {REINSTALL}."
        try:
            return first_missing(cls().inputs)
        except (InputError, UsageError) as error:
            return f"the weights that ship with caplens cannot be used ({str(error).rstrip('.')}): {REINSTALL}."

    def missing_data(self) -> str | None:
        """Return what the weights or the inputs lack."""
        if not is_file(self.path):
            where = REINSTALL if self.weights == SHIPPED else f"train them with {self.recipe}"
            return f"there are no weights at {self.path}: {where}."
        return super().missing_data()

    @property
    def path(self) -> Path:
        """The file of the weights."""
        if self.weights == SHIPPED:
            return self.shipped_path()
        named = Path(self.weights)
        return named / self.shipped_path().name if is_folder(named) else named

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1: it is a probability."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def network(self) -> FeedForward:
        """The trained network."""
        try:
            changed = self.path.stat().st_mtime_ns
        except OSError as error:
            raise MissingDataError(f"{self.name} cannot run here: {self.missing_data()}") from error
        return _load(self.path, changed)

    @property
    def baseline(self) -> Floats:
        """The mean scores of the captions that the network was trained on."""
        return self.network.mean

    @property
    def baseline_name(self) -> str:
        """What the baseline is."""
        return "the mean scores of its training captions"

    def combine(self, scores: Floats) -> Floats:
        """Return the probabilities."""
        return self.network(scores)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> CombinedState:
        """Remember what the inputs learned, and refuse data (vectors, parser, frequencies) of another kind."""
        state = super().fit(references, usage, inputs)
        for metric, part in zip(self.inputs, state.parts, strict=True):
            self._check_facts(metric, {} if metric.learns_from_corpus else part.facts)
        return CompositeState(state.notices, state.parts, state.names, self.network.fingerprint)

    def _check_inputs(self) -> None:
        """Refuse options other than those of the training."""
        network = self.network
        trained = _trained_inputs(network, self.path)
        requests = {request.name: request for text in trained for request in parse(text)}
        whose = (network.facts or {}).get("metric", self.title)
        fitting = requests.keys() == {metric.name for metric in self.inputs}
        if whose != self.title or not fitting or network.inputs != len(self.input_scores):
            named = f"of {whose}, not of {self.title}" if whose != self.title else f"not of {self.title}"
            raise UsageError(f"The weights in {self.path} are {named}.")
        for metric in self.inputs:
            if request_of(metric) not in trained:
                (mine,) = parse(request_of(metric))
                theirs = requests[metric.name]
                raise UsageError(
                    f"{self.title} was trained with {_less(theirs, mine)}, not with {_less(mine, theirs)}: leave that "
                    f"option as it is, or train with yours ({self.recipe})."
                )

    def _check_facts(self, metric: Metric, facts: Mapping[str, str]) -> None:
        """Refuse data other than that of the training, such as vectors of the same name with other numbers."""
        trained = _trained_inputs(self.network, self.path)[request_of(metric)]
        for name, value in facts.items():
            if trained.get(name, value) != value:
                raise UsageError(
                    f"{self.title} was trained with a {metric.title} whose {name} is {trained[name]}, but here it is "
                    f"{value}: train again with yours ({self.recipe}), or install the caplens that the "
                    "weights belong to."
                )


@dataclass(frozen=True)
class CompositeMetric(LearnedCombination):
    """A network over some of METEOR, WMD, CIDEr and SPICE; ``letters`` says which, in this order."""

    letters: ClassVar[str]
    origin: ClassVar[str] = "Sharif et al. 2018"

    parser: str = option(OWN, "of SPICE: must be the one of the training")
    tokenizer: str = option("ptb", "how captions are cut into words: must be the one of the training")

    @classmethod
    def shipped_path(cls) -> Path:
        """Return the weights that ship with caplens."""
        return FOLDER / f"Eval_{cls.letters}{SUFFIX}"

    @property
    def keys(self) -> tuple[str, ...]:
        """``Eval_`` and the letters."""
        return (f"Eval_{self.letters}",)

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """The metrics, in the order of the letters."""
        return tuple(self._input(letter) for letter in self.letters)

    def _input(self, letter: str) -> Metric:
        if letter == "M":
            return Meteor(tokenizer=self.tokenizer)
        if letter == "W":
            return WordMoversDistance(vectors=getattr(self, "vectors", "captions"), tokenizer=self.tokenizer)
        if letter == "C":
            return Cider(df=getattr(self, "df", COCO_FREQUENCIES), tokenizer=self.tokenizer)
        return Spice(parser=self.parser, tokenizer=self.tokenizer)


_VECTORS = "word vectors of WMD: must be those of the training"
_DF = "document frequencies of CIDEr: must be those of the training"


@dataclass(frozen=True)
class EvalMS(CompositeMetric):
    r"""Eval_MS: how likely it is that a person wrote the caption, by METEOR and SPICE.

    .. math:: \mathrm{Eval}(c) = \frac{1}{k} \sum_k P_k(\text{human} \mid \mathrm{METEOR}(c), \mathrm{SPICE}(c))

    A small network, trained on human captions against their siblings and on captions of captioning systems, in which no
    input can lower the score; the mean of several seeds. A caption without one of the inputs has none. The maximum, 1,
    is a limit that no score reaches.

    References
    ----------
    N. Sharif, L. White, M. Bennamoun, S. A. A. Shah: Learning-based composite metrics for improved caption evaluation,
    ACL Student Research Workshop 2018. Data, systems and architecture differ from the paper: see docs/composite.md.

    Examples
    --------
    >>> [metric.title for metric in EvalMS().inputs]
    ['METEOR', 'SPICE']
    """

    name: ClassVar[str] = "eval_ms"
    title: ClassVar[str] = "Eval_MS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by METEOR and SPICE"
    needs: ClassVar[str] = Meteor.needs
    letters: ClassVar[str] = "MS"


@dataclass(frozen=True)
class EvalCS(CompositeMetric):
    """Eval_CS: as `EvalMS`, by CIDEr and SPICE."""

    name: ClassVar[str] = "eval_cs"
    title: ClassVar[str] = "Eval_CS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by CIDEr and SPICE"
    letters: ClassVar[str] = "CS"

    df: str = option(COCO_FREQUENCIES, _DF)


@dataclass(frozen=True)
class EvalMCS(CompositeMetric):
    """Eval_MCS: as `EvalMS`, by METEOR, CIDEr and SPICE."""

    name: ClassVar[str] = "eval_mcs"
    title: ClassVar[str] = "Eval_MCS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by METEOR, CIDEr and SPICE"
    needs: ClassVar[str] = Meteor.needs
    letters: ClassVar[str] = "MCS"

    df: str = option(COCO_FREQUENCIES, _DF)


@dataclass(frozen=True)
class EvalWCS(CompositeMetric):
    """Eval_WCS: as `EvalMS`, by WMD, CIDEr and SPICE."""

    name: ClassVar[str] = "eval_wcs"
    title: ClassVar[str] = "Eval_WCS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by WMD, CIDEr and SPICE"
    letters: ClassVar[str] = "WCS"

    vectors: str = option("captions", _VECTORS)
    df: str = option(COCO_FREQUENCIES, _DF)


@dataclass(frozen=True)
class EvalMWS(CompositeMetric):
    """Eval_MWS: as `EvalMS`, by METEOR, WMD and SPICE."""

    name: ClassVar[str] = "eval_mws"
    title: ClassVar[str] = "Eval_MWS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by METEOR, WMD and SPICE"
    needs: ClassVar[str] = Meteor.needs
    letters: ClassVar[str] = "MWS"

    vectors: str = option("captions", _VECTORS)


@dataclass(frozen=True)
class EvalMWCS(CompositeMetric):
    """Eval_MWCS: as `EvalMS`, by METEOR, WMD, CIDEr and SPICE."""

    name: ClassVar[str] = "eval_mwcs"
    title: ClassVar[str] = "Eval_MWCS"
    idea: ClassVar[str] = "probability that a person wrote the caption, by METEOR, WMD, CIDEr and SPICE"
    needs: ClassVar[str] = Meteor.needs
    letters: ClassVar[str] = "MWCS"

    vectors: str = option("captions", _VECTORS)
    df: str = option(COCO_FREQUENCIES, _DF)


COMPOSITES: tuple[type[CompositeMetric], ...] = (EvalMS, EvalCS, EvalMCS, EvalWCS, EvalMWS, EvalMWCS)
"""The composite metrics of the paper."""


@cache
def _load(path: Path, changed: int) -> FeedForward:
    """Read weights once; ``changed`` tells a file that was written again from the old one."""
    return feedforward.load(path)


def _less(request: Request, other: Request) -> str:
    """Write a request without the options that another of the same metric has as well."""
    return str(replace(request, options=tuple(option for option in request.options if option not in other.options)))


def _trained_inputs(network: FeedForward, path: Path) -> dict[str, dict[str, str]]:
    """Return what a file of weights says about its inputs: by metric in the grammar, the facts of its data."""
    try:
        found: dict[str, dict[str, str]] = dict(json.loads((network.facts or {})["inputs"]))
    except (KeyError, ValueError, TypeError) as error:
        raise UsageError(f"{path} does not say what it was trained with: it is no composite metric.") from error
    return found
