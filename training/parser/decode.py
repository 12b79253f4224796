"""The best projective tree with a single root, for many captions of one length at once (Eisner 1996)."""

from __future__ import annotations

import numpy as np


def is_projective_tree(heads: np.ndarray) -> np.ndarray:
    """Tell for each row of `heads` whether it is a projective tree with exactly one root.

    Parameters
    ----------
    heads : numpy.ndarray
        ``(captions, length)``, heads count from 1, 0 is the root.
    """
    captions, length = heads.shape
    single = (heads == 0).sum(axis=1) == 1
    positions = np.broadcast_to(np.arange(1, length + 1), heads.shape)
    ancestors, rows = heads.copy(), np.arange(captions)[:, None]
    padded = np.concatenate([np.zeros((captions, 1), heads.dtype), heads], axis=1)
    for _ in range(length):
        ancestors = padded[rows, ancestors]
    left, right = np.minimum(heads, positions), np.maximum(heads, positions)
    crossing = (
        (left[:, :, None] < left[:, None, :])
        & (left[:, None, :] < right[:, :, None])
        & (right[:, :, None] < right[:, None, :])
    )
    return single & (ancestors == 0).all(axis=1) & ~crossing.any(axis=(1, 2))


def decode_trees(scores: np.ndarray) -> np.ndarray:
    """Find the best projective single-root tree of each caption.

    Parameters
    ----------
    scores : numpy.ndarray
        ``(captions, length, 1 + length)``: log-probability of each head of each token, column 0 is the root.

    Returns
    -------
    numpy.ndarray
        Heads, ``(captions, length)``.
    """
    heads = scores.argmax(axis=2)
    broken = np.flatnonzero(~is_projective_tree(heads))
    if len(broken):
        heads[broken] = _eisner(scores[broken])
    return heads


def _eisner(scores: np.ndarray) -> np.ndarray:
    captions, length, _ = scores.shape
    arcs = scores[:, :, 1:]
    rows = np.arange(captions)
    shape = (length, length, captions)
    # Spans [i, j]: complete (no more dependents on the open side) or incomplete (just joined by an arc), with the head
    # at the left or the right end; the arrays remember the best split.
    complete_left, complete_right = np.zeros(shape), np.zeros(shape)
    incomplete_left, incomplete_right = np.zeros(shape), np.zeros(shape)
    split_joined, split_left, split_right = (np.zeros(shape, np.int64) for _ in range(3))
    for width in range(1, length):
        for i in range(length - width):
            j = i + width
            inner = complete_left[i, i:j] + complete_right[i + 1 : j + 1, j]
            best = inner.argmax(axis=0)
            split_joined[i, j] = best + i
            inside = inner[best, rows]
            incomplete_left[i, j] = inside + arcs[:, j, i]
            incomplete_right[i, j] = inside + arcs[:, i, j]
            inner = incomplete_left[i, i + 1 : j + 1] + complete_left[i + 1 : j + 1, j]
            best = inner.argmax(axis=0)
            split_left[i, j], complete_left[i, j] = best + i + 1, inner[best, rows]
            inner = complete_right[i, i:j] + incomplete_right[i:j, j]
            best = inner.argmax(axis=0)
            split_right[i, j], complete_right[i, j] = best + i, inner[best, rows]
    whole = scores[:, :, 0].T + complete_right[0] + complete_left[:, length - 1]
    roots = whole.argmax(axis=0)
    heads = np.zeros((captions, length), np.int64)
    for row in range(captions):
        root = int(roots[row])
        stack = [(0, root, "right"), (root, length - 1, "left")]
        while stack:
            i, j, kind = stack.pop()
            if i == j:
                continue
            if kind == "left":
                middle = int(split_left[i, j, row])
                stack += [(i, middle, "left arc"), (middle, j, "left")]
            elif kind == "right":
                middle = int(split_right[i, j, row])
                stack += [(i, middle, "right"), (middle, j, "right arc")]
            else:
                dependent, head = (j, i) if kind == "left arc" else (i, j)
                heads[row, dependent] = head + 1
                middle = int(split_joined[i, j, row])
                stack += [(i, middle, "left"), (middle + 1, j, "right")]
    return heads
