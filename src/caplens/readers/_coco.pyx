# cython: language_level=3
"""Rows of COCO files straight into arrays: no Python object for a caption.

`scan` takes the plain case only: whole numbers for ids, one text for each caption, no key twice. Whatever else a file
holds, and every mistake in it, is left to the decoder of `caplens.readers.decoding`, which knows what to say.
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

cdef enum:
    DEEPEST = 64  # lists and objects inside one another
    MOST_DIGITS = 18  # of an id that 64 bits hold

# What a byte means inside a text: 0 is itself, 1 ends it, 2 begins an escape, 3 may not be there.
cdef uint8_t[256] in_text
# What it stands for behind a backslash, or 0.
cdef uint8_t[256] escapes


cdef void _fill():
    cdef int byte
    for byte in range(256):
        in_text[byte] = 3 if byte < 0x20 else 0
        escapes[byte] = 0
    in_text[0x22] = 1
    in_text[0x5C] = 2
    for byte, stands_for in zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t'):
        escapes[byte] = stands_for


_fill()


cdef struct Scan:
    const uint8_t* at
    const uint8_t* end
    int64_t* ids
    int64_t* ends  # where the caption of each row ends in `text`
    uint8_t* text
    int64_t rows, capacity, size
    bint full  # there is no more memory


cdef inline void _skip_space(Scan* scan) noexcept nogil:
    while scan.at < scan.end and (scan.at[0] == 0x20 or scan.at[0] == 0x0A or scan.at[0] == 0x0D or scan.at[0] == 0x09):
        scan.at += 1


cdef inline bint _take(Scan* scan, uint8_t byte) noexcept nogil:
    """Step over white space and one byte, if it is there."""
    _skip_space(scan)
    if scan.at < scan.end and scan.at[0] == byte:
        scan.at += 1
        return True
    return False


cdef inline int _hex(uint8_t byte) noexcept nogil:
    if 0x30 <= byte <= 0x39:
        return byte - 0x30
    byte |= 0x20
    return byte - 0x57 if 0x61 <= byte <= 0x66 else -1


cdef int64_t _code_unit(Scan* scan) noexcept nogil:
    """Read the four digits behind ``\\u``, or return -1."""
    cdef int64_t value = 0
    cdef int digit, place
    if scan.end - scan.at < 4:
        return -1
    for place in range(4):
        digit = _hex(scan.at[place])
        if digit < 0:
            return -1
        value = (value << 4) | digit
    scan.at += 4
    return value


cdef int _escaped(Scan* scan, uint8_t* target) noexcept nogil:
    """Write what an escape stands for as UTF-8 (never more bytes than it has itself); return how many, or -1."""
    cdef uint8_t byte
    cdef int64_t code, low
    if scan.at >= scan.end:
        return -1
    byte = scan.at[0]
    scan.at += 1
    if byte != c"u":
        target[0] = escapes[byte]
        return 1 if escapes[byte] else -1
    code = _code_unit(scan)
    if code < 0 or 0xDC00 <= code <= 0xDFFF:
        return -1
    if 0xD800 <= code <= 0xDBFF:
        if scan.end - scan.at < 2 or scan.at[0] != 0x5C or scan.at[1] != c"u":
            return -1
        scan.at += 2
        low = _code_unit(scan)
        if not 0xDC00 <= low <= 0xDFFF:
            return -1
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    if code < 0x80:
        target[0] = <uint8_t>code
        return 1
    if code < 0x800:
        target[0] = <uint8_t>(0xC0 | code >> 6)
        target[1] = <uint8_t>(0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        target[0] = <uint8_t>(0xE0 | code >> 12)
        target[1] = <uint8_t>(0x80 | code >> 6 & 0x3F)
        target[2] = <uint8_t>(0x80 | code & 0x3F)
        return 3
    target[0] = <uint8_t>(0xF0 | code >> 18)
    target[1] = <uint8_t>(0x80 | code >> 12 & 0x3F)
    target[2] = <uint8_t>(0x80 | code >> 6 & 0x3F)
    target[3] = <uint8_t>(0x80 | code & 0x3F)
    return 4


cdef int64_t _text(Scan* scan, uint8_t* target) noexcept nogil:
    """Read a text behind its opening quotation mark; return how many bytes were written, or -1."""
    cdef const uint8_t* start = scan.at
    cdef int64_t written = 0
    cdef uint8_t kind
    cdef int size
    while scan.at < scan.end:
        kind = in_text[scan.at[0]]
        if kind == 0:
            scan.at += 1
            continue
        memcpy(target + written, start, scan.at - start)
        written += scan.at - start
        scan.at += 1
        if kind == 1:
            return written
        if kind == 3:
            return -1
        size = _escaped(scan, target + written)
        if size < 0:
            return -1
        written += size
        start = scan.at
    return -1


cdef bint _key(Scan* scan, const uint8_t** key, int64_t* length) noexcept nogil:
    """Read a key without escapes and the colon behind it."""
    cdef uint8_t kind = 0
    if not _take(scan, 0x22):
        return False
    key[0] = scan.at
    while scan.at < scan.end:
        kind = in_text[scan.at[0]]
        if kind:
            break
        scan.at += 1
    if kind != 1:
        return False
    length[0] = scan.at - key[0]
    scan.at += 1
    return _take(scan, 0x3A)


cdef inline bint _is(const uint8_t* key, int64_t length, const char* name, int64_t size) noexcept nogil:
    return length == size and memcmp(key, name, size) == 0


cdef bint _digits(Scan* scan) noexcept nogil:
    """Step over one digit or more."""
    cdef const uint8_t* start = scan.at
    while scan.at < scan.end and 0x30 <= scan.at[0] <= 0x39:
        scan.at += 1
    return scan.at > start


cdef bint _skip_number(Scan* scan) noexcept nogil:
    if scan.at < scan.end and scan.at[0] == c"-":
        scan.at += 1
    if scan.at < scan.end and scan.at[0] == c"0":
        scan.at += 1
    elif not _digits(scan):
        return False
    if scan.at < scan.end and scan.at[0] == c".":
        scan.at += 1
        if not _digits(scan):
            return False
    if scan.at < scan.end and (scan.at[0] | 0x20) == c"e":
        scan.at += 1
        if scan.at < scan.end and (scan.at[0] == c"+" or scan.at[0] == c"-"):
            scan.at += 1
        return _digits(scan)
    return True


cdef bint _skip_word(Scan* scan, const char* word, int64_t length) noexcept nogil:
    if scan.end - scan.at < length or memcmp(scan.at, word, length):
        return False
    scan.at += length
    return True


cdef bint _skip_text(Scan* scan) noexcept nogil:
    """Step over a text behind its opening quotation mark; one that names a column is somebody else's business."""
    cdef const uint8_t* start = scan.at
    cdef uint8_t kind
    cdef uint8_t[4] unused
    while scan.at < scan.end:
        kind = in_text[scan.at[0]]
        scan.at += 1
        if kind == 1:
            return not (_is(start, scan.at - 1 - start, b"image_id", 8) or _is(start, scan.at - 1 - start, b"caption", 7))
        if kind == 3 or (kind == 2 and _escaped(scan, unused) < 0):
            return False
    return False


