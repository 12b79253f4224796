"""BLEU-1 to BLEU-4 as the COCO tools compute them, and the smoothed variant of Lin & Och (2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.requirement import NgramCounts, Requirement, WordIds
from caplens.files.threads import for_each_block
from caplens.metrics.bleu import _bleu

if TYPE_CHECKING:
    from caplens.output.explanation import Explanation

# pycocoevalcap 1.2: keeps 0/0 at 0, and every quotient defined.
TINY = 1e-15
SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class BleuState(State):
    """Whether reference lengths are averaged (``length=coco`` on a single row)."""

    average_length: bool = False

    @classmethod
    def merge(cls, states: Sequence[Self]) -> Self:
        """Return the state of several rows, where there are several parts."""
        return cls(average_length=len(states) == 1 and states[0].average_length)


@dataclass(frozen=True)
class Bleu(Metric):
    r"""BLEU-1..n: geometric mean of clipped n-gram precisions, times a brevity penalty.

    .. math:: \mathrm{BLEU}_n = b \Big(\prod_{k=1}^{n} \frac{m_k + 10^{-15}}{g_k + 10^{-9}}\Big)^{1/n},
              \quad b = \min\big(1, e^{1 - 1/r}\big),\ r = \frac{l + 10^{-15}}{l_{ref} + 10^{-9}}

    where :math:`m_k` of the :math:`g_k` candidate k-grams match (each at most as often as in the reference that has it
    most often) and :math:`l_{ref}` is the reference length closest to the candidate's. The corpus score uses the same
    formula on the sums over all rows. The maximum, 1 up to the two small constants, is reached by a candidate of at
    least n words that equals one of its references.

    References
    ----------
    K. Papineni, S. Roukos, T. Ward, W.-J. Zhu: BLEU: a method for automatic evaluation of machine translation,
    ACL 2002. Constants and conventions: pycocoevalcap 1.2.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a man rides a horse"], [["a man is riding a horse", "a person on a horse"]], ["bleu"])
    >>> round(result["Bleu_1"].score, 4), round(result["Bleu_2"].score, 4)
    (0.8, 0.6325)
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU-1..4"
    origin: ClassVar[str] = "Papineni et al. 2002"
    idea: ClassVar[str] = (
        "fraction of the candidate's n-grams that occur in a reference, with a penalty for short captions"
    )
    key_stem: ClassVar[str] = "Bleu"

    n: int = option(4, "maximum n-gram length", most=9)
    length: Literal["closest", "coco"] = option(
        "closest", "reference length: `closest`, or `coco`, which takes the mean if the corpus is a single row"
    )
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)
    report: Literal["last"] | None = option(None, "`last`: report only BLEU-n, as the names bleu_1 to bleu_4 do")

    @property
    def keys(self) -> tuple[str, ...]:
        """``Bleu_1`` to ``Bleu_n``, or the last of them alone."""
        return tuple(f"Bleu_{order}" for order in range(self.n if self.report else 1, self.n + 1))

    @property
    def longest(self) -> str:
        """The score of the longest n-grams as people call it."""
        return f"BLEU-{self.n}"

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def learns_from_corpus(self) -> bool:
        """With ``length=coco`` it matters how many rows there are."""
        return self.length == "coco"

    @property
    def hindrance_to_parts(self) -> str | None:
        """None: a part is taken as one of several rows, whatever its size."""
        return None

    @cached_property
    def ngrams(self) -> NgramCounts:
        """The n-grams that are counted."""
        return NgramCounts(WordIds(self.tokenizer, split=True), max(self.n, 4))

    @property
    def rows_stand_alone(self) -> bool:
        """Matches are counted."""
        return True

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words and their n-grams."""
        return (self.ngrams.words, self.ngrams)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> BleuState:
        """Decide how reference lengths are chosen."""
        return BleuState(average_length=self.length == "coco" and int(usage.rows.sum()) == 1)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return matches and n-grams by order, length and reference length."""
        orders = range(1, self.n + 1)
        columns = [f"matches_{k}" for k in orders] + [f"ngrams_{k}" for k in orders] + ["length", "reference_length"]
        table = np.empty((len(columns), len(prepared)))  # columns are contiguous while they are filled
        words = prepared.candidates.get(self.ngrams.words)
        reference_words = prepared.references.get(self.ngrams.words)
        ours = prepared.candidates.get(self.ngrams).orders
        theirs = prepared.references.get(self.ngrams).orders
        average = isinstance(state, BleuState) and state.average_length
        sets = (prepared.references.offsets, prepared.reference_set)

        def fill(first: int, last: int) -> None:
            for k in range(self.n):
                _bleu.clipped_matches(
                    ours[k].offsets, ours[k].ids, ours[k].counts,
                    theirs[k].offsets, theirs[k].ids, theirs[k].counts,
                    *sets, table[k], first, last,
                )  # fmt: skip
            lengths = (words.lengths, reference_words.lengths)
            _bleu.reference_lengths(*lengths, *sets, average, table[2 * self.n + 1], first, last)

        for_each_block(fill, len(prepared), prepared.jobs, "BLEU")
        for k in orders:
            table[self.n + k - 1] = np.maximum(words.lengths - k + 1, 0)
        table[2 * self.n] = words.lengths
        return Statistics(tuple(columns), np.ascontiguousarray(table.T))

    def precisions(self, matches: Floats, guessed: Floats) -> Floats:
        """Return the precision of each order."""
        return (matches + TINY) / (guessed + SMALL)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Apply the formula."""
        precisions = self.precisions(sums[..., : self.n], sums[..., self.n : 2 * self.n])
        means: Floats = np.cumprod(precisions, axis=-1) ** (1.0 / np.arange(1, self.n + 1))
        reported = means[..., -len(self.keys) :]
        return reported * brevity(sums[..., -2], sums[..., -1])[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """List matched and missed n-grams by order, precisions and brevity."""
        from caplens.metrics.bleu.explanation import Explainer

        return prepared.once((self, state, "explainer"), lambda: Explainer(self, prepared, state)).explain(row)


def brevity(length: Floats, reference_length: Floats) -> Floats:
    """Return the brevity penalty: 1 unless the candidate is shorter than its reference length."""
    ratio = (np.asarray(length) + TINY) / (np.asarray(reference_length) + SMALL)
    return np.exp(np.minimum(0.0, 1.0 - 1.0 / ratio))


@dataclass(frozen=True)
class SmoothedBleu(Bleu):
    r"""BLEU-n with add-one smoothing of the precisions of order 2 and above.

    .. math:: p_1 = m_1 / g_1, \quad p_k = (m_k + 1) / (g_k + 1) \text{ for } k > 1

    For single captions, whose 4-grams rarely match. The maximum is 1, reached by a candidate that equals a reference.

    References
    ----------
    C.-Y. Lin, F. J. Och: ORANGE: a method for evaluating automatic evaluation metrics, COLING 2004; used by
    M. Kilickaya et al.: Re-evaluating automatic metrics for image captioning, EACL 2017.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a man rides"], [["a man runs"]], metrics=["bleu_smoothed"])
    >>> round(result["Bleu_smoothed"].score, 4)  # (2/3 * 2/3 * 1/2 * 1/1) ** (1/4)
    0.6866
    """

    name: ClassVar[str] = "bleu_smoothed"
    title: ClassVar[str] = "smoothed BLEU"
    origin: ClassVar[str] = "Lin & Och 2004"
    idea: ClassVar[str] = "BLEU with one match and one n-gram added to each precision of order 2 and above"

    @property
    def keys(self) -> tuple[str, ...]:
        """One score, for the longest order."""
        return ("Bleu_smoothed",)

    @property
    def longest(self) -> str:
        """The score as people call it."""
        return "Smoothed BLEU"

    def precisions(self, matches: Floats, guessed: Floats) -> Floats:
        """Return the precision of each order, smoothed from order 2 on."""
        added = (np.arange(self.n) > 0).astype(np.float64)
        return (matches + added) / np.maximum(guessed + added, TINY)
