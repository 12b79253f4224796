"""CIDEr-D as the COCO tools compute it, and the plain CIDEr of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import NgramCounts, Requirement, WordIds
from caplens.errors import Notice, UsageError, counted
from caplens.files.threads import for_each_block
from caplens.metrics.cider import _cider
from caplens.metrics.cider.document_frequencies import (
    DocumentFrequencies,
    InverseFrequencies,
    add_frequencies,
    count_documents,
)
from caplens.text.ngrams import BLOCK_CAPTIONS
from caplens.text.tokenizers import get_tokenizer

if TYPE_CHECKING:
    from caplens.output.explanation import Explanation

CORPUS = "corpus"
ALONE = "coco-val2014"
NOTE_ALONE = (
    f"A single row has no useful document frequencies, so CIDEr uses those of COCO val2014, which ship with caplens "
    f"(df={ALONE}); choose others with df=..."
)
FEW_DOCUMENTS = 100  # below this, most n-grams look equally rare and the weights mean little


def frequency_names() -> list[str]:
    """Return the names of document frequencies; most runs count their own and never look for them."""
    from caplens.metrics.cider.library import names

    return names()


@dataclass(frozen=True, eq=False)
class CiderState(State):
    """The document frequencies that weigh n-grams."""

    frequencies: DocumentFrequencies | None = None

    @property
    def facts(self) -> dict[str, str]:
        """The number of documents and a hash of their n-grams."""
        frequencies = _frequencies(self)
        return {"documents": str(frequencies.documents), "df": frequencies.fingerprint}

    @classmethod
    def merge(cls, states: Sequence[Self]) -> Self:
        """Add up the document frequencies of parts, unless all have the same from a file."""
        parts = [_frequencies(state) for state in states]
        if all(part is parts[0] for part in parts):
            return states[0]
        return cls(frequencies=add_frequencies(parts))


@dataclass(frozen=True)
class WeightNorms(Requirement[tuple[Floats, ...]]):
    """Euclidean norms of the captions' n-gram weights, for each order."""

    inverse: InverseFrequencies

    def compute(self, side: PreparedCaptions) -> tuple[Floats, ...]:
        """Add up squared weights."""
        own = side.get(self.inverse)
        base = side.base_value(self.inverse)
        orders = side.get(self.inverse.ngrams).orders
        norms = tuple(np.empty(len(side)) for _ in orders)

        def add_up(first: int, last: int) -> None:
            for order, counts in enumerate(orders):
                below, above = (own[order], own[order][:0]) if base is None else (base[order], own[order])
                _cider.norms(counts.offsets, counts.ids, counts.counts, below, above, norms[order], first, last)

        for_each_block(add_up, len(side), side.jobs, "CIDEr", BLOCK_CAPTIONS)
        return norms


@dataclass(frozen=True)
class BigramNumbers(Requirement[npt.NDArray[np.int64]]):
    """How many bigrams each caption has, the lengths that CIDEr-D compares."""

    words: WordIds

    def compute(self, side: PreparedCaptions) -> npt.NDArray[np.int64]:
        """Count them."""
        return np.maximum(side.get(self.words).lengths - 1, 0)


