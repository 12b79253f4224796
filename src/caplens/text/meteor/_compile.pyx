# cython: language_level=3
"""Reads the paraphrase table (triples of lines: probability, phrase, paraphrase) into a growing trie."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr

from caplens.text._memory cimport resized
from caplens.text._tables cimport BytesTable, PairTable, hash_bytes


cdef class PhrasePairReader:
    """Takes the table in pieces of any size; every phrase becomes a node of a trie over words.

    Attributes
    ----------
    words : BytesTable
        The words by id, in the order met.
    edges : PairTable
        ``(node, word) -> entry``; the child's node is ``entry + 1``, the root is 0.
    lines : int
        Whole lines read so far.
    """
    cdef readonly BytesTable words
    cdef readonly PairTable edges
    cdef readonly int64_t lines
    cdef int32_t* nodes  # phrase, paraphrase, phrase, paraphrase, ...
    cdef int64_t count, capacity
    cdef bytes rest  # the beginning of a line whose end comes in the next piece

    def __cinit__(self):
        self.words = BytesTable()
        self.edges = PairTable()
        self.lines = 0
        self.count = 0
        self.capacity = 1 << 16
        self.rest = b""
        self.nodes = <int32_t*>malloc(self.capacity * sizeof(int32_t))
        if self.nodes == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.nodes)

    def feed(self, bytes piece):
        """Take the next piece of the table."""
        cdef bytes text = self.rest + piece if self.rest else piece
        cdef const char* begin = text
        cdef const char* end = begin + len(text)
        cdef const char* stop
        with nogil:
            while True:
                stop = <const char*>memchr(begin, 10, end - begin)
                if stop == NULL:
                    break
                if self.lines % 3:
                    self._append(self._node(begin, stop))
                self.lines += 1
                begin = stop + 1
        self.rest = begin[:end - begin]

    def finish(self):
        """Return the nodes of phrases and of their paraphrases, two aligned int32 arrays in the table's order."""
        if self.rest:
            self.feed(b"\n")
        if self.lines % 3:
            raise ValueError(f"{self.lines} lines are not triples")
        if self.count == 0:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        pairs = np.asarray(<int32_t[:self.count]>self.nodes)
        return pairs[::2].copy(), pairs[1::2].copy()

    cdef int32_t _node(self, const char* begin, const char* end) except -1 nogil:
        """Walk down the trie, word by word, making what is not there."""
        cdef const char* stop
        cdef int32_t node = 0, word
        cdef uint64_t hash_value
        while begin < end:
            if begin[0] == 32:
                begin += 1
                continue
            stop = <const char*>memchr(begin, 32, end - begin)
            if stop == NULL:
                stop = end
            hash_value = hash_bytes(begin, stop - begin)
            word = self.words.find(begin, stop - begin, hash_value)
            if word < 0:
                word = self.words.add(begin, stop - begin, hash_value)
            node = self.edges.find_or_add((<uint64_t>node << 32) | <uint64_t>word) + 1
            begin = stop
        return node

    cdef int _append(self, int32_t node) except -1 nogil:
        if self.count == self.capacity:
            self.nodes = <int32_t*>resized(self.nodes, 2 * self.capacity * sizeof(int32_t))
            self.capacity *= 2
        self.nodes[self.count] = node
        self.count += 1
        return 0
