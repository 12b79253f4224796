# cython: language_level=3
from libc.stdint cimport int32_t, uint8_t, uint32_t


# Byte strings one after the other, sorted: word i is text[offsets[i]:offsets[i + 1]].
cdef struct SortedWords:
    const char* text
    const uint32_t* offsets
    int32_t count


cdef SortedWords sorted_words(const uint8_t[::1] blob, const uint32_t[::1] offsets)
cdef int32_t place_of(SortedWords words, const char* word, Py_ssize_t length) noexcept nogil
