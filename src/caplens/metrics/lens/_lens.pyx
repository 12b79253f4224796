# cython: language_level=3
"""How words of candidates find counterparts in references, and the other way round."""

from libc.math cimport exp, log, pow
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caplens.files._listening cimport A_WHILE, listen
from caplens.networks._layers cimport dot_rows

cdef enum:
    SCENE
    SUPPORT
    COVERAGE
    PARTS

COLUMNS = ("scene", "support", "coverage")
SHARPNESS = 10.0
"""Of the soft maximum over the references of a word: 0 would be their mean, infinity the best one."""
cdef double sharpness = SHARPNESS
LEAST_AGREEMENT = 0.02
"""An odd reference still counts so much."""
cdef double least_agreement = LEAST_AGREEMENT
LEAST_LIKENESS = 0.2
"""A counterpart that is less alike is none; from here to 1, likeness counts from 0 to 1."""
cdef double least_likeness = LEAST_LIKENESS
MORE_REFERENCES = 0.6
"""Likeness to the best of K references approaches what it would be with very many as K to the power of minus this."""
cdef double more_references = MORE_REFERENCES
SUPPORTED_WORD = 0.5
"""Added to what is found and to what is expected, like a word that lacks nothing: few words say little."""
cdef double supported_word = SUPPORTED_WORD


cdef class Encoded:
    """Captions as the encoder left them.

    Parameters
    ----------
    offsets : numpy.ndarray of int64
        Caption ``c`` has the words ``offsets[c]:offsets[c + 1]``.
    vectors, weights : numpy.ndarray of float32
        The direction of each word in its context, and how much it counts.
    captions : numpy.ndarray of float32
        Each caption as a whole, so that products are cosines; zero without words.
    """

    cdef const int64_t[::1] offsets
    cdef const float[:, ::1] vectors
    cdef const float[::1] weights
    cdef const float[:, ::1] captions

    def __init__(self, const int64_t[::1] offsets, const float[:, ::1] vectors, const float[::1] weights,
                 const float[:, ::1] captions):
        cdef int64_t place
        cdef bint good = offsets.shape[0] > 0 and offsets[0] >= 0 and offsets[offsets.shape[0] - 1] <= vectors.shape[0]
        for place in range(offsets.shape[0] - 1):
            good = good and offsets[place] <= offsets[place + 1]
        if not good or weights.shape[0] != vectors.shape[0] or captions.shape[0] != offsets.shape[0] - 1:
            raise ValueError("captions must be slices of their words, each with a direction")
        if captions.shape[1] == 0 or vectors.shape[1] == 0:
            raise ValueError("directions have numbers")
        self.offsets, self.vectors, self.weights, self.captions = offsets, vectors, weights, captions

    cdef int64_t length(self, int64_t caption) noexcept nogil:
        return self.offsets[caption + 1] - self.offsets[caption]


cdef inline double _likeness(double cosine) noexcept nogil:
    return max(cosine - least_likeness, 0.0) / (1 - least_likeness)


cdef double _agreement(Encoded references, int64_t first, int64_t last, int64_t reference) noexcept nogil:
    """The mean cosine of a reference with the others that have words; 1 where there is no other."""
    cdef int64_t other, others = 0
    cdef int width = <int>references.captions.shape[1]
    cdef double total = 0
    cdef float near
    for other in range(first, last):
        if other != reference and references.length(other) > 0:
            dot_rows(&references.captions[reference, 0], &references.captions[other, 0], width, 1, width, &near)
            total += near
            others += 1
    return max(total / others, least_agreement) if others else 1.0


