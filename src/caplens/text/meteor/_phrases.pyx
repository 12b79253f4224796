# cython: language_level=3
"""Which phrases of the paraphrase table stand where in captions, and which of them are paraphrases of each other."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from caplens.text._memory cimport numbered, resized
from caplens.text._tables cimport PairTable

cdef enum:
    STEP_BITS = 15  # the steps that are remembered take half a megabyte, which a core's own cache holds
    UNKNOWN = -2


# A step down the trie: from a node (upper half of the key) along a word. The child is -1 where there is none, its
# number is -1 where it is no phrase.
cdef struct Step:
    uint64_t key
    int32_t child
    int32_t number


cdef inline int32_t _child(const int32_t* node_words, const int32_t* first_child, int32_t node,
                           int32_t word) noexcept nogil:
    """The child of ``node`` along ``word``, or -1: binary search among the children, which lie side by side."""
    cdef int32_t low = first_child[node], high = first_child[node + 1], stop = high, middle
    while low < high:
        middle = low + ((high - low) >> 1)
        if node_words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < stop and node_words[low] == word else -1


cdef object _array(const int32_t* numbers, int64_t count):
    return np.array(<const int32_t[:count]>numbers) if count else np.empty(0, np.int32)


cdef class SpanFinder:
    """Walks captions along the trie and numbers the phrases that it meets; one finder for each thread.

    Captions repeat themselves, and the trie is far larger than the processor's caches, so steps are remembered.

    Parameters
    ----------
    node_words, first_child, paraphrase_offsets, source_offsets : numpy.ndarray of int32
        The trie.
    known : numpy.ndarray of int32
        The vocabulary's id of each word id, -1 for strangers.
    beginnings : numpy.ndarray of int32
        The node of phrases that begin with each word id, -1 where there is none.
    numbers : PairTable
        Nodes to numbers; takes in new ones.
    """
    cdef const int32_t[::1] node_words, first_child, paraphrase_offsets, source_offsets, known, beginnings
    cdef PairTable numbers
    cdef int32_t* starts
    cdef int32_t* found
    cdef int32_t* lengths  # of the phrases that are new to `numbers`
    cdef int32_t* single  # the number of each word as a phrase
    cdef Step* steps
    cdef int64_t count, capacity
    cdef int32_t length_capacity, first_size

    def __cinit__(self, const int32_t[::1] node_words, const int32_t[::1] first_child,
                  const int32_t[::1] paraphrase_offsets, const int32_t[::1] source_offsets, const int32_t[::1] known,
                  const int32_t[::1] beginnings, PairTable numbers not None):
        cdef Py_ssize_t word
        self.node_words, self.first_child = node_words, first_child
        self.paraphrase_offsets, self.source_offsets = paraphrase_offsets, source_offsets
        self.known, self.beginnings = known, beginnings
        self.numbers = numbers
        self.first_size = numbers.size
        self.count = 0
        self.capacity = 1 << 12
        self.length_capacity = 1 << 8
        self.starts = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        self.found = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        self.lengths = <int32_t*>malloc(self.length_capacity * sizeof(int32_t))
        self.single = <int32_t*>malloc((beginnings.shape[0] + 1) * sizeof(int32_t))
        self.steps = <Step*>malloc((1 << STEP_BITS) * sizeof(Step))
        if (self.starts == NULL or self.found == NULL or self.lengths == NULL or self.single == NULL
                or self.steps == NULL):
            raise MemoryError
        for word in range(beginnings.shape[0]):
            self.single[word] = UNKNOWN
        memset(self.steps, 0xFF, (1 << STEP_BITS) * sizeof(Step))

    def __dealloc__(self):
        free(self.starts)
        free(self.found)
        free(self.lengths)
        free(self.single)
        free(self.steps)

    def find(self, const int64_t[::1] offsets, const int32_t[::1] ids, int64_t[::1] counts, int64_t first,
             int64_t last):
        """Find the phrases in captions ``first`` to ``last``, and write how many each has."""
        cdef int64_t caption, begin, end, place, stop, before
        cdef int32_t node, word
        cdef Step* step
        with nogil:
            for caption in range(first, last):
                begin = offsets[caption]
                end = offsets[caption + 1]
                before = self.count
                for place in range(begin, end):
                    word = ids[place]
                    node = self.beginnings[word]
                    if node < 0:
                        continue
                    if self.single[word] == UNKNOWN:
                        self.single[word] = self._number(node, 1)
                    if self.single[word] >= 0:
                        self._append(<int32_t>(place - begin), self.single[word])
                    for stop in range(place + 1, end):
                        step = self._step(node, ids[stop], <int32_t>(stop + 1 - place))
                        node = step.child
                        if node < 0:
                            break
                        if step.number >= 0:
                            self._append(<int32_t>(place - begin), step.number)
                counts[caption] = self.count - before

    def take(self):
        """Return start and number of every phrase found, and the lengths of the new ones; forget them.

        Phrases come caption after caption, by start and then length.
        """
        starts = _array(self.starts, self.count)
        free(self.starts)
        self.starts = NULL
        found = _array(self.found, self.count)
        free(self.found)
        self.found = NULL
        self.count = self.capacity = 0
        return starts, found, _array(self.lengths, self.numbers.size - self.first_size)

    cdef Step* _step(self, int32_t node, int32_t word, int32_t length) except NULL nogil:
        cdef uint64_t key = <uint64_t>node << 32 | <uint64_t>word
        cdef Step* step = &self.steps[(key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - STEP_BITS)]
        cdef int32_t number = -1, child = -1
        if step.key != key:
            if self.known[word] >= 0:
                child = _child(&self.node_words[0], &self.first_child[0], node, self.known[word])
                if child >= 0:
                    number = self._number(child, length)
            step.key, step.child, step.number = key, child, number
        return step

    cdef int32_t _number(self, int32_t node, int32_t length) except -3 nogil:
        """The number of a node, -1 if it is only the beginning of phrases."""
        cdef int32_t number, size = self.numbers.size
        if (self.paraphrase_offsets[node + 1] == self.paraphrase_offsets[node]
                and self.source_offsets[node + 1] == self.source_offsets[node]):
            return -1
        number = self.numbers.find_or_add(<uint64_t>node)
        if self.numbers.size > size:
            size -= self.first_size
            if size == self.length_capacity:
                self.lengths = <int32_t*>resized(self.lengths, 2 * <size_t>size * sizeof(int32_t))
                self.length_capacity *= 2
            self.lengths[size] = length
        return number

    cdef int _append(self, int32_t start, int32_t number) except -1 nogil:
        cdef int64_t capacity
        if self.count == self.capacity:
            capacity = 2 * self.capacity + 64
            self.starts = <int32_t*>resized(self.starts, capacity * sizeof(int32_t))
            self.found = <int32_t*>resized(self.found, capacity * sizeof(int32_t))
            self.capacity = capacity
        self.starts[self.count] = start
        self.found[self.count] = number
        self.count += 1
        return 0


cdef class Relater:
    """Looks up paraphrases between phrases of candidates and those of references.

    Parameters
    ----------
    paraphrase_offsets, paraphrases, source_offsets, sources : numpy.ndarray of int32
        The table in both directions.
    references : PairTable
        The nodes of the references' phrases to their numbers.
    """
    cdef const int32_t[::1] paraphrase_offsets, paraphrases, source_offsets, sources
    cdef PairTable references
    cdef int32_t* entries  # number of the reference's phrase, rank
    cdef int32_t count, capacity

    def __cinit__(self, const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases,
                  const int32_t[::1] source_offsets, const int32_t[::1] sources, PairTable references not None):
        self.paraphrase_offsets, self.paraphrases = paraphrase_offsets, paraphrases
        self.source_offsets, self.sources = source_offsets, sources
        self.references = references
        self.count = self.capacity = 0
        self.entries = NULL

    def __dealloc__(self):
        free(self.entries)

    def relate(self, const int32_t[::1] nodes, const int32_t[::1] found):
        """Relate the phrases of ``found``, numbers whose nodes are ``nodes``, to those of the references.

        Returns
        -------
        offsets : numpy.ndarray of int32
            The phrase ``p`` has the entries ``offsets[p]`` to ``offsets[p + 1]``.
        entries : numpy.ndarray of int32, two columns
            The number of a reference's phrase; and where the phrase stands among that one's paraphrases, or -1 if it
            is the other way round: the reference's phrase is among the paraphrases of this one.
        """
        cdef int32_t phrases = <int32_t>nodes.shape[0], phrase
        cdef int64_t index
        offsets_array, is_used_array = np.empty(phrases + 1, np.int32), np.zeros(phrases, np.uint8)
        cdef int32_t[::1] offsets = offsets_array
        cdef uint8_t[::1] is_used = is_used_array
        self.count = offsets[0] = 0
        with nogil:
            for index in range(found.shape[0]):
                is_used[found[index]] = 1
            for phrase in range(phrases):
                if is_used[phrase]:
                    self._relate(nodes[phrase])
                offsets[phrase + 1] = self.count
        entries = np.empty((self.count, 2), np.int32)
        cdef int32_t[:, ::1] copied = entries
        if self.count:
            memcpy(&copied[0, 0], self.entries, 2 * <size_t>self.count * sizeof(int32_t))
        return offsets_array, entries

    cdef int _relate(self, int32_t node) except -1 nogil:
        cdef int32_t place, other, number, before = -1, begin
        for place in range(self.source_offsets[node], self.source_offsets[node + 1]):
            other = self.sources[place]
            if other == before:  # the table has the pair twice, and both were found below
                continue
            before = other
            number = self.references.find(<uint64_t>other)
            if number < 0:
                continue
            begin = self.paraphrase_offsets[other]
            for other in range(begin, self.paraphrase_offsets[other + 1]):
                if self.paraphrases[other] == node:
                    self._append(number, other - begin)
        for place in range(self.paraphrase_offsets[node], self.paraphrase_offsets[node + 1]):
            number = self.references.find(<uint64_t>self.paraphrases[place])
            if number >= 0:
                self._append(number, -1)
        return 0

    cdef int _append(self, int32_t number, int32_t rank) except -1 nogil:
        if self.count == self.capacity:
            self.capacity = numbered(2 * <int64_t>self.capacity + 64)
            self.entries = <int32_t*>resized(self.entries, 2 * <size_t>self.capacity * sizeof(int32_t))
        self.entries[2 * self.count] = number
        self.entries[2 * self.count + 1] = rank
        self.count += 1
        return 0
