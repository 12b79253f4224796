# cython: language_level=3
from libc.stdint cimport int32_t, int64_t


cdef void* resized(void* memory, size_t size) except NULL nogil
cdef int32_t numbered(int64_t count) except -1 nogil
