"""Word vectors from captions without parses: which words stand in the same places.

    python training/parser/vectors.py --output vectors.npz

Parses are scarce and captions are not: a word that was parsed twice may occur a hundred times in captions without
parses. A word is described by its neighbours at four distances (two to the left, two to the right, caption ends
included), as positive pointwise mutual information, cut down by a singular value decomposition (Levy and Goldberg,
"Neural Word Embedding as Implicit Matrix Factorization", 2014). Near neighbours with their direction say what part of
speech a word is rather than what it means, which is what a parser needs.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from runs import CACHE, SILVER, UNLABELLED, say
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import svds
from silver import load_parses
from split import split

DISTANCES = (-2, -1, 1, 2)
CONTEXTS = 6000
"""Words, the most frequent ones, that are told apart as neighbours; all others are one."""
SMOOTHING = 0.75
"""Power of a neighbour's frequency: otherwise rare neighbours count too much (Levy, Goldberg and Dagan, 2015)."""
_END = 0


@dataclass(frozen=True)
class WordVectors:
    """Fixed vectors of words; row ``i`` belongs to ``words[i]``, the most frequent word comes first."""

    words: list[str]
    matrix: np.ndarray

    def rows(self, forms: list[str]) -> np.ndarray:
        """Give the row of each form, -1 for one without a vector."""
        numbers = {word: number for number, word in enumerate(self.words)}
        return np.array([numbers.get(form, -1) for form in forms], np.int64)


def load_vectors(path: Path) -> WordVectors:
    """Read what this script wrote."""
    with np.load(path) as stored:
        return WordVectors(bytes(stored["words"]).decode().split("\n"), stored["matrix"])


def associations(ids: np.ndarray, words: int) -> csr_array:
    """Count the neighbours of each word and weigh them; `ids` is the text, 0 at caption ends and 1.. for words."""
    capped = np.where(ids > CONTEXTS, CONTEXTS + 1, ids)
    blocks = []
    for distance in DISTANCES:
        here, there = (ids[:-distance], capped[distance:]) if distance > 0 else (ids[-distance:], capped[:distance])
        inside = here != _END
        pairs = coo_array(
            (np.ones(inside.sum(), np.float32), (here[inside] - 1, there[inside])), shape=(words, CONTEXTS + 2)
        ).tocsr()
        total = pairs.sum()
        of_word, of_context = np.asarray(pairs.sum(axis=1)).ravel(), np.asarray(pairs.sum(axis=0)).ravel()
        smooth = of_context**SMOOTHING
        smooth *= total / smooth.sum()
        table = pairs.tocoo()
        weights = np.log(table.data * total / (of_word[table.row] * smooth[table.col]))
        kept = weights > 0
        blocks.append(coo_array((weights[kept], (table.row[kept], table.col[kept])), shape=table.shape))
    width = CONTEXTS + 2
    return csr_array(
        coo_array(
            (
                np.concatenate([block.data for block in blocks]),
                (
                    np.concatenate([block.row for block in blocks]),
                    np.concatenate([block.col + place * width for place, block in enumerate(blocks)]),
                ),
            ),
            shape=(words, width * len(blocks)),
        )
    )


def reduce(table: csr_array, dimensions: int, seed: int = 1) -> np.ndarray:
    """Cut rows down to `dimensions` numbers; every row gets the same length."""
    left, values, _ = svds(table, k=dimensions, rng=np.random.default_rng(seed))
    order = np.argsort(-values)
    matrix = left[:, order] * np.sqrt(values[order])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return (matrix * np.sqrt(dimensions)).astype(np.float32)


def main() -> None:
    """Count, reduce, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="file to write (.npz)")
    parser.add_argument("--unlabelled", type=Path, default=UNLABELLED, help="captions without parses, one a line")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    parser.add_argument("--dimensions", type=int, default=128, help="length of a vector")
    parser.add_argument("--minimum", type=int, default=3, help="how often a word must occur")
    arguments = parser.parse_args()
    training = split(load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache)).training
    captions = [training.words(place) for place in range(len(training))]
    with gzip.open(arguments.unlabelled, "rt", encoding="utf-8") as lines:
        captions += [line.split() for line in lines]
    counts = Counter(word for words in captions for word in words)
    words = [word for word, count in counts.most_common() if count >= arguments.minimum]
    # Rarer words share one number behind the others.
    numbers = {word: number for number, word in enumerate(words, start=1)}
    other = len(words) + 1
    ids = np.fromiter(
        (number for caption in captions for number in (_END, *(numbers.get(word, other) for word in caption), _END)),
        np.int32,
    )
    matrix = reduce(associations(ids, len(words) + 1), arguments.dimensions)[:-1]
    np.savez(arguments.output, words=np.frombuffer("\n".join(words).encode(), np.uint8), matrix=matrix)
    say(f"{arguments.output}: {len(words):,} words, {len(captions):,} captions, {len(ids):,} places")


if __name__ == "__main__":
    main()
