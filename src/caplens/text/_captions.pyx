# cython: language_level=3
"""Python strings to one UTF-8 buffer with offsets (Arrow's string layout), cleaned while copying."""

import numpy as np

from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

# What was found in a caption; `caplens.text.captions` gives these their public names.
cdef enum:
    NOT_TEXT = 1
    BLANK = 2
    LINE_SEPARATOR = 4
    CONTROL_CHARACTER = 8
    LONE_SURROGATE = 16


cdef str _without_lone_surrogates(str text):
    # Two surrogates that form a pair become the character they stand for; a lone one U+FFFD.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


cdef Py_ssize_t _copy_clean(const uint8_t* source, Py_ssize_t size, uint8_t* target, uint8_t* flags) noexcept nogil:
    """Copy UTF-8 text; line separators and control characters become one space each. Return the bytes written."""
    cdef Py_ssize_t read = 0, written = 0
    cdef uint8_t byte
    cdef uint64_t eight
    cdef bint blank = True
    while read < size:
        if size - read >= 8:
            memcpy(&eight, source + read, 8)
            # Whether one of the bytes is below 0x20 or above 0x7E shows in the high bits; mostly none is.
            if not ((eight - 0x2020202020202020ULL) | (eight + 0x0101010101010101ULL) | eight) & 0x8080808080808080ULL:
                memcpy(target + written, &eight, 8)
                blank = blank and eight == 0x2020202020202020ULL
                written += 8
                read += 8
                continue
        byte = source[read]
        if byte > 0x20 and byte < 0x7F:
            blank = False
        elif byte == 0x20 or byte == 0x09:
            pass
        elif byte < 0x20 or byte == 0x7F:
            if byte == 0x0B or byte == 0x0C or byte == 0x0D:  # VT, FF, CR
                flags[0] |= LINE_SEPARATOR
            elif byte != 0x0A:  # a line feed is an ordinary line break: the reference tool takes it as a space too
                flags[0] |= CONTROL_CHARACTER
            byte = 0x20
        elif byte == 0xC2 and read + 1 < size and source[read + 1] < 0xA0:  # U+0080..U+009F
            flags[0] |= LINE_SEPARATOR if source[read + 1] == 0x85 else CONTROL_CHARACTER
            read += 1
            byte = 0x20
        elif (byte == 0xE2 and read + 2 < size and source[read + 1] == 0x80
              and (source[read + 2] == 0xA8 or source[read + 2] == 0xA9)):  # U+2028, U+2029
            flags[0] |= LINE_SEPARATOR
            read += 2
            byte = 0x20
        else:
            blank = False
        target[written] = byte
        written += 1
        read += 1
    if blank:
        flags[0] |= BLANK
    return written


def encode(list texts not None):
    """Return ``(buffer, offsets, flags)`` for a list of strings; what is no string is flagged and left empty."""
    cdef Py_ssize_t count = len(texts), index, size, total = 0
    cdef const char* data
    cdef object text
    cdef list repaired = None  # a copy of the list, made only if a caption must be changed before encoding
    offsets_array = np.zeros(count + 1, dtype=np.int64)
    flags_array = np.zeros(count, dtype=np.uint8)
    cdef int64_t[::1] offsets = offsets_array
    cdef uint8_t[::1] flags = flags_array
    for index in range(count):
        text = texts[index]
        if not PyUnicode_Check(text):
            if repaired is None:
                repaired = list(texts)
            repaired[index] = ""
            flags[index] = NOT_TEXT
            continue
        try:
            PyUnicode_AsUTF8AndSize(text, &size)
        except UnicodeEncodeError:
            if repaired is None:
                repaired = list(texts)
            text = _without_lone_surrogates(str(text))
            repaired[index] = text
            flags[index] = LONE_SURROGATE
            PyUnicode_AsUTF8AndSize(text, &size)
        total += size
    if repaired is not None:
        texts = repaired
    buffer_array = np.empty(total, dtype=np.uint8)
    cdef uint8_t[::1] buffer = buffer_array
    cdef Py_ssize_t position = 0
    for index in range(count):
        data = PyUnicode_AsUTF8AndSize(texts[index], &size)
        if size:
            position += _copy_clean(<const uint8_t*>data, size, &buffer[position], &flags[index])
        elif not flags[index] & NOT_TEXT:
            flags[index] |= BLANK
        offsets[index + 1] = position
    if position != total:
        buffer_array = buffer_array[:position].copy()
    return buffer_array, offsets_array, flags_array


def clean(const uint8_t[::1] texts, const int64_t[::1] starts):
    """Return what `encode` returns, for texts that are UTF-8 in one buffer already."""
    cdef Py_ssize_t count = starts.shape[0] - 1, index, position = 0
    buffer_array = np.empty(texts.shape[0], dtype=np.uint8)
    offsets_array = np.zeros(count + 1, dtype=np.int64)
    flags_array = np.zeros(count, dtype=np.uint8)
    cdef uint8_t[::1] buffer = buffer_array
    cdef int64_t[::1] offsets = offsets_array
    cdef uint8_t[::1] flags = flags_array
    with nogil:
        for index in range(count):
            if starts[index + 1] > starts[index]:
                position += _copy_clean(
                    &texts[starts[index]], starts[index + 1] - starts[index], &buffer[position], &flags[index])
            else:
                flags[index] = BLANK
            offsets[index + 1] = position
    if position != texts.shape[0]:
        buffer_array = buffer_array[:position].copy()
    return buffer_array, offsets_array, flags_array


def take(const uint8_t[::1] buffer, const int64_t[::1] offsets, const int64_t[::1] indices):
    """Return the buffer and offsets of the captions at ``indices``, in that order."""
    cdef Py_ssize_t count = indices.shape[0], index
    cdef int64_t source, size, position = 0
    chosen_offsets_array = np.zeros(count + 1, dtype=np.int64)
    cdef int64_t[::1] chosen_offsets = chosen_offsets_array
    for index in range(count):
        source = indices[index]
        chosen_offsets[index + 1] = chosen_offsets[index] + offsets[source + 1] - offsets[source]
    chosen_array = np.empty(chosen_offsets[count], dtype=np.uint8)
    cdef uint8_t[::1] chosen = chosen_array
    for index in range(count):
        source = indices[index]
        size = offsets[source + 1] - offsets[source]
        if size:
            memcpy(&chosen[position], &buffer[offsets[source]], size)
        position += size
    return chosen_array, chosen_offsets_array


cdef uint64_t _fnv1a(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    """FNV-1a, finished so that the low bits depend on every byte: equal on every machine, so it may be stored."""
    cdef uint64_t value = 0xCBF29CE484222325ULL
    cdef Py_ssize_t index
    for index in range(length):
        value = (value ^ text[index]) * 0x100000001B3ULL
    return value ^ (value >> 29)


def hashes(const uint8_t[::1] buffer, const int64_t[::1] offsets):
    """Return a 64-bit hash of each caption's bytes."""
    cdef Py_ssize_t count = offsets.shape[0] - 1, index
    values_array = np.empty(count, dtype=np.uint64)
    cdef uint64_t[::1] values = values_array
    cdef const uint8_t* text = &buffer[0] if buffer.shape[0] else NULL
    with nogil:
        for index in range(count):
            values[index] = _fnv1a(text + offsets[index], offsets[index + 1] - offsets[index])
    return values_array
