# cython: language_level=3
"""Word Mover's Distance of many pairs of captions.

A word that occurs ``c`` times among the ``L`` known words of one caption has ``c * L'`` to give where the other caption
has ``L'`` known words: masses are whole numbers.
"""

import numpy as np

from libc.math cimport INFINITY, exp
from libc.stdint cimport int32_t, int64_t

from caplens.metrics.wmd._transport cimport Problem


cdef extern from "../embedding/_vectors.h" nogil:
    void look_at_processor()
    double distance_between(const float* left, const float* right, ptrdiff_t size)

look_at_processor()


cdef class Distances:
    """Distances between words: those of the references (``below``) and those that only candidates have (``above``).

    Distances between the first words, which are the most frequent, are kept in ``kept`` when they were needed once.
    Threads may write the same number there twice; 0 stands for one that is not known yet.
    """

    cdef const float[:, ::1] below
    cdef const float[:, ::1] above
    cdef double[:, ::1] kept
    cdef int64_t dimensions, base, most_kept

    def __init__(self, const float[:, ::1] below not None, const float[:, ::1] above not None,
                 double[:, ::1] kept not None):
        self.below = below
        self.above = above
        self.kept = kept
        self.base = below.shape[0]
        self.dimensions = below.shape[1]
        self.most_kept = min(kept.shape[0], self.base)

    def __reduce__(self):
        return Distances, tuple(map(np.asarray, [self.below, self.above, self.kept]))

    cdef inline const float* vector(self, int32_t word) noexcept nogil:
        return &self.below[word, 0] if word < self.base else &self.above[word - self.base, 0]

    cdef inline double between(self, int32_t left, int32_t right) noexcept nogil:
        cdef double distance
        if left >= self.most_kept or right >= self.most_kept:
            return distance_between(self.vector(left), self.vector(right), self.dimensions)
        distance = self.kept[left, right]
        if distance == 0:
            distance = distance_between(self.vector(left), self.vector(right), self.dimensions)
            self.kept[left, right] = distance
        return distance


cdef class Bags:
    """Captions as bags: the distinct known words of each, ascending, how often each occurs, and the mean vector."""

    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] words
    cdef const int32_t[::1] counts
    cdef const int64_t[::1] totals
    cdef const float[:, ::1] means
    cdef readonly int64_t most_words

    def __init__(self, const int64_t[::1] offsets not None, const int32_t[::1] words not None,
                 const int32_t[::1] counts not None, const int64_t[::1] totals not None,
                 const float[:, ::1] means not None, int64_t most_words):
        self.offsets = offsets
        self.words = words
        self.counts = counts
        self.totals = totals
        self.means = means
        self.most_words = most_words

    def __reduce__(self):
        arrays = [self.offsets, self.words, self.counts, self.totals, self.means]
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


cdef double _distance(Problem problem, Distances distances, Bags ours, int64_t mine, Bags theirs, int64_t yours,
                      double limit) except? -1 nogil:
    """Return the distance of two bags, or something larger than ``limit`` if the distance is."""
    cdef double scale = <double>ours.totals[mine] * <double>theirs.totals[yours], bound
    cdef int64_t row, column
    _load(problem, ours, mine, theirs, yours)
    if problem.rows == 0:
        return 0
    for row in range(problem.rows):
        problem.rest(problem.columns * distances.dimensions)
        for column in range(problem.columns):
            problem.costs[row * problem.columns + column] = distances.between(
                problem.row_words[row], problem.column_words[column])
    bound = problem.relaxed() / scale
    # With one word on a side all goes there, and the bound is the distance.
    if problem.rows == 1 or problem.columns == 1 or bound > limit:
        return bound
    return problem.solve() / scale


cdef void _order(double* bounds, int64_t* captions, int64_t count) noexcept nogil:
    """Sort captions by their bounds; there are a handful."""
    cdef int64_t place, gap, caption
    cdef double bound
    for place in range(1, count):
        bound = bounds[place]
        caption = captions[place]
        gap = place
        while gap > 0 and bounds[gap - 1] > bound:
            bounds[gap] = bounds[gap - 1]
            captions[gap] = captions[gap - 1]
            gap -= 1
        bounds[gap] = bound
        captions[gap] = caption


def nearest(Bags ours not None, Bags theirs not None, Distances distances not None,
            const int64_t[::1] set_offsets, const int64_t[::1] reference_set, double[:, ::1] table,
            int64_t[::1] best, int64_t most_references, int64_t first, int64_t last):
    """Write for each row the similarity and distance to its nearest reference, whether there is one, and which it is.

    References are tried in the order of the distance between mean vectors, which is never larger than the distance
    itself: when it exceeds the best found, the rest cannot win.
    """
    cdef Problem problem = Problem(ours.most_words, theirs.most_words)
    cdef int64_t row, caption, count, place, dimensions = ours.means.shape[1]
    cdef double distance, least, slack = 1 + 1e-5  # mean vectors are single precision
    bounds_array = np.empty(max(most_references, 1))
    captions_array = np.empty(max(most_references, 1), dtype=np.int64)
    cdef double[::1] bounds = bounds_array
    cdef int64_t[::1] captions = captions_array
    with nogil:
        for row in range(first, last):
            table[row, 0] = table[row, 1] = table[row, 2] = 0
            best[row] = -1
            if ours.totals[row] == 0:
                continue
            count = 0
            for caption in range(set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]):
                if theirs.totals[caption]:
                    bounds[count] = distance_between(&ours.means[row, 0], &theirs.means[caption, 0], dimensions)
                    captions[count] = caption
                    count += 1
            _order(&bounds[0], &captions[0], count)
            least = INFINITY
            for place in range(count):
                if bounds[place] > least * slack + 1e-5:
                    break
                distance = _distance(problem, distances, ours, row, theirs, captions[place], least)
                if distance < least or (distance == least and captions[place] < best[row]):
                    least = distance
                    best[row] = captions[place]
            if count:
                table[row, 0] = exp(-least)
                table[row, 1] = least
                table[row, 2] = 1


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
                found[pair] = _distance(problem, distances, ours, rows[pair], theirs, captions[pair], INFINITY)
