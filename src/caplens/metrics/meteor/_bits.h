/* Bits of 64-bit numbers, as every compiler has them under another name. */

#ifndef CAPLENS_BITS_H
#define CAPLENS_BITS_H

#include <stdint.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

/* The place of the lowest bit that is set; there must be one. */
static inline int caplens_lowest_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#elif defined(_MSC_VER) && defined(_M_X64)
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (int)place;
#else
    int place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
#endif
}

#endif
