/* How often units are drawn in two bootstrap samples, four units at a time on processors with AVX2.

   The numbers are those of `_resampling.pyx`, which does the rest, and all of them on other processors. */

#ifndef CAPLENS_DRAWING_H
#define CAPLENS_DRAWING_H

#include <stddef.h>
#include <stdint.h>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

#define CAPLENS_LIMITS 12
#define CAPLENS_USUAL_LIMITS 7 /* one of eight numbers is beyond the last of these once in 1,500 times */

typedef uint64_t caplens_four_words __attribute__((vector_size(32), aligned(8), may_alias));
typedef int32_t caplens_eight_halves __attribute__((vector_size(32)));
typedef double caplens_four_weights __attribute__((vector_size(32), aligned(8), may_alias));

/* Put numbers below 2**32 behind the exponent of 2**52, whose last digits they become: the shortest way to doubles. */
#define CAPLENS_AS_DOUBLES(numbers) ((caplens_four_weights)((numbers) | 0x4330000000000000ULL) - 0x1p52)

__attribute__((target("avx2")))
static ptrdiff_t caplens_draw_by_fours(const uint64_t *keys, ptrdiff_t count, uint64_t word, const uint32_t *limits,
                                       double *even, double *odd) {
    /* Signed numbers can be compared at once; turning the first bit keeps the order. At or above is above one less. */
    caplens_eight_halves below[CAPLENS_LIMITS];
    for (int limit = 0; limit < CAPLENS_LIMITS; limit++)
        below[limit] = (caplens_eight_halves){0} + (int32_t)((limits[limit] - 1) ^ 0x80000000U);
    ptrdiff_t place = 0;
    for (; place + 4 <= count; place += 4) {
        caplens_four_words mixed = *(const caplens_four_words *)(keys + place) + word;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        mixed ^= mixed >> 31;
        const caplens_eight_halves bits = (caplens_eight_halves)(mixed ^ 0x8000000080000000ULL);
        caplens_eight_halves drawn = {0};
#pragma GCC unroll 7
        for (int limit = 0; limit < CAPLENS_USUAL_LIMITS; limit++)
            drawn -= bits > below[limit]; /* a comparison that holds is -1 */
        if (__builtin_expect(_mm256_movemask_epi8((__m256i)(bits > below[CAPLENS_USUAL_LIMITS - 1])), 0))
            for (int limit = CAPLENS_USUAL_LIMITS; limit < CAPLENS_LIMITS; limit++)
                drawn -= bits > below[limit];
        const caplens_four_words both = (caplens_four_words)drawn;
        *(caplens_four_weights *)(even + place) = CAPLENS_AS_DOUBLES(both & 0xFFFFFFFFULL);
        *(caplens_four_weights *)(odd + place) = CAPLENS_AS_DOUBLES(both >> 32);
    }
    return place;
}

/* Return how many units were done. */
static inline ptrdiff_t caplens_draw(const uint64_t *keys, ptrdiff_t count, uint64_t word, const uint32_t *limits,
                                     double *even, double *odd) {
    return __builtin_cpu_supports("avx2") ? caplens_draw_by_fours(keys, count, word, limits, even, odd) : 0;
}
#else
static inline ptrdiff_t caplens_draw(const uint64_t *keys, ptrdiff_t count, uint64_t word, const uint32_t *limits,
                                     double *even, double *odd) {
    return 0;
}
#endif

#endif
