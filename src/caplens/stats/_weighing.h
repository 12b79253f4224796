/* Weighted sums of rows of eight numbers, for two sets of weights at a time.

   Every sum is exact (see caplens.stats.sums), so it does not matter in which order terms are added or whether products
   are rounded: processors that multiply and add four numbers in one step may do so. */

#ifndef CAPLENS_WEIGHING_H
#define CAPLENS_WEIGHING_H

#include <stddef.h>

#if defined(__GNUC__) || defined(__clang__)
typedef double caplens_two __attribute__((vector_size(16), aligned(8), may_alias));

static void caplens_add_by_twos(const double *even, const double *odd, const double *rows, ptrdiff_t count,
                                double *even_sums, double *odd_sums) {
    const caplens_two *row = (const caplens_two *)rows;
    caplens_two *x = (caplens_two *)even_sums, *y = (caplens_two *)odd_sums;
    caplens_two a = x[0], b = x[1], c = x[2], d = x[3], e = y[0], f = y[1], g = y[2], h = y[3];
    for (ptrdiff_t place = 0; place < count; place++, row += 4) {
        const caplens_two first = {even[place], even[place]}, second = {odd[place], odd[place]};
        a += row[0] * first, b += row[1] * first, c += row[2] * first, d += row[3] * first;
        e += row[0] * second, f += row[1] * second, g += row[2] * second, h += row[3] * second;
    }
    x[0] = a, x[1] = b, x[2] = c, x[3] = d, y[0] = e, y[1] = f, y[2] = g, y[3] = h;
}
#else
static void caplens_add_by_twos(const double *even, const double *odd, const double *rows, ptrdiff_t count,
                                double *even_sums, double *odd_sums) {
    for (ptrdiff_t place = 0; place < count; place++, rows += 8)
        for (int column = 0; column < 8; column++) {
            even_sums[column] += rows[column] * even[place];
            odd_sums[column] += rows[column] * odd[place];
        }
}
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
typedef double caplens_four __attribute__((vector_size(32), aligned(8), may_alias));

__attribute__((target("avx2,fma")))
static void caplens_add_by_fours(const double *even, const double *odd, const double *rows, ptrdiff_t count,
                                 double *even_sums, double *odd_sums) {
    const caplens_four *row = (const caplens_four *)rows;
    caplens_four *x = (caplens_four *)even_sums, *y = (caplens_four *)odd_sums;
    caplens_four a = x[0], b = x[1], c = y[0], d = y[1];
    for (ptrdiff_t place = 0; place < count; place++, row += 2) {
        a += row[0] * even[place], b += row[1] * even[place];
        c += row[0] * odd[place], d += row[1] * odd[place];
    }
    x[0] = a, x[1] = b, y[0] = c, y[1] = d;
}

static inline void caplens_add_weighted(const double *even, const double *odd, const double *rows, ptrdiff_t count,
                                        double *even_sums, double *odd_sums) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        caplens_add_by_fours(even, odd, rows, count, even_sums, odd_sums);
    else
        caplens_add_by_twos(even, odd, rows, count, even_sums, odd_sums);
}
#else
#define caplens_add_weighted caplens_add_by_twos
#endif

#endif
