# cython: language_level=3
"""Captions as single vectors, and the cosines of those; greedy matching of words."""

import numpy as np

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caplens.files._listening cimport A_WHILE, listen

cdef extern from "_vectors.h" nogil:
    void look_at_processor()
    void mean_vector(const float* const* vectors, ptrdiff_t count, ptrdiff_t size, float* mean)
    double dot_product(const float* left, const float* right, ptrdiff_t size)

look_at_processor()


cdef inline const float* _vector(const float[:, ::1] below, const float[:, ::1] above, int32_t row) noexcept nogil:
    return &below[row, 0] if row < below.shape[0] else &above[row - below.shape[0], 0]


def counting(const int32_t[::1] ids, const int64_t[::1] offsets, const int32_t[::1] numbers):
    """Return the offsets and numbers of each caption's words that have one: ``numbers`` has -1 for the others."""
    cdef int64_t caption, token, written = 0, captions = offsets.shape[0] - 1
    cdef int32_t number
    found_offsets = np.zeros(captions + 1, dtype=np.int64)
    found_numbers = np.empty(ids.shape[0], dtype=np.int32)
    cdef int64_t[::1] found = found_offsets
    cdef int32_t[::1] kept = found_numbers
    with nogil:
        for caption in range(captions):
            for token in range(offsets[caption], offsets[caption + 1]):
                number = numbers[ids[token]]
                kept[written] = number  # what does not count is overwritten by the next
                written += number >= 0
            found[caption + 1] = written
    return found_offsets, found_numbers[:written]


def mean_vectors(const int64_t[::1] offsets, const int32_t[::1] rows, const float[:, ::1] below,
                 const float[:, ::1] above, float[:, ::1] means, int64_t first, int64_t last):
    """Write the mean of the vectors of each caption's words; zero where it has none.

    Words are added in the order of the caption, so that the numbers of words, which depend on the other captions,
    cannot change the sum.
    """
    cdef int64_t caption, token, count, most = 1, dimensions = below.shape[1]
    for caption in range(first, last):
        most = max(most, offsets[caption + 1] - offsets[caption])
    cdef const float** vectors = <const float**>malloc(<size_t>most * sizeof(float*))
    if vectors == NULL:
        raise MemoryError
    with nogil:
        for caption in range(first, last):
            count = 0
            for token in range(offsets[caption], offsets[caption + 1]):
                vectors[count] = _vector(below, above, rows[token])
                count += 1
            if count:
                mean_vector(vectors, count, dimensions, &means[caption, 0])
            else:
                memset(&means[caption, 0], 0, <size_t>dimensions * sizeof(float))
    free(vectors)


def extreme_vectors(const int64_t[::1] offsets, const int32_t[::1] rows, const float[:, ::1] below,
                    const float[:, ::1] above, float[:, ::1] extremes, int64_t first, int64_t last):
    """Write, dimension by dimension, the number farthest from zero among a caption's words; the positive of equals."""
    cdef int64_t caption, token, place, dimensions = below.shape[1]
    cdef const float* vector
    cdef float old, new
    with nogil:
        for caption in range(first, last):
            for place in range(dimensions):
                extremes[caption, place] = 0
            for token in range(offsets[caption], offsets[caption + 1]):
                vector = _vector(below, above, rows[token])
                for place in range(dimensions):
                    old, new = extremes[caption, place], vector[place]
                    if fabs(new) > fabs(old) or (new > 0 and fabs(new) == fabs(old)):
                        extremes[caption, place] = new


cdef inline double _cosine(double dot, double left, double right) noexcept nogil:
    """0 where a vector has no direction; rounding must not lead beyond 1."""
    if not (left > 0 and right > 0):
        return 0
    return max(-1.0, min(1.0, dot / (left * right)))


def cosines(const float[:, ::1] ours, const float[:, ::1] theirs, const int64_t[::1] set_offsets,
            const int64_t[::1] reference_set, bint signed, double[:, ::1] table, int64_t first, int64_t last):
    """Write mean, maximum and minimum over references of the cosine, or of its magnitude; 0 without a reference."""
    cdef int64_t row, caption, begin, end, dimensions = ours.shape[1]
    cdef double norm, cosine, total, largest, smallest
    with nogil:
        for row in range(first, last):
            begin, end = set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]
            norm = sqrt(dot_product(&ours[row, 0], &ours[row, 0], dimensions))
            total = 0
            largest = -INFINITY if end > begin else 0
            smallest = INFINITY if end > begin else 0
            for caption in range(begin, end):
                cosine = _cosine(
                    dot_product(&ours[row, 0], &theirs[caption, 0], dimensions), norm,
                    sqrt(dot_product(&theirs[caption, 0], &theirs[caption, 0], dimensions)))
                if not signed:
                    cosine = fabs(cosine)
                total += cosine
                largest = max(largest, cosine)
                smallest = min(smallest, cosine)
            table[row, 0] = total / max(end - begin, 1)
            table[row, 1] = largest
            table[row, 2] = smallest


cdef double _directed(const int32_t* ours, int64_t length, const int32_t* theirs, int64_t their_length,
                      const float[:, ::1] below, const float[:, ::1] above) except? -2 nogil:
    """Mean over our words of the largest product with one of theirs."""
    cdef int64_t left, right, steps = 0
    cdef double total = 0, largest
    for left in range(length):
        largest = -INFINITY
        steps += their_length * below.shape[1]
        if steps > A_WHILE:
            steps = 0
            listen()
        for right in range(their_length):
            largest = max(largest, dot_product(_vector(below, above, ours[left]), _vector(below, above, theirs[right]),
                                        below.shape[1]))
        total += min(largest, 1.0)
    return total / length


def greedy_matches(const int64_t[::1] offsets, const int32_t[::1] rows, const int64_t[::1] reference_offsets,
                   const int32_t[::1] reference_rows, const float[:, ::1] below, const float[:, ::1] above,
                   const int64_t[::1] set_offsets, const int64_t[::1] reference_set, double[:, ::1] table,
                   int64_t first, int64_t last):
    """Write mean, maximum and minimum over references of greedy matching; vectors have the length 1."""
    cdef int64_t row, caption, begin, end, length, their_length
    cdef double score, total, largest, smallest
    with nogil:
        for row in range(first, last):
            begin, end = set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]
            length = offsets[row + 1] - offsets[row]
            total = 0
            largest = -INFINITY if end > begin else 0
            smallest = INFINITY if end > begin else 0
            for caption in range(begin, end):
                their_length = reference_offsets[caption + 1] - reference_offsets[caption]
                score = 0
                if length and their_length:
                    score = (_directed(&rows[offsets[row]], length, &reference_rows[reference_offsets[caption]],
                                       their_length, below, above)
                             + _directed(&reference_rows[reference_offsets[caption]], their_length,
                                         &rows[offsets[row]], length, below, above)) / 2
                total += score
                largest = max(largest, score)
                smallest = min(smallest, score)
            table[row, 0] = total / max(end - begin, 1)
            table[row, 1] = largest
            table[row, 2] = smallest