@dataclass(frozen=True)
class Cider(Metric):
    r"""CIDEr-D: similarity of TF-IDF weighted n-grams, clipped, with a Gaussian penalty on length, times ten.

    .. math:: \mathrm{CIDEr\text{-}D}(c, S) = \frac{10}{4 |S|} \sum_{n=1}^{4} \sum_{r \in S}
              e^{-(l_c - l_r)^2 / 2 \sigma^2}
              \frac{\sum_g \min(w_c(g), w_r(g))\, w_r(g)}{\lVert w_c \rVert \lVert w_r \rVert}

    with :math:`w_c(g)` = count of g in c times :math:`\log N - \log \max(1, df(g))`; lengths count bigrams. A document
    is a row of the corpus, as in the COCO tools (``df_documents=images``: an image). With ``variant=plain``
    there is neither clipping nor penalty and words are stemmed, as in the paper. The maximum, 10, is reached if every
    reference equals the candidate and the candidate has an n-gram of positive weight for every order.

    Document frequencies come from the scored rows, so a caption's score depends on its corpus; with
    ``df=FILE`` (built by ``caplens df build``), an image or a batch gets the same score as in the whole corpus. Those
    of the 40,504 images of COCO val2014 and of the 82,783 of COCO train2014 ship with caplens: ``df=coco-val2014``,
    ``df=coco-train2014``.

    References
    ----------
    R. Vedantam, C. L. Zitnick, D. Parikh: CIDEr: consensus-based image description evaluation, CVPR 2015.
    Conventions: pycocoevalcap 1.2.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a cat", "two dogs"], [["a cat"], ["two dogs run"]], metrics=["cider(n=2)"])
    >>> [round(score, 3) for score in result["CIDEr"].item_scores.tolist()]
    [10.0, 7.513]
    """

    name: ClassVar[str] = "cider"
    title: ClassVar[str] = "CIDEr(-D)"
    origin: ClassVar[str] = "Vedantam et al. 2015"
    scale: ClassVar[float] = 10.0  # R. Vedantam et al. 2015, CIDEr-D; used for both variants
    idea: ClassVar[str] = "n-gram consensus with the references, giving more weight to rare n-grams"

    n: int = option(4, "maximum n-gram length", most=9)
    sigma: float = option(6.0, "standard deviation of the Gaussian length penalty")
    variant: Literal["d", "plain"] = option("d", "`d`: CIDEr-D; `plain`: no clipping, no length penalty, stemmed words")
    df: str = option(
        CORPUS,
        "document frequencies: from the scored rows, a name (`caplens df list`), or a file (`caplens df build`)",
        names=frequency_names,
    )
    df_documents: Literal["rows", "images"] = option("rows", "what counts as a document")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``CIDEr``."""
        return ("CIDEr",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 10."""
        return {"CIDEr": (0.0, self.scale)}

    @property
    def learns_from_corpus(self) -> bool:
        """Unless document frequencies are given, they are those of the corpus."""
        return self.df == CORPUS

    @property
    def rows_stand_alone(self) -> bool:
        """Unless weights come from the references; sums are rounded once, so the order of n-grams does not matter."""
        return self.df != CORPUS

    @property
    def hindrance_to_parts(self) -> str | None:
        """Frequencies of the corpus are known only when all of it was read."""
        if self.df != CORPUS:
            return None
        return (
            f"{self.name} computes its document frequencies from all rows: count them first (caplens df build PART "
            "--shard-out DIR for each file, then caplens df merge DIR -o df.safetensors) and use "
            "cider(df=df.safetensors), or use the shipped ones, cider(df=coco-val2014)"
        )

    @cached_property
    def ngrams(self) -> NgramCounts:
        """The n-grams that are weighed."""
        return NgramCounts(WordIds(self.tokenizer, split=True, stem=self.variant == "plain"), max(self.n, 4))

    @cached_property
    def bigrams(self) -> BigramNumbers:
        """How many bigrams captions have."""
        return BigramNumbers(self.ngrams.words)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words and their n-grams."""
        return (self.ngrams.words, self.ngrams)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> CiderState:
        """Count document frequencies, or read them."""
        if self.df != CORPUS:
            return self._state(self._load(), f"in {self.df} ")
        documents = usage.rows if self.df_documents == "rows" else usage.images
        # A row without references (scored 0 on request) is no document.
        documents = documents * (np.diff(references.offsets) > 0)
        return self._state(count_documents(references, self.ngrams, documents))

    def _load(self) -> DocumentFrequencies:
        from caplens.metrics.cider.library import load_named

        frequencies = load_named(self.df)
        words, wanted = frequencies.words, self.ngrams.words
        if words != wanted and (wanted.stem or not frequencies.any_words):
            raise UsageError(
                f"The document frequencies in {self.df} were counted with tokenizer={words.tokenizer} "
                f"({'stemmed' if words.stem else 'not stemmed'}), but this CIDEr uses tokenizer={wanted.tokenizer} "
                f"({'stemmed' if wanted.stem else 'not stemmed'}): rebuild them with the same rules."
            )
        used = get_tokenizer(self.tokenizer).facts()
        other = [fact for key, fact in frequencies.tokenizer_facts.items() if used[key] != fact]
        if other:
            raise UsageError(
                f"The document frequencies in {self.df} were counted with {' and '.join(other)}, but "
                f"tokenizer={self.tokenizer} uses {' and '.join(used.values())} here: rebuild them, or install the "
                "same versions."
            )
        if len(frequencies.frequencies) < self.n:
            raise UsageError(f"{self.df} counts n-grams up to {len(frequencies.frequencies)}, not {self.n}.")
        return frequencies

    @staticmethod
    def _state(frequencies: DocumentFrequencies, where: str = "") -> CiderState:
        notices: tuple[Notice, ...] = ()
        if frequencies.documents < FEW_DOCUMENTS:
            effect = "it is 0" if frequencies.documents <= 1 else "its weights mean little"
            rows = counted(frequencies.documents, "row")
            words = frequencies.words
            use = "use cider(df=coco-val2014), which is shipped, or frequencies of a larger corpus (caplens df build)"
            if words.tokenizer != "ptb" or words.stem:  # those that ship were counted with other words
                use = f"use frequencies of a larger corpus (caplens df build --tokenizer {words.tokenizer})"
            message = f"CIDEr's document frequencies {where}come from only {rows}, so {effect}; {use}"
            notices = (Notice("few-documents", message, frequencies.documents),)
        return CiderState(notices, frequencies)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return ten times the mean similarity to the references, by order."""
        inverse, norms = self._weights(prepared.references, state)
        ours, theirs = prepared.candidates.get(self.ngrams).orders, prepared.references.get(self.ngrams).orders
        our_norms, their_norms = prepared.candidates.get(norms), prepared.references.get(norms)
        idf = prepared.references.get(inverse)
        our_lengths, their_lengths = self._lengths(prepared.candidates), self._lengths(prepared.references)
        clip, sigma = (True, self.sigma) if self.variant == "d" else (False, 0.0)
        table = np.empty((len(prepared), self.n))

        def fill(first: int, last: int) -> None:
            for k in range(self.n):
                _cider.similarities(
                    ours[k].offsets, ours[k].ids, ours[k].counts, our_lengths, our_norms[k],
                    theirs[k].offsets, theirs[k].ids, theirs[k].counts, their_lengths, their_norms[k],
                    prepared.references.offsets, prepared.reference_set, idf[k], clip, sigma, table, k + 1, first, last,
                )  # fmt: skip

        for_each_block(fill, len(prepared), prepared.jobs, "CIDEr")
        return Statistics(tuple(f"similarity_{order}" for order in range(1, self.n + 1)), self.scale * table)

    def _weights(self, references: PreparedReferences, state: State) -> tuple[InverseFrequencies, WeightNorms]:
        """Return what weighs n-grams: the same objects for all batches, whose values are found without comparisons."""

        def new() -> tuple[InverseFrequencies, WeightNorms]:
            inverse = InverseFrequencies(_frequencies(state), self.ngrams)
            return inverse, WeightNorms(inverse)

        return references.once((state, self.ngrams), new)

    def _lengths(self, side: PreparedCaptions) -> npt.NDArray[np.int64]:
        """Return the number of bigrams; where there are none (n=1) the COCO tools compare nothing."""
        return side.get(self.bigrams) if self.n > 1 else np.zeros(len(side), dtype=np.int64)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean over orders and rows."""
        means: Floats = np.add.reduce(sums, axis=-1, keepdims=True) / self.n  # as `mean`, with less ado
        return means / rows[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """List the n-grams that earned the score and those that were missed, with their weights."""
        from caplens.metrics.cider.explanation import Explainer

        def new() -> Explainer:
            return Explainer(self, prepared, _frequencies(state), self.known_statistics(prepared, state).table)

        return prepared.once((self, state, "explainer"), new).explain(row)

    def alone(self) -> tuple[Cider, str]:
        """Return a CIDEr with the frequencies that ship, if they were counted by the same rules.

        Examples
        --------
        >>> Cider().alone()[0].df, Cider(variant="plain").alone()[0].df
        ('coco-val2014', 'corpus')
        """
        shipped = replace(self, df=ALONE)
        if self.df != CORPUS or not shipped._loads():
            return self, ""
        return shipped, NOTE_ALONE

    def _loads(self) -> bool:
        try:
            self._load()
        except UsageError:
            return False
        return True


def _frequencies(state: State) -> DocumentFrequencies:
    if not isinstance(state, CiderState) or state.frequencies is None:
        raise TypeError("CIDEr needs the state that its own fit returned")
    return state.frequencies
