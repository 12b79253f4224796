# cython: language_level=3
"""METEOR's matches: which words and phrases of a candidate correspond to which of a reference, and why.

Which words, and which phrases, may match is known before (`Lexicon`). A candidate marks what its words and phrases
match; every reference then looks its own up, so that the work grows with the number of words and matches, not with the
product of the lengths (unless the same words stand everywhere), and most words cost one look.

METEOR 1.5 tells words, and stems, apart by Java's hash of strings, so what counts as the same word is its form: one
number for all words of one hash. Synsets, function words and phrases belong to the word itself.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caplens.files._listening cimport A_WHILE, listen
from caplens.metrics.meteor._aligner cimport PARAPHRASE, STAGES, Match
from caplens.text._memory cimport numbered, resized

cdef extern from "_bits.h":
    int caplens_lowest_bit(uint64_t bits) nogil


cdef class Side:

    def __init__(self, *arrays):
        self.arrays = arrays
        offsets, words, span_offsets, span_starts, span_numbers = arrays
        self.texts.offsets = _longs(offsets)
        self.texts.words = _ints(words)
        self.texts.span_offsets = _longs(span_offsets)
        self.texts.span_starts = _ints(span_starts)
        self.texts.span_numbers = _ints(span_numbers)

    def __reduce__(self):
        return Side, self.arrays


cdef const int32_t* _ints(const int32_t[::1] numbers) except? NULL:
    return &numbers[0] if numbers.shape[0] else NULL


cdef const int64_t* _longs(const int64_t[::1] numbers) except? NULL:
    return &numbers[0] if numbers.shape[0] else NULL


cdef class Lexicon:

    def __init__(self, is_function, forms, word_relations, phrase_lengths, phrase_relations, words, phrases):
        self.given = is_function, forms, word_relations, phrase_lengths, phrase_relations, words, phrases
        self.is_function = is_function
        self.forms = forms
        self.word_ranges, self.word_entries = word_relations
        self.phrase_lengths = phrase_lengths
        self.phrase_ranges, self.phrase_entries = phrase_relations
        self.words = words
        self.phrases = phrases

    def __reduce__(self):
        return Lexicon, self.given


cdef class Postings:

    def __cinit__(self, int32_t keys):
        self.count = 0
        self.capacity = 64
        self.head = <int32_t*>malloc((<size_t>keys + 1) * sizeof(int32_t))
        self.entries = <Posting*>malloc(self.capacity * sizeof(Posting))
        if self.head == NULL or self.entries == NULL:
            raise MemoryError
        memset(self.head, 0xFF, (<size_t>keys + 1) * sizeof(int32_t))

    def __dealloc__(self):
        free(self.head)
        free(self.entries)

    cdef int push(self, int32_t key, int32_t place, int32_t length, int32_t rank) except -1 nogil:
        """Put an entry before the others of its key: whoever wants them in ascending order goes through backwards."""
        cdef Posting* entry
        if self.count == self.capacity:
            self.entries = <Posting*>resized(self.entries, <size_t>numbered(2 * <int64_t>self.capacity) * sizeof(Posting))
            self.capacity *= 2
        entry = &self.entries[self.count]
        entry.key, entry.place, entry.length, entry.rank, entry.next = key, place, length, rank, self.head[key]
        self.head[key] = self.count
        self.count += 1
        return 0

    cdef void clear(self) noexcept nogil:
        cdef int32_t index
        for index in range(self.count):
            self.head[self.entries[index].key] = -1
        self.count = 0


cdef class Masks:

    def __cinit__(self, int32_t words):
        self.count = 0
        self.width = 1
        self.word_capacity = 64
        self.bit_capacity = 64 * PARAPHRASE
        self.slots = <int32_t*>malloc((<size_t>words + 1) * sizeof(int32_t))
        self.words = <int32_t*>malloc(self.word_capacity * sizeof(int32_t))
        self.bits = <uint64_t*>malloc(self.bit_capacity * sizeof(uint64_t))
        if self.slots == NULL or self.words == NULL or self.bits == NULL:
            raise MemoryError
        memset(self.slots, 0xFF, (<size_t>words + 1) * sizeof(int32_t))

    def __dealloc__(self):
        free(self.slots)
        free(self.words)
        free(self.bits)

    cdef int mark(self, int32_t word, int32_t stage, int32_t place) except -1 nogil:
        cdef int32_t slot = self.slots[word], number
        cdef int64_t first, size = <int64_t>PARAPHRASE * self.width  # the stages before it
        if slot < 0:
            slot = self.count
            first = slot * size
            if slot == self.word_capacity:
                self.words = <int32_t*>resized(self.words, 2 * <size_t>self.word_capacity * sizeof(int32_t))
                self.word_capacity *= 2
            if first + size > self.bit_capacity:
                self.bits = <uint64_t*>resized(self.bits, 2 * <size_t>(first + size) * sizeof(uint64_t))
                self.bit_capacity = 2 * (first + size)
            for number in range(<int32_t>size):
                self.bits[first + number] = 0
            self.slots[word] = slot
            self.words[slot] = word
            self.count += 1
        self.bits[slot * size + <int64_t>stage * self.width + (place >> 6)] |= (<uint64_t>1) << (place & 63)
        return 0

    cdef void clear(self) noexcept nogil:
        cdef int32_t slot
        for slot in range(self.count):
            self.slots[self.words[slot]] = -1
        self.count = 0


cdef class Matcher:

    def __cinit__(self, Side candidates, Side references, Lexicon lexicon, stages):
        self.candidate_side, self.reference_side = candidates, references
        self.candidates, self.references = candidates.texts, references.texts
        self.lexicon = lexicon
        self.masks = Masks(lexicon.words)
        self.postings = Postings(lexicon.phrases)
        self.paraphrases = stages[PARAPHRASE]
        self.first_stage = list(stages).index(True)  # the only one between identical captions
        self.matches = NULL
        self.begins = self.ranks = NULL
        self.count = self.match_capacity = self.begin_count = self.begin_capacity = self.rank_capacity = 0

    def __dealloc__(self):
        free(self.matches)
        free(self.begins)
        free(self.ranks)

    cdef int open(self, int64_t row, int64_t first, int64_t last) except -1 nogil:
        """Mark what a candidate's words and phrases match in references ``first`` to ``last``.

        The last phrase goes first, so that lists ascend.
        """
        cdef const Texts* ours = &self.candidates
        cdef int64_t begin = ours.offsets[row], index
        cdef int32_t word, phrase, entry, length = <int32_t>(ours.offsets[row + 1] - begin), place
        self.row = row
        self.masks.width = max(1, (length + 63) >> 6)
        self._look_at(first, last)
        for place in range(length):
            word = ours.words[begin + place]
            for entry in range(self.lexicon.word_ranges[word, 0], self.lexicon.word_ranges[word, 1]):
                if self.words_there[self.lexicon.word_entries[entry, 0] & (THERE - 1)]:
                    self.masks.mark(self.lexicon.word_entries[entry, 0], self.lexicon.word_entries[entry, 1], place)
        if not self.paraphrases:
            return 0
        for index in range(ours.span_offsets[row + 1] - 1, ours.span_offsets[row] - 1, -1):
            phrase = ours.span_numbers[index]
            for entry in range(self.lexicon.phrase_ranges[phrase, 0], self.lexicon.phrase_ranges[phrase, 1]):
                if self.phrases_there[self.lexicon.phrase_entries[entry, 0] & (THERE - 1)]:
                    self.postings.push(self.lexicon.phrase_entries[entry, 0], ours.span_starts[index],
                                       self.lexicon.phrase_lengths[phrase], self.lexicon.phrase_entries[entry, 1])
        return 0

    cdef void _look_at(self, int64_t first, int64_t last) noexcept nogil:
        """Note which words and phrases references have: a candidate's may match some hundred others that they have not.

        Only the last digits of their numbers are noted, so a few are taken to be there that are not, which does no harm.
        """
        cdef const Texts* theirs = &self.references
        cdef int64_t index
        memset(self.words_there, 0, THERE)
        memset(self.phrases_there, 0, THERE)
        for index in range(theirs.offsets[first], theirs.offsets[last]):
            self.words_there[theirs.words[index] & (THERE - 1)] = 1
        for index in range(theirs.span_offsets[first], theirs.span_offsets[last]):
            self.phrases_there[theirs.span_numbers[index] & (THERE - 1)] = 1

    cdef void close(self) noexcept nogil:
        self.masks.clear()
        self.postings.clear()

    cdef void forget(self) noexcept nogil:
        """Throw away the matches found so far."""
        self.count = self.begin_count = 0

    cdef bint _same(self, int64_t caption) noexcept nogil:
        """Whether a reference has the candidate's forms, all in the same places."""
        cdef const Texts* ours = &self.candidates
        cdef const Texts* theirs = &self.references
        cdef int64_t begin = theirs.offsets[caption], our_begin = ours.offsets[self.row], place
        cdef int64_t length = ours.offsets[self.row + 1] - our_begin
        if length == 0 or length != theirs.offsets[caption + 1] - begin:
            return False
        for place in range(length):
            if self.lexicon.forms[ours.words[our_begin + place]] != self.lexicon.forms[theirs.words[begin + place]]:
                return False
        return True

    cdef int64_t collect(self, int64_t caption) except -1 nogil:
        """Find the matches with a reference, by its words and for each word stage by stage.

        Returns where its entries of `begins` start.
        """
        cdef const Texts* theirs = &self.references
        cdef const int32_t* words = theirs.words + theirs.offsets[caption]
        cdef int32_t reference_length = <int32_t>(theirs.offsets[caption + 1] - theirs.offsets[caption])
        cdef int64_t first = self.begin_count
        cdef int32_t position, heard = self.count
        cdef int64_t span = theirs.span_offsets[caption], first_span, last_span = theirs.span_offsets[caption + 1]
        cdef bint same = self._same(caption), some
        if not self.paraphrases or (same and self.first_stage < PARAPHRASE):
            span = last_span
        self.begin_count += reference_length + 1
        if self.begin_count > self.begin_capacity:
            self.begins = <int32_t*>resized(self.begins, 2 * self.begin_count * sizeof(int32_t))
            self.begin_capacity = 2 * self.begin_count
        for position in range(reference_length):
            self.begins[first + position] = self.count
            if self.count - heard > A_WHILE:
                heard = self.count
                listen()
            if self.masks.slots[words[position]] >= 0:
                self._add_words(self.masks.slots[words[position]], position, same)
            first_span = span
            some = False
            while span < last_span and theirs.span_starts[span] == position:
                some = some or self.postings.head[theirs.span_numbers[span]] >= 0
                span += 1
            if some:
                self._add_paraphrases(first_span, span, position)
                self._add_candidate_phrases(first_span, span, position)
        self.begins[first + reference_length] = self.count
        return first

    cdef int _add(self, int32_t start, int32_t length, int32_t reference_start, int32_t reference_length,
                  int32_t stage) except -1 nogil:
        cdef Match* match
        cdef int32_t capacity
        if self.count == self.match_capacity:
            capacity = numbered(2 * <int64_t>self.match_capacity + 64)
            self.matches = <Match*>resized(self.matches, <size_t>capacity * sizeof(Match))
            self.match_capacity = capacity
        match = &self.matches[self.count]
        match.start = start
        match.length = length
        match.reference_start = reference_start
        match.reference_length = reference_length
        match.stage = stage
        self.count += 1
        return 0

    cdef int _add_words(self, int32_t slot, int32_t position, bint same) except -1 nogil:
        """Places of single words, stage by stage and ascending; identical captions match in the first stage only."""
        cdef int32_t stage, place, width = self.masks.width
        cdef const uint64_t* bits = self.masks.bits + <int64_t>slot * PARAPHRASE * width
        cdef uint64_t rest
        for stage in range(min(self.first_stage + 1, <int32_t>PARAPHRASE) if same else PARAPHRASE):
            for place in range(width):
                rest = bits[<int64_t>stage * width + place]
                while rest:
                    self._add(64 * place + caplens_lowest_bit(rest), 1, position, 1, stage)
                    rest &= rest - 1
        return 0

    cdef int _add_paraphrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil:
        """Phrases of the reference that the table maps to phrases of the candidate, in the table's order."""
        cdef int64_t index
        cdef int32_t posting, slot, first, rank
        cdef Match match
        for index in range(span, end):
            first = self.count
            posting = self.postings.head[self.references.span_numbers[index]]
            while posting >= 0:
                rank = self.postings.entries[posting].rank
                if rank >= 0:
                    self._add(self.postings.entries[posting].place, self.postings.entries[posting].length, position,
                              self.lexicon.phrase_lengths[self.references.span_numbers[index]], PARAPHRASE)
                    slot = self.count - 1 - first
                    if slot == self.rank_capacity:
                        self.ranks = <int32_t*>resized(self.ranks, (2 * <size_t>slot + 64) * sizeof(int32_t))
                        self.rank_capacity = 2 * slot + 64
                    match = self.matches[first + slot]
                    while slot > 0 and self.ranks[slot - 1] > rank:
                        self.ranks[slot] = self.ranks[slot - 1]
                        self.matches[first + slot] = self.matches[first + slot - 1]
                        slot -= 1
                    self.ranks[slot] = rank
                    self.matches[first + slot] = match
                posting = self.postings.entries[posting].next
        return 0

    cdef int _add_candidate_phrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil:
        """Phrases of the candidate, by place and length, that the table maps to phrases of the reference."""
        cdef int64_t index
        cdef int32_t posting, slot, first = self.count
        cdef Match match
        for index in range(span, end):
            posting = self.postings.head[self.references.span_numbers[index]]
            while posting >= 0:
                if self.postings.entries[posting].rank < 0:
                    self._add(self.postings.entries[posting].place, self.postings.entries[posting].length, position,
                              self.lexicon.phrase_lengths[self.references.span_numbers[index]], PARAPHRASE)
                    # The reference may have several paraphrases at this word: put the match where the candidate has it.
                    slot = self.count - 1
                    match = self.matches[slot]
                    while slot > first and (self.matches[slot - 1].start > match.start or (
                            self.matches[slot - 1].start == match.start
                            and self.matches[slot - 1].length > match.length)):
                        self.matches[slot] = self.matches[slot - 1]
                        slot -= 1
                    self.matches[slot] = match
                posting = self.postings.entries[posting].next
        return 0
