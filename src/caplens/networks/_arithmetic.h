/* Arithmetic of small networks: products with packed matrices, in single precision or in 16-bit integers, the cell of an
   LSTM, attention, dot products, maxima.

   On x86 the loops are compiled several times, and the processor at hand decides which are used. */

#ifndef CAPLENS_ARITHMETIC_H
#define CAPLENS_ARITHMETIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#define PANEL 16 /* columns of a matrix that are stored together */
#define TILE 6   /* rows of inputs that share one pass over a panel: with AVX2 all sums stay in registers */

#define SHORT_LIMIT 8192.0f /* largest input of a product of 16-bit integers */
#define SHORT_ROWS 48       /* inputs that are shortened together, on the stack: */
#define SHORT_DEPTH 512     /* numbers each, at the most */

#if defined(_MSC_VER)
#define restrict __restrict
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-trapping-math") /* else comparisons keep loops from using wide registers */
#endif

/* Two neighbours as one number. */
static inline int32_t pair_at(const int16_t *from) {
    int32_t pair;
    memcpy(&pair, from, sizeof pair);
    return pair;
}

#define NAMED(name) name##_plain
#define TARGET
#include "_kernels.h"
#define NAMED(name) name##_plain
#define TARGET
#include "_integers.h"

#if defined(__x86_64__) && defined(__GNUC__)
typedef float wide __attribute__((vector_size(32), aligned(4), may_alias));
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDE
#include "_kernels.h"
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDE
#include "_integers.h"
#define NAMED(name) name##_vnni
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512vl,avx512vnni")))
#define WIDE
#define FUSED
#include "_integers.h"
#define CHOOSE(name) (has_avx2 ? name##_avx2 : name##_plain)
#define CHOOSE_INTEGERS(name) (has_vnni ? name##_vnni : CHOOSE(name))
static int has_avx2, has_vnni;
/* At most AVX2 for a level of 1, plain loops for 0. */
static void look_at_processor(int level) {
    __builtin_cpu_init();
    has_avx2 = level > 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    has_vnni = level > 1 && has_avx2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}
#else
#define CHOOSE(name) name##_plain
#define CHOOSE_INTEGERS(name) name##_plain
static void look_at_processor(int level) { (void)level; }
#endif

static void multiply(const float *inputs, ptrdiff_t input_stride, const float *panels, const float *bias, ptrdiff_t rows,
                     int depth, int width, float *outputs, ptrdiff_t output_stride) {
    CHOOSE(multiply)(inputs, input_stride, panels, bias, rows, depth, width, outputs, output_stride);
}

static void multiply_short(const float *inputs, ptrdiff_t input_stride, float scale, const int16_t *panels,
                           const float *units, const float *bias, ptrdiff_t rows, int depth, int width, float *outputs,
                           ptrdiff_t output_stride) {
    CHOOSE_INTEGERS(multiply_short)
    (inputs, input_stride, scale, panels, units, bias, rows, depth, width, outputs, output_stride);
}

static void update_cell(const float *recurrent, const float *inputs, float *memory, float *state, float *output,
                        int size) {
    CHOOSE(update_cell)(recurrent, inputs, memory, state, output, size);
}

static void gelu_each(float *values, ptrdiff_t count) { CHOOSE(gelu_each)(values, count); }

static void keep_larger(const float *values, float *largest, int size) { CHOOSE(keep_larger)(values, largest, size); }

static void normalize(float *values, const float *added, const float *scale, const float *shift, int size,
                      float epsilon) {
    CHOOSE(normalize)(values, added, scale, shift, size, epsilon);
}

static void attend(const float *vector, const float *keys, const float *values, ptrdiff_t stride, int count, int size,
                   float *scores, float *output) {
    CHOOSE(attend)(vector, keys, values, stride, count, size, scores, output);
}

static void dot_each(const float *vector, const float *rows, ptrdiff_t stride, int count, int size, float *scores) {
    CHOOSE(dot_each)(vector, rows, stride, count, size, scores);
}

static void add_scaled(const float *values, float factor, float *sums, int size) {
    CHOOSE(add_scaled)(values, factor, sums, size);
}

static void scale_each(float *values, float factor, int size) { CHOOSE(scale_each)(values, factor, size); }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
