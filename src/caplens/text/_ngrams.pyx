# cython: language_level=3
"""N-gram ids and counts over flat arrays of word ids."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

from caplens.text._tables cimport PairTable

cdef enum:
    LOOKAHEAD = 12  # n-grams whose memory is requested ahead of their look-up
    NO_KEY = -1


def extend(PairTable table, const int32_t[::1] prefixes, const int32_t[::1] words, const int64_t[::1] offsets, int order,
           int64_t first, int64_t last):
    """Return the ids of the n-grams of length ``order`` that start at each word of captions ``first`` to ``last``.

    ``prefixes`` holds the ids of the n-grams one shorter at the same places; where no n-gram of this length starts,
    the result is -1. Both ``prefixes`` and the result are aligned with ``words``.
    """
    cdef int64_t begin = offsets[first], end = offsets[last], caption, position, stop
    cdef int64_t count = end - begin, index
    cdef uint64_t* keys = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
    ids_array = np.full(count, -1, dtype=np.int32)
    cdef int32_t[::1] ids = ids_array
    if keys == NULL:
        raise MemoryError
    try:
        with nogil:
            for caption in range(first, last):
                stop = offsets[caption + 1] - order + 1
                for position in range(offsets[caption], offsets[caption + 1]):
                    if position < stop:
                        keys[position - begin] = ((<uint64_t>prefixes[position - begin] << 32)
                                                  | <uint64_t>words[position + order - 1])
                    else:
                        keys[position - begin] = <uint64_t>NO_KEY
            for index in range(count):
                if index + LOOKAHEAD < count and keys[index + LOOKAHEAD] != <uint64_t>NO_KEY:
                    table.prefetch(keys[index + LOOKAHEAD])
                if keys[index] != <uint64_t>NO_KEY:
                    ids[index] = table.find_or_add(keys[index])
    finally:
        free(keys)
    return ids_array


cdef int _compare(const void* left, const void* right) noexcept nogil:
    return (<const int32_t*>left)[0] - (<const int32_t*>right)[0]


cdef void _sort(int32_t* values, int64_t count) noexcept nogil:
    """Insertion sort for captions of ordinary length, the library's sort for paragraphs."""
    cdef int64_t index, place
    cdef int32_t value
    if count > 48:
        qsort(values, count, sizeof(int32_t), _compare)
        return
    for index in range(1, count):
        value = values[index]
        place = index
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


def count(const int32_t[::1] starts, const int64_t[::1] offsets, int order, int64_t[::1] entry_offsets,
          int32_t[::1] ids, int32_t[::1] counts, int64_t first, int64_t last):
    """Write the distinct n-grams of captions ``first`` to ``last``, ids ascending, with their counts.

    ``starts`` holds the n-gram that starts at each word of these captions. Entries go behind those of the captions
    before: caption ``i`` ends at ``entry_offsets[i + 1]``.
    """
    cdef int64_t begin = offsets[first], caption, size, index, place, previous, written = entry_offsets[first]
    with nogil:
        for caption in range(first, last):
            size = offsets[caption + 1] - offsets[caption] - order + 1
            previous = written
            if size > 0:
                place = offsets[caption] - begin
                for index in range(size):
                    ids[written + index] = starts[place + index]
                _sort(&ids[written], size)
                # Distinct values move to the front of the part just sorted.
                counts[written] = 1
                for index in range(1, size):
                    if ids[previous + index] == ids[written]:
                        counts[written] += 1
                    else:
                        written += 1
                        ids[written] = ids[previous + index]
                        counts[written] = 1
                written += 1
            entry_offsets[caption + 1] = written


def document_frequencies(const int64_t[::1] indptr, const int32_t[::1] ids, const int64_t[::1] set_offsets,
                         const int64_t[::1] documents, int64_t size):
    """Return for each n-gram id in how many documents it occurs.

    Reference set ``s`` is the captions ``set_offsets[s]:set_offsets[s + 1]`` and counts as ``documents[s]`` documents.
    """
    if set_offsets.shape[0] > 0x7FFFFFFF:
        raise MemoryError("more than 2,147,483,646 reference sets")
    frequencies_array = np.zeros(size, dtype=np.int64)
    last_seen_array = np.full(size, -1, dtype=np.int32)
    cdef int64_t[::1] frequencies = frequencies_array
    cdef int32_t[::1] last_seen = last_seen_array
    cdef int64_t index
    cdef int32_t reference_set
    with nogil:
        for reference_set in range(<int32_t>(set_offsets.shape[0] - 1)):
            for index in range(indptr[set_offsets[reference_set]], indptr[set_offsets[reference_set + 1]]):
                if last_seen[ids[index]] != reference_set:
                    last_seen[ids[index]] = reference_set
                    frequencies[ids[index]] += documents[reference_set]
    return frequencies_array
