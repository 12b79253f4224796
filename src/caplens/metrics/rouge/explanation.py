"""Where a ROUGE-L score comes from: the longest common subsequence with each reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caplens.core.metric import State
from caplens.core.prepared import Prepared
from caplens.metrics.row_texts import texts_of_rows
from caplens.metrics.sentences import NO_SHARED_WORD, share, stated
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words

if TYPE_CHECKING:
    from caplens.metrics.rouge.metric import RougeL

_COLUMNS = ("reference", "common subsequence", "words", "precision", "recall")


class Explainer:
    """Explains rows of a corpus; what it has in common with other rows is computed once."""

    def __init__(self, metric: RougeL, prepared: Prepared, state: State) -> None:
        self._request, self._key, self._name = str(metric.request()), metric.result_keys[0], metric.label or "ROUGE-L"
        self._beta = metric.beta
        self._texts = texts_of_rows(prepared, metric.words)
        self._statistics = metric.known_statistics(prepared, state).table

    def explain(self, row: int) -> Explanation:
        """Explain one row."""
        texts = self._texts[row]
        precision, recall, f = self._statistics[row].tolist()
        # An empty caption is one empty word, as in the statistics.
        ours = texts.words or [""]
        theirs = [reference or [""] for reference in texts.reference_words]
        subsequences = [common_subsequence(ours, reference) for reference in theirs]
        rows = []
        for number, (reference, common) in enumerate(zip(theirs, subsequences, strict=True), 1):
            shared = " ".join([reference[place] for _, place in common])
            length = len(common)
            rows.append((number, shared, length, length / len(ours), length / len(reference)))
        best = max(subsequences, key=len, default=[])
        marked = mark_words(ours, {place for place, _ in best})
        return Explanation(
            metric=self._request,
            candidate=texts.candidate,
            references=texts.references,
            scores={self._key: f},
            facts={"best precision": precision, "best recall": recall, "beta": self._beta},
            sections=(
                MarkedText("candidate (longest common subsequence with a reference)", marked),
                Table("by reference", _COLUMNS, tuple(rows)),
            ),
            summary=stated(self._name, f, _reason(len(best), ours)),
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
    # best[i][j] is the length of that of the first i and the first j words.
    row = [0] * (len(right) + 1)
    best = [row]
    known = set(right)
    for word in left:
        if word in known:
            above, row, longest = row, [0], 0
            for place, other in enumerate(right):
                if word == other:
                    longest = above[place] + 1
                elif above[place + 1] > longest:
                    longest = above[place + 1]
                row.append(longest)
        best.append(row)
    pairs = []
    i, j = len(left), len(right)
    while i and j:
        if left[i - 1] == right[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif best[i - 1][j] >= best[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]
