"""Simple combinations of any metrics: the mean of normalised scores, and sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from caplens.core.grammar import Request
from caplens.core.metric import Floats, Metric, State, any_text, option
from caplens.core.options import as_written
from caplens.core.prepared import PreparedReferences, Usage
from caplens.errors import UsageError
from caplens.metrics.combination.base import (
    Combination,
    InputScore,
    check_inputs,
    main_place,
)
from caplens.metrics.combination.normalizing import COCO, RANGE, Constants, check_constants, constants_of, load
from caplens.metrics.combination.normalizing import names as constants_names
from caplens.metrics.combination.state import CombinedState


@dataclass(frozen=True, eq=False)
class NormalizedState(CombinedState):
    """What the inputs learned, and a hash of the normalisation constants."""

    constants: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """The facts of all inputs and the hash."""
        return {**super().facts, "constants": self.constants}


@dataclass(frozen=True)
class WeightedSum(Combination):
    """What means and sums have in common."""

    usual_inputs: ClassVar[tuple[str, ...]] = ("wmd", "spice", "meteor")
    prefix: ClassVar[str]

    metrics: tuple[Metric, ...] = ()
    weights: str | Sequence[float] | None = option(
        None, "one number per input, such as 2 1 1; by default, all 1", names=any_text
    )
    normalize: Literal["minmax", "z", "none"] = option("minmax", "`minmax`, `z` (zero mean, unit variance) or `none`")
    normalize_on: str = option(
        COCO,
        "source of the normalisation constants: `coco-val2014`, `range` (the bounds of each metric) or a file "
        "(`caplens constants build`)",
        names=lambda: (*constants_names(), RANGE),
    )
    scores: str | None = option(None, "score to use from an input that has several, such as Bleu_4", names=any_text)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "metrics", tuple(self.metrics) or self.usual_metrics())
        chosen = choose_scores(self.name, self.metrics, self.scores)
        object.__setattr__(self, "_input_scores", chosen)
        if self.scores is not None:
            named = {key.lower() for key in self.scores.split()}
            object.__setattr__(self, "scores", " ".join(one.name for one in chosen if one.name.lower() in named))
        check_inputs(self.name, self.metrics, self.input_scores)
        object.__setattr__(self, "_weights", read_weights(self.name, self.weights, len(self.metrics)))
        if self.weights is not None:
            object.__setattr__(self, "weights", " ".join(as_written(weight) for weight in self.__dict__["_weights"]))
        if self.normalize == "z" and self.normalize_on == RANGE:
            raise UsageError(
                f"{self.name}(normalize=z) needs means and deviations, which bounds do not provide: use "
                f"normalize=minmax, or normalize_on={COCO}."
            )
        if self.normalize != "none":
            self._constants()  # what is not known is refused before any work

    @classmethod
    def usual_metrics(cls) -> tuple[Metric, ...]:
        """Return what is combined where no metrics are named."""
        from caplens.core.registry import build

        return tuple(build(Request(name), known="false") for name in cls.usual_inputs)

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """The metrics that are combined."""
        return self.metrics

    @property
    def input_scores(self) -> tuple[InputScore, ...]:
        """One score of each input."""
        chosen: tuple[InputScore, ...] = self.__dict__["_input_scores"]
        return chosen

    @property
    def shares(self) -> Floats:
        """The factor of each input."""
        return np.array(self.__dict__["_weights"])

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the inputs after ``Mean`` or ``Sum``."""
        return ("_".join([self.prefix, *(score.name for score in self.input_scores)]),)

    @property
    def baseline(self) -> Floats:
        """The mean of each input on the measured captions, or its lower bound; 0 where raw scores are added up."""
        if self.normalize == "none":
            return super().baseline
        return np.array([one.least if self.normalize_on == RANGE else one.mean for one in self._constants()])

    @property
    def baseline_name(self) -> str:
        """Where the baseline comes from."""
        if self.normalize == "none":
            return super().baseline_name
        return "the lowest possible scores" if self.normalize_on == RANGE else f"the mean scores of {self.normalize_on}"

    def _constants(self) -> list[Constants]:
        return [
            constants_of(metric, metric.keys[score.place], self.normalize_on)
            for metric, score in zip(self.metrics, self.input_scores, strict=True)
        ]

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> CombinedState:
        """Remember what the inputs learned, and refuse constants of inputs with other data (vectors, parser)."""
        state = super().fit(references, usage, inputs)
        if self.normalize == "none" or self.normalize_on == RANGE:
            return state
        for metric, part in zip(self.metrics, state.parts, strict=True):
            check_constants(metric, part, self.normalize_on)
        return NormalizedState(state.notices, state.parts, state.names, load(self.normalize_on).fingerprint)

    def combine(self, scores: Floats) -> Floats:
        """Normalise and add up."""
        constants = [] if self.normalize == "none" else self._constants()
        if self.normalize == "minmax":
            least, size = ([one.least for one in constants], [one.largest - one.least for one in constants])
            scores = (scores - least) / np.where(np.array(size) > 0, size, 1.0)
        elif self.normalize == "z":
            size = [one.deviation for one in constants]
            scores = (scores - [one.mean for one in constants]) / np.where(np.array(size) > 0, size, 1.0)
        added: Floats = scores @ self.shares
        return added