cdef bint _skip_value(Scan* scan, int depth) noexcept nogil:
    """Step over any value."""
    cdef uint8_t byte, closing
    _skip_space(scan)
    if scan.at >= scan.end or depth > DEEPEST:
        return False
    byte = scan.at[0]
    if byte == 0x22:
        scan.at += 1
        return _skip_text(scan)
    if byte == c"t":
        return _skip_word(scan, b"true", 4)
    if byte == c"f":
        return _skip_word(scan, b"false", 5)
    if byte == c"n":
        return _skip_word(scan, b"null", 4)
    if byte != 0x7B and byte != 0x5B:
        return _skip_number(scan)
    closing = byte + 2
    scan.at += 1
    if _take(scan, closing):
        return True
    while True:
        if byte == 0x7B:
            if not _take(scan, 0x22) or not _skip_text(scan) or not _take(scan, 0x3A):
                return False
        if not _skip_value(scan, depth + 1):
            return False
        if not _take(scan, 0x2C):
            return _take(scan, closing)


cdef bint _whole_number(Scan* scan, int64_t* value) noexcept nogil:
    cdef int64_t found = 0
    cdef bint negative = False
    cdef const uint8_t* start
    _skip_space(scan)
    if scan.at < scan.end and scan.at[0] == c"-":
        negative = True
        scan.at += 1
    start = scan.at
    while scan.at < scan.end and 0x30 <= scan.at[0] <= 0x39:
        found = 10 * found + (scan.at[0] - 0x30)
        scan.at += 1
        if scan.at - start > MOST_DIGITS:
            return False
    if scan.at == start or scan.at == scan.end or (start[0] == c"0" and (negative or scan.at - start > 1)):
        return False
    value[0] = -found if negative else found
    return scan.at[0] != c"." and (scan.at[0] | 0x20) != c"e"


