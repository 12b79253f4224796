"""How the parts of a caption become one score, and the difference of two scores a probability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import msgspec
import numpy as np

from caplens.arrays import Floats
from caplens.errors import MissingDataError
from caplens.learned.lens.encoder import CaptionEncoder, Variant, shipped

CONTENT = ("scene", "support", "coverage")
LEAST = 1e-4
"""Scores (as shares) are kept so far from 0 and 1 before their log odds are compared."""


class _Sum(msgspec.Struct, frozen=True):
    offset: float
    weights: dict[str, float]


class _Form(msgspec.Struct, frozen=True):
    half: float
    steepness: float


class _Variant(msgspec.Struct, frozen=True):
    content: _Sum
    form: _Form


class _Calibration(msgspec.Struct, frozen=True):
    slope: float


class _Stored(msgspec.Struct, frozen=True):
    supervised: _Variant
    unsupervised: _Variant
    calibration: dict[str, _Calibration]


@dataclass(frozen=True)
class LensWeights:
    r"""One variant of the score.

    .. math:: \mathrm{Lens} = 100 \, \sigma(a + \textstyle\sum_i b_i x_i) \, \sigma(c (y - y_0))

    with the parts of the content :math:`x` (`CONTENT`), the log odds :math:`y` that a caption is well-formed, and no
    negative weight: the score never falls when a part rises. Half of the score is left where :math:`y = y_0`.
    """

    content: tuple[float, ...]
    content_offset: float
    form_steepness: float
    form_half: float
    slope: float

    def form_of(self, odds: Floats) -> Floats:
        """Return the form, 0 to 1, from log odds that captions are well-formed."""
        return _sigmoid(self.form_steepness * (odds - self.form_half))

    def score(self, content: Floats, odds: Floats) -> Floats:
        """Return scores, 0 to 100, from columns as in `CONTENT` and log odds that captions are well-formed."""
        shares: Floats = _sigmoid(self.content_offset + _weighted(content, self.content)) * self.form_of(odds)
        return 100 * shares

    def preference(self, first: Floats, second: Floats) -> Floats:
        """Return the probability that a person prefers the first of two captions, given their scores."""
        return _sigmoid(self.slope * (_log_odds(first) - _log_odds(second)))


def read_weights(encoder: CaptionEncoder, variant: Variant) -> LensWeights:
    """Take the weights of a variant from the facts of the encoder's file, and refuse those that make no sense."""
    stored = msgspec.json.decode(encoder.facts["weights"], type=_Stored)
    found: _Variant = getattr(stored, variant)
    weights = LensWeights(
        tuple(found.content.weights[name] for name in CONTENT),
        found.content.offset,
        found.form.steepness,
        found.form.half,
        stored.calibration[variant].slope,
    )
    if min(*weights.content, weights.slope) < 0 or weights.form_steepness <= 0:
        raise MissingDataError("The weights of Lens must not be negative: pip install --force-reinstall caplens.")
    return weights


@cache
def shipped_weights(variant: Variant) -> LensWeights:
    """Return the weights that ship with caplens."""
    try:
        return read_weights(shipped(variant), variant)
    except (KeyError, msgspec.MsgspecError) as error:
        raise MissingDataError(
            f"The weights of Lens cannot be read ({error}): pip install --force-reinstall caplens."
        ) from error


def _weighted(parts: Floats, weights: tuple[float, ...]) -> Floats:
    """Add the columns up row by row: a matrix product would round a row otherwise beside others."""
    total: Floats = (parts * np.array(weights)).sum(axis=1)
    return total


def _sigmoid(odds: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-odds))
    return found


def _log_odds(scores: Floats) -> Floats:
    shares = np.clip(scores / 100, LEAST, 1 - LEAST)
    odds: Floats = np.log(shares / (1 - shares))
    return odds
