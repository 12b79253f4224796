"""The critique: a network that was trained to tell captions by people from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caplens.arrays import Integers, Singles
from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.errors import SHOWN_IDS, Notice, UsageError, lacking_for
from caplens.learned.critique import model as saved
from caplens.learned.critique.image_features import read_image_features
from caplens.learned.critique.vocabulary import UNKNOWN
from caplens.metrics.row_texts import row_texts
from caplens.output.explanation import Explanation, Mark, MarkedText, Table
from caplens.text.ragged import take_rows

SMALL = 0.02
"""A word whose absence changes the score by less is drawn plainly."""
FEW_KNOWN = 0.5
"""A caption of which the critique knows a smaller share of the words is counted in a warning."""


@dataclass(frozen=True)
class VocabularyRows(Requirement[npt.NDArray[np.int32]]):
    """The critique's number of every word of captions."""

    words: WordIds
    weights: str

    def compute(self, side: PreparedCaptions) -> npt.NDArray[np.int32]:
        """Look up each distinct word once."""
        words = side.get(self.words)
        numbers = np.full(len(words.table), UNKNOWN, np.int32)
        texts = [word.decode("utf-8") for word in words.table.keys(words.used)]
        numbers[words.used] = saved.load(self.weights).vocabulary.rows(texts)
        return numbers[words.ids]


@dataclass(frozen=True)
class CaptionStates(Requirement[Singles]):
    """What the critique's encoder makes of captions: a vector each."""

    rows: VocabularyRows

    def compute(self, side: PreparedCaptions) -> Singles:
        """Encode each distinct caption once."""
        offsets = side.get(self.rows.words).offsets
        return saved.load(self.rows.weights).encode_rows(side.get(self.rows), offsets, side.jobs)


