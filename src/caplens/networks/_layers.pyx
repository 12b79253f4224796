# cython: language_level=3
"""The inner loops of small networks: packed matrices, layers of an LSTM, dot products."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from "_arithmetic.h" nogil:
    enum: PANEL
    void look_at_processor()
    void multiply(const float*, long, const float*, const float*, int, int, int, float*, long)
    void update_cell(const float*, const float*, float*, float*, float*, int)
    void keep_larger(const float*, float*, int)
    void dot_each(const float*, const float*, long, int, int, float*)

look_at_processor()


cdef void dot_rows(
    const float* vector, const float* rows, long stride, int count, int size, float* products
) noexcept nogil:
    dot_each(vector, rows, stride, count, size, products)


cdef class Matrix:
    """A matrix (depth x width) and a bias, stored as the products read them."""

    cdef readonly int depth
    cdef readonly int width
    cdef const float[::1] panels
    cdef const float[::1] bias

    def __init__(self, weights, bias=None):
        depth, width = weights.shape
        padding = -width % PANEL
        padded = np.pad(np.asarray(weights, np.float32), ((0, 0), (0, padding)))
        by_panel = padded.reshape(depth, -1, PANEL).transpose(1, 0, 2)
        self.panels = np.ascontiguousarray(by_panel).reshape(-1)
        self.bias = np.pad(np.zeros(width, np.float32) if bias is None else bias.astype(np.float32), (0, padding))
        self.depth, self.width = depth, width

    cdef void apply(self, const float* inputs, long input_stride, int rows, float* outputs, long stride) noexcept nogil:
        multiply(inputs, input_stride, &self.panels[0], &self.bias[0], rows, self.depth, self.width, outputs, stride)

    def __call__(self, const float[:, :] inputs):
        """Return ``inputs @ weights + bias``; the rows of the inputs may lie apart."""
        if inputs.shape[1] != self.depth or inputs.strides[1] != sizeof(float):
            raise ValueError(f"rows of {self.depth} neighbouring numbers are needed")
        result = np.empty((inputs.shape[0], self.width), np.float32)
        cdef float[:, ::1] outputs = result
        cdef int rows = inputs.shape[0]
        if rows:
            with nogil:
                self.apply(&inputs[0, 0], inputs.strides[0] // <long>sizeof(float), rows, &outputs[0, 0], self.width)
        return result


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
    cdef int size = recurrent.depth, gates = recurrent.width, captions = offsets.shape[0] - 1
    cdef int active = captions, place, token, caption
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


def largest_rows(const float[:, ::1] states, const int32_t[::1] offsets):
    """Return the largest value of each column over the rows ``offsets[c]:offsets[c + 1]``, of which there is one."""
    cdef int captions = offsets.shape[0] - 1, size = states.shape[1], caption, row
    result = np.empty((captions, size), np.float32)
    cdef float[:, ::1] outputs = result
    with nogil:
        for caption in range(captions):
            memcpy(&outputs[caption, 0], &states[offsets[caption], 0], size * sizeof(float))
            for row in range(offsets[caption] + 1, offsets[caption + 1]):
                keep_larger(&states[row, 0], &outputs[caption, 0], size)
    return result
