# cython: language_level=3
"""The best projective trees of captions from scores of heads."""

from libc.math cimport expf, logf
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import numpy as np

from caplens.networks._layers cimport dot_rows

cdef float NO_SCORE = -1e30


def find_trees(
    const float[:, ::1] queries,
    const float[:, ::1] keys,
    const float[::1] root,
    const int32_t[::1] offsets,
    int32_t[::1] heads,
):
    """Write the heads of the best projective tree with one root of each caption.

    The score of head ``h`` for token ``d`` is the logarithm of the softmax, over all heads, of ``queries[d] . keys[h]``
    (``root`` in the place of the key for the root). Heads count from 1 within the caption; 0 is the root.
    """
    cdef Py_ssize_t captions = offsets.shape[0] - 1, caption
    cdef int longest = _check(queries, keys, root, offsets), size = <int>queries.shape[1], first, length
    if heads.shape[0] != queries.shape[0]:
        raise ValueError("heads and queries do not fit each other")
    cdef size_t square = <size_t>longest * longest
    cdef float* scores = <float*>malloc((5 * square + <size_t>longest + 1) * sizeof(float))
    cdef int32_t* splits = <int32_t*>malloc((3 * square + 12 * <size_t>longest + 24) * sizeof(int32_t))
    if scores == NULL or splits == NULL:
        free(scores)
        free(splits)
        raise MemoryError
    with nogil:
        for caption in range(captions):
            first = offsets[caption]
            length = offsets[caption + 1] - first
            if length > 0:
                _score_heads(&queries[first, 0], &keys[first, 0], &root[0], length, size, scores)
                _best_tree(scores, length, &heads[first], scores + square + longest, splits)
    free(scores)
    free(splits)


def likely_heads(
    const float[:, ::1] queries,
    const float[:, ::1] keys,
    const float[::1] root,
    const int32_t[::1] offsets,
    float least,
):
    """Return the heads of each token whose scores, as in `find_trees`, are above ``least``, or are the best.

    The result is where those of each token begin, then heads and scores.
    """
    cdef Py_ssize_t captions = offsets.shape[0] - 1, caption, tokens = queries.shape[0]
    cdef int longest = _check(queries, keys, root, offsets), first, length, size = <int>queries.shape[1]
    # Probabilities above exp(least) are fewer than exp(-least), and the best may be below.
    cdef Py_ssize_t most = min(<Py_ssize_t>expf(-least) + 1, <Py_ssize_t>longest + 1)
    starts = np.zeros(tokens + 1, np.int32)
    heads = np.empty(tokens * most, np.int32)
    found = np.empty(tokens * most, np.float32)
    cdef int32_t[::1] starts_view = starts, heads_view = heads
    cdef float[::1] found_view = found
    cdef float* scores = <float*>malloc((<size_t>longest * (<size_t>longest + 1) + 1) * sizeof(float))
    cdef float* row
    cdef float best
    cdef int token, head
    cdef Py_ssize_t count = 0
    if scores == NULL:
        raise MemoryError
    with nogil:
        for caption in range(captions):
            first = offsets[caption]
            length = offsets[caption + 1] - first
            if length > 0:
                _score_heads(&queries[first, 0], &keys[first, 0], &root[0], length, size, scores)
            for token in range(length):
                row = scores + <size_t>token * (length + 1)
                best = row[0]
                for head in range(1, length + 1):
                    best = max(best, row[head])
                best = min(best, least)
                for head in range(length + 1):
                    if row[head] >= best and count < (first + token + 1) * most:
                        heads_view[count] = head
                        found_view[count] = row[head]
                        count += 1
                starts_view[first + token + 1] = <int32_t>count
    free(scores)
    return starts, heads[:count], found[:count]


cdef int _check(
    const float[:, ::1] queries, const float[:, ::1] keys, const float[::1] root, const int32_t[::1] offsets
) except -1:
    """Make sure that captions and scores fit each other; return the length of the longest caption."""
    cdef Py_ssize_t captions = offsets.shape[0] - 1, caption
    cdef int longest = 0
    cdef bint fits = captions >= 0 and offsets[0] == 0 and offsets[captions] == queries.shape[0]
    for caption in range(captions):
        fits = fits and offsets[caption] <= offsets[caption + 1]
        longest = max(longest, offsets[caption + 1] - offsets[caption])
    if (not fits or keys.shape[0] != queries.shape[0] or keys.shape[1] != queries.shape[1]
            or root.shape[0] != queries.shape[1]):
        raise ValueError("queries, keys and the offsets of captions do not fit each other")
    return longest


