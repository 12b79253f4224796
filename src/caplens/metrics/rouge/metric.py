"""ROUGE-L as the COCO tools compute it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement, WordIds
from caplens.files.threads import for_each_block
from caplens.metrics.rouge import _rouge
from caplens.metrics.row_texts import row_texts
from caplens.metrics.sentences import NO_SHARED_WORD, share, stated
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words


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
        texts = row_texts(prepared, self.words, row)
        precision, recall, f = self.known_statistics(prepared, state).table[row].tolist()
        # An empty caption is one empty word, as in the statistics.
        ours = texts.words or [""]
        theirs = [reference or [""] for reference in texts.reference_words]
        subsequences = [common_subsequence(ours, reference) for reference in theirs]
        rows = []
        for number, (reference, common) in enumerate(zip(theirs, subsequences, strict=True), 1):
            shared = " ".join(reference[place] for _, place in common)
            length = len(common)
            rows.append((number, shared, length, length / len(ours), length / len(reference)))
        best = max(subsequences, key=len, default=[])
        marked = mark_words(ours, {place for place, _ in best})
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores={self.result_keys[0]: f},
            facts={"best precision": precision, "best recall": recall, "beta": self.beta},
            sections=(
                MarkedText("candidate (longest common subsequence with a reference)", marked),
                Table("by reference", ("reference", "common subsequence", "words", "precision", "recall"), tuple(rows)),
            ),
            summary=stated(self.label or "ROUGE-L", f, _reason(len(best), ours)),
        )


def _reason(common: int, words: Sequence[str]) -> str:
    """Say what decides the score; ``common`` is the length of the longest common subsequence."""
    if not any(words):
        return "the candidate has no words"
    if not common:
        return NO_SHARED_WORD
    found = share(common, len(words), "word")
    return f"{found} occurs in a reference" if common == 1 else f"{found} occur in a reference in the same order"


def common_subsequence(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence as pairs of places.

    Examples
    --------
    >>> common_subsequence(["a", "man", "rides"], ["a", "tall", "man"])
    [(0, 0), (1, 2)]
    """
    best = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int64)
    for i, ours in enumerate(left):
        for j, theirs in enumerate(right):
            best[i + 1, j + 1] = best[i, j] + 1 if ours == theirs else max(best[i, j + 1], best[i + 1, j])
    pairs = []
    i, j = len(left), len(right)
    while i and j:
        if left[i - 1] == right[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif best[i - 1, j] >= best[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]
