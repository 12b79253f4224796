# cython: language_level=3
"""The n-grams of characters that fastText makes of a word, as numbers of its hash buckets."""

import numpy as np

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t


cdef int64_t _buckets(const uint8_t* word, int64_t size, int64_t shortest, int64_t longest, uint32_t buckets,
                      int64_t* found) noexcept nogil:
    """Write the buckets of a word that is in its angle brackets; return how many, or only count without ``found``."""
    cdef int64_t start, end, characters, count = 0
    cdef uint32_t value
    for start in range(size):
        if (word[start] & 0xC0) == 0x80:  # inside a character
            continue
        value = 2166136261  # FNV-1a, with bytes extended as signed numbers, which is what fastText computes
        end = start
        characters = 1
        while end < size and characters <= longest:
            value = (value ^ <uint32_t><int8_t>word[end]) * <uint32_t>16777619
            end += 1
            while end < size and (word[end] & 0xC0) == 0x80:
                value = (value ^ <uint32_t><int8_t>word[end]) * <uint32_t>16777619
                end += 1
            if characters >= shortest and not (characters == 1 and (start == 0 or end == size)):
                if found != NULL:
                    found[count] = value % buckets
                count += 1
            characters += 1
    return count


def bucket_numbers(list words not None, int64_t shortest, int64_t longest, uint32_t buckets):
    """Return ``(offsets, numbers)``: word ``i`` has the n-grams ``numbers[offsets[i]:offsets[i + 1]]``."""
    cdef int64_t place, count = len(words)
    cdef bytes word
    offsets_array = np.zeros(count + 1, dtype=np.int64)
    cdef int64_t[::1] offsets = offsets_array
    if buckets == 0 or longest <= 0:
        return offsets_array, np.zeros(0, dtype=np.int64)
    bracketed = [b"<" + entry + b">" for entry in words]
    for place in range(count):
        word = bracketed[place]
        offsets[place + 1] = offsets[place] + _buckets(
            <const uint8_t*><const char*>word, len(word), shortest, longest, buckets, NULL)
    numbers_array = np.empty(offsets[count] + 1, dtype=np.int64)
    cdef int64_t[::1] numbers = numbers_array
    for place in range(count):
        word = bracketed[place]
        _buckets(<const uint8_t*><const char*>word, len(word), shortest, longest, buckets, &numbers[offsets[place]])
    return offsets_array, numbers_array[: offsets[count]]