cdef bint _more_rows(Scan* scan) noexcept nogil:
    cdef int64_t capacity = 2 * scan.capacity + 1024
    cdef int64_t* ids = <int64_t*>realloc(scan.ids, capacity * sizeof(int64_t))
    if ids != NULL:
        scan.ids = ids
    cdef int64_t* ends = <int64_t*>realloc(scan.ends, capacity * sizeof(int64_t))
    if ends != NULL:
        scan.ends = ends
    scan.full = ids == NULL or ends == NULL
    scan.capacity = capacity
    return not scan.full


cdef bint _row(Scan* scan) noexcept nogil:
    """Read an object with an id and a caption behind its opening bracket."""
    cdef const uint8_t* key = NULL
    cdef int64_t length = 0, written
    cdef bint has_id = False, has_caption = False
    if scan.rows == scan.capacity and not _more_rows(scan):
        return False
    while True:
        if not _key(scan, &key, &length):
            return False
        if _is(key, length, b"image_id", 8):
            if has_id or not _whole_number(scan, &scan.ids[scan.rows]):
                return False
            has_id = True
        elif _is(key, length, b"caption", 7):
            if has_caption or not _take(scan, 0x22):
                return False
            written = _text(scan, scan.text + scan.size)
            if written < 0:
                return False
            scan.size += written
            scan.ends[scan.rows] = scan.size
            has_caption = True
        elif not _skip_value(scan, 0):
            return False
        if not _take(scan, 0x2C):
            break
    scan.rows += 1
    return has_id and has_caption and _take(scan, 0x7D)


cdef bint _rows(Scan* scan) noexcept nogil:
    """Read a list of rows."""
    if not _take(scan, 0x5B):
        return False
    if _take(scan, 0x5D):
        return True
    while _take(scan, 0x7B) and _row(scan):
        if not _take(scan, 0x2C):
            return _take(scan, 0x5D)
    return False


cdef bint _annotations(Scan* scan) noexcept nogil:
    """Read an object with a list of rows under ``annotations``."""
    cdef const uint8_t* key = NULL
    cdef int64_t length = 0
    cdef bint found = False
    if not _take(scan, 0x7B):
        return False
    while _key(scan, &key, &length):
        if _is(key, length, b"annotations", 11):
            if found or not _rows(scan):
                return False
            found = True
        elif _is(key, length, b"image_id", 8) or _is(key, length, b"caption", 7) or not _skip_value(scan, 0):
            return False
        if not _take(scan, 0x2C):
            return found and _take(scan, 0x7D)
    return False


cdef bint _whole(Scan* scan, bint annotations) noexcept nogil:
    """Read everything."""
    if not (_annotations(scan) if annotations else _rows(scan)):
        return False
    _skip_space(scan)
    return scan.at == scan.end


def scan(bytes data not None, bint annotations):
    """Return the ids of rows, the bytes of their captions and where each caption begins; None if it is not plain.

    Parameters
    ----------
    data : bytes
        A file of results (a list of rows) or of annotations (an object with such a list).
    annotations : bool
        Which of the two.
    """
    cdef Scan state
    cdef int64_t size = len(data)
    cdef bint plain
    state.at = data
    state.end = state.at + size
    state.ids = state.ends = NULL
    state.rows = state.capacity = state.size = 0
    state.full = False
    text_array = np.empty(size + 1, dtype=np.uint8)  # captions are never longer than what they are written as
    cdef uint8_t[::1] text = text_array
    state.text = &text[0]
    try:
        with nogil:
            plain = _whole(&state, annotations)
        if state.full:
            raise MemoryError
        if not plain:
            return None
        if not data.isascii():
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                return None
        ids_array = np.empty(state.rows, dtype=np.int64)
        offsets_array = np.zeros(state.rows + 1, dtype=np.int64)
        if state.rows:
            ids_array[:] = <int64_t[:state.rows]>state.ids
            offsets_array[1:] = <int64_t[:state.rows]>state.ends
    finally:
        free(state.ids)
        free(state.ends)
    return ids_array, text_array[:state.size].copy(), offsets_array
