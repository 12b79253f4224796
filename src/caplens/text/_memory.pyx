# cython: language_level=3
"""Memory that grows, for the kernels."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport realloc

cdef int64_t MOST = 0x7FFFFFFF


cdef void* resized(void* memory, size_t size) except NULL nogil:
    """As realloc, but a lack of memory is a MemoryError; the old memory then stays as it was."""
    cdef void* grown = realloc(memory, size)
    if grown == NULL:
        with gil:
            raise MemoryError
    return grown


cdef int32_t numbered(int64_t count) except -1 nogil:
    """Return ``count`` as 32 bits, which is how kernels number what they keep; more is a lack of memory too."""
    if count > MOST:
        with gil:
            raise MemoryError("more than 2,147,483,647 entries in one table: score fewer or shorter captions at once")
    return <int32_t>count
