/* Weighted sums of rows of eight numbers, for several sets of weights at a time.

   Every sum is exact (see caplens.stats.sums), so it does not matter in which order terms are added or whether products
   are rounded: processors that multiply and add four numbers in one step may do so. A step waits for the one before it
   that added to the same numbers, so as many sets of weights are taken together as there are registers for. */

#ifndef CAPLENS_WEIGHING_H
#define CAPLENS_WEIGHING_H

#include <stddef.h>

#if defined(__GNUC__) || defined(__clang__)
typedef double caplens_four __attribute__((vector_size(32), aligned(8), may_alias));

/* `sets` is a constant wherever this is used, so that the sums are kept in registers. */
__attribute__((always_inline))
static inline void caplens_add_sets(const int sets, const double *weights, ptrdiff_t stride, const double *rows,
                                    ptrdiff_t count, double *sums) {
    const caplens_four *row = (const caplens_four *)rows;
    caplens_four *written = (caplens_four *)sums, low[4], high[4];
#pragma GCC unroll 4
    for (int set = 0; set < sets; set++)
        low[set] = written[2 * set], high[set] = written[2 * set + 1];
    for (ptrdiff_t place = 0; place < count; place++, row += 2) {
        const caplens_four left = row[0], right = row[1];
#pragma GCC unroll 4
        for (int set = 0; set < sets; set++) {
            const double weight = weights[set * stride + place];
            low[set] += left * weight, high[set] += right * weight;
        }
    }
#pragma GCC unroll 4
    for (int set = 0; set < sets; set++)
        written[2 * set] = low[set], written[2 * set + 1] = high[set];
}
#else
static void caplens_add_sets(const int sets, const double *weights, ptrdiff_t stride, const double *rows,
                             ptrdiff_t count, double *sums) {
    for (ptrdiff_t place = 0; place < count; place++, rows += 8)
        for (int set = 0; set < sets; set++)
            for (int column = 0; column < 8; column++)
                sums[8 * set + column] += rows[column] * weights[set * stride + place];
}
#endif

/* Add `count` rows to `sets` rows of sums; the weights of a set lie side by side, those of the next `stride` further. */
static void caplens_add_by_twos(const double *weights, ptrdiff_t stride, ptrdiff_t sets, const double *rows,
                                ptrdiff_t count, double *sums) {
    for (; sets >= 2; sets -= 2, weights += 2 * stride, sums += 16)
        caplens_add_sets(2, weights, stride, rows, count, sums);
    if (sets)
        caplens_add_sets(1, weights, stride, rows, count, sums);
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
__attribute__((target("avx2,fma")))
static void caplens_add_by_fours(const double *weights, ptrdiff_t stride, ptrdiff_t sets, const double *rows,
                                 ptrdiff_t count, double *sums) {
    for (; sets >= 4; sets -= 4, weights += 4 * stride, sums += 32)
        caplens_add_sets(4, weights, stride, rows, count, sums);
    for (; sets; sets--, weights += stride, sums += 8)
        caplens_add_sets(1, weights, stride, rows, count, sums);
}

static inline void caplens_add_weighted(const double *weights, ptrdiff_t stride, ptrdiff_t sets, const double *rows,
                                        ptrdiff_t count, double *sums) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        caplens_add_by_fours(weights, stride, sets, rows, count, sums);
    else
        caplens_add_by_twos(weights, stride, sets, rows, count, sums);
}
#else
#define caplens_add_weighted caplens_add_by_twos
#endif

#endif
