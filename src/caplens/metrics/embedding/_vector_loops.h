/* The loops of _vectors.h, compiled once for each kind of processor: NAMED gives the functions their names, TARGET their
   instructions, and WIDE says that four doubles fit a register. */

#ifdef WIDE
#define LOAD(from) __builtin_convertvector(*(const four_floats *)(from), four_doubles)
#define STORE(to, value) (*(four_doubles *)(to) = (value))
#endif

TARGET static void NAMED(mean_vector)(const float *const *vectors, ptrdiff_t count, ptrdiff_t size, float *mean) {
    const double scale = 1.0 / (double)count;
    ptrdiff_t place = 0;
    for (; place + LANES <= size; place += LANES) {
        double sums[LANES] = {0};
#ifdef WIDE
        four_doubles a = {0}, b = a, c = a, d = a;
        for (ptrdiff_t vector = 0; vector < count; vector++) {
            const float *from = vectors[vector] + place;
            a += LOAD(from), b += LOAD(from + 4), c += LOAD(from + 8), d += LOAD(from + 12);
        }
        STORE(sums, a), STORE(sums + 4, b), STORE(sums + 8, c), STORE(sums + 12, d);
#else
        for (ptrdiff_t vector = 0; vector < count; vector++)
            for (int lane = 0; lane < LANES; lane++) sums[lane] += vectors[vector][place + lane];
#endif
        for (int lane = 0; lane < LANES; lane++) mean[place + lane] = (float)(sums[lane] * scale);
    }
#ifdef WIDE
    for (; place + 4 <= size; place += 4) {
        four_doubles a = {0};
        for (ptrdiff_t vector = 0; vector < count; vector++) a += LOAD(vectors[vector] + place);
        for (int lane = 0; lane < 4; lane++) mean[place + lane] = (float)(a[lane] * scale);
    }
#endif
    for (; place < size; place++) {
        double sum = 0;
        for (ptrdiff_t vector = 0; vector < count; vector++) sum += vectors[vector][place];
        mean[place] = (float)(sum * scale);
    }
}

/* Add the running sums up, halves onto halves. */
TARGET static inline double NAMED(total)(double *sums) {
    for (int lane = 0; lane < 8; lane++) sums[lane] += sums[lane + 8];
    for (int lane = 0; lane < 4; lane++) sums[lane] += sums[lane + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

TARGET static double NAMED(dot_product)(const float *left, const float *right, ptrdiff_t size) {
    double sums[LANES] = {0};
    ptrdiff_t place = 0;
#ifdef WIDE
    four_doubles a = {0}, b = a, c = a, d = a;
    for (; place + LANES <= size; place += LANES) {
        a += LOAD(left + place) * LOAD(right + place);
        b += LOAD(left + place + 4) * LOAD(right + place + 4);
        c += LOAD(left + place + 8) * LOAD(right + place + 8);
        d += LOAD(left + place + 12) * LOAD(right + place + 12);
    }
    if (place + 4 <= size) a += LOAD(left + place) * LOAD(right + place), place += 4;
    if (place + 4 <= size) b += LOAD(left + place) * LOAD(right + place), place += 4;
    if (place + 4 <= size) c += LOAD(left + place) * LOAD(right + place), place += 4;
    STORE(sums, a), STORE(sums + 4, b), STORE(sums + 8, c), STORE(sums + 12, d);
#else
    for (; place + LANES <= size; place += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] += (double)left[place + lane] * (double)right[place + lane];
#endif
    for (int lane = (int)(place % LANES); place < size; place++, lane++) sums[lane] += (double)left[place] * (double)right[place];
    return NAMED(total)(sums);
}

TARGET static double NAMED(squared_distance)(const float *left, const float *right, ptrdiff_t size) {
    double sums[LANES] = {0};
    ptrdiff_t place = 0;
#ifdef WIDE
    four_doubles a = {0}, b = a, c = a, d = a;
    for (; place + LANES <= size; place += LANES) {
        const four_doubles e = LOAD(left + place) - LOAD(right + place);
        const four_doubles f = LOAD(left + place + 4) - LOAD(right + place + 4);
        const four_doubles g = LOAD(left + place + 8) - LOAD(right + place + 8);
        const four_doubles h = LOAD(left + place + 12) - LOAD(right + place + 12);
        a += e * e, b += f * f, c += g * g, d += h * h;
    }
    if (place + 4 <= size) {
        const four_doubles e = LOAD(left + place) - LOAD(right + place);
        a += e * e, place += 4;
    }
    if (place + 4 <= size) {
        const four_doubles f = LOAD(left + place) - LOAD(right + place);
        b += f * f, place += 4;
    }
    if (place + 4 <= size) {
        const four_doubles g = LOAD(left + place) - LOAD(right + place);
        c += g * g, place += 4;
    }
    STORE(sums, a), STORE(sums + 4, b), STORE(sums + 8, c), STORE(sums + 12, d);
#else
    for (; place + LANES <= size; place += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            const double gap = (double)left[place + lane] - (double)right[place + lane];
            sums[lane] += gap * gap;
        }
#endif
    for (int lane = (int)(place % LANES); place < size; place++, lane++) {
        const double gap = (double)left[place] - (double)right[place];
        sums[lane] += gap * gap;
    }
    return NAMED(total)(sums);
}

#undef LOAD
#undef STORE
#undef NAMED
#undef TARGET
#undef WIDE
