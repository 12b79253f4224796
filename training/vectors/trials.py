"""What was tried, and how well each table agrees with people: ``python training/vectors/trials.py``.

Kendall's tau-c (in percent) with the 16,992 judgments of Flickr8k-Expert, the only set that guides choices. It
downloads both packages and takes some minutes on one core; README.md holds the table it prints.
"""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import treatment
from scipy.stats import kendalltau
from sources import (
    SHARED,
    Glove,
    ImageCaptions,
    count_matrix,
    glove_50,
    glove_100,
    tokens,
    training_captions,
)

from caplens.arrays import Floats
from caplens.metrics.wmd import _wmd

REFERENCES = 5
SMOOTHING = 1e-3  # S. Arora, Y. Liang, T. Ma: A simple but tough-to-beat baseline for sentence embeddings, ICLR 2017


@dataclass(frozen=True)
class Judgments:
    """Words of references and candidates, which references a candidate has, and what people said."""

    references: list[list[str]]
    candidates: list[list[str]]
    first_reference: np.ndarray
    ratings: np.ndarray


def judgments() -> Judgments:
    """Read Flickr8k-Expert."""
    with gzip.open(SHARED / "golden" / "flickr8k_expert_golden.json.gz") as file:
        content = json.load(file)
    images = {image: place for place, image in enumerate(content["references"])}
    return Judgments(
        tokens([text for texts in content["references"].values() for text in texts[:REFERENCES]]),
        tokens([pair["candidate"] for pair in content["pairs"]]),
        np.array([REFERENCES * images[pair["image"]] for pair in content["pairs"]], dtype=np.int64),
        np.array([pair["ratings"] for pair in content["pairs"]]),
    )


class Trial:
    """One source of vectors with the words that the judged captions and COCO's have."""

    def __init__(self, glove: Glove, captions: ImageCaptions, judged: Judgments) -> None:
        found = {word for text in (*captions.words, *judged.references, *judged.candidates) for word in text}
        places = [place for place, word in enumerate(glove.words) if word in found]
        numbers = {glove.words[place]: row for row, place in enumerate(places)}
        self.judged, self.images = judged, captions.images
        self.vectors = glove.vectors[places].astype(np.float64)
        self.counts = count_matrix(captions.words, numbers)
        self.references = count_matrix(judged.references, numbers)
        self.candidates = count_matrix(judged.candidates, numbers)
        self.share = treatment.shares(self.counts)
        self.centred = self.vectors - self.share @ self.vectors
        self.totals: Floats = np.asarray(self.counts.sum(axis=0)).ravel()

    def company(self, dimensions: int) -> Floats:
        """Return the company of words, as long as GloVe's vectors; of words outside the captions what is predicted."""
        vectors = treatment.company(self.counts, self.images, dimensions)
        vectors -= self.share @ vectors
        vectors *= treatment.spread(self.centred, self.share) / treatment.spread(vectors, self.share)
        matrix, offset = treatment.predict(self.centred, vectors, self.totals)
        return np.where(self.totals[:, np.newaxis] > 0, vectors, self.centred @ matrix + offset)

    def whitened(self, power: float) -> Floats:
        """Return vectors without the directions in which captions of one image differ, as long as before."""
        vectors = self.centred @ treatment.whitening(self.centred, self.counts, self.images, power)
        return vectors * treatment.spread(self.centred, self.share) / treatment.spread(vectors, self.share)

    def report(self, name: str, vectors: Floats, weights: Floats | None = None) -> None:
        """Print a line of the table; weights are for the mean of WEmbSim only."""
        found = [self._tau(scores) for scores in (*self._wmd(vectors), *self._wembsim(vectors, weights))]
        sys.stdout.write(f"| {name} | " + " | ".join(f"{value:.1f}" for value in found) + " |\n")
        sys.stdout.flush()

    def _tau(self, scores: Floats) -> float:
        repeated = np.repeat(scores, self.judged.ratings.shape[1])
        return 100 * float(kendalltau(repeated, self.judged.ratings.ravel(), variant="c").statistic)

    def _wmd(self, vectors: Floats) -> tuple[Floats, Floats]:
        single = np.ascontiguousarray(vectors, dtype=np.float32)
        ours, theirs = (_bags(counts) for counts in (self.candidates, self.references))
        rows = np.repeat(np.arange(len(self.judged.candidates)), REFERENCES)
        captions = (self.judged.first_reference[:, np.newaxis] + np.arange(REFERENCES)).ravel()
        found = np.empty(len(rows))
        _wmd.every(ours, theirs, _wmd.Distances(single, single[:0], np.zeros(0)), rows, captions, found, 0, len(rows))
        similarities = np.exp(-found.reshape(-1, REFERENCES))
        return similarities.max(axis=1), similarities.mean(axis=1)

    def _wembsim(self, vectors: Floats, weights: Floats | None) -> tuple[Floats, ...]:
        weighted = vectors if weights is None else vectors * weights[:, np.newaxis]
        ours, theirs = (_unit(counts @ weighted) for counts in (self.candidates, self.references))
        cosines = np.column_stack(
            [np.abs((ours * theirs[self.judged.first_reference + place]).sum(axis=1)) for place in range(REFERENCES)]
        )
        return cosines.mean(axis=1), cosines.max(axis=1), cosines.min(axis=1)


def _bags(counts: sp.csr_matrix) -> _wmd.Bags:
    counts.sort_indices()
    totals = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    offsets = counts.indptr.astype(np.int64)
    return _wmd.Bags(
        offsets,
        counts.indices.astype(np.int32),
        counts.data.astype(np.int32),
        totals,
        int(np.diff(offsets).max()),
    )


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def main() -> None:
    """Print the table."""
    captions, judged = training_captions(), judgments()
    sys.stdout.write("| vectors | WMD, best | WMD, mean | WEmbSim, mean | max | min |\n")
    sys.stdout.write("| --- | --- | --- | --- | --- | --- |\n")
    small = Trial(glove_50(), captions, judged)
    small.report("GloVe, 50 dimensions", small.vectors)
    trial = Trial(glove_100(), captions, judged)
    trial.report("GloVe, 100 dimensions (`raw`)", trial.vectors)
    trial.report("length 1", _unit(trial.vectors))
    smooth = SMOOTHING / (SMOOTHING + trial.totals / trial.totals.sum())
    trial.report("weights of words by frequency (SIF)", trial.vectors, smooth)
    trial.report("centred on caption words", trial.centred)
    trial.report("centred, SIF", trial.centred, smooth)
    for components in (1, 3, 5):
        without = treatment.without_top(trial.centred, trial.share, components)
        trial.report(f"centred, {components} top components removed", without)
    for power in (-0.25, -0.5, -0.75):
        trial.report(f"centred, whitened within images, power {power:g}", trial.whitened(power))
    for dimensions in (50, 100, 200):
        trial.report(f"company, {dimensions} dimensions, alone", trial.company(dimensions))
    company = trial.company(treatment.COMPANY_DIMENSIONS)
    for weight in (0.5, 1, 1.5, 2):
        trial.report(f"centred, and company x {weight:g}", np.hstack([trial.centred, weight * company]))
    for power in (-0.25, -0.5):
        for weight in (1, 1.5):
            both = np.hstack([trial.whitened(power), weight * company])
            trial.report(f"whitened {power:g}, and company x {weight:g}", both)
            trial.report(f"whitened {power:g}, and company x {weight:g}, length 1", _unit(both))


if __name__ == "__main__":
    main()
