# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from caplens.metrics.meteor._aligner cimport STAGES, Match

cdef enum:
    THERE = 1024  # of references: more than the distinct words of one image's


# The arrays of one side, caption after caption: word ids, and the phrases of the paraphrase table in them.
cdef struct Texts:
    const int64_t* offsets
    const int32_t* words
    const int64_t* span_offsets
    const int32_t* span_starts
    const int32_t* span_numbers


cdef class Side:
    """Captions of one side: offsets, words; offsets of spans, their starts and numbers."""
    cdef Texts texts
    cdef tuple arrays  # kept alive


cdef class Lexicon:
    """What is known about words and phrases.

    By word id: whether it is a function word, its form, and the words of references that it matches. By number of a
    phrase: how many words it has, and the phrases of references that it matches.
    """
    cdef const uint8_t[::1] is_function
    cdef const int32_t[::1] forms, phrase_lengths
    cdef const int32_t[:, ::1] word_ranges, word_entries, phrase_ranges, phrase_entries
    cdef int32_t words, phrases  # of the references
    cdef tuple given


# A phrase of the candidate, and its rank among the paraphrases of the reference's phrase (-1: it is the other way
# round); the next one that matches the same phrase of the reference, or -1.
cdef struct Posting:
    int32_t key
    int32_t place
    int32_t length
    int32_t rank
    int32_t next


cdef class Postings:
    """Phrases of the candidate by the phrase that they match; `head[key]` is the first entry, -1 where there is none."""
    cdef int32_t* head
    cdef Posting* entries
    cdef int32_t count, capacity

    cdef int push(self, int32_t key, int32_t place, int32_t length, int32_t rank) except -1 nogil
    cdef void clear(self) noexcept nogil


cdef class Masks:
    """Places of the candidate, as bits, by the word of a reference that they match and by stage.

    `slots[word]` is -1 where nothing matches a word. The bits of a slot and stage are `width` numbers.
    """
    cdef int32_t* slots
    cdef int32_t* words  # by slot
    cdef uint64_t* bits
    cdef int32_t count, width, word_capacity
    cdef int64_t bit_capacity

    cdef int mark(self, int32_t word, int32_t stage, int32_t place) except -1 nogil
    cdef void clear(self) noexcept nogil


cdef class Matcher:
    """Finds the matches of one candidate with references."""
    cdef Texts candidates, references
    cdef Side candidate_side, reference_side  # kept alive
    cdef Lexicon lexicon
    cdef bint paraphrases
    cdef int32_t first_stage
    cdef uint8_t words_there[THERE]
    cdef uint8_t phrases_there[THERE]
    cdef Masks masks
    cdef Postings postings
    cdef int64_t row
    # What was found since `forget`; `begins` has one entry for each word of each reference, and one more.
    cdef Match* matches
    cdef int32_t* begins
    cdef int32_t count, match_capacity
    cdef int64_t begin_count, begin_capacity
    cdef int32_t* ranks
    cdef int32_t rank_capacity

    cdef int open(self, int64_t row, int64_t first, int64_t last) except -1 nogil
    cdef void _look_at(self, int64_t first, int64_t last) noexcept nogil
    cdef void close(self) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef int64_t collect(self, int64_t caption) except -1 nogil
    cdef bint _same(self, int64_t caption) noexcept nogil
    cdef int _add(self, int32_t start, int32_t length, int32_t reference_start, int32_t reference_length,
                  int32_t stage) except -1 nogil
    cdef int _add_words(self, int32_t slot, int32_t position, bint same) except -1 nogil
    cdef int _add_paraphrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil
    cdef int _add_candidate_phrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil
