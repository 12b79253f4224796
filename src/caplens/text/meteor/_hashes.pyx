# cython: language_level=3
"""Java's hash of strings, by which METEOR 1.5 tells words apart."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from caplens.text._tables cimport BytesTable, PairTable


cdef uint32_t _hash(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """`String.hashCode` of UTF-8 text: 31 times what came before, plus the next unit of UTF-16."""
    cdef uint32_t value = 0, point
    cdef Py_ssize_t place = 0
    while place < length:
        point = text[place]
        if point < 0x80 or place + 1 >= length:
            place += 1
        elif point < 0xE0 or place + 2 >= length:
            point = (point & 0x1F) << 6 | (text[place + 1] & 0x3F)
            place += 2
        elif point < 0xF0 or place + 3 >= length:
            point = (point & 0x0F) << 12 | (text[place + 1] & 0x3F) << 6 | (text[place + 2] & 0x3F)
            place += 3
        else:
            point = ((point & 0x07) << 18 | (text[place + 1] & 0x3F) << 12 | (text[place + 2] & 0x3F) << 6
                     | (text[place + 3] & 0x3F))
            place += 4
        if point >= 0x10000:
            value = 31 * value + 0xD800 + ((point - 0x10000) >> 10)
            point = 0xDC00 + ((point - 0x10000) & 0x3FF)
        value = 31 * value + point
    return value


def java_hash(str text not None):
    """Return Java's hash of a string, as a number without sign."""
    cdef bytes encoded = text.encode("utf-8")
    return _hash(<const uint8_t*><const char*>encoded, len(encoded))


def number_hashes(BytesTable words not None, int32_t first, PairTable numbers not None):
    """Return for each word from the id ``first`` on the number of its hash in ``numbers``, which takes in new ones.

    ``first`` must be 0 or the number of words in the table's base.
    """
    cdef int32_t entry, start
    cdef BytesTable level
    cdef list levels = []
    places_array = np.empty(max(len(words) - first, 0), dtype=np.int32)
    cdef int32_t[::1] places = places_array
    level = words
    while level is not None and level.base_size + level.size > first:
        levels.append(level)
        level = level.base
    for level in reversed(levels):  # the order of the ids, so that numbers are ids unless hashes are equal
        start = max(first - level.base_size, 0)
        with nogil:
            for entry in range(start, level.size):
                places[level.base_size + entry - first] = numbers.find_or_add(<uint64_t>_hash(
                    <const uint8_t*>level.arena + level.starts[entry], level.starts[entry + 1] - level.starts[entry]))
    return places_array
