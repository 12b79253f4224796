# cython: language_level=3
"""What the encoder of captions does with single words, between its matrix products."""

from libc.math cimport exp, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from caplens.networks._layers cimport add_row, dot_rows, scale_row


cdef class Captions:
    """Captions as ids of words that two tables describe, one behind the other.

    Parameters
    ----------
    ids : numpy.ndarray of int32
        Of the words of all captions: those below ``below`` are in the first table, the others in the second.
    offsets : numpy.ndarray of int64
        Caption ``c`` has the words ``offsets[c]:offsets[c + 1]``.
    below, above : int
        How many words the tables have.
    """

    cdef const int32_t[::1] ids
    cdef const int64_t[::1] offsets
    cdef readonly int64_t below
    cdef readonly int64_t above

    def __init__(self, const int32_t[::1] ids, const int64_t[::1] offsets, int64_t below, int64_t above):
        cdef int64_t place, captions = offsets.shape[0] - 1
        cdef bint good = captions >= 0 and offsets[0] == 0 and offsets[captions] == ids.shape[0]
        for place in range(captions):
            good = good and offsets[place] <= offsets[place + 1]
        for place in range(ids.shape[0]):
            good = good and 0 <= ids[place] < below + above
        if not good:
            raise ValueError("captions must be slices of their words, and every word must be in a table")
        self.ids, self.offsets, self.below, self.above = ids, offsets, below, above

    @property
    def number(self):
        """How many captions there are."""
        return self.offsets.shape[0] - 1

    @property
    def rows(self):
        """How many rows there are with one of zeros before, between and behind captions."""
        return self.ids.shape[0] + self.offsets.shape[0]

    cdef inline const float* row(self, const float[:, ::1] below, const float[:, ::1] above, int64_t place) noexcept nogil:
        cdef int64_t number = self.ids[place]
        return &below[number, 0] if number < self.below else &above[number - self.below, 0]

    cdef int check(self, const float[:, ::1] below, const float[:, ::1] above, int64_t width) except -1:
        if below.shape[0] != self.below or above.shape[0] != self.above:
            raise ValueError("tables must have a row for every word")
        if below.shape[1] != width or above.shape[1] != width:
            raise ValueError(f"rows of {width} numbers are needed")
        return 0


def add_windows(Captions captions, const float[:, ::1] below, const float[:, ::1] above, const float[::1] bias,
                float[:, ::1] states):
    """Write what each word and its two neighbours add to the first layer, with a row of zeros between captions.

    A row of the tables has what a word adds to the state of the word behind it, to its own, and to that of the word
    before it.
    """
    cdef int64_t width = states.shape[1], caption, place, first, last
    cdef float* state
    captions.check(below, above, 3 * width)
    if states.shape[0] != captions.rows or bias.shape[0] != width:
        raise ValueError("every word has a state, with a row of zeros between captions")
    with nogil:
        memset(&states[0, 0], 0, width * sizeof(float))
        for caption in range(captions.offsets.shape[0] - 1):
            first, last = captions.offsets[caption], captions.offsets[caption + 1]
            for place in range(first, last):
                state = &states[place + caption + 1, 0]
                memcpy(state, &bias[0], width * sizeof(float))
                add_row(captions.row(below, above, place) + width, 1, state, <int>width)
                if place > first:
                    add_row(captions.row(below, above, place - 1), 1, state, <int>width)
                if place + 1 < last:
                    add_row(captions.row(below, above, place + 1) + 2 * width, 1, state, <int>width)
            memset(&states[last + caption + 1, 0], 0, width * sizeof(float))


def add_up(Captions captions, const float[:, ::1] below, const float[:, ::1] above, float[:, ::1] sums):
    """Write the sum of the words' rows of each caption; zeros without words."""
    cdef int64_t caption, place, width = sums.shape[1]
    captions.check(below, above, width)
    if sums.shape[0] != captions.offsets.shape[0] - 1:
        raise ValueError("every caption has a sum")
    with nogil:
        for caption in range(sums.shape[0]):
            memset(&sums[caption, 0], 0, width * sizeof(float))
            for place in range(captions.offsets[caption], captions.offsets[caption + 1]):
                add_row(captions.row(below, above, place), 1, &sums[caption, 0], <int>width)


cdef inline double _sigmoid(double odds) noexcept nogil:
    return 1 / (1 + exp(-odds))


def gather(Captions captions, const float[:, ::1] below, const float[:, ::1] above, const float[:, ::1] gates,
           const float[::1] biases, const float[:, ::1] states, float[:, ::1] vectors, float[::1] weights,
           float[:, ::1] means):
    """Finish the words of captions, and take weighted means over them.

    A row of the tables has the vector of a word without context, what it adds to its direction, and the log odds that
    it counts. The gates add to these what the state of a word says, first for the word alone, then for the scene. On
    entry ``vectors`` has what the context adds to the direction of a word, in rows as those of ``states`` without the
    first and the last; on return word ``i`` of all captions is in row ``i``. A mean has the vectors of words, then the
    states of the words before, of the words themselves and of those behind.
    """
    cdef int64_t caption, place, at, first, last
    cdef int width = <int>vectors.shape[1], inner = <int>states.shape[1]
    cdef const float* row
    cdef float* vector
    cdef float* mean
    cdef float odds[2]
    cdef float share, square
    cdef double total
    captions.check(below, above, 2 * width + 1)
    if states.shape[0] != captions.rows or vectors.shape[0] != max(captions.rows - 2, 0) or (
            weights.shape[0] != captions.ids.shape[0]):
        raise ValueError("every word has a state, a vector and a weight")
    if gates.shape[0] != 2 or gates.shape[1] != inner or biases.shape[0] != 2:
        raise ValueError("there are two gates")
    if means.shape[0] != captions.offsets.shape[0] - 1 or means.shape[1] != width + 3 * inner:
        raise ValueError("every caption has a mean of its words' vectors and of three states")
    with nogil:
        for caption in range(captions.offsets.shape[0] - 1):
            first, last = captions.offsets[caption], captions.offsets[caption + 1]
            mean = &means[caption, 0]
            memset(mean, 0, means.shape[1] * sizeof(float))
            total = 0
            for place in range(first, last):
                at = place + caption  # of the word before, in `states`
                row = captions.row(below, above, place)
                dot_rows(&states[at + 1, 0], &gates[0, 0], inner, 2, inner, odds)
                weights[place] = <float>_sigmoid(row[2 * width] + odds[0] + biases[0])
                share = <float>_sigmoid(row[2 * width] + odds[1] + biases[1])
                total += share
                add_row(row, share, mean, width)
                add_row(&states[at, 0], share, mean + width, 3 * inner)
                # Words move towards the beginning, so that none is overwritten before it was read.
                vector = &vectors[place, 0]
                if caption:
                    memcpy(vector, &vectors[at, 0], width * sizeof(float))
                add_row(row + width, 1, vector, width)
                dot_rows(vector, vector, width, 1, width, &square)
                scale_row(vector, <float>(1 / max(sqrt(square), 1e-12)), width)
            scale_row(mean, <float>(1 / max(total, 1e-6)), <int>means.shape[1])
