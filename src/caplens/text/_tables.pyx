# cython: language_level=3
"""Hash tables that give dense integer ids, readable without the GIL.

Hashes are keyed (`_hashing.h`); ids are given in the order of entries, so nothing that can be seen depends on them.

Both tables can stand on a *base*: look-ups try the base first and new entries go on top of it. References are indexed
once; each system's candidates (or each batch of a training loop) only adds a small table that is thrown away, so the
reference side never grows and may be read by several threads. A table is frozen as soon as it serves as a base.
"""

import os

import numpy as np

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy

from caplens.text._memory cimport numbered

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define CAPLENS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define CAPLENS_PREFETCH(address) ((void)0)
    #endif
    """
    void CAPLENS_PREFETCH(const void* address) nogil

cdef extern from "_huge_pages.h" nogil:
    void* caplens_zeroed(size_t size)
    void caplens_release(void* memory, size_t size)

cdef extern from "_hashing.h" nogil:
    uint64_t caplens_hash_bytes(const char* key, ptrdiff_t length, const uint64_t* secret)
    uint64_t caplens_hash_pair(uint64_t key, const uint64_t* secret)

cdef int32_t SMALLEST = 64
cdef int64_t MOST_IDS = 0x7FFFFFFF


cdef uint64_t[4] SECRET
for _place, _bytes in enumerate(zip(*[iter(os.urandom(32))] * 8)):
    SECRET[_place] = int.from_bytes(bytes(_bytes), "little") | 1


cdef uint64_t hash_bytes(const char* key, Py_ssize_t length) noexcept nogil:
    """A hash that only this process can know."""
    return caplens_hash_bytes(key, length, SECRET)


cdef inline uint64_t hash_pair(uint64_t key) noexcept nogil:
    return caplens_hash_pair(key, SECRET)


cdef int32_t _roomier(int32_t capacity, int32_t base_size) except -1 nogil:
    """Double the room of a table, up to the last id that 32 bits can hold."""
    cdef int64_t most = MOST_IDS - base_size
    if capacity >= most:
        numbered(MOST_IDS + 1)
    return <int32_t>min(2 * <int64_t>capacity, most)


cdef class BytesTable:

    def __cinit__(self, BytesTable base=None):
        self.base = base
        self.base_size = 0
        if base is not None:
            self.base_size = base.base_size + base.size
            base.frozen = True
        self.size = 0
        self.frozen = False
        self.capacity = SMALLEST
        self.starts = <int64_t*>calloc(self.capacity + 1, sizeof(int64_t))
        self.hashes = <uint64_t*>malloc(self.capacity * sizeof(uint64_t))
        self.arena_capacity = SMALLEST * 8
        self.arena = <char*>malloc(self.arena_capacity)
        self.slot_mask = 2 * SMALLEST - 1
        self.slots = <int32_t*>calloc(self.slot_mask + 1, sizeof(int32_t))
        if self.starts == NULL or self.hashes == NULL or self.arena == NULL or self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.starts)
        free(self.hashes)
        free(self.arena)
        free(self.slots)

    def __len__(self):
        return self.base_size + self.size

    cdef int32_t find(self, const char* key, Py_ssize_t length, uint64_t hash_value) noexcept nogil:
        cdef int32_t entry
        cdef uint64_t slot
        if self.base is not None:
            entry = self.base.find(key, length, hash_value)
            if entry >= 0:
                return entry
        slot = hash_value & self.slot_mask
        while True:
            entry = self.slots[slot] - 1
            if entry < 0:
                return -1
            if (self.hashes[entry] == hash_value and self.starts[entry + 1] - self.starts[entry] == length
                    and memcmp(self.arena + self.starts[entry], key, length) == 0):
                return self.base_size + entry
            slot = (slot + 1) & self.slot_mask

    cdef int32_t add(self, const char* key, Py_ssize_t length, uint64_t hash_value) except -1 nogil:
        """Add a key that is not there yet; return its id."""
        cdef int32_t entry = self.size
        cdef uint64_t slot
        if self.frozen:
            with gil:
                raise RuntimeError("a table that serves as a base cannot change")
        if entry == self.capacity:
            self._grow_entries()
        if self.starts[entry] + length > self.arena_capacity:
            self._grow_arena(length)
        if 2 * <uint64_t>(entry + 1) > self.slot_mask:
            self._grow_slots()
        memcpy(self.arena + self.starts[entry], key, length)
        self.starts[entry + 1] = self.starts[entry] + length
        self.hashes[entry] = hash_value
        slot = hash_value & self.slot_mask
        while self.slots[slot]:
            slot = (slot + 1) & self.slot_mask
        self.slots[slot] = entry + 1
        self.size = entry + 1
        return self.base_size + entry

    cdef int _grow_entries(self) except -1 nogil:
        cdef int32_t capacity = _roomier(self.capacity, self.base_size)
        cdef int64_t* starts = <int64_t*>realloc(self.starts, (<size_t>capacity + 1) * sizeof(int64_t))
        if starts != NULL:
            self.starts = starts
        cdef uint64_t* hashes = <uint64_t*>realloc(self.hashes, <size_t>capacity * sizeof(uint64_t))
        if hashes != NULL:
            self.hashes = hashes
        if starts == NULL or hashes == NULL:
            with gil:
                raise MemoryError
        self.capacity = capacity
        return 0

    cdef int _grow_arena(self, Py_ssize_t extra) except -1 nogil:
        cdef int64_t capacity = 2 * self.arena_capacity + extra
        cdef char* arena = <char*>realloc(self.arena, capacity)
        if arena == NULL:
            with gil:
                raise MemoryError
        self.arena = arena
        self.arena_capacity = capacity
        return 0

    cdef int _grow_slots(self) except -1 nogil:
        cdef uint64_t mask = 2 * self.slot_mask + 1, slot
        cdef int32_t* slots = <int32_t*>calloc(mask + 1, sizeof(int32_t))
        cdef int32_t entry
        if slots == NULL:
            with gil:
                raise MemoryError
        for entry in range(self.size):
            slot = self.hashes[entry] & mask
            while slots[slot]:
                slot = (slot + 1) & mask
            slots[slot] = entry + 1
        free(self.slots)
        self.slots = slots
        self.slot_mask = mask
        return 0

    def __reduce__(self):
        """Tables travel as their entries: hashes are of this process only."""
        ends = np.asarray(<int64_t[:self.size + 1]>self.starts).copy()
        return _restored_bytes, (self.base, self.arena[:self.starts[self.size]], ends)

    def get(self, bytes key):
        """Return the id of ``key``, or -1."""
        return self.find(key, len(key), hash_bytes(key, len(key)))

    def insert(self, bytes key):
        """Return the id of ``key``, which is added if it is new."""
        cdef uint64_t hash_value = hash_bytes(key, len(key))
        cdef int32_t entry = self.find(key, len(key), hash_value)
        return entry if entry >= 0 else self.add(key, len(key), hash_value)

    def keys(self, const int64_t[::1] entries):
        """Return the keys of some entries."""
        return [self.key(<int32_t>entries[place]) for place in range(entries.shape[0])]

    def unusual_keys(self):
        """Return the keys of this table's own entries, without the base's, that are not plain ASCII signs only."""
        cdef int32_t entry
        cdef int64_t place
        found = []
        for entry in range(self.size):
            for place in range(self.starts[entry], self.starts[entry + 1]):
                if not 0x20 < self.arena[place] < 0x7F:
                    break
            else:
                if self.starts[entry] < self.starts[entry + 1]:
                    continue
            found.append(self.key(self.base_size + entry))
        return found

    def insert_all(self, list keys):
        """Insert many keys; return their ids, an int32 array."""
        cdef Py_ssize_t place
        ids_array = np.empty(len(keys), dtype=np.int32)
        cdef int32_t[::1] ids = ids_array
        for place in range(len(keys)):
            ids[place] = self.insert(keys[place])
        return ids_array

    def key(self, int32_t entry):
        """Return the byte string with the id ``entry``."""
        if not 0 <= entry < len(self):
            raise IndexError(entry)
        if entry < self.base_size:
            return self.base.key(entry)
        entry -= self.base_size
        return self.arena[self.starts[entry]:self.starts[entry + 1]]


cdef class PairTable:

    def __cinit__(self, PairTable base=None):
        self.base = base
        self.base_size = 0
        if base is not None:
            self.base_size = base.base_size + base.size
            base.frozen = True
        self.size = 0
        self.frozen = self.early = False
        self.capacity = SMALLEST
        self.keys = <uint64_t*>malloc(self.capacity * sizeof(uint64_t))
        self.slot_mask = 2 * SMALLEST - 1
        self.slots = <PairSlot*>caplens_zeroed((self.slot_mask + 1) * sizeof(PairSlot))
        if self.keys == NULL or self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.keys)
        caplens_release(self.slots, (self.slot_mask + 1) * sizeof(PairSlot))

    def __len__(self):
        return self.base_size + self.size

    cdef int32_t find(self, uint64_t key) noexcept nogil:
        cdef int32_t entry
        cdef uint64_t slot
        if self.base is not None:
            entry = self.base.find(key)
            if entry >= 0:
                return entry
        slot = hash_pair(key) & self.slot_mask
        while True:
            entry = self.slots[slot].entry
            if entry == 0:
                return -1
            if self.slots[slot].key == key:
                return self.base_size + entry - 1
            slot = (slot + 1) & self.slot_mask

    cdef int32_t find_or_add(self, uint64_t key) except -1 nogil:
        cdef int32_t entry
        cdef uint64_t slot
        if self.base is not None:
            entry = self.base.find(key)
            if entry >= 0:
                return entry
        slot = hash_pair(key) & self.slot_mask
        while True:
            entry = self.slots[slot].entry
            if entry == 0:
                break
            if self.slots[slot].key == key:
                return self.base_size + entry - 1
            slot = (slot + 1) & self.slot_mask
        if self.frozen:
            with gil:
                raise RuntimeError("a table that serves as a base cannot change")
        entry = self.size
        if entry == self.capacity:
            self._grow_entries()
        self.keys[entry] = key
        self.slots[slot].key = key
        self.slots[slot].entry = entry + 1
        self.size = entry + 1
        if 3 * <uint64_t>self.size > 2 * self.slot_mask:  # fuller tables need less memory, which look-ups wait for
            self._grow_slots()
        return self.base_size + entry

    cdef void prefetch(self, uint64_t key) noexcept nogil:
        """Ask for the memory that a look-up of ``key`` will need: n-gram look-ups are bound by cache misses."""
        CAPLENS_PREFETCH(&self.slots[hash_pair(key) & self.slot_mask])
        if self.base is not None:
            self.base.prefetch(key)

    cdef int _grow_entries(self) except -1 nogil:
        cdef int32_t capacity = _roomier(self.capacity, self.base_size)
        cdef uint64_t* keys = <uint64_t*>realloc(self.keys, <size_t>capacity * sizeof(uint64_t))
        if keys == NULL:
            with gil:
                raise MemoryError
        self.keys = keys
        self.capacity = capacity
        return 0

    cdef int _grow_slots(self) except -1 nogil:
        cdef uint64_t mask = (4 if self.early else 2) * (self.slot_mask + 1) - 1, slot
        cdef PairSlot* slots = <PairSlot*>caplens_zeroed((mask + 1) * sizeof(PairSlot))
        cdef int32_t entry
        if slots == NULL:
            with gil:
                raise MemoryError
        for entry in range(self.size):
            slot = hash_pair(self.keys[entry]) & mask
            while slots[slot].entry:
                slot = (slot + 1) & mask
            slots[slot].key = self.keys[entry]
            slots[slot].entry = entry + 1
        caplens_release(self.slots, (self.slot_mask + 1) * sizeof(PairSlot))
        self.slots = slots
        self.slot_mask = mask
        return 0

    def __reduce__(self):
        """Tables travel as their entries: hashes are of this process only."""
        return _restored_pairs, (self.base, *self.pairs())

    def pair(self, int32_t entry):
        """Return prefix and last word of one entry."""
        if not 0 <= entry < len(self):
            raise IndexError(entry)
        if entry < self.base_size:
            return self.base.pair(entry)
        cdef uint64_t key = self.keys[entry - self.base_size]
        return <int32_t>(key >> 32), <int32_t>(key & 0xFFFFFFFFULL)

    def pairs(self):
        """Return two int32 arrays: prefix and last word of this table's own entries (without the base's)."""
        prefixes_array = np.empty(self.size, dtype=np.int32)
        words_array = np.empty(self.size, dtype=np.int32)
        cdef int32_t[::1] prefixes = prefixes_array
        cdef int32_t[::1] words = words_array
        cdef int32_t entry
        for entry in range(self.size):
            prefixes[entry] = <int32_t>(self.keys[entry] >> 32)
            words[entry] = <int32_t>(self.keys[entry] & 0xFFFFFFFFULL)
        return prefixes_array, words_array

    def number(self, const int64_t[::1] values, bint add=False):
        """Return the ids of whole numbers, which are keys like pairs; -1, unless ``add``, where one is unknown."""
        cdef Py_ssize_t count = values.shape[0], index
        found_array = np.empty(count, dtype=np.int32)
        cdef int32_t[::1] found = found_array
        with nogil:
            for index in range(count):
                found[index] = self.find_or_add(<uint64_t>values[index]) if add else self.find(<uint64_t>values[index])
        return found_array

    def lookup(self, const int32_t[::1] prefixes, const int32_t[::1] words, bint add=False):
        """Return the ids of pairs; -1 where a part is -1 or, unless ``add``, where the pair is unknown."""
        cdef Py_ssize_t count = prefixes.shape[0], index
        cdef uint64_t key
        found_array = np.empty(count, dtype=np.int32)
        cdef int32_t[::1] found = found_array
        with nogil:
            for index in range(count):
                if prefixes[index] < 0 or words[index] < 0:
                    found[index] = -1
                    continue
                key = (<uint64_t>prefixes[index] << 32) | <uint64_t>words[index]
                found[index] = self.find_or_add(key) if add else self.find(key)
        return found_array


def _restored_bytes(BytesTable base, bytes text, const int64_t[::1] ends):
    """Make a table again of what `BytesTable.__reduce__` gave."""
    cdef BytesTable table = BytesTable(base)
    cdef Py_ssize_t entry
    if ends.shape[0] == 0 or ends[0] != 0 or ends[ends.shape[0] - 1] != len(text) or np.min(
            np.diff(ends), initial=0) < 0:
        raise ValueError("the entries of a table must lie one after the other")
    for entry in range(ends.shape[0] - 1):
        table.insert(text[ends[entry]:ends[entry + 1]])
    return table


def _restored_pairs(PairTable base, const int32_t[::1] prefixes, const int32_t[::1] words):
    """Make a table again of what `PairTable.__reduce__` gave."""
    table = PairTable(base)
    table.lookup(prefixes, words, add=True)
    return table
