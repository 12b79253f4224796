# cython: language_level=3
cdef void* resized(void* memory, size_t size) except NULL nogil
