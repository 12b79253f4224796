# cython: language_level=3
"""METEOR's matches: which words and phrases of a candidate correspond to which of a reference, and why.

A candidate's words, stems, synsets and phrases are entered once into tables of places; every reference then looks its
own up, so that the work grows with the number of words and matches, not with the product of the lengths (unless the
same words stand everywhere).

METEOR 1.5 tells words, and stems, apart by Java's hash of strings, so what counts as the same word is its form: one
number for all words of one hash. Synsets, function words and phrases belong to the word itself.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memmove, memset

from caplens.metrics.meteor._aligner cimport EXACT, PARAPHRASE, STAGES, STEM, SYNONYM, Match
from caplens.files._listening cimport A_WHILE, listen
from caplens.text._memory cimport numbered, resized


cdef class Side:

    def __init__(self, *arrays):
        self.arrays = arrays
        offsets, words, forms, stems, span_offsets, span_starts, span_lengths, span_nodes = arrays
        self.texts.offsets = _longs(offsets)
        self.texts.words = _ints(words)
        self.texts.forms = _ints(forms)
        self.texts.stems = _ints(stems)
        self.texts.span_offsets = _longs(span_offsets)
        self.texts.span_starts = _ints(span_starts)
        self.texts.span_lengths = _ints(span_lengths)
        self.texts.span_nodes = _ints(span_nodes)

    def __reduce__(self):
        return Side, self.arrays


cdef const int32_t* _ints(const int32_t[::1] numbers) except? NULL:
    return &numbers[0] if numbers.shape[0] else NULL


cdef const int64_t* _longs(const int64_t[::1] numbers) except? NULL:
    return &numbers[0] if numbers.shape[0] else NULL


cdef class Lexicon:

    def __init__(self, is_function, meaning_offsets, meanings, relations, stems, synsets):
        self.is_function = is_function
        self.meaning_offsets = meaning_offsets
        self.meanings = meanings
        self.phrase_numbers, self.forward_offsets, self.forward, self.backward_offsets, self.backward = relations
        self.words = len(is_function)
        self.stems = stems
        self.synsets = synsets
        self.phrases = len(self.forward_offsets) - 1

    def __reduce__(self):
        facts = [self.is_function, self.meaning_offsets, self.meanings]
        relations = [self.forward_offsets, self.forward, self.backward_offsets, self.backward]
        joined = (self.phrase_numbers, *map(np.asarray, relations))
        return Lexicon, (*map(np.asarray, facts), joined, self.stems, self.synsets)


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

    cdef int push(self, int32_t key, int32_t place, int32_t length) except -1 nogil:
        """Put an entry before the others of its key: whoever wants them in ascending order goes through backwards."""
        if self.count == self.capacity:
            self.entries = <Posting*>resized(self.entries, <size_t>numbered(2 * <int64_t>self.capacity) * sizeof(Posting))
            self.capacity *= 2
        self.entries[self.count].key = key
        self.entries[self.count].place = place
        self.entries[self.count].length = length
        self.entries[self.count].next = self.head[key]
        self.head[key] = self.count
        self.count += 1
        return 0

    cdef void clear(self) noexcept nogil:
        cdef int32_t index
        for index in range(self.count):
            self.head[self.entries[index].key] = -1
        self.count = 0


cdef class Matcher:

    def __cinit__(self, Side candidates, Side references, Lexicon lexicon, stages):
        self.candidate_side, self.reference_side = candidates, references
        self.candidates, self.references = candidates.texts, references.texts
        self.lexicon = lexicon
        self.by_form = Postings(lexicon.words)
        self.by_stem = Postings(lexicon.stems)
        self.by_synset = Postings(lexicon.synsets)
        self.by_phrase = Postings(lexicon.phrases)
        self.by_paraphrase = Postings(lexicon.phrases)
        for stage in range(STAGES):
            self.stages[stage] = stages[stage]
        self.first_stage = list(stages).index(True)  # the only one between identical captions
        self.matches = NULL
        self.begins = self.hits = NULL
        self.count = self.match_capacity = self.begin_count = self.begin_capacity = self.hit_capacity = 0

    def __dealloc__(self):
        free(self.matches)
        free(self.begins)
        free(self.hits)

    cdef int open(self, int64_t row) except -1 nogil:
        """Enter a candidate's words, stems, synsets and phrases; last place first, so that lists ascend."""
        cdef const Texts* ours = &self.candidates
        cdef int64_t begin = ours.offsets[row], index, entry
        cdef int32_t word, phrase
        self.row = row
        for index in range(ours.offsets[row + 1] - begin - 1, -1, -1):
            word = ours.words[begin + index]
            self.by_form.push(ours.forms[begin + index], <int32_t>index, 1)
            if self.stages[STEM]:
                self.by_stem.push(ours.stems[begin + index], <int32_t>index, 1)
            if self.stages[SYNONYM]:
                for entry in range(self.lexicon.meaning_offsets[word], self.lexicon.meaning_offsets[word + 1]):
                    self.by_synset.push(self.lexicon.meanings[entry], <int32_t>index, 1)
        if not self.stages[PARAPHRASE]:
            return 0
        for index in range(ours.span_offsets[row + 1] - 1, ours.span_offsets[row] - 1, -1):
            phrase = self.lexicon.phrase_numbers.find(<uint64_t>ours.span_nodes[index])
            if phrase < 0:
                continue
            self.by_phrase.push(phrase, ours.span_starts[index], ours.span_lengths[index])
            for entry in range(self.lexicon.backward_offsets[phrase + 1] - 1,
                               self.lexicon.backward_offsets[phrase] - 1, -1):
                self.by_paraphrase.push(self.lexicon.backward[entry], ours.span_starts[index], ours.span_lengths[index])
        return 0

    cdef void close(self) noexcept nogil:
        self.by_form.clear()
        self.by_stem.clear()
        self.by_synset.clear()
        self.by_phrase.clear()
        self.by_paraphrase.clear()

    cdef void forget(self) noexcept nogil:
        """Throw away the matches found so far."""
        self.count = self.begin_count = 0

    cdef int64_t collect(self, int64_t caption) except -1 nogil:
        """Find the matches with a reference, by its words and for each word stage by stage.

        Returns where its entries of `begins` start.
        """
        cdef const Texts* ours = &self.candidates
        cdef const Texts* theirs = &self.references
        cdef int64_t begin = theirs.offsets[caption], our_begin = ours.offsets[self.row]
        cdef int32_t length = <int32_t>(ours.offsets[self.row + 1] - our_begin)
        cdef int32_t reference_length = <int32_t>(theirs.offsets[caption + 1] - begin)
        cdef int64_t first = self.begin_count
        cdef int32_t position, form, heard = self.count
        cdef int64_t span = theirs.span_offsets[caption], next_span, last_span = theirs.span_offsets[caption + 1]
        cdef bint same = length == reference_length and length > 0 and memcmp(
            ours.forms + our_begin, theirs.forms + begin, <size_t>length * sizeof(int32_t)) == 0
        self.begin_count += reference_length + 1
        if self.begin_count > self.begin_capacity:
            self.begins = <int32_t*>resized(self.begins, 2 * self.begin_count * sizeof(int32_t))
            self.begin_capacity = 2 * self.begin_count
        for position in range(reference_length):
            self.begins[first + position] = self.count
            if self.count - heard > A_WHILE:
                heard = self.count
                listen()
            form = theirs.forms[begin + position]
            if self.stages[EXACT]:
                self._add_same_forms(form, position)
            if self.stages[STEM] and not (same and self.first_stage < STEM):
                self._add_stems(form, theirs.stems[begin + position], position)
            if self.stages[SYNONYM] and not (same and self.first_stage < SYNONYM):
                self._add_synonyms(form, theirs.words[begin + position], position)
            if self.stages[PARAPHRASE] and not (same and self.first_stage < PARAPHRASE):
                next_span = span
                while next_span < last_span and theirs.span_starts[next_span] == position:
                    next_span += 1
                self._add_paraphrases(span, next_span, position)
                self._add_candidate_phrases(span, next_span, position)
                span = next_span
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

    cdef int _add_same_forms(self, int32_t form, int32_t position) except -1 nogil:
        cdef int32_t entry = self.by_form.head[form]
        while entry >= 0:
            self._add(self.by_form.entries[entry].place, 1, position, 1, EXACT)
            entry = self.by_form.entries[entry].next
        return 0

    cdef int _add_stems(self, int32_t form, int32_t stem, int32_t position) except -1 nogil:
        cdef const int32_t* ours = self.candidates.forms + self.candidates.offsets[self.row]
        cdef int32_t entry = self.by_stem.head[stem], place
        while entry >= 0:
            place = self.by_stem.entries[entry].place
            if ours[place] != form:
                self._add(place, 1, position, 1, STEM)
            entry = self.by_stem.entries[entry].next
        return 0

    cdef int _add_synonyms(self, int32_t form, int32_t word, int32_t position) except -1 nogil:
        """Places whose word shares a synset, ascending and each once."""
        cdef const int32_t* ours = self.candidates.forms + self.candidates.offsets[self.row]
        cdef int32_t entry, place, count = 0, slot, capacity
        cdef int64_t index
        for index in range(self.lexicon.meaning_offsets[word], self.lexicon.meaning_offsets[word + 1]):
            entry = self.by_synset.head[self.lexicon.meanings[index]]
            while entry >= 0:
                place = self.by_synset.entries[entry].place
                entry = self.by_synset.entries[entry].next
                if ours[place] == form:
                    continue
                if count == self.hit_capacity:
                    capacity = numbered(2 * <int64_t>self.hit_capacity + 64)
                    self.hits = <int32_t*>resized(self.hits, <size_t>capacity * sizeof(int32_t))
                    self.hit_capacity = capacity
                slot = count
                while slot > 0 and self.hits[slot - 1] > place:
                    slot -= 1
                if slot > 0 and self.hits[slot - 1] == place:
                    continue
                memmove(self.hits + slot + 1, self.hits + slot, <size_t>(count - slot) * sizeof(int32_t))
                self.hits[slot] = place
                count += 1
        for slot in range(count):
            self._add(self.hits[slot], 1, position, 1, SYNONYM)
        return 0

    cdef int _add_paraphrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil:
        """Phrases of the reference that the table maps to phrases of the candidate."""
        cdef int64_t index, entry
        cdef int32_t phrase, posting
        for index in range(span, end):
            phrase = self.lexicon.phrase_numbers.find(<uint64_t>self.references.span_nodes[index])
            if phrase < 0:
                continue
            for entry in range(self.lexicon.forward_offsets[phrase], self.lexicon.forward_offsets[phrase + 1]):
                posting = self.by_phrase.head[self.lexicon.forward[entry]]
                while posting >= 0:
                    self._add(self.by_phrase.entries[posting].place, self.by_phrase.entries[posting].length,
                              position, self.references.span_lengths[index], PARAPHRASE)
                    posting = self.by_phrase.entries[posting].next
        return 0

    cdef int _add_candidate_phrases(self, int64_t span, int64_t end, int32_t position) except -1 nogil:
        """Phrases of the candidate, by place and length, that the table maps to phrases of the reference."""
        cdef int64_t index
        cdef int32_t phrase, posting, slot, first = self.count
        cdef Match match
        for index in range(span, end):
            phrase = self.lexicon.phrase_numbers.find(<uint64_t>self.references.span_nodes[index])
            posting = self.by_paraphrase.head[phrase] if phrase >= 0 else -1
            while posting >= 0:
                self._add(self.by_paraphrase.entries[posting].place, self.by_paraphrase.entries[posting].length,
                          position, self.references.span_lengths[index], PARAPHRASE)
                # The reference may have several paraphrases at this word: put the match where the candidate has it.
                slot = self.count - 1
                match = self.matches[slot]
                while slot > first and (self.matches[slot - 1].start > match.start or (
                        self.matches[slot - 1].start == match.start and self.matches[slot - 1].length > match.length)):
                    self.matches[slot] = self.matches[slot - 1]
                    slot -= 1
                self.matches[slot] = match
                posting = self.by_paraphrase.entries[posting].next
        return 0
