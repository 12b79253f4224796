# cython: language_level=3
"""How kernels, which run without the interpreter, hear in the middle of a long row that they should stop."""

from caplens.files.threads import hear


cdef int listen() except -1 nogil:
    """Raise what interrupts this thread; kernels count their steps and call this once in `A_WHILE`."""
    with gil:
        hear()
    return 0
