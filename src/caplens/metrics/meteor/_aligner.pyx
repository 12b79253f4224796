# cython: language_level=3
"""METEOR's search for the alignment: a beam over reference positions, with the habits of METEOR 1.5.

Those habits decide ties, and ties are common, so they are kept to the letter: in the search a word matched by stem,
synonym or paraphrase counts half and halves are dropped; when a path branches, the distance of the match goes to the
path it branched from, so that later branches and the one without a match carry it; equal paths keep their order.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caplens.files._listening cimport A_WHILE, listen
from caplens.text._memory cimport numbered, resized


cdef inline int64_t _gained(const Match* match) noexcept nogil:
    """What a match takes off a path's order."""
    if match.stage == EXACT:
        return (<int64_t>match.length + match.reference_length) << 32
    return (<int64_t>(match.length // 2) + match.reference_length // 2) << 32


cdef inline int64_t _order_after(const Path* path, const Match* match) noexcept nogil:
    """The path's order with one more match, and with one more chunk if the match does not continue the last one."""
    return path.order - _gained(match) + (path.last_end != -1 and path.last_end != match.start)


cdef inline void _skip(Path* path) noexcept nogil:
    path.order += path.last_end != -1
    path.last_end = -1


cdef inline int32_t _apart(const Match* match) noexcept nogil:
    cdef int32_t apart = match.start - match.reference_start
    return apart if apart >= 0 else -apart


cdef inline bint _ahead(const Path* left, const Path* right) noexcept nogil:
    return left.order < right.order or (left.order == right.order and left.distance < right.distance)


cdef inline void _move_up(Path* paths, int32_t index) noexcept nogil:
    """Put a path in its place among those before it, behind the ones it equals; mostly it is there already."""
    cdef Path path
    if index == 0 or not _ahead(&paths[index], &paths[index - 1]):
        return
    path = paths[index]
    while index > 0 and _ahead(&path, &paths[index - 1]):
        paths[index] = paths[index - 1]
        index -= 1
    paths[index] = path


cdef inline bint _better(const Offer* left, const Offer* right) noexcept nogil:
    return left.order < right.order or (left.order == right.order and left.distance < right.distance)


cdef inline bint _before(const Offer* left, const Offer* right) noexcept nogil:
    """Whether an offer is better, or as good and made earlier: for an earlier path, or by an earlier match."""
    if left.order != right.order:
        return left.order < right.order
    if left.distance != right.distance:
        return left.distance < right.distance
    return left.parent < right.parent or (left.parent == right.parent and left.match < right.match)


cdef inline void _insert(Offer* offers, int32_t count, const Offer* offer) noexcept nogil:
    """Put an offer among others, behind those it equals; those of one kind come nearly sorted, since paths are."""
    while count > 0 and _better(offer, &offers[count - 1]):
        offers[count] = offers[count - 1]
        count -= 1
    offers[count] = offer[0]


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
        self.exact = <Offer*>malloc(beam * sizeof(Offer))
        self.others = <Offer*>malloc(beam * sizeof(Offer))
        if self.paths == NULL or self.children == NULL or self.exact == NULL or self.others == NULL:
            raise MemoryError

    def __dealloc__(self):
        for pointer in (<size_t>self.chosen, <size_t>self.coverage,
                        <size_t>self.reference_coverage, <size_t>self.bits, <size_t>self.fixed, <size_t>self.used,
                        <size_t>self.child_used, <size_t>self.trace, <size_t>self.paths, <size_t>self.children,
                        <size_t>self.exact, <size_t>self.others):
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

    cdef int _open(self, int32_t length, int32_t reference_length) except -1 nogil:
        """Begin with one path that has used no words."""
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
        self.paths[0].last_end = self.paths[0].trace = -1
        self.paths[0].busy_until = self.paths[0].slot = 0
        self.path_count = 1
        self.trace_count = 0
        return 0

    cdef int _search(self, int32_t length, int32_t reference_length) except -1 nogil:
        cdef int32_t position, place, step
        cdef const Path* best
        self._open(length, reference_length)
        for position in range(reference_length):
            if self.fixed[position] or self.begins[position] == self.begins[position + 1]:
                self._advance(position)
            else:
                self._branch(position)
        best = self.paths
        for place in range(self.path_count):
            _skip(&self.paths[place])
            if _ahead(&self.paths[place], best):
                best = &self.paths[place]  # of equal ones the first stays
        step = best.trace
        while step >= 0:
            self.chosen[self.matches[self.trace[step].match].reference_start] = self.trace[step].match
            step = self.trace[step].before
        return 0

    cdef void _advance(self, int32_t position) noexcept nogil:
        """A position at which all paths do the same: take the fixed match, or none."""
        cdef int32_t index
        cdef const Match* match
        cdef Path* path
        if self.fixed[position]:
            match = &self.matches[self.begins[position]]
            for index in range(self.path_count):
                path = &self.paths[index]
                path.order = _order_after(path, match)
                path.distance += _apart(match)
                path.last_end = match.start + match.length
                path.busy_until = match.reference_start + match.reference_length
                _move_up(self.paths, index)
        else:
            for index in range(self.path_count):
                path = &self.paths[index]
                if position >= path.busy_until:
                    _skip(path)
                _move_up(self.paths, index)

    cdef int _branch(self, int32_t position) except -1 nogil:
        """A position with matches that compete: every path may take any that fits, or none."""
        cdef int32_t index, number, bit, place, begin = self.begins[position], end = self.begins[position + 1]
        cdef int64_t most = 0
        cdef const Path* path
        cdef const Match* match
        cdef const uint64_t* used
        cdef Offer offer
        cdef bint fits
        for number in range(begin, end):
            most = max(most, _gained(&self.matches[number]))
        self.exact_count = self.other_count = 0
        for index in range(self.path_count):
            # An offer may move all others.
            self.steps += <int64_t>(end - begin) * self.beam
            if self.steps > A_WHILE:
                self.steps = 0
                listen()
            path = &self.paths[index]
            offer.parent = index
            offer.distance = path.distance
            offer.order = path.order - most
            if not self._admits(&offer):
                break  # nor what the paths behind it may become
            offer.order = path.order
            if position >= path.busy_until:
                used = self.used + <int64_t>path.slot * self.width
                for number in range(begin, end):
                    match = &self.matches[number]
                    fits = True
                    for place in range(match.start, match.start + match.length):
                        bit = self.bits[place]
                        if used[bit >> 6] >> (bit & 63) & 1:
                            fits = False
                            break
                    if not fits:
                        continue
                    offer.match = number
                    offer.order = _order_after(path, match)
                    self._make(&offer, match.stage == EXACT)
                    offer.distance += _apart(match)
                offer.order = path.order + (path.last_end != -1)
            offer.match = NO_MATCH
            self._make(&offer, False)
        return self._choose_children(position)

    cdef inline bint _admits(self, const Offer* offer) noexcept nogil:
        """Whether an offer is one of the best so far; of equal ones the earlier stay."""
        if self.exact_count + self.other_count < self.beam:
            return True
        return ((self.exact_count > 0 and _better(offer, &self.exact[self.exact_count - 1]))
                or (self.other_count > 0 and _better(offer, &self.others[self.other_count - 1])))

    cdef inline void _make(self, const Offer* offer, bint exact) noexcept nogil:
        """Put an offer among those of its kind, if it is one of the best; the worst of all makes room for it."""
        if not self._admits(offer):
            return
        if self.exact_count + self.other_count == self.beam:
            if self.other_count == 0 or (self.exact_count > 0 and _before(
                    &self.others[self.other_count - 1], &self.exact[self.exact_count - 1])):
                self.exact_count -= 1
            else:
                self.other_count -= 1
        if exact:
            _insert(self.exact, self.exact_count, offer)
            self.exact_count += 1
        else:
            _insert(self.others, self.other_count, offer)
            self.other_count += 1

    cdef int _choose_children(self, int32_t position) except -1 nogil:
        """Make the best offers the new paths."""
        cdef int32_t count, exact = 0, other = 0, place, bit, capacity
        cdef const Offer* offer
        cdef const Match* match
        cdef Path* child
        cdef uint64_t* own
        self.path_count = self.exact_count + self.other_count
        if <int64_t>self.trace_count + self.path_count > self.trace_capacity:
            capacity = numbered(2 * (<int64_t>self.trace_count + self.path_count))
            self.trace = <Step*>resized(self.trace, <size_t>capacity * sizeof(Step))
            self.trace_capacity = capacity
        for count in range(self.path_count):
            if other == self.other_count or (exact < self.exact_count
                                             and _before(&self.exact[exact], &self.others[other])):
                offer = &self.exact[exact]
                exact += 1
            else:
                offer = &self.others[other]
                other += 1
            child = &self.children[count]
            child[0] = self.paths[offer.parent]
            own = self.child_used + <int64_t>count * self.width
            for place in range(self.width):  # one number, for captions of ordinary length
                own[place] = self.used[<int64_t>child.slot * self.width + place]
            child.slot = count
            child.order = offer.order
            child.distance = offer.distance
            if offer.match != NO_MATCH:
                match = &self.matches[offer.match]
                child.last_end = match.start + match.length
                child.busy_until = match.reference_start + match.reference_length
                for place in range(match.start, match.start + match.length):
                    bit = self.bits[place]
                    own[bit >> 6] |= (<uint64_t>1) << (bit & 63)
                self.trace[self.trace_count].match = offer.match
                self.trace[self.trace_count].before = child.trace
                child.trace = self.trace_count
                self.trace_count += 1
            elif position >= child.busy_until:
                child.last_end = -1
        self.paths, self.children = self.children, self.paths
        self.used, self.child_used = self.child_used, self.used
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
