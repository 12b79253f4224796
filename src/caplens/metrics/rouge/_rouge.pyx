# cython: language_level=3
"""Longest common subsequences of candidates with their references.

A candidate of ordinary length is a word of 64 bits: each word of a reference moves all of its places on at once
(H. Hyyrö: Bit-parallel LCS-length computation revisited, AWOCA 2004).
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

from caplens.files._listening cimport A_WHILE, listen

cdef enum:
    SHORT = 64  # words that fit into the bits of a number
    PLACES = 256  # of a table of so many words; a power of two
    NOBODY = -1


cdef struct Place:
    # Where a word of the candidate occurs; whoever was here before another row has left.
    int64_t row
    uint64_t mask
    int32_t word


cdef inline Place* _place(Place* places, int64_t row, int32_t word) noexcept nogil:
    """Return the place of a word, or the free one where it belongs."""
    cdef int32_t number = word & (PLACES - 1)
    while places[number].row == row and places[number].word != word:
        number = (number + 1) & (PLACES - 1)
    return &places[number]


cdef void _take_places(Place* places, int64_t row, const int32_t* ours, int64_t our_length) noexcept nogil:
    cdef int64_t index
    cdef Place* place
    for index in range(our_length):
        place = _place(places, row, ours[index])
        if place.row != row:
            place.row, place.word, place.mask = row, ours[index], 0
        place.mask |= <uint64_t>1 << index


cdef int64_t _short_subsequence(Place* places, int64_t row, int64_t our_length, const int32_t* theirs,
                                int64_t their_length) noexcept nogil:
    """Length of the longest common subsequence with the candidate that has taken its places."""
    cdef uint64_t open = ~<uint64_t>0, met
    cdef int64_t index
    cdef Place* place
    for index in range(their_length):
        place = _place(places, row, theirs[index])
        if place.row == row:
            met = open & place.mask
            open = (open + met) | (open - met)
    return _bits(~open & (~<uint64_t>0 >> (SHORT - our_length)))


cdef inline int64_t _bits(uint64_t number) noexcept nogil:
    """Number of bits that are set."""
    number -= (number >> 1) & 0x5555555555555555ULL
    number = (number & 0x3333333333333333ULL) + ((number >> 2) & 0x3333333333333333ULL)
    number = (number + (number >> 4)) & 0x0F0F0F0F0F0F0F0FULL
    return <int64_t>((number * 0x0101010101010101ULL) >> 56)


cdef int64_t _common_subsequence(const int32_t* ours, int64_t our_length, const int32_t* theirs, int64_t their_length,
                                 int32_t* best) except -1 nogil:
    """Length of the longest common subsequence; ``best`` has room for ``our_length + 1`` numbers."""
    cdef int64_t i, j, steps = 0
    cdef int32_t diagonal, above, word
    for i in range(our_length + 1):
        best[i] = 0
    for j in range(their_length):
        word = theirs[j]
        diagonal = 0
        steps += our_length
        if steps > A_WHILE:
            steps = 0
            listen()
        for i in range(our_length):
            above = best[i + 1]
            if ours[i] == word:
                best[i + 1] = diagonal + 1
            elif best[i] > above:
                best[i + 1] = best[i]
            diagonal = above
    return best[our_length]


def precision_recall(const int64_t[::1] offsets, const int32_t[::1] ids, const int64_t[::1] reference_offsets,
                     const int32_t[::1] reference_ids, const int64_t[::1] set_offsets,
                     const int64_t[::1] reference_set, double[:, ::1] table, int64_t first, int64_t last):
    """Write for each row the largest precision and, separately, the largest recall over its references.

    The reference tool splits an empty caption into one empty word; so does this.
    """
    cdef int64_t row, caption, longest = 0, our_length, their_length, common, most
    cdef double recall
    cdef const int32_t* ours = &ids[0] if ids.shape[0] else NULL
    cdef const int32_t* theirs = &reference_ids[0] if reference_ids.shape[0] else NULL
    cdef Place[PLACES] places
    cdef int32_t* best
    for row in range(PLACES):
        places[row].row = NOBODY
    for row in range(first, last):
        longest = max(longest, offsets[row + 1] - offsets[row])
    best = <int32_t*>malloc((longest + 1) * sizeof(int32_t))
    if best == NULL:
        raise MemoryError
    try:
        with nogil:
            for row in range(first, last):
                our_length = offsets[row + 1] - offsets[row]
                if our_length <= SHORT:
                    _take_places(places, row, ours + offsets[row], our_length)
                most, recall = 0, 0
                for caption in range(set_offsets[reference_set[row]], set_offsets[reference_set[row] + 1]):
                    their_length = reference_offsets[caption + 1] - reference_offsets[caption]
                    if our_length == 0 or their_length == 0:
                        common = 1 if our_length == their_length else 0
                    elif our_length <= SHORT and their_length <= A_WHILE:
                        common = _short_subsequence(places, row, our_length, theirs + reference_offsets[caption],
                                                    their_length)
                    else:
                        common = _common_subsequence(ours + offsets[row], our_length,
                                                     theirs + reference_offsets[caption], their_length, best)
                    most = max(most, common)
                    recall = max(recall, <double>common / max(their_length, 1))
                table[row, 0] = <double>most / max(our_length, 1)
                table[row, 1] = recall
    finally:
        free(best)
