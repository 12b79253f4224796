/* Keyed hashes for tables of words and of pairs of ids: whoever writes captions cannot choose words that all fall into
   one place, since the key is drawn anew by each process. Values must never leave the process.

   The halves of a 128-bit product are added without carry; each word of the key meets the text before a product. */

#ifndef CAPLENS_HASHING_H
#define CAPLENS_HASHING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

static inline uint64_t caplens_fold(uint64_t left, uint64_t right) {
#if defined(__SIZEOF_INT128__)
    const unsigned __int128 product = (unsigned __int128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    const uint64_t low = _umul128(left, right, &high);
    return low ^ high;
#else
    const uint64_t a = left >> 32, b = left & 0xFFFFFFFFu, c = right >> 32, d = right & 0xFFFFFFFFu;
    const uint64_t middle = a * d + (b * d >> 32), other = b * c + (middle & 0xFFFFFFFFu);
    return (left * right) ^ (a * c + (middle >> 32) + (other >> 32));
#endif
}

static inline uint64_t caplens_eight(const unsigned char *text) {
    uint64_t value;
    memcpy(&value, text, 8);
    return value;
}

static inline uint64_t caplens_four(const unsigned char *text) {
    uint32_t value;
    memcpy(&value, text, 4);
    return value;
}

/* The last part of a text, at most 16 bytes, is read as two numbers that may overlap. */
static inline uint64_t caplens_hash_bytes(const char *key, ptrdiff_t length, const uint64_t *secret) {
    const unsigned char *text = (const unsigned char *)key;
    uint64_t value = secret[0] ^ (uint64_t)length, first = 0, last = 0;
    for (; length > 16; text += 16, length -= 16)
        value = caplens_fold(caplens_eight(text) ^ secret[1], caplens_eight(text + 8) ^ value);
    if (length >= 8) {
        first = caplens_eight(text);
        last = caplens_eight(text + length - 8);
    } else if (length >= 4) {
        first = caplens_four(text);
        last = caplens_four(text + length - 4);
    } else if (length > 0) {
        first = (uint64_t)text[0] << 16 | (uint64_t)text[length >> 1] << 8 | text[length - 1];
    }
    return caplens_fold(caplens_fold(first ^ secret[1], last ^ value), secret[2]);
}

static inline uint64_t caplens_hash_pair(uint64_t key, const uint64_t *secret) {
    return caplens_fold(key ^ secret[0], secret[3]);
}

#endif
