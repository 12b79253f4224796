# cython: language_level=3
"""Random weights of rows, one sample a row of the result.

Each sample has a random stream of its own, made from the seed and the sample's number (SplitMix64), so it is the same
however samples are cut into blocks or spread over threads.
"""

from libc.stdint cimport int64_t, uint64_t

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL


cdef inline uint64_t _mixed(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL
    return value ^ (value >> 31)


cdef inline uint64_t _stream(uint64_t seed, int64_t sample) noexcept nogil:
    """Where the stream of a sample starts."""
    return _mixed(_mixed(seed + GOLDEN) + <uint64_t>(sample + 1) * 0xD1342543DE82EF95ULL)


def bootstrap_weights(uint64_t seed, int64_t first_sample, double[:, ::1] weights):
    """Write how often each row is drawn, drawing as many rows as there are, with replacement.

    32 random bits times the number of rows, of which the upper half is kept, choose a row: uneven only by
    rows / 2**32.
    """
    cdef int64_t rows = weights.shape[1], sample, draw
    cdef uint64_t state, bits
    with nogil:
        for sample in range(weights.shape[0]):
            state = _stream(seed, first_sample + sample)
            for draw in range(rows):
                weights[sample, draw] = 0
            for draw in range(0, rows - 1, 2):
                state += GOLDEN
                bits = _mixed(state)
                weights[sample, ((bits >> 32) * <uint64_t>rows) >> 32] += 1
                weights[sample, ((bits & 0xFFFFFFFFULL) * <uint64_t>rows) >> 32] += 1
            if rows % 2:
                state += GOLDEN
                weights[sample, ((_mixed(state) >> 32) * <uint64_t>rows) >> 32] += 1


def exchange_weights(uint64_t seed, int64_t first_sample, double[:, ::1] weights):
    """Write 1 or 0 for each row, by the toss of a coin."""
    cdef int64_t rows = weights.shape[1], sample, row
    cdef uint64_t state, bits = 0
    with nogil:
        for sample in range(weights.shape[0]):
            state = _stream(seed, first_sample + sample)
            for row in range(rows):
                if row % 64 == 0:
                    state += GOLDEN
                    bits = _mixed(state)
                weights[sample, row] = <double>(bits & 1)
                bits >>= 1
