# cython: language_level=3
"""Which phrases of the paraphrase table stand where in captions, and which of them are paraphrases of each other."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from caplens.text._memory cimport resized
from caplens.text._tables cimport PairTable


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
            self.starts = <int32_t*>resized(self.starts, self.capacity * sizeof(int32_t))
            self.lengths = <int32_t*>resized(self.lengths, self.capacity * sizeof(int32_t))
            self.nodes = <int32_t*>resized(self.nodes, self.capacity * sizeof(int32_t))
        self.starts[self.count] = start
        self.lengths[self.count] = length
        self.nodes[self.count] = node
        self.count += 1
        return 0


def relate(const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases, const int32_t[::1] candidate_nodes,
           const int32_t[::1] reference_nodes):
    """Keep of all paraphrases those that join a phrase of the candidates to one of the references.

    The tables are as large as the captions need, not as the trie is: a training loop asks for every batch.

    Returns
    -------
    numbers : PairTable
        A small number for each node that is joined to another; the others are not in it.
    forward_offsets, forward : numpy.ndarray of int32
        The reference phrase numbered ``p`` has the paraphrases ``forward[forward_offsets[p]:forward_offsets[p + 1]]``
        in candidates, in the table's order.
    backward_offsets, backward : numpy.ndarray of int32
        The same for phrases of candidates and their paraphrases in references.
    """
    numbers = PairTable()
    ours, theirs = _distinct(candidate_nodes), _distinct(reference_nodes)
    forward = _join(paraphrase_offsets, paraphrases, theirs, ours, numbers)
    backward = _join(paraphrase_offsets, paraphrases, ours, theirs, numbers)
    return (numbers, *_by_phrase(*forward, len(numbers)), *_by_phrase(*backward, len(numbers)))


cdef PairTable _distinct(const int32_t[::1] nodes):
    cdef PairTable distinct = PairTable()
    cdef int64_t index
    with nogil:
        for index in range(nodes.shape[0]):
            distinct.find_or_add(<uint64_t>nodes[index])
    return distinct


cdef object _join(const int32_t[::1] paraphrase_offsets, const int32_t[::1] paraphrases, PairTable phrases,
                  PairTable others, PairTable numbers):
    """Return (phrase, paraphrase), numbered, for all of ``phrases`` that have one among ``others``."""
    cdef int64_t index, place
    cdef int32_t phrase
    cdef list joined = []
    for index in range(phrases.size):
        phrase = <int32_t>phrases.keys[index]
        for place in range(paraphrase_offsets[phrase], paraphrase_offsets[phrase + 1]):
            if others.find(<uint64_t>paraphrases[place]) >= 0:
                joined.append(numbers.find_or_add(<uint64_t>phrase))
                joined.append(numbers.find_or_add(<uint64_t>paraphrases[place]))
    pairs = np.array(joined, np.int32).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _by_phrase(phrases, paraphrases, count):
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(phrases, minlength=count), out=offsets[1:])
    return offsets, paraphrases[np.argsort(phrases, kind="stable")]
