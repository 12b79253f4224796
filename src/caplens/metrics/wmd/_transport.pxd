# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t


cdef class Problem:
    cdef int64_t rows, columns
    cdef int64_t* supply
    cdef int64_t* demand
    cdef int32_t* row_words
    cdef int32_t* column_words
    cdef double* costs
    cdef int64_t* flows
    cdef double* row_potentials
    cdef double* column_potentials
    cdef double* row_distances
    cdef double* column_distances
    cdef int64_t* row_parents
    cdef int64_t* column_parents
    cdef uint8_t* in_tree
    cdef uint8_t* finished
    cdef int64_t steps

    cdef double relaxed(self) noexcept nogil
    cdef int rest(self, int64_t steps) except -1 nogil
    cdef double solve(self) except? -1 nogil
    cdef void push(self, int64_t row, int64_t column) noexcept nogil
    cdef void start(self) noexcept nogil
    cdef int augment(self, int64_t source) except -1 nogil
    cdef void relax(self, int64_t row) noexcept nogil
    cdef void send(self, int64_t source, int64_t target) noexcept nogil
