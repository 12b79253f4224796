# cython: language_level=3
"""Binary search among sorted byte strings that lie one after the other, as they do in a mapped file."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp

from caplens.text._tables cimport BytesTable


cdef const char* EMPTY = b""


cdef SortedWords sorted_words(const uint8_t[::1] blob, const uint32_t[::1] offsets):
    cdef SortedWords words
    words.text = <const char*>&blob[0] if blob.shape[0] else EMPTY  # memcmp wants an address, even for no bytes
    words.offsets = &offsets[0]
    words.count = <int32_t>(offsets.shape[0] - 1)
    return words


cdef int32_t place_of(SortedWords words, const char* word, Py_ssize_t length) noexcept nogil:
    """Return the place of ``word``, or -1."""
    cdef int32_t first = 0, last = words.count, middle
    cdef Py_ssize_t start, size
    cdef int order
    while first < last:
        middle = first + (last - first) // 2
        start = words.offsets[middle]
        size = words.offsets[middle + 1] - start
        order = memcmp(words.text + start, word, size if size < length else length)
        if order < 0 or (order == 0 and size < length):
            first = middle + 1
        elif order > 0 or size > length:
            last = middle
        else:
            return middle
    return -1


def index(const uint8_t[::1] blob, const uint32_t[::1] offsets, bytes word not None):
    """Return the place of one word, or -1."""
    return place_of(sorted_words(blob, offsets), word, len(word))


def find(const uint8_t[::1] blob, const uint32_t[::1] offsets, BytesTable table not None, int32_t first):
    """Return the places of the table's entries from ``first`` on, -1 for those that are absent."""
    cdef SortedWords words = sorted_words(blob, offsets)
    cdef int32_t entry, start
    cdef BytesTable level = table
    places_array = np.empty(max(len(table) - first, 0), dtype=np.int32)
    cdef int32_t[::1] places = places_array
    while level is not None and level.base_size + level.size > first:
        start = max(first - level.base_size, 0)
        with nogil:
            for entry in range(start, level.size):
                places[level.base_size + entry - first] = place_of(
                    words, level.arena + level.starts[entry], level.starts[entry + 1] - level.starts[entry])
        level = level.base
    return places_array
