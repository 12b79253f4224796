# cython: language_level=3
"""Memory that grows, for the kernels."""

from libc.stdlib cimport realloc


cdef void* resized(void* memory, size_t size) except NULL nogil:
    """As realloc, but a lack of memory is a MemoryError; the old memory then stays as it was."""
    cdef void* grown = realloc(memory, size)
    if grown == NULL:
        with gil:
            raise MemoryError
    return grown
