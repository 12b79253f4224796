# cython: language_level=3
"""The inner loops of small networks: packed matrices, layers of an LSTM, attention, dot products."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from "_arithmetic.h" nogil:
    enum: PANEL
    enum: SHORT_DEPTH
    const float SHORT_LIMIT
    void look_at_processor(int)
    void multiply(const float*, ptrdiff_t, const float*, const float*, ptrdiff_t, int, int, float*, ptrdiff_t)
    void multiply_short(const float*, ptrdiff_t, float, const int16_t*, const float*, const float*, ptrdiff_t, int, int,
                        float*, ptrdiff_t)
    void update_cell(const float*, const float*, float*, float*, float*, int)
    void gelu_each(float*, ptrdiff_t)
    void keep_larger(const float*, float*, int)
    void dot_each(const float*, const float*, ptrdiff_t, int, int, float*)
    void add_scaled(const float*, float, float*, int)
    void scale_each(float*, float, int)
    void normalize(float*, const float*, const float*, const float*, int, float)
    void attend(const float*, const float*, const float*, ptrdiff_t, int, int, float*, float*)

ALL_INSTRUCTIONS = 2


def use_instructions(int level):
    """Use what the processor has up to a level: 0 plain loops, 1 AVX2, 2 all. Tests compare them."""
    look_at_processor(level)


use_instructions(ALL_INSTRUCTIONS)


cdef void dot_rows(
    const float* vector, const float* rows, ptrdiff_t stride, int count, int size, float* products
) noexcept nogil:
    dot_each(vector, rows, stride, count, size, products)


cdef void add_row(const float* values, float factor, float* sums, int size) noexcept nogil:
    add_scaled(values, factor, sums, size)


cdef void scale_row(float* values, float factor, int size) noexcept nogil:
    scale_each(values, factor, size)


cdef class Matrix:
    """A matrix (depth x width) and a bias, stored as the products read them."""

    cdef readonly int depth
    cdef readonly int width
    cdef const float[::1] panels
    cdef const float[::1] bias

    def __init__(self, weights, bias=None):
        depth, width = weights.shape
        if bias is not None and bias.shape != (width,):
            raise ValueError(f"a matrix of {width} columns has as many numbers of bias, not {bias.shape}")
        padding = -width % PANEL
        padded = np.pad(np.asarray(weights, np.float32), ((0, 0), (0, padding)))
        by_panel = padded.reshape(depth, -1, PANEL).transpose(1, 0, 2)
        self.panels = np.ascontiguousarray(by_panel).reshape(-1)
        self.bias = np.pad(np.zeros(width, np.float32) if bias is None else bias.astype(np.float32), (0, padding))
        self.depth, self.width = depth, width

    def __reduce__(self):
        by_panel = np.asarray(self.panels).reshape(-1, self.depth, PANEL).transpose(1, 0, 2)
        weights = by_panel.reshape(self.depth, -1)[:, :self.width]
        return Matrix, (np.array(weights), np.array(self.bias)[:self.width])

    cdef void apply(self, const float* inputs, ptrdiff_t input_stride, ptrdiff_t rows, float* outputs,
                    ptrdiff_t stride) noexcept nogil:
        multiply(inputs, input_stride, &self.panels[0], &self.bias[0], rows, self.depth, self.width, outputs, stride)

    def __call__(self, const float[:, :] inputs):
        """Return ``inputs @ weights + bias``; the rows of the inputs may lie apart."""
        if inputs.shape[1] != self.depth or inputs.strides[1] != sizeof(float):
            raise ValueError(f"rows of {self.depth} neighbouring numbers are needed")
        result = np.empty((inputs.shape[0], self.width), np.float32)
        cdef float[:, ::1] outputs = result
        cdef Py_ssize_t rows = inputs.shape[0]
        if rows:
            with nogil:
                self.apply(&inputs[0, 0], inputs.strides[0] // <ptrdiff_t>sizeof(float), rows, &outputs[0, 0], self.width)
        return result


cdef class ShortMatrix(Matrix):
    """A matrix of 16-bit integers, each column with a unit of its own, for inputs that are known to be small.

    A processor multiplies twice as many of them at a time. Inputs are rounded to 1 / 8192 of the bound; integers of a
    column are as large as they can be without their products with such inputs leaving 32 bits.

    Parameters
    ----------
    weights : numpy.ndarray
        Depth x width, at most 512 rows.
    bias : numpy.ndarray, optional
        One number a column.
    bound : float
        The largest input, of either sign; what is beyond it counts as that.
    """

    cdef readonly float bound
    cdef const int16_t[::1] shorts
    cdef const float[::1] units

    def __init__(self, weights, bias=None, bound=1.0):
        depth, width = weights.shape
        if depth > SHORT_DEPTH or not bound > 0:
            raise ValueError(f"16-bit products have a depth of at most {SHORT_DEPTH} and a bound above 0")
        super().__init__(weights, bias)
        exact = np.pad(np.asarray(weights, np.float64), ((0, depth % 2), (0, -width % PANEL)))
        magnitudes = np.abs(exact)
        # Half a unit a row is what rounding can add to a sum.
        room = 2.0**31 / SHORT_LIMIT - depth
        with np.errstate(divide="ignore"):
            steps = np.minimum(32767 / magnitudes.max(axis=0, initial=0), room / magnitudes.sum(axis=0))
        steps[~np.isfinite(steps)] = 1
        pairs = np.rint(exact * steps).astype(np.int16).reshape((depth + 1) // 2, 2, -1, PANEL)
        self.shorts = np.ascontiguousarray(pairs.transpose(2, 0, 3, 1)).reshape(-1)
        self.units = (bound / SHORT_LIMIT / steps).astype(np.float32)
        self.bound = bound

    def __reduce__(self):
        return ShortMatrix, (*super().__reduce__()[1], self.bound)

    cdef void apply(self, const float* inputs, ptrdiff_t input_stride, ptrdiff_t rows, float* outputs,
                    ptrdiff_t stride) noexcept nogil:
        multiply_short(inputs, input_stride, SHORT_LIMIT / self.bound, &self.shorts[0], &self.units[0], &self.bias[0],
                       rows, self.depth, self.width, outputs, stride)


cdef int _check_captions(const int32_t[::1] offsets, Py_ssize_t tokens) except -1:
    """Refuse offsets that lead beyond the tokens, or backwards."""
    cdef Py_ssize_t caption
    cdef bint good = offsets.shape[0] > 0 and offsets[0] >= 0 and offsets[offsets.shape[0] - 1] <= tokens
    for caption in range(offsets.shape[0] - 1):
        good = good and offsets[caption] <= offsets[caption + 1]
    if not good:
        raise ValueError(f"the offsets of captions must lie between 0 and {tokens} and never fall")
    return 0


def run_lstm(
    Matrix recurrent,
    const float[:, ::1] inputs,
    const int32_t[::1] rows,
    const int32_t[::1] offsets,
    int input_column,
    bint backward,
    float[:, ::1] outputs,
    int output_column,
):
    """Run one direction of a layer over captions, the longest first.

    Token ``i`` finds its gates (input, forget, candidate, output) in ``inputs[rows[i], input_column:]``, and its state
    goes to ``outputs[i, output_column:]``. Caption ``c`` owns the tokens ``offsets[c]:offsets[c + 1]``.
    """
    cdef int size = recurrent.depth, gates = recurrent.width, place, token
    cdef Py_ssize_t captions = offsets.shape[0] - 1, active = captions, caption
    _check_captions(offsets, rows.shape[0])
    if gates != 4 * size or input_column + gates > inputs.shape[1] or output_column + size > outputs.shape[1]:
        raise ValueError("a state has four gates of its own size, and inputs and outputs must hold them")
    if outputs.shape[0] != rows.shape[0] or not 0 <= np.min(rows, initial=0) <= np.max(rows, initial=0) < max(
            inputs.shape[0], 1):
        raise ValueError("every token has a row of the inputs and one of the outputs")
    if captions == 0:
        return
    cdef float* memory = <float*>malloc(<size_t>captions * (2 * size + gates) * sizeof(float))
    if memory == NULL:
        raise MemoryError
    cdef float* states = memory + <size_t>captions * size
    cdef float* products = states + <size_t>captions * size
    with nogil:
        memset(memory, 0, <size_t>captions * (2 * size + gates) * sizeof(float))
        for place in range(offsets[1] - offsets[0]):
            while offsets[active] - offsets[active - 1] <= place:
                active -= 1
            if place > 0:
                recurrent.apply(states, size, active, products, gates)
            for caption in range(active):
                token = offsets[caption + 1] - 1 - place if backward else offsets[caption] + place
                update_cell(
                    products + <size_t>caption * gates,
                    &inputs[rows[token], input_column],
                    memory + <size_t>caption * size,
                    states + <size_t>caption * size,
                    &outputs[token, output_column],
                    size,
                )
    free(memory)


def gelu(float[:, ::1] states):
    """Replace each number by itself times the probability that a normal number is below it; return the array."""
    cdef ptrdiff_t count = <ptrdiff_t>states.shape[0] * states.shape[1]
    if count:
        with nogil:
            gelu_each(&states[0, 0], count)
    return np.asarray(states)


def largest_rows(const float[:, ::1] states, const int32_t[::1] offsets):
    """Return the largest value of each column over the rows ``offsets[c]:offsets[c + 1]``, of which there is one."""
    cdef Py_ssize_t captions = offsets.shape[0] - 1, caption, row
    cdef int size = <int>states.shape[1]
    _check_captions(offsets, states.shape[0])
    if captions and np.min(np.diff(offsets)) == 0:
        raise ValueError("a caption without a row has no largest value")
    result = np.empty((captions, size), np.float32)
    cdef float[:, ::1] outputs = result
    with nogil:
        for caption in range(captions):
            memcpy(&outputs[caption, 0], &states[offsets[caption], 0], <size_t>size * sizeof(float))
            for row in range(offsets[caption] + 1, offsets[caption + 1]):
                keep_larger(&states[row, 0], &outputs[caption, 0], size)
    return result


def add_normalized(float[:, ::1] states, const float[:, ::1] added, const float[::1] scale, const float[::1] shift,
                   float epsilon):
    """Add rows, give each row the mean 0 and the variance 1, scale and shift its columns, all in place."""
    cdef Py_ssize_t row
    cdef int size = <int>states.shape[1]
    if added.shape[0] != states.shape[0] or added.shape[1] != size or not scale.shape[0] == shift.shape[0] == size:
        raise ValueError(f"rows of {size} numbers are needed, as many as there are, and a scale and a shift for each")
    if size:
        with nogil:
            for row in range(states.shape[0]):
                normalize(&states[row, 0], &added[row, 0], &scale[0], &shift[0], size, epsilon)


def attention(const float[:, ::1] queries, const int32_t[::1] query_offsets, const float[:, ::1] keys_values,
              const int32_t[::1] offsets, int heads):
    """Return for each query the values of its caption, weighted by how its keys answer the query, head by head.

    Caption ``c`` owns the queries ``query_offsets[c]:query_offsets[c + 1]`` and the rows ``offsets[c]:offsets[c + 1]`` of
    keys and, beside them, values.
    """
    cdef Py_ssize_t caption, captions = offsets.shape[0] - 1, query
    cdef int width = <int>queries.shape[1], size = width // max(heads, 1), head, count, longest = 1
    _check_captions(query_offsets, queries.shape[0])
    _check_captions(offsets, keys_values.shape[0])
    if heads < 1 or size * heads != width or keys_values.shape[1] != 2 * width or query_offsets.shape[0] != captions + 1:
        raise ValueError("queries are cut into heads, and each caption has its own, and keys and values as wide as they")
    result = np.zeros((queries.shape[0], width), np.float32)
    if width == 0:
        return result
    for caption in range(captions):
        longest = max(longest, offsets[caption + 1] - offsets[caption])
    cdef float[:, ::1] outputs = result
    cdef float* scores = <float*>malloc(<size_t>longest * sizeof(float))
    if scores == NULL:
        raise MemoryError
    with nogil:
        for caption in range(captions):
            count = offsets[caption + 1] - offsets[caption]
            for query in range(query_offsets[caption], query_offsets[caption + 1] if count else 0):
                for head in range(heads):
                    attend(&queries[query, head * size], &keys_values[offsets[caption], head * size],
                           &keys_values[offsets[caption], width + head * size], 2 * width, count, size, scores,
                           &outputs[query, head * size])
    free(scores)
    return result
