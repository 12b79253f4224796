# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t

from caplens.metrics.meteor._aligner cimport STAGES, Match
from caplens.text._tables cimport PairTable


# The arrays of one side, caption after caption: word ids, numbers of equal words and of equal stems, and the phrases of
# the paraphrase table in them.
cdef struct Texts:
    const int64_t* offsets
    const int32_t* words
    const int32_t* forms
    const int32_t* stems
    const int64_t* span_offsets
    const int32_t* span_starts
    const int32_t* span_lengths
    const int32_t* span_nodes


cdef class Side:
    """Captions of one side: offsets, words, forms, stems; offsets of spans, their starts, lengths and nodes."""
    cdef Texts texts
    cdef tuple arrays  # kept alive


cdef class Lexicon:
    """By word id: whether it is a function word, and its synsets. Paraphrases as `relate` returns them."""
    cdef const uint8_t[::1] is_function
    cdef const int64_t[::1] meaning_offsets
    cdef const int32_t[::1] meanings, forward_offsets, forward, backward_offsets, backward
    cdef PairTable phrase_numbers
    cdef int32_t words, stems, synsets, phrases


# A place of the candidate where something stands; the next place where the same stands, or -1.
cdef struct Posting:
    int32_t key
    int32_t place
    int32_t length
    int32_t next


cdef class Postings:
    """Places of the candidate by what stands there; `head[key]` is the first entry, -1 where there is none."""
    cdef int32_t* head
    cdef Posting* entries
    cdef int32_t count, capacity

    cdef int push(self, int32_t key, int32_t place, int32_t length) except -1 nogil
    cdef void clear(self) noexcept nogil


cdef class Matcher:
    """Finds the matches of one candidate with references."""
    cdef Texts candidates, references
    cdef Side candidate_side, reference_side  # kept alive
    cdef Lexicon lexicon
    cdef bint stages[STAGES]
    cdef int32_t first_stage
    cdef Postings by_form, by_stem, by_synset, by_phrase, by_paraphrase
    cdef int64_t row
    # What was found since `forget`; `begins` has one entry for each word of each reference, and one more.
    cdef Match* matches
    cdef int32_t* begins
    cdef int32_t count, match_capacity
    cdef int64_t begin_count, begin_capacity
    cdef int32_t* hits
    cdef int32_t hit_capacity

    cdef int open(self, int64_t row) except -1 nogil
    cdef void close(self) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef int64_t collect(self, int64_t caption) except -1 nogil
    cdef int _add(self, int32_t start, int32_t length, int32_t reference_start, int32_t reference_length,
                  int32_t stage) except -1 nogil
    cdef int _add_same_forms(self, int32_t form, int32_t position) except -1 nogil
    cdef int _add_stems(self, int32_t form, int32_t stem, int32_t position) except -1 nogil
    cdef int _add_synonyms(self, int32_t form, int32_t word, int32_t position) except -1 nogil
    cdef int _add_paraphrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil
    cdef int _add_candidate_phrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil
