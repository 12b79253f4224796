"""ROUGE-L as the COCO tools compute it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement, WordIds
from caplens.files.threads import for_each_block
from caplens.metrics.rouge import _rouge

if TYPE_CHECKING:
    from caplens.output.explanation import Explanation


@dataclass(frozen=True)
class RougeL(Metric):
    r"""ROUGE-L: F-measure of the longest common subsequence.

    .. math:: P = \max_j \frac{\mathrm{lcs}(c, r_j)}{|c|},\quad R = \max_j \frac{\mathrm{lcs}(c, r_j)}{|r_j|},\quad
              F = \frac{(1 + \beta^2) P R}{R + \beta^2 P}

    The two maxima are taken separately, as in the COCO tools, so they may come from different references. The corpus
    score is the mean. The maximum, 1, is reached by a candidate that has the words of one reference as a subsequence
    and is itself a subsequence of one. An empty caption counts as one empty word in these tools, so an empty
    candidate with an empty reference scores 1.

    References
    ----------
    C.-Y. Lin: ROUGE: a package for automatic evaluation of summaries, 2004. Conventions: pycocoevalcap 1.2.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a man rides a horse"], [["a man is riding a horse"]], metrics=["rouge"])
    >>> round(result["ROUGE_L"].score, 4)
    0.7155
    """

    name: ClassVar[str] = "rouge"
    title: ClassVar[str] = "ROUGE-L"
    origin: ClassVar[str] = "Lin 2004"
    idea: ClassVar[str] = "longest common subsequence with a reference, as precision and recall"

    unread_statistics: ClassVar[frozenset[str]] = frozenset({"precision", "recall"})

    beta: float = option(1.2, "weight of recall relative to precision")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``ROUGE_L``."""
        return ("ROUGE_L",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def words(self) -> WordIds:
        """The words that are compared."""
        return WordIds(self.tokenizer)

    @property
    def rows_stand_alone(self) -> bool:
        """Each pair of captions is compared by itself."""
        return True

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words."""
        return (self.words,)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return best precision, best recall and their F-measure."""
        ours, theirs = prepared.candidates.get(self.words), prepared.references.get(self.words)
        extremes = np.empty((len(prepared), 2))

        def fill(first: int, last: int) -> None:
            _rouge.precision_recall(
                ours.offsets, ours.ids, theirs.offsets, theirs.ids,
                prepared.references.offsets, prepared.reference_set, extremes, first, last,
            )  # fmt: skip

        for_each_block(fill, len(prepared), prepared.jobs, "ROUGE-L")
        return Statistics(("precision", "recall", "f"), np.column_stack([extremes, self.f_measure(*extremes.T)]))

    def f_measure(self, precision: Floats, recall: Floats) -> Floats:
        """Combine precision and recall; 0 where either is."""
        weight = self.beta**2
        below = recall + weight * precision
        product = (1 + weight) * precision * recall
        return np.divide(product, below, out=np.zeros_like(product), where=product > 0)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean F-measure."""
        return sums[..., 2:] / rows[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the common subsequence with every reference."""
        from caplens.metrics.rouge.explanation import Explainer

        return prepared.once((self, state, "explainer"), lambda: Explainer(self, prepared, state)).explain(row)
