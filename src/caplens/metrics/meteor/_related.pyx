# cython: language_level=3
"""Which words of references the words of candidates may match, and by which stage: once for each distinct word."""

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from caplens.metrics.meteor._aligner cimport EXACT, STEM, SYNONYM
from caplens.text._memory cimport numbered, resized


# The words that have a key are words[offsets[key]] to words[offsets[key + 1]].
cdef struct Group:
    const int32_t* offsets
    const int32_t* words
    int32_t count


cdef Group _group(const int32_t[::1] offsets, const int32_t[::1] words):
    cdef Group made
    made.offsets = &offsets[0]
    made.words = &words[0] if words.shape[0] else NULL
    made.count = <int32_t>(offsets.shape[0] - 1)
    return made


cdef class WordRelater:
    """Relates words of candidates to those of references.

    Parameters
    ----------
    forms : numpy.ndarray of int32
        The form of each word of the references.
    by_form, by_stem, by_synset : pair of numpy.ndarray of int32, or None
        The words of the references that have a form, a stem or a synset, as `caplens.text._ragged.group` returns them; None for a stage
        that is not used.
    """
    cdef const int32_t[::1] forms
    cdef Group groups[SYNONYM + 1]
    cdef tuple arrays  # kept alive
    cdef int32_t* entries  # word of the references, stage
    cdef int32_t count, capacity
    cdef int32_t* seen  # by word of the references: the last candidate word that was found to be its synonym

    def __cinit__(self, forms, by_form, by_stem, by_synset):
        cdef int32_t word
        self.forms = forms
        self.entries = self.seen = NULL
        self.count = self.capacity = 0
        nothing = np.zeros(1, np.int32), np.zeros(0, np.int32)
        self.arrays = by_form or nothing, by_stem or nothing, by_synset or nothing
        for stage in range(SYNONYM + 1):
            offsets, words = self.arrays[stage]
            self.groups[stage] = _group(offsets, words)
        self.seen = <int32_t*>resized(NULL, (self.forms.shape[0] + 1) * sizeof(int32_t))
        for word in range(<int32_t>self.forms.shape[0]):
            self.seen[word] = -1

    def __dealloc__(self):
        free(self.entries)
        free(self.seen)

    def relate(self, const int32_t[::1] ids, const int32_t[::1] forms, const int32_t[::1] stems,
               const int64_t[::1] meaning_offsets, const int32_t[::1] meanings):
        """Relate the words ``ids``; form, stem and synsets are given by word id, for candidates and references alike.

        Returns
        -------
        ranges : numpy.ndarray of int32, two columns
            Where the entries of each word begin and end.
        entries : numpy.ndarray of int32, two columns
            A word of the references, and the stage (exact, stem or synonym) that matches it.
        """
        cdef int32_t word
        cdef int64_t index, place
        ranges_array = np.zeros((forms.shape[0], 2), np.int32)
        cdef int32_t[:, ::1] ranges = ranges_array
        self.count = 0
        for index in range(ids.shape[0]):
            word = ids[index]
            if ranges[word, 1]:  # a word that no reference has may be looked up again
                continue
            ranges[word, 0] = self.count
            self._add(EXACT, forms[word], forms[word], -1)
            if self.groups[STEM].count:
                self._add(STEM, stems[word], forms[word], -1)
            if self.groups[SYNONYM].count:
                for place in range(meaning_offsets[word], meaning_offsets[word + 1]):
                    self._add(SYNONYM, meanings[place], forms[word], word)
            ranges[word, 1] = self.count
        entries_array = np.empty((self.count, 2), np.int32)
        cdef int32_t[:, ::1] copied = entries_array
        if self.count:
            memcpy(&copied[0, 0], self.entries, 2 * <size_t>self.count * sizeof(int32_t))
        return ranges_array, entries_array

    cdef int _add(self, int32_t stage, int32_t key, int32_t form, int32_t word) except -1:
        """Add the words that have ``key``; words of the same form match exactly, and in no other stage."""
        cdef int32_t place, other
        cdef const Group* group = &self.groups[stage]
        if key >= group.count:  # no reference has it
            return 0
        for place in range(group.offsets[key], group.offsets[key + 1]):
            other = group.words[place]
            if stage != EXACT and self.forms[other] == form:
                continue
            if word >= 0:
                if self.seen[other] == word:
                    continue
                self.seen[other] = word
            if self.count == self.capacity:
                self.capacity = numbered(2 * <int64_t>self.capacity + 64)
                self.entries = <int32_t*>resized(self.entries, 2 * <size_t>self.capacity * sizeof(int32_t))
            self.entries[2 * self.count], self.entries[2 * self.count + 1] = other, stage
            self.count += 1
        return 0
