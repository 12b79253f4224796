# cython: language_level=3
"""Rows of different lengths, made by counting."""

import numpy as np

from libc.stdint cimport int32_t, int64_t


def group(const int32_t[::1] keys not None, const int32_t[::1] owners not None, int32_t count):
    """Return the owners of each key below ``count``, as ``(offsets, owners)``; those of a key keep their order.

    As sorting by key, but in a time and memory that grow with the number of keys only.

    Examples
    --------
    >>> import numpy as np
    >>> offsets, owners = group(np.array([2, 0, 2], np.int32), np.array([7, 8, 9], np.int32), 3)
    >>> offsets.tolist(), owners.tolist()
    ([0, 1, 1, 3], [8, 7, 9])
    """
    cdef int64_t index
    cdef int32_t key
    if keys.shape[0] != owners.shape[0] or (keys.shape[0] and not 0 <= np.min(keys) <= np.max(keys) < count):
        raise ValueError("every owner has a key below the count")
    # One place more than there are keys: the ends of a key are counted where the next but one begins, and move down.
    offsets_array, grouped_array = np.zeros(count + 2, np.int32), np.empty(keys.shape[0], np.int32)
    cdef int32_t[::1] offsets = offsets_array, grouped = grouped_array
    with nogil:
        for index in range(keys.shape[0]):
            offsets[keys[index] + 2] += 1
        for key in range(count):
            offsets[key + 2] += offsets[key + 1]
        for index in range(keys.shape[0]):
            grouped[offsets[keys[index] + 1]] = owners[index]
            offsets[keys[index] + 1] += 1
    return offsets_array[:-1], grouped_array
