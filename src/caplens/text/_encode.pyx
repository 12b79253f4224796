# cython: language_level=3
"""Captions to word ids, remembering how each white-space-delimited chunk was tokenised.

A caption corpus repeats a few ten thousand chunks millions of times, so the tokenizer proper (Python, clear, slow)
sees each distinct chunk once; everything else is one hash look-up a chunk. That is exact where a chunk is tokenised
independently of its neighbours. For the PTB rules only *plain* chunks are (see `plain_ptb`): a caption with any other
chunk goes to the tokenizer as a whole. And most chunks are one PTB word, itself in lower case, with a few signs around
it that are dropped, so the tokenizer does not see them at all (see `_emit_simple`).
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from caplens.files._listening cimport A_WHILE, listen
from caplens.text._memory cimport resized
from caplens.text._ptb_chunks cimport dropped_tail, is_ascii, is_digit, is_letter, is_space, plain_ptb
from caplens.text._tables cimport BytesTable, hash_bytes

cdef enum:
    LONGEST_WORD = 63  # longer ones take the general way
    SMALLEST = 64  # entries that there is room for at first


cdef class ChunkEncoder:
    """Encodes captions as word ids with one tokenizer.

    Parameters
    ----------
    tokenize : callable
        ``str -> list[str]``.
    special_words : pair of collections of str, optional
        For PTB rules: the lower-cased words that are not simply themselves, and those that are not where a period
        follows; only plain chunks are then remembered. Without it the tokenizer must treat every chunk independently.
    base : ChunkEncoder, optional
        An encoder whose words and chunks are reused and not changed.
    """
    cdef readonly BytesTable words
    cdef readonly ChunkEncoder base
    cdef readonly object tokenize
    cdef readonly bint ptb
    cdef readonly object special_words
    cdef BytesTable special
    cdef BytesTable special_before_period
    cdef uint64_t special_lengths  # bit n: a special word has n letters
    cdef BytesTable chunks
    cdef int64_t* chunk_starts  # own chunk i stands for pool[chunk_starts[i]:chunk_starts[i + 1]]
    cdef int64_t chunk_capacity
    cdef int32_t* pool
    cdef int64_t pool_capacity
    cdef int32_t* found  # the ids of the captions encoded so far
    cdef int64_t found_size, found_capacity

    def __cinit__(self, object tokenize, object special_words=None, ChunkEncoder base=None):
        self.tokenize = tokenize
        self.ptb = special_words is not None
        self.special_words = special_words
        self.special = BytesTable() if base is None else base.special
        self.special_before_period = BytesTable() if base is None else base.special_before_period
        self.special_lengths = 0 if base is None else base.special_lengths
        if base is None and special_words is not None:
            for word in special_words[0]:
                self.special.insert(word.encode("utf-8"))
                self.special_lengths |= 1ULL << len(word)
            for word in special_words[1]:
                self.special_before_period.insert(word.encode("utf-8"))
        self.base = base
        self.words = BytesTable(None if base is None else base.words)
        self.chunks = BytesTable(None if base is None else base.chunks)
        self.chunk_capacity = self.pool_capacity = self.found_capacity = SMALLEST
        self.found_size = 0
        self.chunk_starts = <int64_t*>malloc((self.chunk_capacity + 1) * sizeof(int64_t))
        self.pool = <int32_t*>malloc(self.pool_capacity * sizeof(int32_t))
        self.found = <int32_t*>malloc(self.found_capacity * sizeof(int32_t))
        if self.chunk_starts == NULL or self.pool == NULL or self.found == NULL:
            raise MemoryError
        self.chunk_starts[0] = 0

    def __dealloc__(self):
        free(self.chunk_starts)
        free(self.pool)
        free(self.found)

    cdef int _emit(self, const int32_t* ids, int64_t count) except -1 nogil:
        cdef int64_t capacity
        cdef int32_t* found
        if self.found_size + count > self.found_capacity:
            capacity = 2 * self.found_capacity + count
            found = <int32_t*>realloc(self.found, capacity * sizeof(int32_t))
            if found == NULL:
                with gil:
                    raise MemoryError
            self.found = found
            self.found_capacity = capacity
        memcpy(self.found + self.found_size, ids, count * sizeof(int32_t))
        self.found_size += count
        return 0

    cdef const int32_t* _chunk_words(self, int32_t chunk, int64_t* count) noexcept nogil:
        if chunk < self.chunks.base_size:
            return self.base._chunk_words(chunk, count)
        chunk -= self.chunks.base_size
        count[0] = self.chunk_starts[chunk + 1] - self.chunk_starts[chunk]
        return self.pool + self.chunk_starts[chunk]

    cdef int _emit_text(self, const char* text, Py_ssize_t length) except -1:
        """Tokenise a piece of text with the tokenizer itself and emit its words."""
        cdef int32_t word
        for token in self.tokenize(text[:length].decode("utf-8")):
            word = self.words.insert(token.encode("utf-8"))
            self._emit(&word, 1)
        return 0

    cdef int _learn_chunk(self, const char* chunk, Py_ssize_t length, uint64_t hash_value) except -1:
        """Tokenise a new chunk, remember its words and emit them."""
        cdef int64_t before = self.found_size
        self._emit_text(chunk, length)
        self._remember(chunk, length, hash_value, self.found + before, self.found_size - before)
        return 0

    cdef int _remember(self, const char* chunk, Py_ssize_t length, uint64_t hash_value, const int32_t* words,
                       int64_t count) except -1 nogil:
        """Keep the words of a chunk that is not known yet."""
        cdef int32_t own = self.chunks.size
        cdef int64_t start
        if own == self.chunk_capacity:
            self.chunk_starts = <int64_t*>resized(self.chunk_starts, (2 * self.chunk_capacity + 1) * sizeof(int64_t))
            self.chunk_capacity *= 2
        start = self.chunk_starts[own]
        if start + count > self.pool_capacity:
            self.pool = <int32_t*>resized(self.pool, (2 * self.pool_capacity + count) * sizeof(int32_t))
            self.pool_capacity = 2 * self.pool_capacity + count
        memcpy(self.pool + start, words, count * sizeof(int32_t))
        self.chunk_starts[own + 1] = start + count
        # Last of all: a chunk is known only when its words are, should the tokenizer or the memory fail.
        self.chunks.add(chunk, length, hash_value)
        return 0

    cdef int _emit_word(self, const char* word, Py_ssize_t length, uint64_t hash_value) except -1 nogil:
        """Emit one word, which may be new."""
        cdef int32_t found = self.words.find(word, length, hash_value)
        if found < 0:
            found = self.words.add(word, length, hash_value)
        return self._emit(&found, 1)

    cdef bint _emit_simple(self, const uint8_t* chunk, Py_ssize_t length) except -1 nogil:
        """Emit a plain PTB chunk that is one word, or one with 's, and signs that are dropped; say whether it was one.

        The word has letters and digits, or letters with hyphens between them. Before it there may be a quotation mark,
        behind it one or two signs that mean nothing to each other (a full stop with a comma behind it would belong to
        the word). Special are words such as `cannot`, and abbreviations before a full stop.
        """
        cdef char[LONGEST_WORD] word
        cdef Py_ssize_t index, tail
        cdef uint64_t hash_value
        cdef uint8_t byte
        cdef bint period, possessive, hyphens = False, digits = False
        if length > 1 and chunk[0] == c'"':
            chunk, length = chunk + 1, length - 1
        tail = dropped_tail(chunk, length)
        length -= tail
        period = tail > 0 and chunk[length] == c"."
        possessive = length > 3 and chunk[length - 2] == c"'" and chunk[length - 1] == c"s"
        if possessive:
            length -= 2
        if not 0 < length <= LONGEST_WORD:
            return False
        for index in range(length):
            byte = chunk[index]
            if is_letter(byte):
                byte |= 0x20
            elif is_digit(byte):
                digits = True
            elif byte == c"-" and 0 < index < length - 1 and chunk[index - 1] != c"-":
                hyphens = True
            else:
                return False
            word[index] = byte
        if (digits or possessive) and (hyphens or possessive and digits):
            return False
        hash_value = hash_bytes(word, length)
        if self._is_special(word, length, hash_value, period):
            return False
        self._emit_word(word, length, hash_value)
        if possessive:
            self._emit_word(b"'s", 2, hash_bytes(b"'s", 2))
        return True

    cdef bint _is_special(self, const char* word, Py_ssize_t length, uint64_t hash_value, bint period) noexcept nogil:
        """Whether PTB does something else with this word of letters; ``period``: with a full stop behind it."""
        if (self.special_lengths >> length) & 1 and self.special.find(word, length, hash_value) >= 0:
            return True
        return period and self.special_before_period.find(word, length, hash_value) >= 0

    cdef Py_ssize_t _emit_letters(self, const uint8_t* text, Py_ssize_t length) except -1 nogil:
        """Emit the first PTB chunk of a text if it has letters only, as most have; return how long it is, or 0."""
        cdef char[LONGEST_WORD] word
        cdef Py_ssize_t end = 0
        cdef uint64_t hash_value
        while end < length and end < LONGEST_WORD and is_letter(text[end]):
            word[end] = text[end] | 0x20
            end += 1
        if end == 0 or (end < length and not is_space(text[end])):
            return 0
        hash_value = hash_bytes(word, end)
        if self._is_special(word, end, hash_value, False):
            return 0
        self._emit_word(word, end, hash_value)
        return end

    cdef int _encode_caption(self, const uint8_t* text, Py_ssize_t length) except -1 nogil:
        cdef Py_ssize_t start = 0, end, after, heard = 0
        cdef int64_t before = self.found_size, count = 0
        cdef uint64_t hash_value
        cdef int32_t chunk
        cdef const int32_t* words
        cdef uint8_t following
        if not is_ascii(text, length):
            # White space beyond ASCII is the tokenizer's business.
            with gil:
                self._emit_text(<const char*>text, length)
            return 0
        while start < length and is_space(text[start]):
            start += 1
        while start < length:
            if start - heard > A_WHILE:
                heard = start
                listen()
            after = self._emit_letters(text + start, length - start) if self.ptb else 0
            if after:
                start += after
                while start < length and is_space(text[start]):
                    start += 1
                continue
            end = start
            while end < length and not is_space(text[end]):
                end += 1
            after = end
            while after < length and is_space(text[after]):
                after += 1
            following = text[after] if after < length else 0
            if self.ptb and not plain_ptb(text + start, end - start, following):
                self.found_size = before
                with gil:
                    self._emit_text(<const char*>text, length)
                return 0
            if self.ptb and self._emit_simple(text + start, end - start):
                start = after
                continue
            hash_value = hash_bytes(<const char*>text + start, end - start)
            chunk = self.chunks.find(<const char*>text + start, end - start, hash_value)
            if chunk >= 0:
                words = self._chunk_words(chunk, &count)
                self._emit(words, count)
            else:
                with gil:
                    self._learn_chunk(<const char*>text + start, end - start, hash_value)
            start = after
        return 0

    def encode(self, const uint8_t[::1] buffer, const int64_t[::1] offsets, int64_t[::1] word_offsets,
               int64_t first, int64_t last):
        """Encode captions ``first`` to ``last`` (exclusive) behind those before; write where the words of each end."""
        cdef int64_t caption, size
        cdef const uint8_t* text = &buffer[0] if buffer.shape[0] else NULL
        with nogil:
            for caption in range(first, last):
                size = offsets[caption + 1] - offsets[caption]
                if size:
                    self._encode_caption(text + offsets[caption], size)
                word_offsets[caption + 1] = self.found_size

    def append(self, ChunkEncoder other not None):
        """Put the captions of another encoder, with the same tokenizer and base, behind those encoded so far.

        Its new words get the ids that they would have, had this encoder seen the captions.
        """
        cdef int32_t own, known = self.words.base_size, found
        cdef int64_t place, size, start
        cdef uint64_t hash_value
        if other is self or other.base is not self.base:
            raise ValueError("encoders that are joined stand on the same base")
        renumbered_array = np.empty(other.words.size + 1, dtype=np.int32)
        cdef int32_t[::1] renumbered = renumbered_array
        with nogil:
            for own in range(other.words.size):
                start, size = other.words.starts[own], other.words.starts[own + 1] - other.words.starts[own]
                found = self.words.find(other.words.arena + start, size, other.words.hashes[own])
                if found < 0:
                    found = self.words.add(other.words.arena + start, size, other.words.hashes[own])
                renumbered[own] = found
            for place in range(other.chunk_starts[other.chunks.size]):
                if other.pool[place] >= known:
                    other.pool[place] = renumbered[other.pool[place] - known]
            for place in range(other.found_size):
                if other.found[place] >= known:
                    other.found[place] = renumbered[other.found[place] - known]
            self._emit(other.found, other.found_size)
            for own in range(other.chunks.size):
                start, size = other.chunks.starts[own], other.chunks.starts[own + 1] - other.chunks.starts[own]
                hash_value = other.chunks.hashes[own]
                if self.chunks.find(other.chunks.arena + start, size, hash_value) < 0:
                    self._remember(other.chunks.arena + start, size, hash_value, other.pool + other.chunk_starts[own],
                                   other.chunk_starts[own + 1] - other.chunk_starts[own])

    def __reduce__(self):
        """Encoders travel with the words and chunks they know; the captions they have encoded stay behind."""
        cdef int64_t known = len(self.chunks) - self.chunks.base_size
        ends = np.asarray(<int64_t[:known + 1]>self.chunk_starts).copy()
        pool = np.asarray(<int32_t[:self.pool_capacity]>self.pool)[:ends[known]].copy()
        made = (self.tokenize, self.special_words, self.base)
        return _restored, (made, self.words, self.chunks, ends, pool)

    cdef _know(self, BytesTable words, BytesTable chunks, const int64_t[::1] ends, const int32_t[::1] pool):
        """Take over what another encoder knew."""
        cdef int64_t known = len(chunks) - chunks.base_size
        if ends.shape[0] != known + 1 or ends[0] != 0 or ends[known] != pool.shape[0] or np.min(
                np.diff(ends), initial=0) < 0 or not 0 <= np.min(pool, initial=0) <= np.max(pool, initial=0) < max(
                len(words), 1):
            raise ValueError("the words of chunks do not fit the chunks")
        self.words, self.chunks = words, chunks
        self.chunk_starts = <int64_t*>resized(self.chunk_starts, (known + 2) * sizeof(int64_t))
        self.chunk_capacity = known + 1
        memcpy(self.chunk_starts, &ends[0], (known + 1) * sizeof(int64_t))
        self.pool = <int32_t*>resized(self.pool, (pool.shape[0] + 1) * sizeof(int32_t))
        self.pool_capacity = pool.shape[0] + 1
        if pool.shape[0]:
            memcpy(self.pool, &pool[0], pool.shape[0] * sizeof(int32_t))

    def take_ids(self):
        """Return the word ids of all captions encoded so far, one after the other, and forget them."""
        ids_array = np.empty(self.found_size, dtype=np.int32)
        cdef int32_t[::1] ids = ids_array
        if self.found_size:
            memcpy(&ids[0], self.found, self.found_size * sizeof(int32_t))
        self.found = <int32_t*>resized(self.found, SMALLEST * sizeof(int32_t))
        self.found_capacity, self.found_size = SMALLEST, 0
        return ids_array


def _restored(tuple made, BytesTable words, BytesTable chunks, ends, pool):
    """Make an encoder again of what `ChunkEncoder.__reduce__` gave."""
    cdef ChunkEncoder encoder = ChunkEncoder(*made)
    encoder._know(words, chunks, ends, pool)
    return encoder
