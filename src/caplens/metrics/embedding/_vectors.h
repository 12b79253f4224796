/* Loops over word vectors: single precision in, sums in double precision.

   On x86 they are compiled twice, and the processor at hand decides which are used. Both add in the same order and
   neither fuses products with sums, so both give the same numbers. */

#ifndef CAPLENS_VECTORS_H
#define CAPLENS_VECTORS_H

#include <math.h>
#include <stddef.h>

#define LANES 16 /* running sums, which the processor can work on at once */

#if defined(_MSC_VER)
#define restrict __restrict
#endif

#define NAMED(name) name##_plain
#define TARGET
#include "_vector_loops.h"

#if defined(__x86_64__) && defined(__GNUC__)
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef double four_doubles __attribute__((vector_size(32), aligned(8), may_alias));
#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDE
#include "_vector_loops.h"
#define CHOOSE(name) (has_avx2 ? name##_avx2 : name##_plain)
static int has_avx2;
static void look_at_processor(void) {
    __builtin_cpu_init();
    has_avx2 = __builtin_cpu_supports("avx2") != 0;
}
#else
#define CHOOSE(name) name##_plain
static void look_at_processor(void) {}
#endif

/* mean = the mean of `count` vectors, of which there is at least one. */
static inline void mean_vector(const float *const *vectors, ptrdiff_t count, ptrdiff_t size, float *mean) {
    CHOOSE(mean_vector)(vectors, count, size, mean);
}

static inline double dot_product(const float *left, const float *right, ptrdiff_t size) {
    return CHOOSE(dot_product)(left, right, size);
}

static inline double distance_between(const float *left, const float *right, ptrdiff_t size) {
    return sqrt(CHOOSE(squared_distance)(left, right, size));
}

#endif
