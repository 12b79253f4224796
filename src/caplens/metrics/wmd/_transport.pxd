# cython: language_level=3
from libc.stdint cimport int32_t, int64_t


cdef struct Node:
    int64_t parent, child, before, after  # the first child; neighbours among the children of the parent
    int64_t depth
    int64_t flow  # between this node and its parent


cdef class Problem:
    cdef int64_t rows, columns
    cdef int64_t* supply
    cdef int64_t* demand
    cdef int32_t* row_words
    cdef int32_t* column_words
    cdef int64_t* row_nearest
    cdef int64_t* column_nearest
    cdef double* column_least
    cdef double* costs
    cdef Node* nodes
    cdef double* potentials
    cdef int64_t steps

    cdef void swap(self, Problem other) noexcept nogil
    cdef double relaxed(self) noexcept nogil
    cdef int rest(self, int64_t steps) except -1 nogil
    cdef double solve(self) except? -1 nogil
    cdef double cost(self, int64_t node) noexcept nogil
    cdef double total(self) noexcept nogil
    cdef void link(self, int64_t node, int64_t parent, int64_t flow) noexcept nogil
    cdef void unlink(self, int64_t node) noexcept nogil
    cdef void push(self, int64_t row, int64_t column) noexcept nogil
    cdef void start(self) noexcept nogil
    cdef void join(self) noexcept nogil
    cdef void hang(self, int64_t top) noexcept nogil
    cdef void pivot(self, int64_t row, int64_t column) noexcept nogil
    cdef void shift(self, int64_t row, int64_t column, int64_t top, int64_t amount) noexcept nogil
    cdef void turn(self, int64_t node, int64_t parent, int64_t leaving, int64_t flow) noexcept nogil
