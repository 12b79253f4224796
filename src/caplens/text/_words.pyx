# cython: language_level=3
"""Flat arrays of words rewritten word by word."""

import numpy as np

from libc.stdint cimport int32_t, int64_t


def replace(const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] part_offsets,
            const int32_t[::1] parts):
    """Put ``parts[part_offsets[word]:part_offsets[word + 1]]`` in the place of each word; return ids and offsets."""
    cdef int64_t captions = offsets.shape[0] - 1, caption, place, part, count = 0
    for place in range(ids.shape[0]):
        count += part_offsets[ids[place] + 1] - part_offsets[ids[place]]
    replaced_array = np.empty(count, np.int32)
    new_offsets_array = np.zeros(captions + 1, np.int64)
    cdef int32_t[::1] replaced = replaced_array
    cdef int64_t[::1] new_offsets = new_offsets_array
    count = 0
    with nogil:
        for caption in range(captions):
            for place in range(offsets[caption], offsets[caption + 1]):
                for part in range(part_offsets[ids[place]], part_offsets[ids[place] + 1]):
                    replaced[count] = parts[part]
                    count += 1
            new_offsets[caption + 1] = count
    return replaced_array, new_offsets_array
