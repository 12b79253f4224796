# cython: language_level=3
"""Longest common subsequences of candidates with their references."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from caplens.files._listening cimport A_WHILE, listen


cdef int64_t _common_subsequence(const int32_t* ours, int64_t our_length, const int32_t* theirs, int64_t their_length,
                                 int32_t* best) except -1 nogil:
    """Length of the longest common subsequence; ``best`` has room for ``our_length + 1`` numbers."""
    cdef int64_t i, j, steps = 0
    cdef int32_t diagonal, above, word
    for i in range(our_length + 1):
        best[i] = 0
    for j in range(their_length):
        word = theirs[j]
        diagonal = 0
        steps += our_length
        if steps > A_WHILE:
            steps = 0
            listen()
        for i in range(our_length):
            above = best[i + 1]
            if ours[i] == word:
                best[i + 1] = diagonal + 1
            elif best[i] > above:
                best[i + 1] = best[i]
            diagonal = above
    return best[our_length]


def precision_recall(const int64_t[::1] offsets, const int32_t[::1] ids, const int64_t[::1] reference_offsets,
                     const int32_t[::1] reference_ids, const int64_t[::1] set_offsets,
                     const int64_t[::1] reference_set, double[:, ::1] table, int64_t first, int64_t last):
    """Write for each row the largest precision and, separately, the largest recall over its references.

    The reference tool splits an empty caption into one empty word; so does this.
    """
    cdef int64_t row, caption, longest = 0, our_length, their_length, common
    cdef double precision, recall
    cdef const int32_t* ours = &ids[0] if ids.shape[0] else NULL
    cdef const int32_t* theirs = &reference_ids[0] if reference_ids.shape[0] else NULL
    cdef int32_t* best
    for row in range(first, last):
        longest = max(longest, offsets[row + 1] - offsets[row])
    best = <int32_t*>malloc((longest + 1) * sizeof(int32_t))
    if best == NULL:
        raise MemoryError
    try:
        with nogil:
            for row in range(first, last):
                our_length = offsets[row + 1] - offsets[row]
                precision = recall = 0
                for caption in range(set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]):
                    their_length = reference_offsets[caption + 1] - reference_offsets[caption]
                    if our_length == 0 or their_length == 0:
                        common = 1 if our_length == their_length else 0
                    else:
                        common = _common_subsequence(ours + offsets[row], our_length,
                                                     theirs + reference_offsets[caption], their_length, best)
                    precision = max(precision, <double>common / max(our_length, 1))
                    recall = max(recall, <double>common / max(their_length, 1))
                table[row, 0] = precision
                table[row, 1] = recall
    finally:
        free(best)
