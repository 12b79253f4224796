# cython: language_level=3
"""The search for words in the lists of their contexts."""

from libc.stdint cimport int64_t

import numpy as np


cdef class Lists:
    """The words that are listed after each context.

    They are short, so a search in one of them reads much less memory than a search among all n-grams.

    Parameters
    ----------
    starts : numpy.ndarray of int64
        The words after the context ``c`` are ``words[starts[c]:starts[c + 1]]``.
    words : numpy.ndarray of int64
        Ascending within each context.
    """

    cdef const int64_t[::1] starts
    cdef const int64_t[::1] words

    def __init__(self, const int64_t[::1] starts, const int64_t[::1] words):
        cdef int64_t context, contexts = starts.shape[0] - 1
        cdef bint good = contexts >= 0 and starts[0] == 0 and starts[contexts] == words.shape[0]
        for context in range(contexts):
            good = good and starts[context] <= starts[context + 1]
        if not good:
            raise ValueError("every word must be in the list of a context")
        self.starts, self.words = starts, words

    def find(self, const int64_t[::1] contexts, const int64_t[::1] words):
        """Return where each word is listed after its context, -1 where it is not; a context of -1 has no list."""
        cdef int64_t number, low, high, last, middle
        if words.shape[0] != contexts.shape[0]:
            raise ValueError("every word has a context")
        for number in range(contexts.shape[0]):
            if not -1 <= contexts[number] < self.starts.shape[0] - 1:
                raise ValueError("contexts must have lists")
        result = np.full(contexts.shape[0], -1, np.int64)
        cdef int64_t[::1] places = result
        with nogil:
            for number in range(contexts.shape[0]):
                if contexts[number] < 0:
                    continue
                low, last = self.starts[contexts[number]], self.starts[contexts[number] + 1]
                high = last
                while low < high:
                    middle = (low + high) // 2
                    if self.words[middle] < words[number]:
                        low = middle + 1
                    else:
                        high = middle
                if low < last and self.words[low] == words[number]:
                    places[number] = low
        return result
