# cython: language_level=3
"""Phrases of a grammar of tags: how they grow, and which features their steps have."""
from libc.math cimport NAN
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

cdef enum:
    MOST_FEATURES = 24  # of a step
    NONE = 255
    MOST_RIGHT = 3  # dependents on the right are counted up to here
    VERB = 2  # the kind of tag

cdef enum Step:
    WORD
    RIGHT
    INNER
    OUTER

cdef struct Phrase:
    uint64_t key
    float score
    float complete  # the score with what its end is worth; NaN as long as nobody asked
    int32_t base  # the phrase that was extended, and by which one
    int32_t part
    int32_t head
    uint32_t mark  # the word that introduces the phrase, a preposition or a conjunction; 0: none
    uint8_t step
    uint8_t tag
    uint8_t label
    uint8_t parent
    uint8_t phase
    uint8_t right
    uint8_t right_before
    uint8_t left
    uint8_t rights
    uint8_t verb
    uint8_t determined

cdef struct Roles:
    const uint8_t* kinds  # of tags
    const uint8_t* speaking  # tags whose words matter, not only their tag
    const uint8_t* inner  # labels: 1 inner dependents on the left, 2 inner ones of words that are no verbs
    int labels
    int root
    int case
    int mark
    int determiner


cdef inline Phrase leaf(int token, uint32_t word, int tag, int label, int parent, Roles* roles) noexcept nogil:
    """Return a word as a phrase without dependents."""
    cdef Phrase phrase
    memset(&phrase, 0, sizeof(Phrase))
    phrase.step, phrase.head, phrase.tag, phrase.label, phrase.parent = WORD, token, tag, label, parent
    phrase.right = phrase.right_before = phrase.left = NONE
    phrase.mark = word if roles.speaking[tag] else 0
    phrase.verb = roles.kinds[tag] == VERB
    phrase.complete = NAN
    _set_key(&phrase)
    return phrase


cdef inline Phrase joined(Phrase* base, Phrase* part, int step, Roles* roles) noexcept nogil:
    """Return a phrase with one more dependent, without its score."""
    cdef Phrase phrase = base[0]
    phrase.complete = NAN
    phrase.step = step
    if step == RIGHT:
        phrase.phase = 1
        phrase.right_before, phrase.right = phrase.right, part.label
        phrase.rights = min(phrase.rights + 1, MOST_RIGHT)
    else:
        phrase.left = part.label
        if step == OUTER:
            phrase.phase = 2
        if part.label == roles.determiner:
            phrase.determined = 2
        elif step == INNER and phrase.determined == 0:
            phrase.determined = 1
        if part.label == roles.case or part.label == roles.mark:
            phrase.mark = part.mark
    phrase.verb |= part.verb
    _set_key(&phrase)
    return phrase


cdef inline bint is_inner(Roles* roles, int tag, int label) noexcept nogil:
    return roles.inner[label] == 1 or (roles.inner[label] == 2 and roles.kinds[tag] != VERB)


cdef inline void _set_key(Phrase* phrase) noexcept nogil:
    """Number what a phrase looks like from outside."""
    cdef uint64_t one = _packed(phrase.tag, phrase.label, phrase.parent, phrase.phase, phrase.right,
                                phrase.right_before, phrase.left, phrase.rights)
    cdef uint64_t other = _packed(phrase.verb, phrase.determined, phrase.head, 0, 0, 0, 0, 0)
    phrase.key = _mixed(_mixed(one) + other + (<uint64_t>phrase.mark << 32))


cdef inline uint64_t _packed(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h
) noexcept nogil:
    return a | b << 8 | c << 16 | d << 24 | e << 32 | f << 40 | g << 48 | h << 56


cdef inline uint64_t _mixed(uint64_t value) noexcept nogil:
    """Scatter a number: the finalizer of MurmurHash3."""
    value ^= value >> 33
    value *= <uint64_t>0xFF51AFD7ED558CCD
    value ^= value >> 33
    value *= <uint64_t>0xC4CEB9FE1A85EC53
    return value ^ value >> 33


cdef inline uint32_t _feature(uint64_t template, uint64_t one, uint64_t other, int shift) noexcept nogil:
    return <uint32_t>(_mixed((one + template * <uint64_t>0x9E3779B97F4A7C15) * <uint64_t>0xBF58476D1CE4E5B9 + other)
                      >> shift)


