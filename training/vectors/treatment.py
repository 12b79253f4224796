"""What is done to the vectors; each function is one idea of the table in README.md."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from caplens.arrays import Floats

CONTEXT_POWER = 0.75  # flattens the frequencies of contexts: O. Levy, Y. Goldberg, I. Dagan, TACL 2015
COMPANY_DIMENSIONS = 100
COMPANY_WEIGHT = 1.5  # length of the second half against the first
WHITENING = -0.5
RIDGE = 1.0
MOST_WEIGHT = 200.0  # of one word in the regression, so that `man` does not outweigh a thousand others
SEED = 2014


def shares(counts: sp.csr_matrix) -> Floats:
    """Return the share of each word among all words of captions."""
    total: Floats = np.asarray(counts.sum(axis=0)).ravel()
    return total / total.sum()


def spread(vectors: Floats, share: Floats) -> float:
    """Return the root mean square length of the vectors of caption words."""
    return float(np.sqrt(share @ (vectors**2).sum(axis=1)))


def without_top(vectors: Floats, share: Floats, components: int) -> Floats:
    """Take the directions of greatest variance among caption words out of centred vectors."""
    _, _, directions = np.linalg.svd(vectors * np.sqrt(share)[:, np.newaxis], full_matrices=False)
    top = directions[:components]
    return vectors - vectors @ top.T @ top


def whitening(vectors: Floats, counts: sp.csr_matrix, images: np.ndarray, power: float = WHITENING) -> Floats:
    """Return the matrix that shrinks the directions in which captions of one image differ from each other."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    some = lengths > 0
    means = (counts @ vectors)[some] / lengths[some, np.newaxis]
    groups = np.unique(images[some], return_inverse=True)[1]
    sums = np.zeros((groups.max() + 1, vectors.shape[1]))
    np.add.at(sums, groups, means)
    within = means - (sums / np.bincount(groups)[:, np.newaxis])[groups]
    variances, axes = np.linalg.eigh(within.T @ within / len(within))
    matrix: Floats = (axes * (variances + 1e-3 * variances.max()) ** power) @ axes.T
    return matrix


def company(counts: sp.csr_matrix, images: np.ndarray, dimensions: int = COMPANY_DIMENSIONS) -> Floats:
    """Return vectors that are near each other where words describe the same images.

    Two words meet when one stands in a caption and the other in another caption of the same image. The positive
    pointwise mutual information of meetings is factorised; all axes get the same length.
    """
    binary = (counts > 0).astype(np.float64)
    belongs = sp.csr_matrix((np.ones(len(images)), (images, np.arange(len(images)))))
    per_image = belongs @ binary
    meetings = (per_image.T @ per_image - binary.T @ binary).tocoo()
    met = np.asarray(meetings.sum(axis=1)).ravel()
    contexts = met**CONTEXT_POWER / (met**CONTEXT_POWER).sum()
    some = meetings.data > 0
    rows, columns, values = meetings.row[some], meetings.col[some], meetings.data[some]
    information = np.maximum(np.log(values / (met[rows] * contexts[columns])), 0)
    matrix = sp.csr_matrix((information, (rows, columns)), shape=meetings.shape)
    start = np.random.default_rng(SEED).standard_normal(matrix.shape[0])
    left, values, _ = svds(matrix, k=dimensions, v0=start)
    vectors: Floats = left[:, np.argsort(-values)]
    return vectors


def predict(vectors: Floats, targets: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Return the matrix and offset that best lead from vectors to targets, each word weighing what it occurs."""
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))])
    weighted = inputs * np.minimum(totals, MOST_WEIGHT)[:, np.newaxis]
    solution = np.linalg.solve(inputs.T @ weighted + RIDGE * np.eye(inputs.shape[1]), weighted.T @ targets)
    return solution[:-1], solution[-1]
