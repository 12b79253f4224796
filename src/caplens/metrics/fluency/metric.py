"""Fluency: how likely the words of a caption are, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caplens.arrays import Integers
from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.errors import lacking_for
from caplens.files.threads import for_each_block
from caplens.learned.fluency.language_model import LanguageModel, numbers_of, shipped
from caplens.metrics.row_texts import row_texts
from caplens.output.explanation import Cell, Explanation, Mark, MarkedText, Table

UNLIKELY = math.log(1e-3)
"""A word below this log probability is marked in explanations; a third of COCO val2014's human captions have none."""


@dataclass(frozen=True)
class WordNumbers(Requirement[Integers]):
    """The language model's number of each distinct word."""

    words: WordIds

    def compute(self, side: PreparedCaptions) -> Integers:
        """Look up what the base has not."""
        base = side.base_value(self)
        table = side.get(self.words).table
        if base is None:
            return shipped().numbers(table)
        return np.concatenate([base, shipped().numbers(table, len(base))])


@dataclass(frozen=True)
class WordProbabilities(Requirement[Floats]):
    """The mean log probability per word of each caption, its end counted as a word."""

    words: WordIds

    def compute(self, side: PreparedCaptions) -> Floats:
        """Score every caption; one without words is as unlikely as the least likely word."""
        model = shipped()
        words = side.get(self.words)
        numbers = side.get(WordNumbers(self.words))
        means = np.empty(len(words))

        def fill(first: int, last: int) -> None:
            begin, end = words.offsets[first], words.offsets[last]
            offsets = words.offsets[first : last + 1] - begin
            logs, _ = model.score(numbers[words.ids[begin:end]], offsets)
            starts = offsets[:-1] + np.arange(last - first)
            means[first:last] = np.add.reduceat(logs, starts) / (words.lengths[first:last] + 1)

        for_each_block(fill, len(words), side.jobs, "fluency")
        means[words.lengths == 0] = model.least
        return means


@dataclass(frozen=True)
class Fluency(Metric):
    r"""Fluency: mean log probability per word under a language model of captions.

    .. math:: \mathrm{Fluency}(w_1 \dots w_n) = \frac{1}{n + 1} \sum_{i=1}^{n+1} \log P(w_i \mid w_{i-2}, w_{i-1})

    where :math:`w_{n+1}` is the end of the caption, and the logarithm is natural. The model consists of trigrams of
    the human captions of COCO train2014 (modified Kneser-Ney smoothing), so it covers everyday English about pictures
    and little else. Only the candidate is used, neither references nor image, so a fluent caption may be wrong.
    Scores are negative, and higher is better; human captions of COCO val2014 have -3.3 on average. A caption without
    words gets the log probability of the least likely word.

    References
    ----------
    S. F. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling, 1998.

    Examples
    --------
    >>> import caplens
    >>> captions = ["a dog runs on the grass", "grass the on runs dog a", "a dog runs on the grass grass"]
    >>> caplens.score(captions, metrics="fluency")["Fluency"].item_scores.round(1).tolist()
    [-2.8, -7.6, -4.1]
    """

    name: ClassVar[str] = "fluency"
    title: ClassVar[str] = "Fluency"
    english_because: ClassVar[str] = "it was trained on English captions"
    origin: ClassVar[str] = "caplens; smoothing: Chen & Goodman 1998"
    idea: ClassVar[str] = "how likely each word is given the two before it, in human captions"

    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``Fluency``."""
        return ("Fluency",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """Below 0, without a lower bound."""
        return dict.fromkeys(self.keys, (-math.inf, 0.0))

    @property
    def needs_references(self) -> bool:
        """Not at all."""
        return False

    def missing_data(self) -> str | None:
        """Return what is wrong with the model, if anything."""
        return lacking_for(shipped)

    @property
    def words(self) -> WordIds:
        """The words that are read."""
        return WordIds(self.tokenizer, split=True)

    @property
    def probabilities(self) -> WordProbabilities:
        """The mean log probabilities."""
        return WordProbabilities(self.words)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the model."""
        return NamedState(data=(("model", shipped().fingerprint),))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the mean log probability."""
        return Statistics(("log_probability",), prepared.candidates.get(self.probabilities)[:, np.newaxis])

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean over captions."""
        return sums / rows[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the probability of each word, and how much of what stands before it the model has seen with it."""
        model = shipped()
        texts = row_texts(prepared, self.words, row)
        words = texts.words
        logs, orders = model.score(numbers_of(model, words), np.array([0, len(words)]))
        score = float(prepared.candidates.get(self.probabilities)[row])
        rows = _word_rows(model, words, logs.tolist(), orders.tolist()) if words else ()
        marked: list[tuple[str, Mark]] = [
            (word, "miss" if log < UNLIKELY else "plain") for word, log in zip(words, logs.tolist(), strict=False)
        ]
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores={self.result_keys[0]: score},
            facts={"perplexity": math.exp(-score), "model": f"trigrams of COCO train2014 ({model.fingerprint})"},
            sections=(
                MarkedText("candidate (marked: less likely than one in a thousand)", tuple(marked)),
                Table("word by word", ("word", "probability", "log probability", "seen after"), rows),
            ),
        )


def _word_rows(
    model: LanguageModel, words: list[str], logs: list[float], orders: list[int]
) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = []
    before = ["(beginning)", *words]
    for place, (log, order) in enumerate(zip(logs, orders, strict=True)):
        word = words[place] if place < len(words) else "(end)"
        known = place == len(words) or model.vocabulary.index(word.encode()) >= 0
        seen = " ".join(before[max(0, place + 2 - order) : place + 1]) if order > 1 else "-"
        rows.append((word if known else f"{word} (unknown)", math.exp(log), log, seen))
    return tuple(rows)