cdef inline int word_features(const Phrase* word, uint32_t text, int shift, uint32_t* found) noexcept nogil:
    """List what counts of a word with its tag, its label to be and the kind of its head."""
    cdef uint64_t use = _packed(word.tag, word.label, word.parent, 0, 0, 0, 0, 0)
    found[0] = _feature(1, use, 0, shift)
    found[1] = _feature(2, word.tag, text, shift)
    found[2] = _feature(3, use & 0xFFFF, text, shift)
    found[3] = _feature(4, use, text, shift)
    return 4


cdef inline int end_features(const Phrase* phrase, int shift, uint32_t* found) noexcept nogil:
    """List what counts of a phrase that gets no more dependents."""
    cdef uint64_t use = _packed(phrase.tag, phrase.label, phrase.parent, 0, 0, 0, 0, 0), mark = phrase.mark
    found[0] = _feature(5, use | _packed(0, 0, 0, phrase.right, phrase.rights, 0, 0, 0), 0, shift)
    found[1] = _feature(6, use | _packed(0, 0, 0, phrase.left, phrase.determined, 0, 0, 0), mark, shift)
    found[2] = _feature(7, use | _packed(0, 0, 0, phrase.right, phrase.right_before, 0, 0, 0), mark, shift)
    found[3] = _feature(8, use | _packed(0, 0, 0, phrase.verb, phrase.rights, phrase.phase, 0, 0), 0, shift)
    found[4] = _feature(9, use | _packed(0, 0, 0, phrase.right, phrase.right_before, phrase.left, phrase.determined, 0),
                        <uint64_t>(phrase.rights << 1 | phrase.verb), shift)
    found[5] = _feature(10, use | _packed(0, 0, 0, phrase.phase, phrase.left, phrase.right, 0, 0), mark, shift)
    return 6


cdef inline int step_features(
    const Phrase* base, const Phrase* part, int step, int shift, uint32_t* found
) noexcept nogil:
    """List what counts of a phrase that becomes a dependent of another."""
    cdef uint64_t how = <uint64_t>(step << 8 | part.label) << 8
    cdef uint64_t last = base.right if step == RIGHT else base.left
    cdef uint64_t before = base.right_before if step == RIGHT else base.right
    cdef uint64_t use = _packed(base.tag, base.label, base.parent, 0, 0, 0, 0, 0)
    cdef uint64_t marks = <uint64_t>base.mark << 32 | part.mark, mark = part.mark
    cdef uint64_t tags = _packed(base.tag, part.tag, 0, 0, 0, 0, 0, 0)
    found[0] = _feature(how | 11, tags, 0, shift)
    found[1] = _feature(how | 12, use, 0, shift)
    found[2] = _feature(how | 13, use, part.tag, shift)
    found[3] = _feature(how | 14, tags, mark, shift)
    found[4] = _feature(how | 15, tags, last, shift)
    found[5] = _feature(how | 16, use | last << 24 | before << 32, 0, shift)
    found[6] = _feature(how | 17, use | last << 24, mark, shift)
    found[7] = _feature(how | 18, tags, marks, shift)
    found[8] = _feature(how | 19, use & 0xFFFF | _packed(0, 0, base.rights, part.rights, part.right, 0, 0, 0), 0, shift)
    found[9] = _feature(how | 20, tags | _packed(0, 0, part.verb, part.rights, base.verb, 0, 0, 0), 0, shift)
    found[10] = _feature(how | 21, use | last << 24 | <uint64_t>part.tag << 32, base.mark, shift)
    found[11] = _feature(how | 22, use | _packed(0, 0, 0, base.determined, part.tag, part.determined, 0, 0), 0, shift)
    found[12] = _feature(how | 23, use | _packed(0, 0, 0, part.tag, part.verb, last, 0, 0), mark, shift)
    found[13] = _feature(how | 24, tags | _packed(0, 0, part.right, part.right_before, part.rights, 0, 0, 0), 0, shift)
    found[14] = _feature(how | 25, use | _packed(0, 0, 0, last, before, part.tag, part.verb, 0), 0, shift)
    found[15] = _feature(how | 26, use | _packed(0, 0, 0, last, before, base.rights, 0, 0), mark, shift)
    found[16] = _feature(how | 27, use | _packed(0, 0, 0, last, base.verb, 0, 0, 0), marks, shift)
    found[17] = _feature(how | 28, use | _packed(0, 0, 0, part.tag, part.right, part.rights, part.verb, last), 0, shift)
    found[18] = _feature(how | 29, tags | _packed(0, 0, last, part.right, part.determined, base.determined, 0, 0), mark,
                         shift)
    return 19
