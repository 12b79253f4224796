# cython: language_level=3

cdef void dot_rows(
    const float* vector, const float* rows, long stride, int count, int size, float* products
) noexcept nogil
"""Write ``vector . rows[i]`` for ``count`` rows of ``size`` numbers that lie ``stride`` apart."""
