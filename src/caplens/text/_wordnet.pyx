# cython: language_level=3
"""Base forms of the words of a table, by WordNet's suffix rules."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from caplens.text._tables cimport BytesTable
from caplens.text._vocabulary cimport SortedWords, place_of, sorted_words

cdef enum:
    LONGEST_SUFFIX = 8
    MOST_RULES = 32
    LONGEST_WORD = 256  # longer ones have no base: no listed word comes near


cdef struct Rule:
    char ending[LONGEST_SUFFIX]
    char replacement[LONGEST_SUFFIX]
    Py_ssize_t ending_length
    Py_ssize_t replacement_length


cdef int32_t base_of(SortedWords words, const uint32_t* synset_offsets, const Rule* rules, int rule_count,
                     const char* word, Py_ssize_t length) noexcept nogil:
    """Return the place of the first rewritten form that has synsets, or -1."""
    cdef char form[LONGEST_WORD + LONGEST_SUFFIX]
    cdef const Rule* rule
    cdef Py_ssize_t kept
    cdef int32_t place
    cdef int number
    if length > LONGEST_WORD:
        return -1
    for number in range(rule_count):
        rule = &rules[number]
        kept = length - rule.ending_length
        if kept < 0 or memcmp(word + kept, rule.ending, rule.ending_length) != 0:
            continue
        memcpy(form, word, kept)
        memcpy(form + kept, rule.replacement, rule.replacement_length)
        place = place_of(words, form, kept + rule.replacement_length)
        if place >= 0 and synset_offsets[place + 1] > synset_offsets[place]:
            return place
    return -1


def find_bases(const uint8_t[::1] blob, const uint32_t[::1] offsets, const uint32_t[::1] synset_offsets,
               tuple rules not None, BytesTable table not None, int32_t first):
    """Return the place of the base of the table's entries from ``first`` on, -1 for those that no rule applies to."""
    cdef SortedWords words = sorted_words(blob, offsets)
    cdef const uint32_t* synsets = &synset_offsets[0]
    cdef Rule filled[MOST_RULES]
    cdef int rule_count = <int>len(rules), number
    cdef bytes ending, replacement
    if rule_count > MOST_RULES:
        raise ValueError("too many rules")
    if synset_offsets.shape[0] != offsets.shape[0]:
        raise ValueError("every word needs its synsets")
    for number in range(rule_count):
        ending, replacement = rules[number]
        if len(ending) > LONGEST_SUFFIX or len(replacement) > LONGEST_SUFFIX:
            raise ValueError("a suffix is too long")
        filled[number].ending_length = len(ending)
        filled[number].replacement_length = len(replacement)
        memcpy(filled[number].ending, <const char*>ending, len(ending))
        memcpy(filled[number].replacement, <const char*>replacement, len(replacement))
    cdef int32_t entry, start
    cdef BytesTable level = table
    cdef const char* word
    cdef Py_ssize_t length
    places_array = np.full(max(len(table) - first, 0), -1, dtype=np.int32)
    cdef int32_t[::1] places = places_array
    while level is not None and level.base_size + level.size > first:
        start = max(first - level.base_size, 0)
        with nogil:
            for entry in range(start, level.size):
                word = level.arena + level.starts[entry]
                length = level.starts[entry + 1] - level.starts[entry]
                # Such words are their own base, whatever a rule would make of them.
                if length > 2 and not (word[length - 1] == b"s" and word[length - 2] == b"s"):
                    places[level.base_size + entry - first] = base_of(
                        words, synsets, filled, rule_count, word, length)
        level = level.base
    return places_array
