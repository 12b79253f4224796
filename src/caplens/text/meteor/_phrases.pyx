# cython: language_level=3
"""Which phrases of the paraphrase table stand where in captions, and which of them are paraphrases of each other."""

import threading

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from caplens.text._memory cimport numbered, resized
from caplens.text._tables cimport PairTable

cdef enum:
    MOST_STEP_BITS = 15  # the steps that are remembered take half a megabyte, which a core's own cache holds
    MANY_ENTRIES = 1 << 22
    UNKNOWN = -2


# A step down the trie: from a node (upper half of the key) along a word. The child is -1 where there is none, its
# number is -1 where it is no phrase.
cdef struct Step:
    uint64_t key
    int32_t child
    int32_t number


cdef inline int32_t _child(const int32_t* node_words, const int32_t* first_child, int32_t node,
                           int32_t word) noexcept nogil:
    """The child of ``node`` along ``word``, or -1.

    The children lie side by side, sorted by word, and spread rather evenly over the vocabulary: the search begins where
    the word should be, and goes from there in larger and larger steps, since every look far away waits for memory.
    """
    cdef int32_t low = first_child[node], high = first_child[node + 1], stop = high, middle, width = 8
    cdef int64_t first, last
    if high - low > 32:
        first, last = node_words[low], node_words[high - 1]
        if word < first or word > last or first == last:  # the last is for damaged files
            return -1
        middle = low + <int32_t>((word - first) * (high - 1 - low) // (last - first))
        if node_words[middle] < word:
            low = middle + 1
            while low + width < high and node_words[low + width] < word:
                low += width
                width *= 2
            high = min(high, low + width + 1)
        else:
            high = middle
            while high - width > low and node_words[high - width] >= word:
                high -= width
                width *= 2
            low = max(low, high - width)
            high += 1
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
    words : int
        How many words there will be, about: for a few, little is remembered.
    """
    cdef const int32_t[::1] node_words, first_child, paraphrase_offsets, source_offsets, known, beginnings
    cdef PairTable numbers
    cdef int32_t* starts
    cdef int32_t* found
    cdef int32_t* lengths  # of the phrases that are new to `numbers`
    cdef int32_t* single  # the number of each word as a phrase
    cdef Step* steps
    cdef int64_t count, capacity
    cdef int32_t length_capacity, first_size, shift

    def __cinit__(self, const int32_t[::1] node_words, const int32_t[::1] first_child,
                  const int32_t[::1] paraphrase_offsets, const int32_t[::1] source_offsets, const int32_t[::1] known,
                  const int32_t[::1] beginnings, PairTable numbers not None, int64_t words):
        cdef Py_ssize_t word
        cdef int32_t bits = 6
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
        while bits < MOST_STEP_BITS and (1 << bits) < words:
            bits += 1
        self.shift = 64 - bits
        self.steps = <Step*>malloc((<size_t>1 << bits) * sizeof(Step))
        if (self.starts == NULL or self.found == NULL or self.lengths == NULL or self.single == NULL
                or self.steps == NULL):
            raise MemoryError
        for word in range(beginnings.shape[0]):
            self.single[word] = UNKNOWN
        memset(self.steps, 0xFF, (<size_t>1 << bits) * sizeof(Step))

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
        cdef Step* step = &self.steps[(key * <uint64_t>0x9E3779B97F4A7C15) >> self.shift]
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
    """Looks up paraphrases between phrases of candidates and those of references, and remembers them.

    Parameters
    ----------
    paraphrase_offsets, paraphrases, source_offsets, sources : numpy.ndarray of int32
        The table in both directions.
    references : PairTable
        The nodes of the references' phrases to their numbers.
    """
    cdef const int32_t[::1] paraphrase_offsets, paraphrases, source_offsets, sources
    cdef PairTable references, known
    cdef object lock
    cdef int32_t* begins  # the entries of known phrases, one after the other; and one more
    cdef int32_t* entries  # number of the reference's phrase, rank
    cdef int32_t count, capacity, begin_capacity

    def __cinit__(self, const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases,
                  const int32_t[::1] source_offsets, const int32_t[::1] sources, PairTable references not None):
        self.paraphrase_offsets, self.paraphrases = paraphrase_offsets, paraphrases
        self.source_offsets, self.sources = source_offsets, sources
        self.references = references
        self.known = PairTable()
        self.lock = threading.Lock()
        self.count = self.capacity = 0
        self.entries = NULL
        self.begin_capacity = 1 << 8
        self.begins = <int32_t*>resized(NULL, self.begin_capacity * sizeof(int32_t))
        self.begins[0] = 0

    def __dealloc__(self):
        free(self.begins)
        free(self.entries)

    def relate(self, const int32_t[::1] nodes, const int32_t[::1] found):
        """Relate the phrases of ``found``, numbers whose nodes are ``nodes``, to those of the references.

        Returns
        -------
        ranges : numpy.ndarray of int32, two columns
            Where the entries of each phrase begin and end.
        entries : numpy.ndarray of int32, two columns
            The number of a reference's phrase; and where the phrase stands among that one's paraphrases, or -1 if it
            is the other way round: the reference's phrase is among the paraphrases of this one.
        """
        cdef int64_t index, size, count = 0
        cdef int32_t known
        is_used_array, used_array = np.zeros(nodes.shape[0], np.uint8), np.empty(nodes.shape[0], np.int32)
        ranges_array = np.zeros((nodes.shape[0], 2), np.int32)
        cdef uint8_t[::1] is_used = is_used_array
        cdef int32_t[::1] used = used_array
        cdef int32_t[:, ::1] ranges = ranges_array
        for index in range(found.shape[0]):
            if not is_used[found[index]]:
                is_used[found[index]] = 1
                used[count] = found[index]
                count += 1
        with self.lock:
            if self.count > MANY_ENTRIES:  # of a loop that never ends
                self.known = PairTable()
                self.count = 0
            size = 0
            for index in range(count):
                known = self._known(nodes[used[index]])
                size += self.begins[known + 1] - self.begins[known]
            entries_array = np.empty((numbered(size), 2), np.int32)
            self._copy(nodes, used[:count], ranges, entries_array)
        return ranges_array, entries_array

    cdef int _copy(self, const int32_t[::1] nodes, const int32_t[::1] used, int32_t[:, ::1] ranges,
                   int32_t[:, ::1] entries) except -1:
        cdef int64_t index
        cdef int32_t known, begin, size, written = 0
        for index in range(used.shape[0]):
            known = self.known.find(<uint64_t>nodes[used[index]])
            begin, size = self.begins[known], self.begins[known + 1] - self.begins[known]
            ranges[used[index], 0], ranges[used[index], 1] = written, written + size
            if size:
                memcpy(&entries[written, 0], self.entries + 2 * <size_t>begin, 2 * <size_t>size * sizeof(int32_t))
            written += size
        return 0

    cdef int32_t _known(self, int32_t node) except -1:
        """The place of a node among those that are known."""
        cdef int32_t size = self.known.size, known = self.known.find_or_add(<uint64_t>node)
        if known == size:
            if size + 1 == self.begin_capacity:
                self.begins = <int32_t*>resized(self.begins, 2 * <size_t>self.begin_capacity * sizeof(int32_t))
                self.begin_capacity *= 2
            self._look_up(node)
            self.begins[size + 1] = self.count
        return known

    cdef int _look_up(self, int32_t node) except -1 nogil:
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
