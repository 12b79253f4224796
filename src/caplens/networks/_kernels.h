/* The loops of _arithmetic.h, compiled once for each kind of processor: NAMED gives the functions their names, TARGET
   their instructions, and WIDE says that eight numbers fit a register and that there is a fused multiplication.

   Every row of a product is computed alone and in one order, so a caption gets the same scores whatever captions stand
   beside it in a batch. A general BLAS does not promise that, and brings threads of its own. */

#ifdef WIDE

#define LOAD(from) (*(const wide *)(from))
#define STORE(to, value) (*(wide *)(to) = (value))

/* sums = start + inputs . panel for one row of inputs, PANEL columns. */
TARGET static inline void NAMED(multiply_row)(const float *inputs, const float *panel, const float *start, int depth,
                                              float *sums) {
    wide left = LOAD(start), right = LOAD(start + 8);
    for (int k = 0; k < depth; k++) {
        left += inputs[k] * LOAD(panel + k * PANEL);
        right += inputs[k] * LOAD(panel + k * PANEL + 8);
    }
    STORE(sums, left);
    STORE(sums + 8, right);
}

/* The same for TILE rows at once, each in the same order as alone. The sums have names, since compilers keep arrays of
   vectors in memory. */
TARGET static inline void NAMED(multiply_tile)(const float *inputs, ptrdiff_t stride, const float *panel,
                                               const float *start, int depth, float *sums) {
    const float *second = inputs + stride, *third = second + stride, *fourth = third + stride;
    const float *fifth = fourth + stride, *sixth = fifth + stride;
    wide a = LOAD(start), b = a, c = a, d = a, e = a, f = a;
    wide u = LOAD(start + 8), v = u, w = u, x = u, y = u, z = u;
    for (int k = 0; k < depth; k++) {
        const wide left = LOAD(panel + k * PANEL), right = LOAD(panel + k * PANEL + 8);
        a += inputs[k] * left, u += inputs[k] * right;
        b += second[k] * left, v += second[k] * right;
        c += third[k] * left, w += third[k] * right;
        d += fourth[k] * left, x += fourth[k] * right;
        e += fifth[k] * left, y += fifth[k] * right;
        f += sixth[k] * left, z += sixth[k] * right;
    }
    STORE(sums, a), STORE(sums + 8, u);
    STORE(sums + PANEL, b), STORE(sums + PANEL + 8, v);
    STORE(sums + 2 * PANEL, c), STORE(sums + 2 * PANEL + 8, w);
    STORE(sums + 3 * PANEL, d), STORE(sums + 3 * PANEL + 8, x);
    STORE(sums + 4 * PANEL, e), STORE(sums + 4 * PANEL + 8, y);
    STORE(sums + 5 * PANEL, f), STORE(sums + 5 * PANEL + 8, z);
}

#else

TARGET static inline void NAMED(multiply_row)(const float *restrict inputs, const float *restrict panel,
                                              const float *restrict start, int depth, float *restrict sums) {
    memcpy(sums, start, PANEL * sizeof(float));
    for (int k = 0; k < depth; k++)
        for (int column = 0; column < PANEL; column++) sums[column] += inputs[k] * panel[k * PANEL + column];
}

TARGET static inline void NAMED(multiply_tile)(const float *inputs, ptrdiff_t stride, const float *panel,
                                               const float *start, int depth, float *sums) {
    for (int row = 0; row < TILE; row++)
        NAMED(multiply_row)(inputs + row * stride, panel, start, depth, sums + row * PANEL);
}

#endif

/* outputs (rows x width) = bias + inputs (rows x depth) . matrix, whose panels follow each other; the last is padded,
   and so is the bias. Strides count floats. */
TARGET static void NAMED(multiply)(const float *inputs, ptrdiff_t input_stride, const float *panels, const float *bias,
                                   ptrdiff_t rows, int depth, int width, float *outputs, ptrdiff_t output_stride) {
    float sums[TILE * PANEL];
    for (int column = 0; column < width; column += PANEL) {
        const float *panel = panels + (ptrdiff_t)column * depth;
        const int used = width - column < PANEL ? width - column : PANEL;
        for (ptrdiff_t first = 0; first < rows; first += TILE) {
            const int tile = rows - first < TILE ? (int)(rows - first) : TILE;
            const float *from = inputs + first * input_stride;
            if (tile == TILE)
                NAMED(multiply_tile)(from, input_stride, panel, bias + column, depth, sums);
            else
                for (int row = 0; row < tile; row++)
                    NAMED(multiply_row)(from + row * input_stride, panel, bias + column, depth, sums + row * PANEL);
            for (int row = 0; row < tile; row++)
                memcpy(outputs + (first + row) * output_stride + column, sums + row * PANEL, used * sizeof(float));
        }
    }
}

