/* The products of 16-bit integers of _arithmetic.h, compiled once for each kind of processor: NAMED gives the functions
   their names, TARGET their instructions, WIDE says that sixteen integers fit a register, and FUSED that they are
   multiplied and added at once.

   Processors multiply integers of 16 bits two at a time. Sums of products are exact in 32 bits, so they are the same
   everywhere. A panel has pairs of rows: two numbers of a column are neighbours. */

#ifdef WIDE

#define PAIR(from) _mm256_set1_epi32(pair_at(from))
#ifdef FUSED
#define ADD_PAIR(sum, pair, half) (sum = _mm256_dpwssd_epi32(sum, pair, half))
#else
#define ADD_PAIR(sum, pair, half) (sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pair, half)))
#endif
#define STORE_INTEGERS(to, value) _mm256_storeu_si256((__m256i *)(to), value)

TARGET static inline void NAMED(multiply_pairs_row)(const int16_t *inputs, const int16_t *panel, int pairs,
                                                    int32_t *sums) {
    __m256i left = _mm256_setzero_si256(), right = left;
    for (int k = 0; k < pairs; k++) {
        const __m256i pair = PAIR(inputs + 2 * k);
        ADD_PAIR(left, pair, _mm256_loadu_si256((const __m256i *)(panel + 2 * PANEL * k)));
        ADD_PAIR(right, pair, _mm256_loadu_si256((const __m256i *)(panel + 2 * PANEL * k + PANEL)));
    }
    STORE_INTEGERS(sums, left);
    STORE_INTEGERS(sums + 8, right);
}

TARGET static inline void NAMED(multiply_pairs_tile)(const int16_t *inputs, ptrdiff_t stride, const int16_t *panel,
                                                     int pairs, int32_t *sums) {
    const int16_t *second = inputs + stride, *third = second + stride, *fourth = third + stride;
    const int16_t *fifth = fourth + stride, *sixth = fifth + stride;
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a, e = a, f = a, u = a, v = a, w = a, x = a, y = a, z = a;
    for (int k = 0; k < pairs; k++) {
        const __m256i left = _mm256_loadu_si256((const __m256i *)(panel + 2 * PANEL * k));
        const __m256i right = _mm256_loadu_si256((const __m256i *)(panel + 2 * PANEL * k + PANEL));
        __m256i pair = PAIR(inputs + 2 * k);
        ADD_PAIR(a, pair, left), ADD_PAIR(u, pair, right);
        pair = PAIR(second + 2 * k);
        ADD_PAIR(b, pair, left), ADD_PAIR(v, pair, right);
        pair = PAIR(third + 2 * k);
        ADD_PAIR(c, pair, left), ADD_PAIR(w, pair, right);
        pair = PAIR(fourth + 2 * k);
        ADD_PAIR(d, pair, left), ADD_PAIR(x, pair, right);
        pair = PAIR(fifth + 2 * k);
        ADD_PAIR(e, pair, left), ADD_PAIR(y, pair, right);
        pair = PAIR(sixth + 2 * k);
        ADD_PAIR(f, pair, left), ADD_PAIR(z, pair, right);
    }
    STORE_INTEGERS(sums, a), STORE_INTEGERS(sums + 8, u);
    STORE_INTEGERS(sums + PANEL, b), STORE_INTEGERS(sums + PANEL + 8, v);
    STORE_INTEGERS(sums + 2 * PANEL, c), STORE_INTEGERS(sums + 2 * PANEL + 8, w);
    STORE_INTEGERS(sums + 3 * PANEL, d), STORE_INTEGERS(sums + 3 * PANEL + 8, x);
    STORE_INTEGERS(sums + 4 * PANEL, e), STORE_INTEGERS(sums + 4 * PANEL + 8, y);
    STORE_INTEGERS(sums + 5 * PANEL, f), STORE_INTEGERS(sums + 5 * PANEL + 8, z);
}

#undef PAIR
#undef ADD_PAIR
#undef STORE_INTEGERS

#else

TARGET static inline void NAMED(multiply_pairs_row)(const int16_t *restrict inputs, const int16_t *restrict panel,
                                                    int pairs, int32_t *restrict sums) {
    memset(sums, 0, PANEL * sizeof(int32_t));
    for (int k = 0; k < pairs; k++) {
        const int16_t *both = panel + 2 * PANEL * k;
        for (int column = 0; column < PANEL; column++)
            sums[column] += inputs[2 * k] * both[2 * column] + inputs[2 * k + 1] * both[2 * column + 1];
    }
}

TARGET static inline void NAMED(multiply_pairs_tile)(const int16_t *inputs, ptrdiff_t stride, const int16_t *panel,
                                                     int pairs, int32_t *sums) {
    for (int row = 0; row < TILE; row++)
        NAMED(multiply_pairs_row)(inputs + row * stride, panel, pairs, sums + row * PANEL);
}

#endif

/* integers = inputs * scale, rounded; what is beyond SHORT_LIMIT becomes that. */
TARGET static void NAMED(shorten)(const float *restrict inputs, int16_t *restrict integers, int count, float scale) {
    for (int k = 0; k < count; k++) {
        float value = inputs[k] * scale;
        value = value > SHORT_LIMIT ? SHORT_LIMIT : (value < -SHORT_LIMIT ? -SHORT_LIMIT : value);
        integers[k] = (int16_t)(int32_t)(value + (value < 0 ? -0.5f : 0.5f));
    }
}

/* outputs (rows x width) = bias + (shortened inputs . integers of the matrix) * units. */
TARGET static void NAMED(multiply_short)(const float *inputs, ptrdiff_t input_stride, float scale, const int16_t *panels,
                                         const float *units, const float *bias, ptrdiff_t rows, int depth, int width,
                                         float *outputs, ptrdiff_t output_stride) {
    int16_t integers[SHORT_ROWS * SHORT_DEPTH];
    int32_t sums[TILE * PANEL];
    const int pairs = (depth + 1) / 2;
    for (ptrdiff_t begin = 0; begin < rows; begin += SHORT_ROWS) {
        const int count = rows - begin < SHORT_ROWS ? (int)(rows - begin) : SHORT_ROWS;
        for (int row = 0; row < count; row++) {
            integers[row * SHORT_DEPTH + 2 * pairs - 1] = 0; /* where the depth is odd */
            NAMED(shorten)(inputs + (begin + row) * input_stride, integers + row * SHORT_DEPTH, depth, scale);
        }
        for (int column = 0; column < width; column += PANEL) {
            const int16_t *panel = panels + (ptrdiff_t)2 * pairs * column;
            const int used = width - column < PANEL ? width - column : PANEL;
            for (int first = 0; first < count; first += TILE) {
                const int tile = count - first < TILE ? count - first : TILE;
                const int16_t *from = integers + first * SHORT_DEPTH;
                if (tile == TILE)
                    NAMED(multiply_pairs_tile)(from, SHORT_DEPTH, panel, pairs, sums);
                else
                    for (int row = 0; row < tile; row++)
                        NAMED(multiply_pairs_row)(from + row * SHORT_DEPTH, panel, pairs, sums + row * PANEL);
                for (int row = 0; row < tile; row++) {
                    float found[PANEL];
                    for (int k = 0; k < PANEL; k++)
                        found[k] = bias[column + k] + (float)sums[row * PANEL + k] * units[column + k];
                    memcpy(outputs + (begin + first + row) * output_stride + column, found, used * sizeof(float));
                }
            }
        }
    }
}

#undef NAMED
#undef TARGET
#undef WIDE
#undef FUSED
