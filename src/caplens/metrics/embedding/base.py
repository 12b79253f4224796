"""What the metrics on word vectors have in common: their options, what they learn, and what they warn of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.embeddings import library
from caplens.errors import SHOWN_IDS, Notice, UsageError
from caplens.metrics.embedding.words import CaptionWords, WordVectors


@dataclass(frozen=True)
class EmbeddingMetric(Metric):
    """A metric on word vectors."""

    vectors: str = option(
        "captions", "word vectors: `captions`, `raw` or the name of an imported table", names=library.names
    )
    remove_stop_words: bool = option(True, "remove NLTK's 179 English stop words")
    subwords: bool = option(False, "build vectors for unknown words from their subwords (fastText .bin)")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def only_english(self) -> str | None:
        """Vectors that ship are those of English words; imported ones may be of any language."""
        return "its word vectors are English" if self.vectors in ("captions", "raw", "scene") else None

    @property
    def normalized(self) -> bool:
        """Whether all vectors get the length 1."""
        return False

    @property
    def words(self) -> WordVectors:
        """The words that count."""
        return WordVectors(
            WordIds(self.tokenizer, split=True), self.vectors, self.remove_stop_words, self.subwords, self.normalized
        )

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words, their vectors, and captions without the words that do not count."""
        return (self.words.words, self.words, CaptionWords(self.words))

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Find the table, and references that say nothing to it."""
        table = library.load(self.vectors)
        if self.subwords and not table.has_subwords:
            raise UsageError(
                f"{self.name}(subwords=true) needs a table with character n-grams, which {self.vectors!r} lacks: "
                "import a fastText .bin file."
            )
        notices = _unknown(references.get(CaptionWords(self.words)).lengths, "reference", self.name)
        return NamedState(notices, (("table", table.fingerprint),))

    def notices(self, prepared: Prepared) -> tuple[Notice, ...]:
        """Count the candidates that score 0 because no word of theirs has a vector."""
        lengths = prepared.candidates.get(CaptionWords(self.words)).lengths
        return _unknown(lengths, "candidate", self.name, prepared.ids)

    @abstractmethod
    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return one row of statistics an item, the score first."""

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean score."""
        return sums[..., :1] / rows[..., np.newaxis]


def _unknown(
    lengths: npt.NDArray[np.int64], noun: str, metric: str, ids: Sequence[str] | None = None
) -> tuple[Notice, ...]:
    places = np.flatnonzero(lengths == 0).tolist()
    if not places:
        return ()
    wording = f"{{0:{noun}}} {{0:has|have}} no word with a vector; {metric} treats that as no similarity"
    named = () if ids is None else tuple(ids[place] for place in places[:SHOWN_IDS])
    return (Notice.worded(f"{noun}-without-known-word", wording, [len(places)], named),)