/* A rational function that is within a few units in the last place of tanh; the C library's is many times slower. */
TARGET static inline float NAMED(tanh_of)(float x) {
    x = x > 9.0f ? 9.0f : (x < -9.0f ? -9.0f : x);
    const float square = x * x;
    float above = -2.76076847742355e-16f;
    above = above * square + 2.00018790482477e-13f;
    above = above * square + -8.60467152213735e-11f;
    above = above * square + 5.12229709037114e-08f;
    above = above * square + 1.48572235717979e-05f;
    above = above * square + 6.37261928875436e-04f;
    above = above * square + 4.89352455891786e-03f;
    float below = 1.19825839466702e-06f;
    below = below * square + 1.18534705686654e-04f;
    below = below * square + 2.26843463243900e-03f;
    below = below * square + 4.89352518554385e-03f;
    return x * above / below;
}

TARGET static inline float NAMED(sigmoid_of)(float x) { return 0.5f + 0.5f * NAMED(tanh_of)(0.5f * x); }

/* erf as a rational function of its square, fitted by least squares on 0 to 4: within 4e-7, beyond 4 it is 1. */
TARGET static inline float NAMED(erf_of)(float x) {
    x = x > 4.0f ? 4.0f : (x < -4.0f ? -4.0f : x);
    const float square = x * x;
    float above = 1.91312599e-08f;
    above = above * square + -1.97343082e-06f;
    above = above * square + 1.53169788e-04f;
    above = above * square + 4.21289808e-03f;
    above = above * square + 5.22010520e-02f;
    above = above * square + 2.12186510e-01f;
    above = above * square + 1.12837884e+00f;
    float below = 1.07699637e-03f;
    below = below * square + 1.53975742e-02f;
    below = below * square + 1.20071118e-01f;
    below = below * square + 5.21374357e-01f;
    below = below * square + 1.0f;
    const float found = x * above / below;
    return found > 1.0f ? 1.0f : (found < -1.0f ? -1.0f : found);
}

/* values = values * (the probability that a normal number is below them), in place. */
TARGET static void NAMED(gelu_each)(float *values, ptrdiff_t count) {
    for (ptrdiff_t k = 0; k < count; k++) values[k] *= 0.5f + 0.5f * NAMED(erf_of)(values[k] * 0.70710678f);
}

/* One step of an LSTM: gates (input, forget, candidate, output) = recurrent + inputs, `size` numbers each. */
TARGET static void NAMED(update_cell)(const float *restrict recurrent, const float *restrict inputs,
                                      float *restrict memory, float *restrict state, float *restrict output, int size) {
    for (int k = 0; k < size; k++) {
        const float kept = NAMED(sigmoid_of)(recurrent[size + k] + inputs[size + k]) * memory[k];
        const float candidate = NAMED(tanh_of)(recurrent[2 * size + k] + inputs[2 * size + k]);
        const float now = kept + NAMED(sigmoid_of)(recurrent[k] + inputs[k]) * candidate;
        const float shown = NAMED(sigmoid_of)(recurrent[3 * size + k] + inputs[3 * size + k]) * NAMED(tanh_of)(now);
        memory[k] = now;
        state[k] = shown;
        output[k] = shown;
    }
}

/* largest = the larger of itself and values, number by number. */
TARGET static void NAMED(keep_larger)(const float *restrict values, float *restrict largest, int size) {
    for (int k = 0; k < size; k++) largest[k] = values[k] > largest[k] ? values[k] : largest[k];
}

/* scores[row] = vector . rows[row], eight sums at a time in a fixed order. */
#ifdef WIDE

