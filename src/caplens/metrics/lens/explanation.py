"""Why a caption has its Lens: what each word costs, and what the references say that it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from caplens.arrays import Floats, Singles
from caplens.core.prepared import Prepared
from caplens.learned.lens.encoder import EncodedCaptions, well_formed
from caplens.metrics.lens._lens import LEAST_AGREEMENT, LEAST_LIKENESS, MORE_REFERENCES, SHARPNESS, SUPPORTED_WORD
from caplens.metrics.lens.states import Claims
from caplens.metrics.row_texts import RowTexts, row_texts
from caplens.output.explanation import Explanation, Table, WordCosts
from caplens.output.word_costs import SHOWN

if TYPE_CHECKING:
    from caplens.metrics.lens.metric import Lens

BROKEN = 2
"""Where the form costs so many times what all words cost, the caption is broken, and no single word mends it."""
MOST_MISSING = 12
"""So many words of references are named at most, the dearest first."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """One candidate against its references, word by word.

    Attributes
    ----------
    scene : float
        Mean cosine of the candidate as a whole with the references, the mean of both views.
    lacking, weights : numpy.ndarray
        By word of the candidate: by how much its likeness to its best counterparts stays below what is usual; its
        weight, divided by the usual likeness of all words.
    covers : list of numpy.ndarray
        By reference: the best counterpart of each word.
    shares : list of numpy.ndarray
        By reference: how much each word's counterpart counts in the coverage; they add up to 1.
    """

    scene: float
    lacking: Floats
    weights: Floats
    covers: list[Floats]
    shares: list[Floats]

    @property
    def support(self) -> float:
        """1 less the share of the usual likeness that the words lack."""
        return 1 - float(self.weights @ self.lacking)

    @property
    def coverage(self) -> float:
        """The weighted mean over the references' words."""
        return float(sum(share @ cover for share, cover in zip(self.shares, self.covers, strict=True)))


def compare(claims: Claims, references: EncodedCaptions) -> Comparison:
    """Compare the only candidate with references, slowly; the kernel does the same for many rows."""
    candidate = claims.encoded
    words, own = candidate.vectors.astype(np.float64), candidate.weights.astype(np.float64)
    wholes = references.captions.astype(np.float64)
    filled = np.flatnonzero(np.diff(references.offsets)).tolist()
    slices = {each: slice(*references.offsets[each : each + 2].tolist()) for each in filled}
    near = {each: words @ references.vectors[part].astype(np.float64).T for each, part in slices.items()}
    agreements = _agreements(wholes[filled])
    shares = []
    for each, agreement in zip(filled, agreements.tolist(), strict=True):
        weights = references.weights[slices[each]].astype(np.float64)
        shares.append(agreement / agreements.sum() * weights / max(float(weights.sum()), 1e-6))
    single, many = claims.usual.astype(np.float64).T
    usual = many - (many - single) * len(filled) ** -MORE_REFERENCES
    alike = _likeness(_soft_maximum(np.array([near[each].max(axis=1) for each in filled])))
    return Comparison(
        float((wholes[filled] @ candidate.captions[0].astype(np.float64)).mean()),
        np.maximum(usual - alike, 0),
        own / (float(own @ usual) + SUPPORTED_WORD),
        [_likeness(near[each].max(axis=0)) for each in filled],
        shares,
    )


def explain_row(metric: Lens, prepared: Prepared, known: Floats, row: int) -> Explanation:
    """Explain a row whose scores are known."""
    texts = row_texts(prepared, metric.words, row)
    scores = dict(zip(metric.result_keys, known.tolist(), strict=True))
    if not texts.words or not any(texts.reference_words):
        side = "candidate" if not texts.words else "references"
        return _said(metric, texts, scores, (), f"there is no word in the {side}")
    first = int(prepared.references.offsets[prepared.reference_set[row]])
    captions = np.arange(first, first + len(texts.references))
    states = prepared.candidates.get(metric.captions)
    claims = states.claims(np.array([row]))
    references = prepared.references.get(metric.captions).of(captions)
    odds, _ = states.odds(np.array([row]))
    costs = _Costs(metric, compare(claims, references), odds)
    words = tuple(zip(texts.words, costs.of_words(), strict=True))
    missing = _missing(texts, costs)
    sections = (
        WordCosts("what the words of the candidate cost", words),
        WordCosts("content of the references that is missing", missing),
        Table(
            "parts",
            ("part", "value", "points to gain"),
            tuple((name, value, gain) for name, value, gain in costs.parts()),
        ),
    )
    return _said(metric, texts, scores, sections, _reason(words, missing, costs))