cdef void _score_heads(
    const float* queries, const float* keys, const float* root, int length, int size, float* scores
) noexcept nogil:
    """Fill ``scores`` (length x (1 + length)) with log-probabilities; column 0 is the root."""
    cdef int token, head
    cdef float largest, total
    cdef float* row
    for token in range(length):
        row = scores + <size_t>token * (length + 1)
        dot_rows(queries + <size_t>token * size, root, size, 1, size, row)
        dot_rows(queries + <size_t>token * size, keys, size, length, size, row + 1)
        largest = row[0]
        for head in range(1, length + 1):
            largest = max(largest, row[head])
        total = 0
        for head in range(length + 1):
            total += expf(row[head] - largest)
        largest += logf(total)
        for head in range(length + 1):
            row[head] -= largest


cdef enum Span:
    # What is known of the words from i to j: their head is the first or the last of them, and either no dependent of
    # it is missing on the other side, or the two ends have just been joined by an arc.
    HEAD_FIRST
    HEAD_LAST
    ARC_FROM_FIRST
    ARC_FROM_LAST


cdef void _best_tree(float* scores, int n, int32_t* heads, float* best, int32_t* splits) noexcept nogil:
    """Find the best projective tree with one root by Eisner's algorithm (1996), which takes the cube of the length."""
    cdef size_t square = <size_t>n * n
    cdef float* head_first = best
    cdef float* head_last = best + square
    cdef float* arc_from_first = best + 2 * square
    cdef float* arc_from_last = best + 3 * square
    cdef int32_t* split_arc = splits
    cdef int32_t* split_first = splits + square
    cdef int32_t* split_last = splits + 2 * square
    cdef int32_t* stack = splits + 3 * square
    cdef int i, j, k, width, root = 0
    cdef size_t span
    cdef float score, highest
    for i in range(n):
        span = <size_t>i * n + i
        head_first[span] = head_last[span] = 0
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            span = <size_t>i * n + j
            highest = NO_SCORE
            for k in range(i, j):
                score = head_first[<size_t>i * n + k] + head_last[<size_t>(k + 1) * n + j]
                if score > highest:
                    highest = score
                    split_arc[span] = k
            arc_from_first[span] = highest + scores[<size_t>j * (n + 1) + i + 1]
            arc_from_last[span] = highest + scores[<size_t>i * (n + 1) + j + 1]
            highest = NO_SCORE
            for k in range(i + 1, j + 1):
                score = arc_from_first[<size_t>i * n + k] + head_first[<size_t>k * n + j]
                if score > highest:
                    highest = score
                    split_first[span] = k
            head_first[span] = highest
            highest = NO_SCORE
            for k in range(i, j):
                score = head_last[<size_t>i * n + k] + arc_from_last[<size_t>k * n + j]
                if score > highest:
                    highest = score
                    split_last[span] = k
            head_last[span] = highest
    highest = NO_SCORE
    for i in range(n):
        score = scores[<size_t>i * (n + 1)] + head_last[i] + head_first[<size_t>i * n + n - 1]
        if score > highest:
            highest = score
            root = i
    heads[root] = 0
    _read_tree(n, root, heads, split_arc, split_first, split_last, stack)


cdef void _read_tree(
    int n, int root, int32_t* heads, int32_t* split_arc, int32_t* split_first, int32_t* split_last, int32_t* stack
) noexcept nogil:
    """Follow the splits of the best tree down to its arcs; the stack holds (first, last, kind)."""
    cdef int top = 2, i, j, middle
    cdef Span kind
    cdef int32_t* entry = stack
    entry[0], entry[1], entry[2] = 0, root, HEAD_LAST
    entry[3], entry[4], entry[5] = root, n - 1, HEAD_FIRST
    while top > 0:
        top -= 1
        entry = stack + 3 * top
        i, j, kind = entry[0], entry[1], <Span>entry[2]
        if i == j:
            continue
        if kind == HEAD_FIRST:
            middle = split_first[<size_t>i * n + j]
            entry[0], entry[1], entry[2] = i, middle, ARC_FROM_FIRST
            entry[3], entry[4], entry[5] = middle, j, HEAD_FIRST
        elif kind == HEAD_LAST:
            middle = split_last[<size_t>i * n + j]
            entry[0], entry[1], entry[2] = i, middle, HEAD_LAST
            entry[3], entry[4], entry[5] = middle, j, ARC_FROM_LAST
        else:
            if kind == ARC_FROM_FIRST:
                heads[j] = i + 1
            else:
                heads[i] = j + 1
            middle = split_arc[<size_t>i * n + j]
            entry[0], entry[1], entry[2] = i, middle, HEAD_FIRST
            entry[3], entry[4], entry[5] = middle + 1, j, HEAD_LAST
        top += 2
