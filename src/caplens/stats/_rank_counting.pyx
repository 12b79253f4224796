# cython: language_level=3
"""Sums behind correlation coefficients of weighted rows, one sample of weights a row of the result.

Rows are sorted once by their first value; a resample only changes how often a row counts. One pass over the sorted rows
then gives everything that Pearson's, Spearman's and Kendall's coefficients need: a binary indexed tree over the levels
of the second value tells how many of the rows before are below.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc


cdef inline double _below(const double* tree, int64_t level) noexcept nogil:
    """Return the weight of all levels below ``level``."""
    cdef double total = 0
    while level > 0:
        total += tree[level]
        level &= level - 1
    return total


cdef inline void _add(double* tree, int64_t levels, int64_t level, double weight) noexcept nogil:
    level += 1
    while level <= levels:
        tree[level] += weight
        level += level & -level


cdef void _level_ranks(const double* counts, int64_t levels, double* ranks, double[::1] sums) noexcept nogil:
    """Write the mean rank of each level of the second value, less the mean of all ranks, and the sums over levels."""
    cdef double total = 0, before = 0, squares = 0, distinct = 0, spread = 0, middle
    cdef int64_t level
    for level in range(levels):
        total += counts[level]
    middle = (total + 1) / 2
    for level in range(levels):
        ranks[level] = before + (counts[level] + 1) / 2 - middle
        before += counts[level]
        squares += counts[level] * counts[level]
        spread += counts[level] * ranks[level] * ranks[level]
        if counts[level] > 0:
            distinct += 1
    sums[0], sums[3], sums[5], sums[7] = total, squares, distinct, spread


cdef void _one_sample(const int32_t[::1] owner, const int32_t[::1] level, const uint8_t[::1] begins,
                      const double[::1] first, const double[::1] second, const double[::1] weights, int64_t levels,
                      double* memory, double[::1] sums) noexcept nogil:
    cdef int64_t rows = owner.shape[0], row, start, end
    cdef double* counts = memory
    cdef double* ranks = memory + levels
    cdef double* tree = memory + 2 * levels
    cdef double weight, seen = 0, tied, rank, crossing, middle
    cdef double balance = 0, squares = 0, distinct = 0, spread = 0, shared = 0
    cdef double x = 0, xx = 0, y = 0, yy = 0, xy = 0
    for row in range(3 * levels + 1):
        memory[row] = 0
    for row in range(rows):
        counts[level[row]] += weights[owner[row]]
    _level_ranks(counts, levels, ranks, sums)
    middle = (sums[0] + 1) / 2
    for row in range(levels):
        counts[row] = 0
    start = 0
    while start < rows:
        end = start + 1
        while end < rows and not begins[end]:
            end += 1
        tied, crossing = 0, 0
        for row in range(start, end):
            weight = weights[owner[row]]
            if weight == 0:
                continue
            tied += weight
            crossing += weight * ranks[level[row]]
            # Rows before are below, equal or above; below less above is twice below, plus equal, less all.
            balance += weight * (2 * _below(tree, level[row]) + counts[level[row]] - seen)
            x += weight * first[row]
            xx += weight * first[row] * first[row]
            y += weight * second[row]
            yy += weight * second[row] * second[row]
            xy += weight * first[row] * second[row]
        if tied > 0:
            for row in range(start, end):
                weight = weights[owner[row]]
                if weight != 0:
                    counts[level[row]] += weight
                    _add(tree, levels, level[row], weight)
            rank = seen + (tied + 1) / 2 - middle
            spread += tied * rank * rank
            shared += rank * crossing
            squares += tied * tied
            distinct += 1
            seen += tied
        start = end
    sums[1], sums[2], sums[4], sums[6], sums[8] = balance, squares, distinct, spread, shared
    sums[9], sums[10], sums[11], sums[12], sums[13] = x, xx, y, yy, xy


def weighted_sums(const int32_t[::1] owner, const int32_t[::1] level, const uint8_t[::1] begins,
                  const double[::1] first, const double[::1] second, int64_t levels, const double[:, ::1] weights,
                  double[:, ::1] sums):
    """Write the sums of every sample of weights.

    Rows are in the order of their first value; ``begins`` marks the first row of each of its values, ``level`` numbers
    the values of the second, ``owner`` is the column of ``weights`` that counts the row. The columns of ``sums`` are
    named in `caplens.stats.correlation`.
    """
    cdef int64_t sample
    cdef double* memory = <double*>malloc((3 * levels + 1) * sizeof(double))
    if memory == NULL:
        raise MemoryError
    with nogil:
        for sample in range(weights.shape[0]):
            _one_sample(owner, level, begins, first, second, weights[sample], levels, memory, sums[sample])
    free(memory)
