"""Word Mover's Distance or WEmbSim of captions: ``word_vectors.py TOOL CANDIDATES REFERENCES OUT IMAGES``.

TOOL is wmd, wembsim or wembsim_c (caplens, from captions as they are), gensim or pot (Word Mover's Distance of words
that were cut, chosen and given their vectors before the clock started). All but wembsim_c use the vectors of the table
`raw`; images have five references. OUT holds the seconds, the pairs, and the distances of the first images.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import caplens
from caplens.api.inputs import corpus_of
from caplens.api.scoring import score
from caplens.core.prepared import prepare
from caplens.embeddings import library
from caplens.metrics.embedding.contextual import WEmbSimC
from caplens.metrics.embedding.rows import embedded_row
from caplens.metrics.embedding.wembsim import WEmbSim
from caplens.metrics.wmd.metric import WordMoversDistance

REFERENCES = 5
COMPARED_IMAGES = 500
METRICS = {"wmd": WordMoversDistance("raw"), "wembsim": WEmbSim("raw"), "wembsim_c": WEmbSimC()}
Vectors = dict[str, np.ndarray]


def main(tool: str, candidates: str, references: str, output: str, images: str) -> None:
    """Score and write."""
    texts, sets = _captions(candidates, references, int(images))
    found = _caplens(tool, texts, sets) if tool in METRICS else _other(tool, texts, sets)
    Path(output).write_text(json.dumps({**found, "pairs": len(texts) * REFERENCES, "captions": 6 * len(texts)}))


def _captions(candidates: str, references: str, images: int) -> tuple[list[str], list[list[str]]]:
    found: dict[str, list[str]] = {}
    theirs = caplens.load_references(references)
    for image, text in zip(theirs.ids, theirs.captions, strict=True):
        found.setdefault(image, []).append(text)
    ours = caplens.load_candidates(candidates)
    chosen = [(text, found[image][:REFERENCES]) for image, text in zip(ours.ids, ours.captions, strict=True)][:images]
    return [text for text, _ in chosen], [texts for _, texts in chosen]


def _caplens(tool: str, texts: list[str], sets: list[list[str]]) -> dict[str, object]:
    metric = METRICS[tool]
    start = time.perf_counter()
    score(texts, sets, [metric])  # its modules are loaded already, as those of the others are
    seconds = time.perf_counter() - start
    compared = prepare(corpus_of(texts[:COMPARED_IMAGES], sets[:COMPARED_IMAGES]))
    if not isinstance(metric, WordMoversDistance):
        return {"seconds": seconds, "distances": []}
    distances = metric.all_distances(compared)[0].tolist()
    return {"seconds": seconds, "given_words": _seconds_given_words(metric, texts, sets), "distances": distances}


def _seconds_given_words(metric: WordMoversDistance, texts: list[str], sets: list[list[str]]) -> float:
    """Return what all distances take where the others begin: words are cut, chosen and have their vectors."""
    prepared = prepare(corpus_of(texts, sets))
    for side in (prepared.references, prepared.candidates):
        for each in metric.requires():
            side.get(each)
    start = time.perf_counter()
    metric.all_distances(prepared)
    return time.perf_counter() - start


def _other(tool: str, texts: list[str], sets: list[list[str]]) -> dict[str, object]:
    prepared = prepare(corpus_of(texts, sets))
    words = WordMoversDistance("raw").words
    rows = [embedded_row(prepared, words, row) for row in range(len(prepared))]
    pairs = [(row.candidate.counting, reference.counting) for row in rows for reference in row.references]
    table = library.load("raw")
    vectors = {word: table.vector(word) for word in {word for pair in pairs for side in pair for word in side}}
    distance = _gensim(vectors) if tool == "gensim" else _pot(vectors)
    start = time.perf_counter()
    distances = [distance(ours, theirs) for ours, theirs in pairs]
    return {"seconds": time.perf_counter() - start, "distances": distances[: COMPARED_IMAGES * REFERENCES]}


def _gensim(vectors: Vectors) -> Callable[[list[str], list[str]], float]:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(len(next(iter(vectors.values()))))
    keyed.add_vectors(list(vectors), np.array(list(vectors.values())))
    return lambda ours, theirs: float(keyed.wmdistance(ours, theirs, norm=False))


def _pot(vectors: Vectors) -> Callable[[list[str], list[str]], float]:
    import ot

    def distance(ours: list[str], theirs: list[str]) -> float:
        left, right = Counter(ours), Counter(theirs)
        if not left or not right:
            return float("inf")
        costs = ot.dist(
            *(np.array([vectors[word] for word in bag], float) for bag in (left, right)), metric="euclidean"
        )
        shares = (np.array(list(bag.values())) / bag.total() for bag in (left, right))
        return float(ot.emd2(*shares, costs))

    return distance


if __name__ == "__main__":
    main(*sys.argv[1:])
