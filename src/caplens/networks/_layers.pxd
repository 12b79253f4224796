# cython: language_level=3
from libc.stddef cimport ptrdiff_t

cdef void dot_rows(
    const float* vector, const float* rows, ptrdiff_t stride, int count, int size, float* products
) noexcept nogil
"""Write ``vector . rows[i]`` for ``count`` rows of ``size`` numbers that lie ``stride`` apart."""

cdef void add_row(const float* values, float factor, float* sums, int size) noexcept nogil
"""Add ``factor * values`` to ``size`` sums."""

cdef void scale_row(float* values, float factor, int size) noexcept nogil
"""Multiply ``size`` values by a factor."""
