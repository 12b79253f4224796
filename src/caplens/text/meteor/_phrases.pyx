# cython: language_level=3
"""Which phrases of the paraphrase table stand where in captions, and which of them are paraphrases of each other."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc


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


cdef int32_t* _grown(int32_t* numbers, int64_t capacity) except NULL nogil:
    cdef int32_t* grown = <int32_t*>realloc(numbers, capacity * sizeof(int32_t))
    if grown == NULL:
        with gil:
            raise MemoryError
    return grown


cdef object _array(const int32_t* numbers, int64_t count):
    return np.array(<const int32_t[:count]>numbers) if count else np.empty(0, np.int32)


cdef class SpanFinder:
    """Walks captions along the trie; one finder for each thread."""
    cdef const int32_t[::1] node_words, first_child, paraphrase_offsets
    cdef const uint8_t[::1] is_paraphrase
    cdef int32_t* starts
    cdef int32_t* lengths
    cdef int32_t* nodes
    cdef int64_t count, capacity

    def __cinit__(self, const int32_t[::1] node_words, const int32_t[::1] first_child,
                  const int32_t[::1] paraphrase_offsets, const uint8_t[::1] is_paraphrase):
        self.node_words = node_words
        self.first_child = first_child
        self.paraphrase_offsets = paraphrase_offsets
        self.is_paraphrase = is_paraphrase
        self.count = 0
        self.capacity = 1 << 12
        self.starts = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        self.lengths = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        self.nodes = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        if self.starts == NULL or self.lengths == NULL or self.nodes == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.starts)
        free(self.lengths)
        free(self.nodes)

    def find(self, const int64_t[::1] offsets, const int32_t[::1] ids, const int32_t[::1] known,
             const int32_t[::1] beginnings, int64_t first, int64_t last):
        """Find the phrases in captions ``first`` to ``last``.

        ``known`` gives the vocabulary's id of each word id, ``beginnings`` the node of phrases that begin with it, -1
        where there is none. Returns how many phrases each caption has, and the start, length and node of every phrase:
        captions one after the other, by start and then length.
        """
        cdef int64_t caption, begin, end, place, stop, before
        counts_array = np.empty(last - first, np.int64)
        cdef int64_t[::1] counts = counts_array
        cdef int32_t node
        self.count = 0
        with nogil:
            for caption in range(first, last):
                begin = offsets[caption]
                end = offsets[caption + 1]
                before = self.count
                for place in range(begin, end):
                    node = beginnings[ids[place]]
                    stop = place + 1
                    while node >= 0:
                        if (self.is_paraphrase[node]
                                or self.paraphrase_offsets[node + 1] > self.paraphrase_offsets[node]):
                            self._append(<int32_t>(place - begin), <int32_t>(stop - place), node)
                        if stop == end or known[ids[stop]] < 0:
                            break
                        node = _child(&self.node_words[0], &self.first_child[0], node, known[ids[stop]])
                        stop += 1
                counts[caption - first] = self.count - before
        return counts_array, _array(self.starts, self.count), _array(self.lengths, self.count), _array(self.nodes, self.count)

    cdef int _append(self, int32_t start, int32_t length, int32_t node) except -1 nogil:
        if self.count == self.capacity:
            self.capacity *= 2
            self.starts = _grown(self.starts, self.capacity)
            self.lengths = _grown(self.lengths, self.capacity)
            self.nodes = _grown(self.nodes, self.capacity)
        self.starts[self.count] = start
        self.lengths[self.count] = length
        self.nodes[self.count] = node
        self.count += 1
        return 0


def relate(const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases, const int32_t[::1] candidate_nodes,
           const int32_t[::1] reference_nodes):
    """Keep of all paraphrases those that join a phrase of the candidates to one of the references.

    Returns
    -------
    local : numpy.ndarray of int32
        A small number for every node of the trie, 0 for those that are joined to none.
    forward_offsets, forward : numpy.ndarray of int32
        The reference phrase numbered ``p`` has the paraphrases ``forward[forward_offsets[p]:forward_offsets[p + 1]]``
        in candidates, in the table's order.
    backward_offsets, backward : numpy.ndarray of int32
        The same for phrases of candidates and their paraphrases in references.
    """
    nodes = len(paraphrase_offsets) - 1
    marks_array = np.zeros(nodes, np.uint8)
    local_array = np.zeros(nodes, np.int32)
    cdef uint8_t[::1] marks = marks_array
    cdef int32_t[::1] local = local_array
    cdef int32_t numbered = 0
    distinct_candidate = _mark(candidate_nodes, marks, 1)
    distinct_reference = _mark(reference_nodes, marks, 2)
    forward = _join(paraphrase_offsets, paraphrases, distinct_reference, marks, 1, local, &numbered)
    backward = _join(paraphrase_offsets, paraphrases, distinct_candidate, marks, 2, local, &numbered)
    return (local_array, *_by_phrase(*forward, local_array, numbered), *_by_phrase(*backward, local_array, numbered))


cdef object _mark(const int32_t[::1] nodes, uint8_t[::1] marks, uint8_t mark):
    """Mark nodes and return each once, in the order met."""
    cdef int64_t index, found = 0
    distinct_array = np.empty(min(nodes.shape[0], marks.shape[0]), np.int32)
    cdef int32_t[::1] distinct = distinct_array
    with nogil:
        for index in range(nodes.shape[0]):
            if not marks[nodes[index]] & mark:
                marks[nodes[index]] |= mark
                distinct[found] = nodes[index]
                found += 1
    return distinct_array[:found]


cdef object _join(const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases, const int32_t[::1] phrases,
                  const uint8_t[::1] marks, uint8_t mark, int32_t[::1] local, int32_t* numbered):
    """Return (phrase, paraphrase) nodes for all paraphrases with ``mark``, numbering both in ``local``."""
    cdef int64_t index, place, found = 0
    cdef int32_t phrase, node
    for index in range(phrases.shape[0]):
        for place in range(paraphrase_offsets[phrases[index]], paraphrase_offsets[phrases[index] + 1]):
            found += 1 if marks[paraphrases[place]] & mark else 0
    joined_array = np.empty((2, found), np.int32)
    cdef int32_t[:, ::1] joined = joined_array
    found = 0
    for index in range(phrases.shape[0]):
        phrase = phrases[index]
        for place in range(paraphrase_offsets[phrase], paraphrase_offsets[phrase + 1]):
            if not marks[paraphrases[place]] & mark:
                continue
            joined[0, found] = phrase
            joined[1, found] = paraphrases[place]
            found += 1
            for node in (phrase, paraphrases[place]):
                if local[node] == 0:
                    numbered[0] += 1
                    local[node] = numbered[0]
    return joined_array


def _by_phrase(phrases, paraphrases, local, numbered):
    owners = local[phrases]
    offsets = np.zeros(numbered + 2, np.int32)
    np.cumsum(np.bincount(owners, minlength=numbered + 1), out=offsets[1:])
    return offsets, local[paraphrases[np.argsort(owners, kind="stable")]]