@dataclass(frozen=True)
class Mean(WeightedSum):
    r"""The (weighted) mean of normalised scores of several metrics.

    .. math:: \mathrm{Mean}(c) = \sum_i w_i \frac{m_i(c) - \min m_i}{\max m_i - \min m_i} \Big/ \sum_i w_i

    with ``normalize=z``, :math:`(m_i(c) - \mu_i) / \sigma_i` instead of the fraction. Minimum, maximum, mean and
    deviation are those of the metric on a fixed set of captions (COCO val2014, or a file written by ``caplens
    constants build``), so that a caption's score does not depend on other captions (unless that of an input does, as
    for CIDEr without fixed document frequencies); they are not bounds, so a score may lie outside 0 to 1. With
    ``normalize_on=range`` minimum and maximum are the bounds of each metric, and scores lie in 0 to 1. (In the paper
    they are taken from the captions that are scored.)

    References
    ----------
    M. Kilickaya, A. Erdem, N. Ikizler-Cinbis, E. Erdem: Re-evaluating automatic metrics for image captioning, EACL
    2017: WMD, SPICE and METEOR together agree best with people; they are the default inputs.

    Examples
    --------
    >>> import caplens
    >>> caplens.metric("mean(rouge, bleu, scores=Bleu_4)").keys
    ('Mean_ROUGE_L_Bleu_4',)
    >>> result = caplens.score(["a dog"], [["a dog", "a cat"]], "mean(rouge, wmd, normalize=none, weights=3 1)")
    >>> result["Mean_ROUGE_L_WMD"].score
    1.0
    """

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "Mean"
    origin: ClassVar[str] = "Kilickaya et al. 2017"
    idea: ClassVar[str] = "mean of the normalised scores of any metrics: mean(wmd, spice, meteor)"
    needs: ClassVar[str] = "whatever its inputs need"
    prefix: ClassVar[str] = "Mean"

    @property
    def shares(self) -> Floats:
        """The factor of each input: its share of all weights."""
        weights = super().shares
        shares: Floats = weights / weights.sum()
        return shares


@dataclass(frozen=True)
class Sum(WeightedSum):
    r"""The (weighted) sum of scores of several metrics, raw unless ``normalize`` says otherwise.

    .. math:: \mathrm{Sum}(c) = \sum_i w_i\, m_i(c)

    References
    ----------
    N. Sharif, L. White, M. Bennamoun, W. Liu, S. A. A. Shah: WEmbSim: a simple yet effective metric for image
    captioning, DICTA 2020 (linear combinations of WEmbSim with other metrics).

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a dog"], [["a dog", "a cat"]], "sum(rouge, wembsim)")
    >>> round(result["Sum_ROUGE_L_WEmbSim"].score, 3) > 1
    True
    """

    name: ClassVar[str] = "sum"
    title: ClassVar[str] = "Sum"
    origin: ClassVar[str] = "Sharif et al. 2020"
    idea: ClassVar[str] = "sum of the scores of any metrics: sum(wembsim, cider)"
    needs: ClassVar[str] = "whatever its inputs need"
    prefix: ClassVar[str] = "Sum"
    usual_inputs: ClassVar[tuple[str, ...]] = ("wembsim", "spice")

    normalize: Literal["minmax", "z", "none"] = option("none", "`minmax`, `z` (zero mean, unit variance) or `none`")


def choose_scores(name: str, metrics: Sequence[Metric], wanted: str | None) -> tuple[InputScore, ...]:
    """Choose one score of each input: the one that is named, or else its main one.

    Parameters
    ----------
    name : str
        The metric, for messages.
    metrics : sequence of Metric
        The inputs.
    wanted : str or None
        Keys, separated by spaces; those of inputs that need no choice may be left out.
    """
    asked = {key.lower(): key for key in (wanted or "").split()}
    chosen = []
    for number, metric in enumerate(metrics):
        keys = metric.result_keys
        named = [place for place, key in enumerate(keys) if asked.pop(key.lower(), None) is not None]
        if len(named) > 1:
            raise UsageError(f"{name}(scores=...) selects two scores of {metric.name}: choose one per input.")
        place = named[0] if named else main_place(metric)
        if place is None:
            raise UsageError(
                f"{metric.name} has several scores ({', '.join(keys)}): specify which one {name} should use, such as "
                f"scores={keys[-1]}."
            )
        chosen.append(InputScore(number, place, keys[place]))
    if asked:
        raise UsageError(f"{name}(scores=...) names {next(iter(asked.values()))}, which none of its inputs provides.")
    return tuple(chosen)


def read_weights(name: str, weights: str | Sequence[float] | None, inputs: int) -> tuple[float, ...]:
    """Return a weight for each input.

    Examples
    --------
    >>> read_weights("mean", "1 2.5", 2), read_weights("mean", None, 2)
    ((1.0, 2.5), (1.0, 1.0))
    """
    if weights is None:
        return (1.0,) * inputs
    parts = weights.split() if isinstance(weights, str) else list(weights)
    try:
        numbers = tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != inputs or not all(0 < number < float("inf") for number in numbers):
        raise UsageError(
            f"{name}(weights=...) takes a positive number for each of its {inputs} inputs, separated by spaces, "
            f"not {weights!r}."
        )
    return numbers