cdef void _compare(Encoded candidates, int64_t candidate, const float[:, ::1] usual, Encoded references, int64_t first,
                   int64_t last, float* near, float* best, double* summed, double* parts) noexcept nogil:
    """Write the parts of one candidate against the references ``first:last``; ``near`` and ``best`` hold a number for
    each of their words, ``summed`` one for each reference."""
    cdef int64_t word, reference, place, begin = references.offsets[first], counted = 0, width = candidates.vectors.shape[1]
    cdef int64_t words = references.offsets[last] - begin
    cdef double weight, expected = supported_word, lacking = 0, scene = 0, total, largest, agreement, agreements = 0
    cdef double coverage = 0, fewer, usually
    cdef float found
    for reference in range(first, last):
        if references.length(reference) > 0:
            counted += 1
            dot_rows(&candidates.captions[candidate, 0], &references.captions[reference, 0], 0, 1,
                     <int>candidates.captions.shape[1], &found)
            scene += found
    fewer = pow(counted, -more_references)
    for place in range(words):
        best[place] = -1
    for word in range(candidates.offsets[candidate], candidates.offsets[candidate + 1]):
        dot_rows(&candidates.vectors[word, 0], &references.vectors[begin, 0], width, <int>words, <int>width, near)
        total = 0
        for reference in range(first, last):
            if references.length(reference) == 0:
                continue
            found = -1
            for place in range(references.offsets[reference] - begin, references.offsets[reference + 1] - begin):
                found = max(found, near[place])
                best[place] = max(best[place], near[place])
            total += exp(sharpness * (found - 1.0))
        weight = candidates.weights[word]
        usually = usual[word, 1] - (usual[word, 1] - usual[word, 0]) * fewer
        expected += weight * usually
        lacking += weight * max(usually - _likeness(1 + log(total / counted) / sharpness), 0.0)
    for reference in range(first, last):
        if references.length(reference) == 0:
            continue
        total, largest = 0, 0
        for place in range(references.offsets[reference], references.offsets[reference + 1]):
            total += references.weights[place] * _likeness(best[place - begin])
            largest += references.weights[place]
        agreement = summed[reference - first]
        coverage += agreement * total / max(largest, 1e-6)
        agreements += agreement
    parts[SCENE] = scene / counted
    parts[SUPPORT] = 1 - lacking / expected
    parts[COVERAGE] = coverage / agreements


def compare(Encoded candidates, const float[:, ::1] usual, Encoded references, const int64_t[::1] sets,
            const int64_t[::1] reference_set, double[:, ::1] table):
    """Write scene, support and coverage of each candidate against its set of references.

    ``usual`` is how alike the best counterpart of each word of the candidates usually is where the word is true, with
    one reference and with very many. ``sets[s]:sets[s + 1]`` are the references of a set. Without words on one side all
    three are 0.
    """
    cdef int64_t row, number, first, last, words, reference, most_words = 1, most_references = 1, steps = 0
    if candidates.vectors.shape[1] != references.vectors.shape[1] or (
            candidates.captions.shape[1] != references.captions.shape[1]):
        raise ValueError("candidates and references have directions of one width")
    if usual.shape[0] != candidates.vectors.shape[0] or usual.shape[1] != 2:
        raise ValueError("every word of a candidate has its usual likeness with one reference and with many")
    if reference_set.shape[0] != candidates.captions.shape[0] or table.shape[0] != reference_set.shape[0]:
        raise ValueError("every candidate has a set and a row")
    if table.shape[1] != PARTS:
        raise ValueError(f"a row has {PARTS} numbers")
    for number in range(sets.shape[0] - 1):
        if not 0 <= sets[number] <= sets[number + 1] < references.offsets.shape[0]:
            raise ValueError("sets must be slices of references")
        most_words = max(most_words, references.offsets[sets[number + 1]] - references.offsets[sets[number]])
        most_references = max(most_references, sets[number + 1] - sets[number])
    for row in range(reference_set.shape[0]):
        if not 0 <= reference_set[row] < sets.shape[0] - 1:
            raise ValueError("candidates belong to sets that exist")
    cdef float* near = <float*>malloc(2 * <size_t>most_words * sizeof(float))
    cdef double* agreements = <double*>malloc(<size_t>most_references * sizeof(double))
    try:
        if near == NULL or agreements == NULL:
            raise MemoryError
        with nogil:
            for row in range(reference_set.shape[0]):
                first, last = sets[reference_set[row]], sets[reference_set[row] + 1]
                words = references.offsets[last] - references.offsets[first]
                memset(&table[row, 0], 0, PARTS * sizeof(double))
                if words == 0 or candidates.length(row) == 0:
                    continue
                for reference in range(first, last):
                    agreements[reference - first] = _agreement(references, first, last, reference)
                _compare(candidates, row, usual, references, first, last, near, near + most_words, agreements,
                         &table[row, 0])
                steps += words * (candidates.length(row) + 1) * candidates.vectors.shape[1] // 8
                if steps > A_WHILE:
                    steps = 0
                    listen()
    finally:
        free(near)
        free(agreements)
