# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef enum:
    EXACT = 0
    STEM = 1
    SYNONYM = 2
    PARAPHRASE = 3
    STAGES = 4

cdef enum:
    NO_MATCH = 0x7FFFFFFF


# Words start .. start + length of the candidate against those of the reference.
cdef struct Match:
    int32_t start
    int32_t length
    int32_t reference_start
    int32_t reference_length
    int32_t stage


# A partial alignment. `order` has more matched words before fewer, then fewer chunks before more.
cdef struct Path:
    int64_t order
    int64_t distance
    int32_t last_end  # where the last match ends in the candidate, -1 after a gap in the reference
    int32_t busy_until  # the reference words before this place are decided
    int32_t trace  # the last match taken, an entry of `Aligner.trace`
    int32_t slot  # where `Aligner.used` has the candidate words that it used


# What a path may become at a position: the place of the path, and the match it takes (`NO_MATCH`: none).
cdef struct Offer:
    int64_t order
    int64_t distance
    int32_t parent
    int32_t match


cdef struct Step:
    int32_t match
    int32_t before


cdef class Aligner:
    """The beam search of METEOR 1.5 over matches that are given by reference position."""
    cdef int32_t beam
    # The caller's: matches by reference start, in the order found; those that start at a word are matches[begins[word]]
    # to matches[begins[word + 1]].
    cdef const Match* matches
    cdef const int32_t* begins
    # The result: for every reference word the match that starts there, or -1.
    cdef int32_t* chosen
    cdef int32_t word_capacity
    cdef int32_t* coverage
    cdef int32_t* reference_coverage
    cdef int32_t* bits
    cdef unsigned char* fixed
    cdef Path* paths  # best first
    cdef Path* children
    # What paths may become, best first: those with an exact match apart, since they come before most others.
    cdef Offer* exact
    cdef Offer* others
    cdef int32_t exact_count, other_count
    cdef uint64_t* used  # candidate words that a path has used, `width` numbers for each path
    cdef uint64_t* child_used
    cdef int64_t used_capacity, steps
    cdef int32_t path_count, width
    cdef Step* trace
    cdef int32_t trace_count, trace_capacity

    cdef int align(self, const Match* matches, const int32_t* begins, int32_t length,
                   int32_t reference_length) except -1 nogil
    cdef int _make_room(self, int32_t words) except -1 nogil
    cdef bint _fix(self, int32_t length, int32_t reference_length) noexcept nogil
    cdef int _open(self, int32_t length, int32_t reference_length) except -1 nogil
    cdef int _search(self, int32_t length, int32_t reference_length) except -1 nogil
    cdef void _advance(self, int32_t position) noexcept nogil
    cdef int _branch(self, int32_t position) except -1 nogil
    cdef bint _admits(self, const Offer* offer) noexcept nogil
    cdef void _make(self, const Offer* offer, bint exact) noexcept nogil
    cdef int _choose_children(self, int32_t position) except -1 nogil
