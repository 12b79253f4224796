"""The slow, clear versions of the lexical metrics, straight from their definitions, on lists of words."""

from __future__ import annotations

import math
from collections import Counter

Words = list[str]


def ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def bleu_statistics(candidate: Words, references: list[Words], max_order: int = 4) -> dict[str, list[float]]:
    matches, guessed = [], []
    for order in range(1, max_order + 1):
        counts = ngrams(candidate, order)
        matches.append(
            float(
                sum(
                    min(n, max(ngrams(reference, order)[gram] for reference in references))
                    for gram, n in counts.items()
                )
            )
        )
        guessed.append(float(max(0, len(candidate) - order + 1)))
    closest = min((abs(len(reference) - len(candidate)), len(reference)) for reference in references)[1]
    return {"matches": matches, "guessed": guessed, "lengths": [float(len(candidate)), float(closest)]}


def bleu(statistics: list[dict[str, list[float]]], max_order: int = 4) -> list[float]:
    """BLEU-1..4 of the summed statistics of some rows."""

    def total(key: str, place: int) -> float:
        return sum(row[key][place] for row in statistics)

    ratio = (total("lengths", 0) + 1e-15) / (total("lengths", 1) + 1e-9)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    scores, product = [], 1.0
    for place in range(max_order):
        product *= (total("matches", place) + 1e-15) / (total("guessed", place) + 1e-9)
        scores.append(product ** (1 / (place + 1)) * penalty)
    return scores


def bleu_smoothed(statistics: dict[str, list[float]]) -> float:
    length, reference_length = statistics["lengths"]
    if length == 0:
        return 0.0
    product = 1.0
    for place, (found, guessed) in enumerate(zip(statistics["matches"], statistics["guessed"], strict=True)):
        product *= found / guessed if place == 0 else (found + 1) / (guessed + 1)
    return product**0.25 * math.exp(min(0.0, 1 - (reference_length + 1e-9) / (length + 1e-15)))


def longest_common_subsequence(left: Words, right: Words) -> int:
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, ours in enumerate(left, 1):
        for j, theirs in enumerate(right, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if ours == theirs else max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def rouge_l(candidate: Words, references: list[Words], beta: float = 1.2) -> float:
    candidate = candidate or [""]
    lists = [reference or [""] for reference in references]
    common = [longest_common_subsequence(candidate, reference) for reference in lists]
    precision = max(n / len(candidate) for n in common)
    recall = max(n / len(reference) for n, reference in zip(common, lists, strict=True))
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def cider(
    candidates: list[Words],
    references: list[list[Words]],
    *,
    max_order: int = 4,
    sigma: float = 6.0,
    plain: bool = False,
) -> list[float]:
    """CIDEr-D (or plain CIDEr) of every row; documents are the rows."""
    frequency: Counter[tuple[str, ...]] = Counter()
    for row in references:
        frequency.update({gram for words in row for n in range(1, max_order + 1) for gram in ngrams(words, n)})

    def weights(words: Words, order: int) -> dict[tuple[str, ...], float]:
        known = math.log(len(references))
        return {gram: n * (known - math.log(max(1, frequency[gram]))) for gram, n in ngrams(words, order).items()}

    scores = []
    for candidate, row in zip(candidates, references, strict=True):
        total = 0.0
        for reference in row:
            delta = max(0, len(candidate) - 1) - max(0, len(reference) - 1)
            penalty = 1.0 if plain else math.exp(-(delta**2) / (2 * sigma**2))
            for order in range(1, max_order + 1):
                ours, theirs = weights(candidate, order), weights(reference, order)
                dot = sum((w if plain else min(w, theirs[g])) * theirs[g] for g, w in ours.items() if g in theirs)
                norm = math.sqrt(sum(w * w for w in ours.values())) * math.sqrt(sum(w * w for w in theirs.values()))
                total += penalty * (dot / norm if norm else dot)
        scores.append(10 * total / max_order / len(row))
    return scores