@dataclass(frozen=True)
class Critique(Metric):
    r"""Critique: the probability that a person wrote the caption, given its references or the image.

    .. math:: \mathrm{Critique}(c, S) = \operatorname{mean}_{r \in S} P(c \text{ is human written} \mid r, \Theta)

    where the network :math:`\Theta` encodes candidate and reference with one LSTM and classifies the two vectors
    together. It was trained to distinguish human captions from those of captioning systems, from captions of other
    images, and from captions with permuted or random words. The maximum, 1, is approached but never reached; a
    candidate without words scores 0. Scores depend on the weights: those that ship with caplens, or a folder written
    by ``caplens train critique``.

    References
    ----------
    Y. Cui, G. Yang, A. Veit, X. Huang, S. Belongie: Learning to evaluate image captioning, CVPR 2018.

    Examples
    --------
    >>> import caplens
    >>> critique = caplens.metric("critique")
    >>> prepared = critique.prepare([["a man rides a brown horse on the beach"]] * 3)
    >>> captions = ["a man riding a horse along a beach", "horse a riding man a along beach a", "two dogs in the snow"]
    >>> good, permuted, other = critique(captions, prepared)["Critique"].item_scores
    >>> bool(good > permuted), bool(good > other)
    (True, True)
    """

    name: ClassVar[str] = "critique"
    english_because: ClassVar[str] = "it was trained on English captions"
    title: ClassVar[str] = "Critique"
    origin: ClassVar[str] = "Cui et al. 2018"
    idea: ClassVar[str] = "probability, from a trained network, that a person wrote the caption"

    weights: str = option("shipped", "`shipped`, or a folder written by caplens train critique")
    references: Literal["mean", "first"] = option("mean", "take the mean over all references, or use only the first")
    features: str | None = option(None, "image features, for weights that use images (.npz, .npy, .h5, .safetensors)")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``Critique``."""
        return ("Critique",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def needs_references(self) -> bool:
        """Unless the weights look at images alone."""
        return saved.load(self.weights).reads_references

    def missing_data(self) -> str | None:
        """Return what is missing for these weights."""
        lacking = lacking_for(lambda: saved.load(self.weights))
        if lacking is None and saved.load(self.weights).reads_images and not self.features:
            return f"the weights {self.weights} use images: critique(weights={self.weights}, features=FILE)."
        return lacking

    @property
    def rows(self) -> VocabularyRows:
        """The critique's numbers of words."""
        return VocabularyRows(WordIds(self.tokenizer, split=True), self.weights)

    @property
    def states(self) -> CaptionStates:
        """The vectors of captions."""
        return CaptionStates(self.rows)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words, their numbers, and vectors of captions."""
        return (self.rows.words, self.rows, self.states)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the weights."""
        fingerprint = saved.load(self.weights).fingerprint
        return NamedState(data=(("network", fingerprint),))

    def notices(self, prepared: Prepared) -> tuple[Notice, ...]:
        """Name another tokenizer than the critique learned with; count candidates of mostly unknown words."""
        learned = saved.load(self.weights).config.words.tokenizer
        if learned != self.tokenizer:
            message = (
                f"the critique was trained with the tokenizer {learned}, not {self.tokenizer}: scores are less reliable"
            )
            return (Notice("tokenizer-unknown-to-critique", message), *self._unknown_words(prepared))
        return self._unknown_words(prepared)

    def _unknown_words(self, prepared: Prepared) -> tuple[Notice, ...]:
        words = prepared.candidates.get(self.rows.words)
        unknown = np.concatenate([[0], np.cumsum(prepared.candidates.get(self.rows) == UNKNOWN)])
        odd = np.flatnonzero(np.diff(unknown[words.offsets]) > FEW_KNOWN * words.lengths).tolist()
        if not odd:
            return ()
        ids = () if prepared.ids is None else tuple(prepared.ids[row] for row in odd[:SHOWN_IDS])
        wording = "{0:candidate} consisting mostly of words unknown to the critique: do not rely on those scores"
        return (Notice.worded("words-unknown-to-critique", wording, [len(odd)], ids),)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the mean probability over references."""
        rows, scores = self._judged(prepared, prepared.candidates.get(self.states), np.arange(len(prepared)))
        sums = np.bincount(rows, weights=scores, minlength=len(prepared))
        means = sums / np.maximum(np.bincount(rows, minlength=len(prepared)), 1)
        means[prepared.candidates.get(self.rows.words).lengths == 0] = 0  # no network has learned what no word means
        return Statistics(("probability",), means[:, np.newaxis])

    def _judged(self, prepared: Prepared, vectors: Singles, of: Integers) -> tuple[Integers, Floats]:
        """Judge candidates, given as vectors and the rows whose context they share; one entry per pair."""
        critique = saved.load(self.weights)
        sets = prepared.reference_set[of]
        offsets = prepared.references.offsets
        with_references = np.flatnonzero(offsets[sets + 1] > offsets[sets])  # the others score 0, as is asked for
        if not critique.reads_references:
            rows, places = with_references if offsets[-1] else np.arange(len(of)), None
        elif self.references == "first":
            rows, places = with_references, offsets[sets[with_references]]
        else:
            places, counts = take_rows(offsets, np.arange(offsets[-1]), sets)
            rows = np.repeat(np.arange(len(of)), counts)
        references = None if places is None else (prepared.references.get(self.states), places)
        images = None
        if critique.reads_images:
            if self.features is None:
                raise UsageError(f"The weights {self.weights} need image features: use critique(features=FILE).")
            found = read_image_features(self.features).of(prepared.references.ids, critique.config.network.image)
            images = (critique.images(found), sets[rows])
        return rows, critique.judge(vectors, rows, references, images, prepared.jobs)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean probability."""
        return sums / rows[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show how the score changes when a word is left out, and the judgment by each reference."""
        texts = row_texts(prepared, self.rows.words, row)
        critique = saved.load(self.weights)
        shorter = [texts.words[:place] + texts.words[place + 1 :] for place in range(len(texts.words))]
        vectors = critique.encode([texts.words, *shorter])
        rows, scores = self._judged(prepared, vectors, np.full(len(vectors), row))
        means = np.bincount(rows, weights=scores) / np.bincount(rows)
        means[[not words for words in (texts.words, *shorter)]] = 0
        influences = (means[0] - means[1:]).tolist()
        listed = tuple(
            (word, influence, _note(critique, word, place))
            for place, (word, influence) in enumerate(zip(texts.words, influences, strict=True))
        )
        judged = scores[rows == 0] if critique.reads_references and texts.words else ()
        by_reference = tuple(
            (number, " ".join(words), float(score))
            for number, (words, score) in enumerate(zip(texts.reference_words, judged, strict=False), 1)
        )
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores={self.result_keys[0]: float(means[0])},
            facts={"weights": f"{self.weights} ({critique.fingerprint})", "words read": critique.config.words.longest},
            sections=(
                MarkedText(
                    "candidate ([helps], hurts: removing the word lowers, raises the score)",
                    tuple(zip(texts.words, map(_mark, influences), strict=True)),
                ),
                Table("influence of words", ("word", "influence", "note"), listed),
                *((Table("by reference", ("reference", "words", "P(human)"), by_reference),) if by_reference else ()),
            ),
        )


def _note(critique: saved.SavedCritique, word: str, place: int) -> str:
    if place >= critique.config.words.longest:
        return "not read"
    return "" if word in critique.vocabulary else "unknown to the critique"


def _mark(influence: float) -> Mark:
    if abs(influence) < SMALL:
        return "plain"
    return "match" if influence > 0 else "miss"
