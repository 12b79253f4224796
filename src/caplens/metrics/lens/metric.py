"""Lens: what references support in a caption, what the caption leaves out, and how well it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from caplens.core.english import not_english, sampled_references
from caplens.core.grammar import Request
from caplens.core.metric import Floats, Metric, State, Statistics, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.embeddings import shipped as tables
from caplens.errors import lacking_for
from caplens.files.threads import attentive_pool, for_each_block
from caplens.learned.lens.encoder import EncodedCaptions, shipped, well_formed
from caplens.learned.lens.weights import LensWeights, shipped_weights
from caplens.metrics.lens import _lens
from caplens.metrics.lens.states import JUDGED_CAPTIONS, LensCaptions
from caplens.output.explanation import Explanation
from caplens.text.ragged import offsets_of, places_of

PARTS = ("Support", "Coverage", "Form")


@dataclass(frozen=True)
class Lens(Metric):
    r"""Lens: support, coverage and form of a caption, as one score from 0 to 100.

    A small encoder, trained on captions of the same images, gives every word a direction in its context,
    :math:`h_i`, a weight :math:`w_i`, and the caption as a whole a direction :math:`g`. A second, simpler view of the
    whole is the sum of its words, with the vectors of `scenesim`; :math:`s` is its direction. With references
    :math:`k`, the soft maximum :math:`S_k(x_k) = \log(\operatorname{mean}_k e^{10 x_k}) / 10`, the likeness
    :math:`\ell(x) = \max(x - 0.2, 0) / 0.8`, which is 0 for words that have nothing in common, and
    :math:`c_i = (1 + n_i) w_i`:

    .. math:: \mathrm{scene} = \operatorname{mean}_k \frac{g \cdot g_k + s \cdot s_k}{2}, \quad
              \mathrm{support} =
              \frac{0.5 + \sum_i c_i \min(u_i, \ell(S_k(\max_j h_i \cdot h_{kj})))}{0.5 + \sum_i c_i u_i}, \quad
              \mathrm{coverage} =
              \frac{\sum_k a_k \sum_j w_{kj} \, \ell(\max_i h_{kj} \cdot h_i) / \sum_j w_{kj}}{\sum_k a_k}

    Support measures whether references confirm what the caption says; coverage, whether it says what they agree on.
    Here :math:`u_i = u_i^\infty - (u_i^\infty - u_i^1) K^{-0.6}` is how alike the best counterpart of the word in
    :math:`K` references usually is when the word is true, as measured on captions of the same images. Nearly everybody
    mentions a giraffe, but few mention that a plate is white, so an unmentioned white plate costs less than an
    unmentioned giraffe. Support is 1 if every word is supported at least as far as usual. The share of uses as a noun,
    :math:`n_i`, makes a wrong thing worse than a wrong word about it. :math:`a_k` is the mean scene
    of a reference with the others, so that an outlier counts less. Form is :math:`\sigma(y - y_0)`, with the log odds
    :math:`y` that every word is where a person would put it; one in a hundred human captions is below :math:`y_0`. Then

    .. math:: \mathrm{Lens} = 100 \, \sigma(\mathrm{content}) \cdot \mathrm{form}

    where content is a constant plus a sum of scene, support and coverage with positive weights, so the score rises with
    each part. All of it was fitted to captions alone, without human judgments. ``lens_s`` (``variant=supervised``) has
    learned from the expert ratings of Flickr8k how long the axes of the space of words are (the cosines of :math:`h`
    become those of :math:`D h` with a positive diagonal matrix :math:`D`) and which words count more (:math:`w`); the
    weights of the parts and the form are those of ``lens``. A caption without words, or without references that have
    words, scores 0.

    Examples
    --------
    >>> import caplens
    >>> references = [["a man rides a brown horse on the beach", "a man on a horse near the sea"]] * 3
    >>> captions = ["a man rides a horse on the beach", "a horse rides a man on the beach", "a dog runs on grass"]
    >>> scores = caplens.score(captions, references, "lens")["Lens"].item_scores
    >>> bool(scores[0] > scores[1] > scores[2])
    True
    """

    name: ClassVar[str] = "lens"
    title: ClassVar[str] = "Lens"
    english_because: ClassVar[str] = "its encoder was trained on English captions"
    origin: ClassVar[str] = "caplens"
    idea: ClassVar[str] = "what references support and miss word by word, and how well-formed the caption is"

    variant: Literal["unsupervised", "supervised"] = option(
        "unsupervised", "how words are compared: without any judgment, or as learned from ratings of Flickr8k-Expert"
    )
    tokenizer: str = option("ptb", "tokenizer for the captions")

    @property
    def keys(self) -> tuple[str, ...]:
        """``Lens``, or ``Lens_S`` of the supervised variant, and its parts."""
        return _named("Lens" if self.variant == "unsupervised" else "Lens_S")

    @property
    def result_keys(self) -> tuple[str, ...]:
        """The keys, or the label with the parts behind it."""
        return self.keys if self.label is None else _named(self.label)

    @property
    def main_key(self) -> str:
        """The score."""
        return self.keys[0]

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 100."""
        return dict.fromkeys(self.keys, (0.0, 100.0))

    def request(self) -> Request:
        """Return the metric in the grammar: the supervised variant has a name of its own."""
        request = super().request()
        options = tuple(pair for pair in request.options if pair[0] != "variant")
        return replace(request, name="lens" if self.variant == "unsupervised" else "lens_s", options=options)

    def missing_data(self) -> str | None:
        """Return what is wrong with the encoder or the vectors, if anything."""
        return lacking_for(lambda: (shipped_weights(self.variant), tables.load(tables.SCENE)))

    @property
    def words(self) -> WordIds:
        """The words that are read."""
        return WordIds(self.tokenizer, split=True)

    @property
    def weights(self) -> LensWeights:
        """How parts become a score."""
        return shipped_weights(self.variant)

    @property
    def captions(self) -> LensCaptions:
        """The captions as the encoder of this variant reads them."""
        return LensCaptions(self.words, self.variant)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words as the encoder takes them in."""
        return (self.words, self.captions)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the encoder and the vectors of the second view; say if references are not English."""
        table = tables.load(tables.SCENE)
        captions = sampled_references(references, self.words)
        known = [table.vocabulary.index(word.encode()) >= 0 for caption in captions for word in caption]
        notices = not_english("Lens", captions, float(np.mean(known))) if known else ()
        encoder = shipped(self.variant)
        return NamedState(tuple(notices), (("encoder", encoder.fingerprint), ("vectors", table.fingerprint)))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the score and its parts, 0 to 100."""
        content, odds = self._parts(prepared)
        said = self._said(prepared)
        table = np.column_stack(
            [self.weights.score(content, odds), 100 * content[:, 1:], 100 * self.weights.form_of(odds)]
        )
        return Statistics(("score", "support", "coverage", "form"), np.where(said[:, np.newaxis], table, 0.0))

    def _said(self, prepared: Prepared) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Tell which rows have words on both sides."""
        offsets = prepared.references.offsets
        words = prepared.references.get(self.words).offsets[offsets]
        return (prepared.candidates.get(self.words).lengths > 0) & (np.diff(words) > 0)[prepared.reference_set]

    def _parts(self, prepared: Prepared) -> tuple[Floats, Floats]:
        """Return scene, support and coverage of each row, and the log odds that it is well-formed."""
        ours, theirs = (side.get(self.captions) for side in (prepared.candidates, prepared.references))
        theirs.begin_pass(prepared.jobs)
        offsets, sets = prepared.references.offsets, prepared.reference_set
        content, odds = np.zeros((len(prepared), len(_lens.COLUMNS))), np.zeros(len(prepared))

        def fill(first: int, last: int) -> None:
            candidates = ours.claims(np.arange(first, last))
            used, of_row = np.unique(sets[first:last], return_inverse=True)
            captions, counts = places_of(offsets, used)
            _lens.compare(
                _for_kernel(candidates.encoded),
                candidates.usual,
                _for_kernel(theirs.of(captions)),
                offsets_of(counts),
                of_row.astype(np.int64),
                content[first:last],
            )

        def judge(first: int, last: int) -> None:
            odds[first:last] = well_formed(*ours.odds(np.arange(first, last)))

        if prepared.jobs > 1 and len(prepared) <= JUDGED_CAPTIONS:  # a batch: too few captions for several threads each
            with attentive_pool(1) as submit:
                judged = submit(judge, 0, len(prepared))
                for_each_block(fill, len(prepared), prepared.jobs, "lens", theirs.block)
                judged.result()
        else:
            for_each_block(fill, len(prepared), prepared.jobs, "lens", theirs.block)
            for_each_block(judge, len(prepared), prepared.jobs, "lens", JUDGED_CAPTIONS)
        return content, odds

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return means over captions."""
        return sums / rows[..., np.newaxis]

    def preference(self, first: Floats, second: Floats) -> Floats:
        """Return the probability that a person prefers the first of two captions, given their scores."""
        return self.weights.preference(first, second)

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Say which words of the caption cost how much, and what content of the references is missing."""
        from caplens.metrics.lens.explanation import explain_row

        return explain_row(self, prepared, self.known_item_scores(prepared, state)[row], row)


def _named(stem: str) -> tuple[str, ...]:
    return (stem, *(f"{stem}_{part}" for part in PARTS))


def _for_kernel(encoded: EncodedCaptions) -> _lens.Encoded:
    return _lens.Encoded(encoded.offsets, encoded.vectors, encoded.weights, encoded.captions)
