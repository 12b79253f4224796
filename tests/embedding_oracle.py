"""The slow, clear versions of the metrics on word vectors, straight from their definitions."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from caplens.embeddings.stop_words import ENGLISH
from caplens.text.ptb import tokenize


def counting_words(caption, table, *, remove_stop_words=True):
    """The words of a caption that have a vector and are no stop words."""
    words = tokenize(caption)
    return [
        word
        for word in words
        if table.vector(word) is not None and not (remove_stop_words and word.encode() in ENGLISH)
    ]


def transport(costs, supply, demand):
    """The least cost by linear programming."""
    from scipy.optimize import linprog

    rows, columns = costs.shape
    sums = np.zeros((rows + columns, rows * columns))
    for row in range(rows):
        sums[row, row * columns : (row + 1) * columns] = 1
    for column in range(columns):
        sums[rows + column, column::columns] = 1
    found = linprog(costs.ravel(), A_eq=sums, b_eq=[*supply, *demand], method="highs")
    return float(found.fun)


def word_movers_distance(ours, theirs, table, solve=transport):
    """The distance of two lists of words; infinite where one is empty. ``solve`` takes costs and shares."""
    if not ours or not theirs:
        return math.inf
    left, right = Counter(ours), Counter(theirs)
    vectors, other_vectors = (np.array([table.vector(word) for word in bag], dtype=float) for bag in (left, right))
    costs = np.sqrt(((vectors[:, None] - other_vectors[None]) ** 2).sum(axis=-1))
    shares, other_shares = (np.array(list(bag.values())) / bag.total() for bag in (left, right))
    return solve(costs, shares, other_shares)


def mean_vector(words, table):
    return np.mean([table.vector(word) for word in words], axis=0, dtype=float)


def cosine(left, right):
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


def wembsim(ours, theirs, table):
    return abs(cosine(mean_vector(ours, table), mean_vector(theirs, table))) if ours and theirs else 0.0


def embedding_average(ours, theirs, table):
    return cosine(mean_vector(ours, table), mean_vector(theirs, table)) if ours and theirs else 0.0


def vector_extrema(ours, theirs, table):
    def extremes(words):
        columns = np.array([table.vector(word) for word in words], dtype=float).T
        return np.array([max(column, key=lambda number: (abs(number), number)) for column in columns])

    return cosine(extremes(ours), extremes(theirs)) if ours and theirs else 0.0


def greedy_matching(ours, theirs, table):
    def directed(some, others):
        return np.mean([max(cosine(table.vector(word), table.vector(other)) for other in others) for word in some])

    return float(directed(ours, theirs) + directed(theirs, ours)) / 2 if ours and theirs else 0.0
