# cython: language_level=3
"""Word Mover's Distance of many pairs of captions.

A word that occurs ``c`` times among the ``L`` known words of one caption has ``c * L'`` to give where the other caption
has ``L'`` known words: masses are whole numbers.
"""

import numpy as np

cimport cython
from libc.math cimport INFINITY, exp, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from caplens.metrics.wmd._transport cimport Problem


cdef extern from "../embedding/_vectors.h" nogil:
    void look_at_processor()
    double distance_between(const float* left, const float* right, ptrdiff_t size)

look_at_processor()


cdef inline int64_t _place(int64_t left, int64_t right) noexcept nogil:
    """Where the distance of two words stands in the triangle."""
    return left * (left + 1) // 2 + right if left > right else right * (right + 1) // 2 + left


@cython.final
cdef class Distances:
    """Distances between words: those of the references (``below``) and those that only candidates have (``above``).

    Distances between the first words, which are the most frequent, are kept in ``kept`` when they were needed once: a
    triangle, row by row, in which those of the most frequent words lie close together. Threads may write the same
    number there twice; 0 stands for one that is not known yet.
    """

    cdef const float[:, ::1] below
    cdef const float[:, ::1] above
    cdef double[::1] kept
    cdef int64_t dimensions, base, most_kept

    def __init__(self, const float[:, ::1] below not None, const float[:, ::1] above not None,
                 double[::1] kept not None):
        self.below = below
        self.above = above
        self.kept = kept
        self.base = below.shape[0]
        self.dimensions = below.shape[1]
        self.most_kept = min(<int64_t>((sqrt(8.0 * kept.shape[0] + 1) - 1) / 2), self.base)

    def __reduce__(self):
        return Distances, tuple(map(np.asarray, [self.below, self.above, self.kept]))

    cdef inline const float* vector(self, int32_t word) noexcept nogil:
        return &self.below[word, 0] if word < self.base else &self.above[word - self.base, 0]

    cdef int price(self, Problem problem) except -1 nogil:
        """Write what it costs to move each word of a row to each word of a column."""
        cdef int64_t row, column
        cdef int32_t left, right
        cdef double* costs = problem.costs
        cdef double* known
        cdef const float* vector
        for row in range(problem.rows):
            problem.rest(problem.columns * self.dimensions)
            left = problem.row_words[row]
            vector = self.vector(left)
            for column in range(problem.columns):
                right = problem.column_words[column]
                if left >= self.most_kept or right >= self.most_kept:
                    costs[column] = distance_between(vector, self.vector(right), self.dimensions)
                    continue
                known = &self.kept[_place(left, right)]
                if known[0] == 0:
                    known[0] = distance_between(vector, self.vector(right), self.dimensions)
                costs[column] = known[0]
            costs += problem.columns
        return 0


@cython.final
cdef class Bags:
    """Captions as bags: the distinct known words of each, ascending, and how often each occurs."""

    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] words
    cdef const int32_t[::1] counts
    cdef const int64_t[::1] totals
    cdef readonly int64_t most_words

    def __init__(self, const int64_t[::1] offsets not None, const int32_t[::1] words not None,
                 const int32_t[::1] counts not None, const int64_t[::1] totals not None, int64_t most_words):
        self.offsets = offsets
        self.words = words
        self.counts = counts
        self.totals = totals
        self.most_words = most_words

    def __reduce__(self):
        arrays = [self.offsets, self.words, self.counts, self.totals]
        return Bags, (*map(np.asarray, arrays), self.most_words)


cdef void _load(Problem problem, Bags ours, int64_t mine, Bags theirs, int64_t yours) noexcept nogil:
    """Set up what one bag has that the other has not: what both have stays where it is, as distances are a metric."""
    cdef int64_t left = ours.offsets[mine], right = theirs.offsets[yours]
    cdef int64_t left_end = ours.offsets[mine + 1], right_end = theirs.offsets[yours + 1]
    cdef int64_t scale = theirs.totals[yours], their_scale = ours.totals[mine], surplus
    cdef int32_t left_word, right_word
    problem.rows = problem.columns = 0
    while left < left_end or right < right_end:
        left_word = ours.words[left] if left < left_end else 0x7FFFFFFF
        right_word = theirs.words[right] if right < right_end else 0x7FFFFFFF
        surplus = 0
        if left_word <= right_word:
            surplus += ours.counts[left] * scale
            left += 1
        if right_word <= left_word:
            surplus -= theirs.counts[right] * their_scale
            right += 1
        if surplus > 0:
            problem.row_words[problem.rows] = left_word
            problem.supply[problem.rows] = surplus
            problem.rows += 1
        elif surplus < 0:
            problem.column_words[problem.columns] = right_word
            problem.demand[problem.columns] = -surplus
            problem.columns += 1


