# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint64_t


cdef uint64_t hash_bytes(const char* key, Py_ssize_t length) noexcept nogil


cdef class BytesTable:
    """Byte strings to dense ids; over an optional base table, whose ids come first and which is never changed."""
    cdef readonly BytesTable base
    cdef readonly int32_t base_size
    cdef int32_t size  # own entries
    cdef int32_t capacity  # of `starts` and `hashes`
    cdef int64_t* starts  # own entry i is arena[starts[i]:starts[i + 1]]
    cdef uint64_t* hashes
    cdef char* arena
    cdef int64_t arena_capacity
    cdef int32_t* slots  # id within this table + 1, or 0
    cdef uint64_t slot_mask
    cdef bint frozen

    cdef int32_t find(self, const char* key, Py_ssize_t length, uint64_t hash_value) noexcept nogil
    cdef int32_t add(self, const char* key, Py_ssize_t length, uint64_t hash_value) except -1 nogil
    cdef int _grow_entries(self) except -1 nogil
    cdef int _grow_arena(self, Py_ssize_t extra) except -1 nogil
    cdef int _grow_slots(self) except -1 nogil


cdef packed struct PairSlot:  # side by side, so that a look-up waits for memory once
    uint64_t key
    int32_t entry  # id within this table + 1, or 0


cdef class PairTable:
    """Pairs of ids (an n-gram's prefix, its last word) to dense ids; over an optional base like `BytesTable`."""
    cdef readonly PairTable base
    cdef readonly int32_t base_size
    cdef int32_t size
    cdef int32_t capacity
    cdef uint64_t* keys  # by own id
    cdef PairSlot* slots
    cdef uint64_t slot_mask
    cdef bint frozen
    cdef bint early  # whether much more is to follow: growing is mostly fresh memory, so there are few steps then

    cdef int32_t find(self, uint64_t key) noexcept nogil
    cdef int32_t find_or_add(self, uint64_t key) except -1 nogil
    cdef void prefetch(self, uint64_t key) noexcept nogil
    cdef int _grow_entries(self) except -1 nogil
    cdef int _grow_slots(self) except -1 nogil
