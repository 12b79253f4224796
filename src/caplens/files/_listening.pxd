# cython: language_level=3
from libc.stdint cimport int64_t

cdef enum:
    A_WHILE = 1 << 24  # simple steps: some hundredths of a second

cdef int listen() except -1 nogil
