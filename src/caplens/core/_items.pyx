# cython: language_level=3
"""Columns of JSON values side by side, without a Python object for each value."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef const char* _behind_value(const char* at, const char* end) noexcept nogil:
    """Step over one JSON value; it ends at a comma or bracket that does not belong to it."""
    cdef int64_t depth = 0
    while at < end:
        if at[0] == c'"':
            at += 1
            while at < end and at[0] != c'"':
                at += 2 if at[0] == c"\\" else 1
        elif at[0] == c"[" or at[0] == c"{":
            depth += 1
        elif at[0] == c"]" or at[0] == c"}" or at[0] == c",":
            if not depth:
                break
            if at[0] != c",":
                depth -= 1
        at += 1
    return at if at < end else end


def side_by_side(list columns not None, list before not None, bytes behind not None, int64_t rows):
    """Return rows of JSON, with a comma between them.

    Parameters
    ----------
    columns : list of bytes
        JSON lists of ``rows`` values each, without spaces between the values.
    before : list of bytes
        What stands before the value of each column, in every row.
    behind : bytes
        What ends a row.
    """
    cdef int64_t width = len(columns), column, row, size, total, fixed = PyBytes_Size(behind) + 1
    cdef const char* value
    cdef char* written
    cdef bint fits = True
    if len(before) != width or rows < 0:
        raise ValueError("there is one text before each column")
    if not rows:
        return b""
    cdef const char** places = <const char**>malloc(4 * (width + 1) * sizeof(void*))
    if places == NULL:
        raise MemoryError
    cdef const char** ends = places + width
    cdef const char** texts = ends + width
    cdef int64_t* sizes = <int64_t*>(texts + width)
    try:
        total = fixed * rows
        for column in range(width):
            size = PyBytes_Size(<bytes?>columns[column])
            if size < 2:
                raise ValueError("a column is a JSON list")
            places[column] = PyBytes_AsString(columns[column]) + 1
            ends[column] = places[column] + size - 2
            texts[column] = PyBytes_AsString(<bytes?>before[column])
            sizes[column] = PyBytes_Size(before[column])
            # Brackets and commas of the list make room for none of what is written.
            total += size + sizes[column] * rows
        content = PyBytes_FromStringAndSize(NULL, total)
        written = PyBytes_AsString(content)
        value = PyBytes_AsString(behind)
        with nogil:
            total = _write(places, ends, texts, sizes, width, value, fixed - 1, rows, written)
            for column in range(width):
                fits = fits and places[column] == ends[column] + 1
        if total < 0 or not fits:
            raise ValueError("the columns have different numbers of values")
        return content[:total]
    finally:
        free(places)


cdef int64_t _write(const char** places, const char** ends, const char** texts, const int64_t* sizes, int64_t width,
                    const char* behind, int64_t behind_size, int64_t rows, char* target) noexcept nogil:
    """Write the rows; return how many bytes, or -1 where a column has too few values."""
    cdef char* written = target
    cdef const char* value
    cdef int64_t row, column
    for row in range(rows):
        for column in range(width):
            if places[column] >= ends[column]:
                return -1
            value = places[column]
            places[column] = _behind_value(value, ends[column])
            memcpy(written, texts[column], sizes[column])
            written += sizes[column]
            memcpy(written, value, places[column] - value)
            written += places[column] - value
            places[column] += 1
        memcpy(written, behind, behind_size)
        written += behind_size
        if row + 1 < rows:
            written[0] = c","
            written += 1
    return written - target
