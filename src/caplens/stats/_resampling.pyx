# cython: language_level=3
"""Random weights of units, one resample a row of the result.

A weight is a function of the seed, the number of the resample and the key of the unit, and of nothing else: SplitMix64's
output function mixes the key with a word made of the seed and the resample. So a unit has the same weights wherever it
stands, whatever else is resampled with it, and however resamples are cut into blocks or spread over threads.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from cpython.unicode cimport PyUnicode_AsEncodedString
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "_weighing.h" nogil:
    void caplens_add_weighted(const double* weights, ptrdiff_t stride, ptrdiff_t sets, const double* rows,
                              ptrdiff_t count, double* sums)

cdef extern from "_drawing.h" nogil:
    ptrdiff_t caplens_draw(const uint64_t* keys, ptrdiff_t count, uint64_t word, const uint32_t* limits, double* even,
                           double* odd)

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL
cdef uint64_t BOOTSTRAP = 0xD1342543DE82EF95ULL
cdef uint64_t EXCHANGE = 0xAEF17502108EF2D9ULL

# 2**32 times the chance that a Poisson number of mean 1 is at most 0, 1, 2 ...: of 32 random bits, as many of these lie
# at or below as the unit is drawn. So every chance is met to 2**-32, and no unit is drawn more than 12 times.
cdef uint32_t[12] limits = [
    1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777, 4294923276, 4294962463,
    4294966817, 4294967252, 4294967292,
]
# What the first bits say, which is all but one time in a hundred all there is to say; else -1.
cdef double[1024] by_first_bits


cdef double _counted(uint32_t bits) noexcept nogil:
    """Count the limits at or below a number."""
    cdef int limit
    for limit in range(12):
        if bits < limits[limit]:
            return limit
    return 12


cdef inline double _poisson(uint32_t bits) noexcept nogil:
    cdef double known = by_first_bits[bits >> 22]
    return known if known >= 0 else _counted(bits)


cdef void _fill():
    cdef uint32_t place
    for place in range(1024):
        by_first_bits[place] = _counted(place << 22)
        if _counted((place << 22) + ((1 << 22) - 1)) != by_first_bits[place]:
            by_first_bits[place] = -1


_fill()


cdef inline uint64_t _mixed(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL
    return value ^ (value >> 31)


def label_keys(list labels, uint64_t[::1] keys):
    """Write the key of each label: its length, then its UTF-8 bytes, eight at a time, mixed into one number."""
    cdef int64_t place, byte, length
    cdef uint64_t key, piece
    cdef const uint8_t* text
    if keys.shape[0] != len(labels):
        raise ValueError("there is one key for each label")
    for place in range(len(labels)):
        encoded = PyUnicode_AsEncodedString(labels[place], "utf-8", "surrogatepass")
        text, length = <const uint8_t*>PyBytes_AsString(encoded), PyBytes_Size(encoded)
        key, piece = _mixed(<uint64_t>length + GOLDEN), 0
        for byte in range(length):
            piece |= <uint64_t>text[byte] << (8 * (byte & 7))
            if byte & 7 == 7 or byte + 1 == length:
                key, piece = _mixed((key ^ piece) + GOLDEN), 0
        keys[place] = key


cdef inline uint64_t _word(uint64_t seed, uint64_t purpose, int64_t number) noexcept nogil:
    """Return what keys are mixed with."""
    return _mixed(_mixed(seed + GOLDEN) + <uint64_t>(number + 1) * purpose)


def bootstrap_weights(uint64_t seed, int64_t first_sample, const uint64_t[::1] keys, double[:, ::1] weights):
    """Write how often each unit is drawn: a Poisson number of mean 1.

    A mixed word serves two resamples: its lower half the even one, its upper half the odd one after it.
    """
    cdef int64_t units = keys.shape[0], samples = weights.shape[0], sample = 0, number, unit
    cdef uint64_t word, bits
    if weights.shape[1] != units:
        raise ValueError("there is one column of weights for each key")
    if not units:
        return
    cdef double* even
    cdef double* odd
    with nogil:
        while sample < samples:
            number = first_sample + sample
            word = _word(seed, BOOTSTRAP, number >> 1)
            even = &weights[sample, 0]
            if number & 1 == 0 and sample + 1 < samples:
                odd = &weights[sample + 1, 0]
                for unit in range(caplens_draw(&keys[0], units, word, limits, even, odd), units):
                    bits = _mixed(keys[unit] + word)
                    even[unit] = _poisson(<uint32_t>bits)
                    odd[unit] = _poisson(<uint32_t>(bits >> 32))
                sample += 2
            else:
                for unit in range(units):
                    bits = _mixed(keys[unit] + word)
                    even[unit] = _poisson(<uint32_t>(bits >> 32 if number & 1 else bits))
                sample += 1


def exchange_weights(uint64_t seed, int64_t first_sample, const uint64_t[::1] keys, double[:, ::1] weights):
    """Write 1 or 0 for each unit, by the toss of a coin; a mixed word holds the coins of 64 resamples."""
    cdef int64_t units = keys.shape[0], samples = weights.shape[0], sample = 0, last, number, unit, start, width, shift
    cdef uint64_t word
    cdef uint64_t[2048] coins
    cdef uint64_t* written
    if weights.shape[1] != units:
        raise ValueError("there is one column of weights for each key")
    with nogil:
        while sample < samples:
            number = (first_sample + sample) >> 6
            last = min(samples, ((number + 1) << 6) - first_sample)
            word = _word(seed, EXCHANGE, number)
            # Units in turns, so that their words stay at hand while the resamples are written.
            for start in range(0, units, 2048):
                width = min(2048, units - start)
                for unit in range(width):
                    coins[unit] = _mixed(keys[start + unit] + word)
                for number in range(sample, last):
                    shift = (first_sample + number) & 63
                    written = <uint64_t*>&weights[number, start]
                    for unit in range(width):
                        # The bits of 1.0 or 0.0: so compilers write several at a time.
                        written[unit] = (0 - ((coins[unit] >> shift) & 1)) & 0x3FF0000000000000ULL
            sample = last


def add_weighted(const double[:, ::1] weights, const double[:, :, ::1] table, int64_t first_row, double[:, :, ::1] sums,
                 int64_t first_sample):
    """Add up rows of a table under each set of weights.

    Parameters
    ----------
    weights : memoryview, shape (some samples, some rows)
        Those of the samples from ``first_sample`` and the rows from ``first_row``.
    table : memoryview, shape (tiles, rows, 8)
        Columns by eights, so that those of a row stand side by side.
    sums : memoryview, shape (tiles, samples, 8)
        What is added to.
    """
    cdef int64_t samples = weights.shape[0], rows = weights.shape[1], tile
    if (table.shape[0] != sums.shape[0] or table.shape[2] != 8 or sums.shape[2] != 8
            or not 0 <= first_row <= table.shape[1] - rows or not 0 <= first_sample <= sums.shape[1] - samples):
        raise ValueError("weights, table and sums do not fit together")
    if not rows or not samples:
        return
    with nogil:
        for tile in range(table.shape[0]):
            caplens_add_weighted(&weights[0, 0], rows, samples, &table[tile, first_row, 0], rows,
                                 &sums[tile, first_sample, 0])
