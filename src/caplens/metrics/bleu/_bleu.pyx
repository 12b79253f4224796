# cython: language_level=3
"""Clipped n-gram matches and reference lengths, row by row."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, llabs, malloc

cdef enum:
    MARKS = 1024  # places that n-grams share by their ids, a power of two
    NOBODY = -1


cdef int64_t _longest_row(const int64_t[::1] offsets, int64_t first, int64_t last) noexcept nogil:
    cdef int64_t longest = 0, row
    for row in range(first, last):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


def clipped_matches(const int64_t[::1] offsets, const int32_t[::1] ids, const int32_t[::1] counts,
                    const int64_t[::1] reference_offsets, const int32_t[::1] reference_ids,
                    const int32_t[::1] reference_counts, const int64_t[::1] set_offsets,
                    const int64_t[::1] reference_set, double[::1] matches, int64_t first, int64_t last):
    """Write to ``matches`` how many n-grams of each candidate occur in its references.

    An n-gram counts at most as often as in the reference that has it most often.
    """
    cdef int64_t row, caption, ours, theirs, ours_begin, ours_end, total
    cdef int32_t identifier
    # Most n-grams of a reference are not among the candidate's: the row that was here last tells without a search.
    cdef int64_t[MARKS] marks
    cdef int32_t* most = <int32_t*>malloc((_longest_row(offsets, first, last) + 1) * sizeof(int32_t))
    if most == NULL:
        raise MemoryError
    try:
        with nogil:
            for row in range(MARKS):
                marks[row] = NOBODY
            for row in range(first, last):
                ours_begin = offsets[row]
                ours_end = offsets[row + 1]
                for ours in range(ours_begin, ours_end):
                    most[ours - ours_begin] = 0
                    marks[ids[ours] & (MARKS - 1)] = row
                for caption in range(set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]):
                    ours = ours_begin
                    for theirs in range(reference_offsets[caption], reference_offsets[caption + 1]):
                        identifier = reference_ids[theirs]
                        if marks[identifier & (MARKS - 1)] != row:
                            continue
                        while ours < ours_end and ids[ours] < identifier:
                            ours += 1
                        if ours == ours_end:
                            break
                        if ids[ours] == identifier:
                            most[ours - ours_begin] = max(most[ours - ours_begin], reference_counts[theirs])
                total = 0
                for ours in range(ours_begin, ours_end):
                    total += min(counts[ours], most[ours - ours_begin])
                matches[row] = total
    finally:
        free(most)


def reference_lengths(const int64_t[::1] lengths, const int64_t[::1] reference_caption_lengths,
                      const int64_t[::1] set_offsets, const int64_t[::1] reference_set, bint average,
                      double[::1] chosen, int64_t first, int64_t last):
    """Write to ``chosen`` the reference length of each row: the closest (ties: the shorter), or the mean.

    A row without references gets its own length, so that it adds no brevity penalty.
    """
    cdef int64_t row, caption, begin, end, length, best, total, gap, smallest_gap
    with nogil:
        for row in range(first, last):
            begin = set_offsets[reference_set[row]]
            end = set_offsets[reference_set[row] + 1]
            if begin == end:
                chosen[row] = lengths[row]
                continue
            best = reference_caption_lengths[begin]
            smallest_gap = llabs(best - lengths[row])
            total = 0
            for caption in range(begin, end):
                length = reference_caption_lengths[caption]
                gap = llabs(length - lengths[row])
                total += length
                if gap < smallest_gap or (gap == smallest_gap and length < best):
                    best = length
                    smallest_gap = gap
            chosen[row] = <double>total / (end - begin) if average else <double>best
