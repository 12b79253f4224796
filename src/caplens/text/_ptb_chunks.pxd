# cython: language_level=3
"""What can be said of a white-space-delimited chunk of ASCII text without the PTB rules."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy


cdef inline bint is_space(uint8_t byte) noexcept nogil:
    return byte == 0x20 or byte == 0x09


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return 0x61 <= (byte | 0x20) <= 0x7A


cdef inline bint is_digit(uint8_t byte) noexcept nogil:
    return 0x30 <= byte <= 0x39


cdef inline bint plain_ptb(const uint8_t* chunk, Py_ssize_t length, uint8_t following) noexcept nogil:
    """Whether PTB tokenises this ASCII chunk independently of its neighbours (`caplens.text.ptb` says when it does).

    ``following`` is the next chunk's first byte, or 0 at the end of the caption. Not plain are: a chunk with a period at
    its end, unless the caption ends there as well, and not in a single letter with a period; digits (or a bracket, for
    telephone numbers) before digits; and what may be the beginning of a tag.
    """
    cdef uint8_t last = chunk[length - 1]
    cdef Py_ssize_t index
    if last == c".":
        if following or (length > 1 and is_letter(chunk[length - 2]) and (length == 2 or not is_letter(chunk[length - 3]))):
            return False
    elif is_digit(following) and (is_digit(last) or last == c")"):
        return False
    for index in range(length):
        if chunk[index] == c"<":
            return False
    return True


cdef inline Py_ssize_t dropped_tail(const uint8_t* chunk, Py_ssize_t length) noexcept nogil:
    """Return how many signs at the end of a PTB chunk are dropped whatever stands before them."""
    cdef uint8_t last = chunk[length - 1], other = chunk[length - 2] if length > 1 else 0
    if last == c".":
        return 2 if other == c"." or other == c'"' else 1
    if last == c",":
        return 2 if other == c'"' else 1
    if last == c'"':
        return 2 if other == c"." or other == c"," else 1
    return 1 if last == c";" or last == c":" or last == c"!" or last == c"?" else 0


cdef inline bint is_ascii(const uint8_t* text, Py_ssize_t length) noexcept nogil:
    cdef uint64_t eight, found = 0
    cdef Py_ssize_t index = 0
    while index + 8 <= length:
        memcpy(&eight, text + index, 8)
        found |= eight
        index += 8
    while index < length:
        found |= text[index]
        index += 1
    return not found & 0x8080808080808080ULL
