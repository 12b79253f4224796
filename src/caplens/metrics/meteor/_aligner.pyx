# cython: language_level=3
"""METEOR's search for the alignment: a beam over reference positions, with the habits of METEOR 1.5.

Those habits decide ties, and ties are common, so they are kept to the letter: in the search a word matched by stem,
synonym or paraphrase counts half and halves are dropped; when a path branches, the distance of the match goes to the
path it branched from, so that later branches and the one without a match carry it; equal paths keep their order.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from caplens.files._listening cimport A_WHILE, listen
from caplens.text._memory cimport numbered, resized


cdef inline bint _better(const Path* left, const Path* right) noexcept nogil:
    return left.order < right.order or (left.order == right.order and left.distance < right.distance)


cdef inline void _take(Path* path, const Match* match, int32_t number) noexcept nogil:
    cdef int64_t gained
    if match.stage == EXACT:
        gained = match.length + match.reference_length
    else:
        gained = match.length // 2 + match.reference_length // 2
    path.order -= gained << 32
    if path.last_end != -1 and path.last_end != match.start:
        path.order += 1  # a chunk ends
    path.last_end = match.start + match.length
    path.busy_until = match.reference_start + match.reference_length
    path.pending = number


cdef inline void _skip(Path* path) noexcept nogil:
    if path.last_end != -1:
        path.order += 1
        path.last_end = -1


cdef inline int32_t _apart(const Match* match) noexcept nogil:
    cdef int32_t apart = match.start - match.reference_start
    return apart if apart >= 0 else -apart


cdef class Aligner:

    def __cinit__(self, int32_t beam):
        if beam < 1:
            raise ValueError("the beam must be at least 1 wide")
        self.beam = beam
        self.chosen = self.coverage = self.reference_coverage = self.bits = NULL
        self.fixed = NULL
        self.used = self.child_used = NULL
        self.trace = NULL
        self.word_capacity = self.trace_capacity = 0
        self.used_capacity = self.steps = 0
        self.paths = <Path*>malloc(beam * sizeof(Path))
        self.children = <Path*>malloc(beam * sizeof(Path))
        self.ranked = <int32_t*>malloc(beam * sizeof(int32_t))
        self.child_ranked = <int32_t*>malloc(beam * sizeof(int32_t))
        if self.paths == NULL or self.children == NULL or self.ranked == NULL or self.child_ranked == NULL:
            raise MemoryError

    def __dealloc__(self):
        for pointer in (<size_t>self.chosen, <size_t>self.coverage,
                        <size_t>self.reference_coverage, <size_t>self.bits, <size_t>self.fixed, <size_t>self.used,
                        <size_t>self.child_used, <size_t>self.trace, <size_t>self.paths, <size_t>self.children,
                        <size_t>self.ranked, <size_t>self.child_ranked):
            free(<void*><size_t>pointer)

    cdef int _make_room(self, int32_t words) except -1 nogil:
        if words <= self.word_capacity:
            return 0
        words = numbered(2 * <int64_t>words)
        self.chosen = <int32_t*>resized(self.chosen, <size_t>words * sizeof(int32_t))
        self.coverage = <int32_t*>resized(self.coverage, <size_t>words * sizeof(int32_t))
        self.reference_coverage = <int32_t*>resized(self.reference_coverage, <size_t>words * sizeof(int32_t))
        self.bits = <int32_t*>resized(self.bits, <size_t>words * sizeof(int32_t))
        self.fixed = <unsigned char*>resized(self.fixed, words)
        self.word_capacity = words
        return 0

    cdef int align(self, const Match* matches, const int32_t* begins, int32_t length,
                   int32_t reference_length) except -1 nogil:
        """Choose among the matches; the result is in `chosen`."""
        cdef int32_t position
        self._make_room(max(length, reference_length) + 1)
        self.matches = matches
        self.begins = begins
        for position in range(reference_length):
            self.chosen[position] = -1
        if self._fix(length, reference_length):
            self._search(length, reference_length)
        return 0

    cdef bint _fix(self, int32_t length, int32_t reference_length) noexcept nogil:
        """Choose the matches that compete with no other; return whether there are others."""
        cdef int32_t position, number, place
        cdef bint alone, open_matches = False
        cdef const Match* match
        memset(self.coverage, 0, length * sizeof(int32_t))
        memset(self.reference_coverage, 0, reference_length * sizeof(int32_t))
        for number in range(self.begins[0], self.begins[reference_length]):
            match = &self.matches[number]
            for place in range(match.start, match.start + match.length):
                self.coverage[place] += 1
            for place in range(match.reference_start, match.reference_start + match.reference_length):
                self.reference_coverage[place] += 1
        for position in range(reference_length):
            number = self.begins[position]
            self.fixed[position] = False
            if self.begins[position + 1] == number:
                continue
            if self.begins[position + 1] == number + 1:
                match = &self.matches[number]
                alone = True
                for place in range(match.start, match.start + match.length):
                    alone = alone and self.coverage[place] == 1
                for place in range(match.reference_start, match.reference_start + match.reference_length):
                    alone = alone and self.reference_coverage[place] == 1
                if alone:
                    self.fixed[position] = True
                    self.chosen[position] = number
                    continue
            open_matches = True
        return open_matches

    cdef int _search(self, int32_t length, int32_t reference_length) except -1 nogil:
        cdef int32_t position, place, step, contested = 0
        cdef int64_t capacity
        # Only words that a match may still claim need a bit: those of fixed matches belong to no other match.
        memset(self.bits, 0, length * sizeof(int32_t))
        for position in range(reference_length):
            if not self.fixed[position]:
                for step in range(self.begins[position], self.begins[position + 1]):
                    for place in range(self.matches[step].start, self.matches[step].start + self.matches[step].length):
                        self.bits[place] = 1
        for place in range(length):
            if self.bits[place]:
                self.bits[place] = contested
                contested += 1
        self.width = (contested + 63) // 64
        if <int64_t>self.width * self.beam > self.used_capacity:
            capacity = 2 * <int64_t>self.width * self.beam
            self.used = <uint64_t*>resized(self.used, capacity * sizeof(uint64_t))
            self.child_used = <uint64_t*>resized(self.child_used, capacity * sizeof(uint64_t))
            self.used_capacity = capacity

        memset(self.used, 0, self.width * sizeof(uint64_t))
        self.paths[0].order = self.paths[0].distance = 0
        self.paths[0].last_end = self.paths[0].trace = self.paths[0].pending = -1
        self.paths[0].busy_until = 0
        self.ranked[0] = 0
        self.path_count = 1
        self.trace_count = 0
        for position in range(reference_length):
            if self.fixed[position] or self.begins[position] == self.begins[position + 1]:
                self._advance(position)
            else:
                self._branch(position)
                self._remember()
        for place in range(self.path_count):  # sorted already, so those that get equal now keep that order
            _skip(&self.paths[place])
        self._rank()
        step = self.paths[self.ranked[0]].trace
        while step >= 0:
            self.chosen[self.matches[self.trace[step].match].reference_start] = self.trace[step].match
            step = self.trace[step].before
        return 0

    cdef void _advance(self, int32_t position) noexcept nogil:
        """A position at which all paths do the same: take the fixed match, or none."""
        cdef int32_t place, number = self.begins[position]
        cdef Path* path
        for place in range(self.path_count):
            path = &self.paths[place]
            if self.fixed[position]:
                _take(path, &self.matches[number], -1)
                path.distance += _apart(&self.matches[number])
            elif position >= path.busy_until:
                _skip(path)
        self._rank()

    cdef void _rank(self) noexcept nogil:
        """Sort the paths, equal ones in the order they had; they are nearly sorted already."""
        cdef int32_t place, moved, index
        for index in range(1, self.path_count):
            moved = self.ranked[index]
            place = index
            while place > 0 and _better(&self.paths[moved], &self.paths[self.ranked[place - 1]]):
                self.ranked[place] = self.ranked[place - 1]
                place -= 1
            self.ranked[place] = moved

    cdef int _branch(self, int32_t position) except -1 nogil:
        """A position with matches that compete: every path may take any that fits, or none."""
        cdef int32_t index, number, bit, place
        cdef Path* path
        cdef Path child
        cdef const Match* match
        cdef const uint64_t* used
        cdef bint fits
        self.child_count = 0
        for index in range(self.path_count):
            # An offer may move all others.
            self.steps += <int64_t>(self.begins[position + 1] - self.begins[position]) * self.beam
            if self.steps > A_WHILE:
                self.steps = 0
                listen()
            path = &self.paths[self.ranked[index]]
            used = self.used + <int64_t>self.ranked[index] * self.width
            if position >= path.busy_until:
                for number in range(self.begins[position], self.begins[position + 1]):
                    match = &self.matches[number]
                    fits = True
                    for place in range(match.start, match.start + match.length):
                        bit = self.bits[place]
                        if used[bit >> 6] >> (bit & 63) & 1:
                            fits = False
                            break
                    if fits:
                        child = path[0]
                        _take(&child, match, number)
                        self._offer(&child, used, match)
                        path.distance += _apart(match)
                _skip(path)
            self._offer(path, used, NULL)
        self.paths, self.children = self.children, self.paths
        self.ranked, self.child_ranked = self.child_ranked, self.ranked
        self.used, self.child_used = self.child_used, self.used
        self.path_count = self.child_count
        return 0

    cdef void _offer(self, Path* path, const uint64_t* used, const Match* match) noexcept nogil:
        """Put a path among the children, if it is one of the best so far; behind those it equals."""
        cdef int32_t slot, place, bit
        cdef uint64_t* own
        if self.child_count < self.beam:
            slot = self.child_count
            self.child_count += 1
        else:
            slot = self.child_ranked[self.beam - 1]
            if not _better(path, &self.children[slot]):
                return
        place = self.child_count - 1
        while place > 0 and _better(path, &self.children[self.child_ranked[place - 1]]):
            self.child_ranked[place] = self.child_ranked[place - 1]
            place -= 1
        self.child_ranked[place] = slot
        self.children[slot] = path[0]
        own = self.child_used + <int64_t>slot * self.width
        memcpy(own, used, self.width * sizeof(uint64_t))
        if match != NULL:
            for place in range(match.start, match.start + match.length):
                bit = self.bits[place]
                own[bit >> 6] |= (<uint64_t>1) << (bit & 63)

    cdef int _remember(self) except -1 nogil:
        """Write the matches that the surviving paths took into the trace."""
        cdef int32_t place, capacity
        if <int64_t>self.trace_count + self.path_count > self.trace_capacity:
            capacity = numbered(2 * (<int64_t>self.trace_capacity + self.path_count))
            self.trace = <Step*>resized(self.trace, <size_t>capacity * sizeof(Step))
            self.trace_capacity = capacity
        for place in range(self.path_count):
            if self.paths[place].pending >= 0:
                self.trace[self.trace_count].match = self.paths[place].pending
                self.trace[self.trace_count].before = self.paths[place].trace
                self.paths[place].trace = self.trace_count
                self.paths[place].pending = -1
                self.trace_count += 1
        return 0

    def choose(self, matches, int32_t length, int32_t reference_length):
        """Return which of ``matches`` make the alignment, as their places in the list: the search alone, for tests.

        ``matches`` are (start, length, reference start, reference length, stage), sorted by reference start and, within
        it, in the order they were found.
        """
        starts = [match[2] for match in matches]
        cdef int32_t[::1] begins = np.searchsorted(starts, range(reference_length + 1)).astype(np.int32)
        cdef int32_t[:, ::1] numbers = np.array(matches, np.int32).reshape(-1, 5)
        cdef const Match* first = <const Match*>&numbers[0, 0] if len(matches) else NULL
        self.align(first, &begins[0], length, reference_length)
        return [self.chosen[position] for position in range(reference_length) if self.chosen[position] >= 0]
