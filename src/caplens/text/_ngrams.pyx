# cython: language_level=3
"""N-gram ids and counts over flat arrays of word ids."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

from caplens.files._listening cimport A_WHILE, listen
from caplens.text._tables cimport PairTable

cdef enum:
    LOOKAHEAD = 12  # n-grams whose memory is requested ahead of their look-up
    NO_KEY = -1
    EARLY = 8  # after so small a part of all captions, more than twice as many n-grams are to be expected
    FEW = 16  # n-grams that are put in order by counting
    SHORT = 48  # n-grams: below, insertion sort is the fastest
    RUN = 1 << 17  # n-grams that are sorted without listening
    STEPS = 8  # simple steps that sorting or looking up an n-gram takes


def extend(PairTable table, const int32_t[::1] prefixes, const int32_t[::1] words, const int64_t[::1] offsets, int order,
           int64_t first, int64_t last):
    """Return the ids of the n-grams of length ``order`` that start at each word of captions ``first`` to ``last``.

    ``prefixes`` holds the ids of the n-grams one shorter at the same places; where no n-gram of this length starts,
    the result is -1. Both ``prefixes`` and the result are aligned with ``words``.
    """
    cdef int64_t begin = offsets[first], end = offsets[last], caption, position, stop
    cdef int64_t count = end - begin, index, captions = offsets.shape[0] - 1
    cdef uint64_t* keys = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
    ids_array = np.empty(count, dtype=np.int32)
    cdef int32_t[::1] ids = ids_array
    if keys == NULL:
        raise MemoryError
    table.early = last <= captions // EARLY
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
                if index % (A_WHILE // STEPS) == A_WHILE // STEPS - 1:
                    listen()
                if index + LOOKAHEAD < count and keys[index + LOOKAHEAD] != <uint64_t>NO_KEY:
                    table.prefetch(keys[index + LOOKAHEAD])
                ids[index] = table.find_or_add(keys[index]) if keys[index] != <uint64_t>NO_KEY else -1
    finally:
        free(keys)
    return ids_array


cdef int _compare(const void* left, const void* right) noexcept nogil:
    return (<const int32_t*>left)[0] - (<const int32_t*>right)[0]


cdef int _sort(int32_t* values, int64_t count) except -1 nogil:
    """Insertion sort for captions of ordinary length, the library's sort for paragraphs, in runs for whole books."""
    cdef int64_t index, place
    cdef int32_t value
    if count > RUN:
        return _sort_runs(values, count)
    if count > SHORT:
        qsort(values, count, sizeof(int32_t), _compare)
        return 0
    for index in range(1, count):
        value = values[index]
        place = index
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    return 0


cdef int _sort_runs(int32_t* values, int64_t count) except -1 nogil:
    """Sort runs, then merge them pair by pair; listen in between."""
    cdef int64_t width = RUN, start = 0
    cdef int32_t* room = <int32_t*>malloc(count * sizeof(int32_t))
    if room == NULL:
        with gil:
            raise MemoryError
    try:
        while start < count:
            qsort(values + start, min(width, count - start), sizeof(int32_t), _compare)
            listen()
            start += width
        while width < count:
            start = 0
            while start + width < count:
                _merge(values + start, width, min(2 * width, count - start), room)
                start += 2 * width
            width *= 2
    finally:
        free(room)
    return 0


cdef int _merge(int32_t* values, int64_t middle, int64_t count, int32_t* room) except -1 nogil:
    """Merge ``values[:middle]`` with ``values[middle:count]``, both sorted."""
    cdef int64_t left = 0, right = middle, place = 0
    memcpy(room, values, middle * sizeof(int32_t))
    while left < middle:
        if place % A_WHILE == A_WHILE - 1:
            listen()
        if right < count and values[right] < room[left]:
            values[place] = values[right]
            right += 1
        else:
            values[place] = room[left]
            left += 1
        place += 1
    return 0


cdef inline int64_t _count_few(const int32_t* starts, int64_t size, int32_t* ids, int32_t* counts) noexcept nogil:
    """Write the distinct ones of a few n-grams, ids ascending, with their counts; return how many there are.

    The place of an n-gram is the number of those below it. All are compared with all, which takes no decision that a
    processor could guess wrong, and several at a time.
    """
    cdef int32_t[FEW] values, below, ordered, times
    cdef int64_t index, other, written = 0
    cdef int32_t value
    for index in range(FEW):
        values[index] = below[index] = ordered[index] = times[index] = 0
    memcpy(values, starts, size * sizeof(int32_t))
    for other in range(size):
        value = values[other]
        for index in range(FEW):
            below[index] += value < values[index]
    for index in range(size):
        ordered[below[index]] = values[index]
        times[below[index]] += 1
    for index in range(size):  # what occurs twice leaves a gap behind it
        ids[written] = ordered[index]
        counts[written] = times[index]
        written += times[index] > 0
    return written


cdef int64_t _count_many(const int32_t* starts, int64_t size, int32_t* ids, int32_t* counts) except -1 nogil:
    """Do the same for any number of n-grams."""
    cdef int64_t index, last = 0
    memcpy(ids, starts, size * sizeof(int32_t))
    _sort(ids, size)
    # Distinct values move to the front.
    counts[0] = 1
    for index in range(1, size):
        if ids[index] == ids[last]:
            counts[last] += 1
        else:
            last += 1
            ids[last] = ids[index]
            counts[last] = 1
    return last + 1


def count(const int32_t[::1] starts, const int64_t[::1] offsets, int order, int64_t[::1] entry_offsets,
          int32_t[::1] ids, int32_t[::1] counts, int64_t first, int64_t last):
    """Write the distinct n-grams of captions ``first`` to ``last``, ids ascending, with their counts.

    ``starts`` holds the n-gram that starts at each word of these captions. Entries go behind those of the captions
    before: caption ``i`` ends at ``entry_offsets[i + 1]``.
    """
    cdef int64_t begin = offsets[first], caption, size, place, written = entry_offsets[first], steps = 0
    with nogil:
        for caption in range(first, last):
            size = offsets[caption + 1] - offsets[caption] - order + 1
            if size > 0:
                steps += size * STEPS
                if steps > A_WHILE:
                    steps = 0
                    listen()
                place = offsets[caption] - begin
                if size <= FEW:
                    written += _count_few(&starts[place], size, &ids[written], &counts[written])
                else:
                    written += _count_many(&starts[place], size, &ids[written], &counts[written])
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