TARGET static inline float NAMED(sum_of)(wide sums) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* Four rows at once: a sum that waits for itself leaves a processor idle. */
TARGET static void NAMED(dot_each)(const float *restrict vector, const float *restrict rows, ptrdiff_t stride, int count,
                                   int size, float *restrict scores) {
    int row = 0;
    for (; row + 4 <= count; row += 4) {
        const float *one = rows + row * stride, *two = one + stride, *three = two + stride, *four = three + stride;
        wide a = {0}, b = {0}, c = {0}, d = {0};
        int k = 0;
        for (; k + 8 <= size; k += 8) {
            const wide ours = LOAD(vector + k);
            a += ours * LOAD(one + k), b += ours * LOAD(two + k), c += ours * LOAD(three + k), d += ours * LOAD(four + k);
        }
        for (; k < size; k++)
            a[0] += vector[k] * one[k], b[0] += vector[k] * two[k], c[0] += vector[k] * three[k],
                d[0] += vector[k] * four[k];
        scores[row] = NAMED(sum_of)(a), scores[row + 1] = NAMED(sum_of)(b);
        scores[row + 2] = NAMED(sum_of)(c), scores[row + 3] = NAMED(sum_of)(d);
    }
    for (; row < count; row++) {
        const float *other = rows + row * stride;
        wide sums = {0};
        int k = 0;
        for (; k + 8 <= size; k += 8) sums += LOAD(vector + k) * LOAD(other + k);
        for (; k < size; k++) sums[0] += vector[k] * other[k];
        scores[row] = NAMED(sum_of)(sums);
    }
}

#else

TARGET static void NAMED(dot_each)(const float *restrict vector, const float *restrict rows, ptrdiff_t stride, int count,
                                   int size, float *restrict scores) {
    for (int row = 0; row < count; row++) {
        const float *restrict other = rows + row * stride;
        float sums[8] = {0};
        int k = 0;
        for (; k + 8 <= size; k += 8)
            for (int lane = 0; lane < 8; lane++) sums[lane] += vector[k + lane] * other[k + lane];
        for (; k < size; k++) sums[0] += vector[k] * other[k];
        scores[row] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}

#endif

/* sums = sums + factor * values, number by number. */
TARGET static void NAMED(add_scaled)(const float *restrict values, float factor, float *restrict sums, int size) {
    for (int k = 0; k < size; k++) sums[k] += factor * values[k];
}

/* values = values * factor, number by number. */
TARGET static void NAMED(scale_each)(float *values, float factor, int size) {
    for (int k = 0; k < size; k++) values[k] *= factor;
}

/* The sum of numbers, or of their squares, eight sums at a time in a fixed order. */
TARGET static inline float NAMED(total_of)(const float *restrict values, int size, int squared) {
    float sums[8] = {0};
    int k = 0;
    for (; k + 8 <= size; k += 8)
        for (int lane = 0; lane < 8; lane++) sums[lane] += squared ? values[k + lane] * values[k + lane] : values[k + lane];
    for (; k < size; k++) sums[0] += squared ? values[k] * values[k] : values[k];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* values = (values + added, with mean 0 and variance 1) * scale + shift, in place. */
TARGET static void NAMED(normalize)(float *restrict values, const float *restrict added, const float *restrict scale,
                                    const float *restrict shift, int size, float epsilon) {
    for (int k = 0; k < size; k++) values[k] += added[k];
    const float mean = NAMED(total_of)(values, size, 0) / (float)size;
    for (int k = 0; k < size; k++) values[k] -= mean;
    const float factor = 1.0f / sqrtf(NAMED(total_of)(values, size, 1) / (float)size + epsilon);
    for (int k = 0; k < size; k++) values[k] = values[k] * factor * scale[k] + shift[k];
}

/* output = the mean of `count` rows of values, weighted by the softmax of vector . keys / sqrt(size); for one head. */
TARGET static void NAMED(attend)(const float *restrict vector, const float *restrict keys, const float *restrict values,
                                 ptrdiff_t stride, int count, int size, float *restrict scores, float *restrict output) {
    const float factor = 1.0f / sqrtf((float)size);
    float largest = -INFINITY, total = 0.0f;
    NAMED(dot_each)(vector, keys, stride, count, size, scores);
    NAMED(scale_each)(scores, factor, count);
    for (int row = 0; row < count; row++) largest = scores[row] > largest ? scores[row] : largest;
    for (int row = 0; row < count; row++) {
        scores[row] = expf(scores[row] - largest);
        total += scores[row];
    }
    memset(output, 0, (size_t)size * sizeof(float));
    for (int row = 0; row < count; row++) NAMED(add_scaled)(values + row * stride, scores[row] / total, output, size);
}

#undef LOAD
#undef STORE
#undef NAMED
#undef TARGET
#undef WIDE