cdef double _bound(Problem problem, Distances distances, Bags ours, int64_t mine, Bags theirs, int64_t yours,
                   bint* exact) except? -1 nogil:
    """Set up the transport between two bags and return what it costs at least, or, if ``exact``, what it costs."""
    _load(problem, ours, mine, theirs, yours)
    # With one word on a side all goes there, and the bound is the distance.
    exact[0] = problem.rows <= 1 or problem.columns <= 1
    if problem.rows == 0:
        return 0
    distances.price(problem)
    return problem.relaxed() / _scale(ours, mine, theirs, yours)


cdef inline double _scale(Bags ours, int64_t mine, Bags theirs, int64_t yours) noexcept nogil:
    """What all masses add up to."""
    return <double>ours.totals[mine] * <double>theirs.totals[yours]


cdef double _distance(Problem problem, Distances distances, Bags ours, int64_t mine, Bags theirs,
                      int64_t yours) except? -1 nogil:
    cdef bint exact
    cdef double bound = _bound(problem, distances, ours, mine, theirs, yours, &exact)
    return bound if exact else problem.solve() / _scale(ours, mine, theirs, yours)


cdef struct Reference:
    double bound
    int64_t caption
    bint exact


cdef void _order(Reference* references, int64_t count) noexcept nogil:
    """Sort references by their bounds; there are a handful."""
    cdef int64_t place, gap
    cdef Reference reference
    for place in range(1, count):
        reference = references[place]
        gap = place
        while gap > 0 and references[gap - 1].bound > reference.bound:
            references[gap] = references[gap - 1]
            gap -= 1
        references[gap] = reference


def nearest(Bags ours not None, Bags theirs not None, Distances distances not None,
            const int64_t[::1] set_offsets, const int64_t[::1] reference_set, double[:, ::1] table,
            int64_t[::1] best, int64_t most_references, int64_t first, int64_t last):
    """Write for each row the similarity and distance to its nearest reference, whether there is one, and which it is.

    References are tried in the order of their lower bounds: when one exceeds the best distance, the rest cannot win.
    The bounds are close, so most rows are decided by the first: only that one is kept as it was set up.
    """
    cdef Problem problem = Problem(ours.most_words, theirs.most_words)
    cdef Problem likeliest = Problem(ours.most_words, theirs.most_words)
    cdef int64_t row, caption, count, place
    cdef double distance, least
    cdef Reference* references = <Reference*>malloc(<size_t>max(most_references, 1) * sizeof(Reference))
    if references == NULL:
        raise MemoryError
    try:
        with nogil:
            for row in range(first, last):
                table[row, 0] = table[row, 1] = table[row, 2] = 0
                best[row] = -1
                if ours.totals[row] == 0:
                    continue
                count = 0
                least = INFINITY
                for caption in range(set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]):
                    if theirs.totals[caption]:
                        references[count].caption = caption
                        references[count].bound = _bound(
                            problem, distances, ours, row, theirs, caption, &references[count].exact)
                        if count == 0 or references[count].bound < least:
                            least = references[count].bound
                            likeliest.swap(problem)
                        count += 1
                _order(references, count)
                least = INFINITY
                for place in range(count):
                    if references[place].bound > least:
                        break
                    caption = references[place].caption
                    distance = references[place].bound
                    if not references[place].exact and place == 0:
                        distance = likeliest.solve() / _scale(ours, row, theirs, caption)
                    elif not references[place].exact:
                        distance = _distance(problem, distances, ours, row, theirs, caption)
                    if distance < least or (distance == least and caption < best[row]):
                        least = distance
                        best[row] = caption
                if count:
                    table[row, 0] = exp(-least)
                    table[row, 1] = least
                    table[row, 2] = 1
    finally:
        free(references)


def every(Bags ours not None, Bags theirs not None, Distances distances not None, const int64_t[::1] rows,
          const int64_t[::1] captions, double[::1] found, int64_t first, int64_t last):
    """Write the distance of each pair of a row and a reference caption; infinite where one has no known word."""
    cdef Problem problem = Problem(ours.most_words, theirs.most_words)
    cdef int64_t pair
    with nogil:
        for pair in range(first, last):
            if ours.totals[rows[pair]] == 0 or theirs.totals[captions[pair]] == 0:
                found[pair] = INFINITY
            else:
                found[pair] = _distance(problem, distances, ours, rows[pair], theirs, captions[pair])
