# cython: language_level=3
"""TF-IDF similarities of candidates with their references, for n-grams of one order.

An n-gram's weight in a caption is its count times its inverse document frequency. Frequencies are looked up by n-gram
id: ids below ``base`` belong to the references' index (``idf``), the others to the candidates' own (``own_idf``).
"""

from libc.math cimport exp, sqrt
from libc.stdint cimport int32_t, int64_t

cdef enum:
    NEAR = 64  # differences of length whose penalties are kept
    MARKS = 1024  # places that n-grams share by their ids, a power of two
    NOBODY = -1


cdef double UNKNOWN = -1


cdef inline double _idf(const double[::1] idf, const double[::1] own_idf, int64_t base, int32_t identifier) noexcept nogil:
    return idf[identifier] if identifier < base else own_idf[identifier - base]


cdef struct Total:
    # A sum, and what rounding took from it: ids of n-grams follow the order of the rows, so terms come in any order, and
    # the sum of both is the same for all of them.
    double rounded
    double lost


cdef inline void _add(Total* total, double term) noexcept nogil:
    cdef double after = total.rounded + term
    cdef double added = after - total.rounded
    total.lost += (total.rounded - (after - added)) + (term - added)
    total.rounded = after


def norms(const int64_t[::1] offsets, const int32_t[::1] ids, const int32_t[::1] counts, const double[::1] idf,
          const double[::1] own_idf, double[::1] norm, int64_t first, int64_t last):
    """Write the Euclidean norm of each caption's weights."""
    cdef int64_t caption, entry, base = idf.shape[0]
    cdef double weight
    cdef Total total
    with nogil:
        for caption in range(first, last):
            total.rounded = total.lost = 0
            for entry in range(offsets[caption], offsets[caption + 1]):
                weight = counts[entry] * _idf(idf, own_idf, base, ids[entry])
                _add(&total, weight * weight)
            norm[caption] = sqrt(total.rounded + total.lost)


cdef inline double _penalty(int64_t difference, double sigma, double* penalties) noexcept nogil:
    """Return the Gaussian of a difference of length; lengths of captions are close, so most are kept already."""
    cdef int64_t near = difference if difference >= 0 else -difference
    cdef double exact
    if near < NEAR and penalties[near] != UNKNOWN:
        return penalties[near]
    exact = exp(-(<double>near) * near / (2 * sigma * sigma))
    if near < NEAR:
        penalties[near] = exact
    return exact


def similarities(const int64_t[::1] offsets, const int32_t[::1] ids, const int32_t[::1] counts,
                 const int64_t[::1] lengths, const double[::1] norm, const int64_t[::1] reference_offsets,
                 const int32_t[::1] reference_ids, const int32_t[::1] reference_counts,
                 const int64_t[::1] reference_lengths, const double[::1] reference_norm,
                 const int64_t[::1] set_offsets, const int64_t[::1] reference_set, const double[::1] idf,
                 bint clip, double sigma, double[:, ::1] table, int order, int64_t first, int64_t last):
    """Write to column ``order - 1`` the mean similarity of each candidate to its references.

    ``lengths`` are what the Gaussian penalty compares; ``sigma`` <= 0 means no penalty.
    """
    cdef int64_t row, caption, ours, theirs, ours_end, begin, end
    cdef int32_t identifier
    # Most n-grams of a reference are not among the candidate's: the row that was here last tells without a search.
    cdef int64_t[MARKS] marks
    cdef double total, similarity, weight, reference_weight
    cdef double[NEAR] penalties
    cdef Total shared
    with nogil:
        for row in range(NEAR):
            penalties[row] = UNKNOWN
        for row in range(MARKS):
            marks[row] = NOBODY
        for row in range(first, last):
            begin = set_offsets[reference_set[row]]
            end = set_offsets[reference_set[row] + 1]
            total = 0
            ours_end = offsets[row + 1]
            for ours in range(offsets[row], ours_end):
                marks[ids[ours] & (MARKS - 1)] = row
            for caption in range(begin, end):
                ours = offsets[row]
                shared.rounded = shared.lost = 0
                for theirs in range(reference_offsets[caption], reference_offsets[caption + 1]):
                    identifier = reference_ids[theirs]
                    if marks[identifier & (MARKS - 1)] != row:
                        continue
                    while ours < ours_end and ids[ours] < identifier:
                        ours += 1
                    if ours == ours_end:
                        break
                    if ids[ours] == identifier:
                        # A shared n-gram is a reference n-gram, so its frequency is in the base.
                        reference_weight = reference_counts[theirs] * idf[identifier]
                        weight = counts[ours] * idf[identifier]
                        if clip:
                            weight = min(weight, reference_weight)
                        _add(&shared, weight * reference_weight)
                similarity = shared.rounded + shared.lost
                if norm[row] != 0 and reference_norm[caption] != 0:
                    similarity /= norm[row] * reference_norm[caption]
                if sigma > 0:
                    similarity *= _penalty(lengths[row] - reference_lengths[caption], sigma, penalties)
                total += similarity
            table[row, order - 1] = total / (end - begin) if end > begin else 0