class _Costs:
    """Points that a row would gain if something were perfect."""

    def __init__(self, metric: Lens, found: Comparison, odds: Singles) -> None:
        self._weights = metric.weights
        self.found = found
        self._odds = odds
        self.score = self._scored()

    def _scored(self, support: float = 0.0, coverage: float = 0.0, odds: Singles | None = None) -> float:
        """Return the score with something added to support and coverage, or with other odds of words."""
        found = self.found
        content = np.array([[found.scene, found.support + support, found.coverage + coverage]])
        judged = self._odds if odds is None else odds
        form = well_formed(judged, np.array([0, len(judged)])) if len(judged) else np.array([np.inf])
        return float(self._weights.score(content, form)[0])

    def of_words(self) -> list[float]:
        """Return what each word costs: what the score gains if references bear it out as usual and it stands well."""
        gained = []
        for place, lost in enumerate((self.found.weights * self.found.lacking).tolist()):
            others = np.delete(self._odds, place)
            gained.append(max(self._scored(support=lost, odds=others) - self.score, 0.0))
        return gained

    def of_references(self) -> list[list[float]]:
        """Return by reference what each word costs that the candidate does not say."""
        pairs = zip(self.found.shares, self.found.covers, strict=True)
        return [
            [self._scored(coverage=float(lost)) - self.score for lost in share * (1 - cover)] for share, cover in pairs
        ]

    @property
    def form(self) -> float:
        """How well-formed the caption is, 0 to 1."""
        return float(self._weights.form_of(well_formed(self._odds, np.array([0, len(self._odds)])))[0])

    @property
    def of_form(self) -> float:
        """What the score would gain if every word stood well."""
        return self._scored(odds=np.zeros(0, np.float32)) - self.score

    def parts(self) -> list[tuple[str, float, float]]:
        """Return the parts with what the score would gain were they perfect."""
        found = self.found
        return [
            ("support", 100 * found.support, self._scored(support=1 - found.support) - self.score),
            ("coverage", 100 * found.coverage, self._scored(coverage=1 - found.coverage) - self.score),
            ("form", 100 * self.form, self.of_form),
            ("scene", 100 * found.scene, float("nan")),
        ]


def _missing(texts: RowTexts, costs: _Costs) -> tuple[tuple[str, float], ...]:
    """Add up what words of references cost, whichever reference says them."""
    totals: dict[str, float] = {}
    spoken = [words for words in texts.reference_words if words]
    for words, lost in zip(spoken, costs.of_references(), strict=True):
        for word, cost in zip(words, lost, strict=True):
            totals[word] = totals.get(word, 0.0) + cost
    said = set(texts.words)
    dearest = sorted(((word, cost) for word, cost in totals.items() if word not in said), key=lambda pair: -pair[1])
    return tuple(pair for pair in dearest[:MOST_MISSING] if pair[1] >= SHOWN)


def _reason(words: tuple[tuple[str, float], ...], missing: tuple[tuple[str, float], ...], costs: _Costs) -> str:
    dearest = max(words, key=lambda pair: pair[1])
    said = []
    if costs.of_form >= max(SHOWN, BROKEN * sum(cost for _, cost in words)):
        said.append(f"its form (words out of order, repeated or missing) costs most ({costs.of_form:.1f} points)")
    elif dearest[1] >= SHOWN:
        said.append(f'"{dearest[0]}" costs most ({dearest[1]:.1f} points)')
    if missing:
        said.append(f'"{missing[0][0]}" is missing ({missing[0][1]:.1f})')
    return " and ".join(said) or "nothing costs a tenth of a point"


def _said(
    metric: Lens, texts: RowTexts, scores: dict[str, float], sections: tuple[WordCosts | Table, ...], reason: str
) -> Explanation:
    name = metric.result_keys[0]
    return Explanation(
        metric=str(metric.request()),
        candidate=texts.candidate,
        references=texts.references,
        scores=scores,
        facts={"weights": f"{metric.variant}"},
        sections=sections,
        summary=f"{name} is {scores[name]:.1f}: {reason}.",
    )


def _agreements(wholes: Floats) -> Floats:
    if len(wholes) == 1:
        return np.ones(1)
    cosines = wholes @ wholes.T
    found: Floats = np.maximum((cosines.sum(axis=1) - np.diagonal(cosines)) / (len(wholes) - 1), LEAST_AGREEMENT)
    return found


def _likeness(cosines: Floats) -> Floats:
    found: Floats = np.maximum(cosines - LEAST_LIKENESS, 0) / (1 - LEAST_LIKENESS)
    return found


def _soft_maximum(numbers: Floats) -> Floats:
    """Return the soft maximum along the first axis."""
    found: Floats = 1 + np.log(np.exp(SHARPNESS * (numbers - 1)).mean(axis=0)) / SHARPNESS
    return found
