# cython: language_level=3
"""The best derivation of a caption under a grammar of tags: tags, heads and labels chosen together.

A derivation builds the phrase of a word step by step: its inner dependents on the left (determiners, adjectives), then
all on the right, then the outer ones on the left (prepositions, auxiliaries, subjects), each time the nearest first, so
that a tree has one derivation. A phrase knows which label it will have and which kind of word it will depend on, as the
symbols of the reference's grammar know their parent.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from caplens.scenegraph.parser._phrases cimport (
    INNER, MOST_FEATURES, NONE, OUTER, RIGHT, WORD, Phrase, Roles, end_features, is_inner, joined, leaf, step_features,
    word_features,
)

cdef enum:
    MOST_WORDS = 60  # of a caption: heads are bits
    BEAM = 24  # phrases of some words that are kept
    LEAVES = 96  # of one word
    MOST_TRIED = 2048  # phrases of some words that are compared
    SLOTS = 4096  # of the table of those; a power of two

LONGEST = MOST_WORDS
"""Words; longer captions are left as they are."""

cdef struct Candidates:
    const uint32_t* words
    const int32_t* tag_starts
    const int32_t* tags
    const float* tag_scores
    const int32_t* arc_starts
    const int32_t* heads
    const int32_t* labels
    const float* arc_scores

cdef struct Workspace:
    Phrase* kept
    Phrase* tried
    int32_t* cells  # where the phrases of words i to j begin in `kept`
    int32_t* counts
    uint64_t* reach  # the heads that these phrases may have, as bits
    uint64_t heads[64]  # the heads that each token may have
    int32_t* slots
    int32_t* stack
    int tried_count


def choose(
    const int32_t[::1] offsets,
    const uint32_t[::1] words,
    const int32_t[::1] tag_starts,
    const int32_t[::1] tags,
    const float[::1] tag_scores,
    const int32_t[::1] arc_starts,
    const int32_t[::1] heads,
    const int32_t[::1] labels,
    const float[::1] arc_scores,
    const uint8_t[::1] kinds,
    const uint8_t[::1] speaking,
    const uint8_t[::1] inner,
    tuple named,
    const float[::1] weights,
    int32_t[:, ::1] chosen,
    float[::1] scores,
):
    """Write the tags, heads and labels of each caption's best derivation; a caption that has none stays as it is.

    Parameters
    ----------
    offsets, words
        Where captions begin among the tokens; checksums of the tokens' words.
    tag_starts, tags, tag_scores
        The tags that each token may have.
    arc_starts, heads, labels, arc_scores
        The heads (from 1 within the caption, 0 is the root) and labels that each token may have.
    kinds, speaking, inner, named
        What tags and labels mean: `Grammar`.
    weights
        Of features, a power of two of them.
    chosen, scores
        Rows of tags, heads and labels; the scores of derivations, minus infinity without one.
    """
    cdef Py_ssize_t captions = offsets.shape[0] - 1, caption, tokens = words.shape[0], row
    cdef int longest = 0, length, shift = 64
    cdef size_t size = weights.shape[0]
    cdef Roles roles
    cdef Candidates found
    cdef Workspace space
    _check(offsets, words, tag_starts, tags, tag_scores, arc_starts, heads, labels, arc_scores, kinds, speaking, inner,
           weights, chosen, scores)
    while size > 1:
        size >>= 1
        shift -= 1
    roles.root, roles.case, roles.mark, roles.determiner = named
    if captions <= 0 or tokens == 0:
        return
    roles.kinds, roles.speaking, roles.inner = &kinds[0], &speaking[0], &inner[0]
    roles.labels = <int>inner.shape[0]
    for caption in range(captions):
        length = offsets[caption + 1] - offsets[caption]
        if length <= MOST_WORDS:
            longest = max(longest, length)
    if not _allocate(&space, longest):
        raise MemoryError
    with nogil:
        for caption in range(captions):
            length = offsets[caption + 1] - offsets[caption]
            row = offsets[caption]
            scores[caption] = -INFINITY
            if 0 < length <= MOST_WORDS and (tag_starts[row + length] - tag_starts[row] > length
                                             or arc_starts[row + length] - arc_starts[row] > length):
                found.words = &words[row]
                found.tag_starts, found.tags, found.tag_scores = &tag_starts[row], &tags[0], &tag_scores[0]
                found.arc_starts, found.heads, found.labels = &arc_starts[row], &heads[0], &labels[0]
                found.arc_scores = &arc_scores[0]
                scores[caption] = _derive(
                    &found, length, &roles, &weights[0], shift, &space,
                    &chosen[0, row], &chosen[1, row], &chosen[2, row],
                )
    _release(&space)


cdef int _check(
    const int32_t[::1] offsets, const uint32_t[::1] words, const int32_t[::1] tag_starts, const int32_t[::1] tags,
    const float[::1] tag_scores, const int32_t[::1] arc_starts, const int32_t[::1] heads, const int32_t[::1] labels,
    const float[::1] arc_scores, const uint8_t[::1] kinds, const uint8_t[::1] speaking, const uint8_t[::1] inner,
    const float[::1] weights, const int32_t[:, ::1] chosen, const float[::1] scores,
) except -1:
    """Make sure that nothing points outside."""
    cdef Py_ssize_t tokens = words.shape[0], captions = offsets.shape[0] - 1, place, token, size = weights.shape[0]
    cdef bint fits = (
        captions >= 0 and offsets[0] == 0 and offsets[captions] == tokens and tag_starts.shape[0] == tokens + 1
        and arc_starts.shape[0] == tokens + 1 and tags.shape[0] == tag_scores.shape[0]
        and heads.shape[0] == labels.shape[0] == arc_scores.shape[0] and chosen.shape[0] == 3
        and chosen.shape[1] == tokens and scores.shape[0] == captions and kinds.shape[0] == speaking.shape[0]
        and 0 < kinds.shape[0] < NONE and 0 < inner.shape[0] < NONE and size > 1 and size & (size - 1) == 0
        and tag_starts[0] == 0 and tag_starts[tokens] == tags.shape[0]
        and arc_starts[0] == 0 and arc_starts[tokens] == heads.shape[0]
    )
    if fits:
        for token in range(tokens):
            fits = fits and tag_starts[token] < tag_starts[token + 1] and arc_starts[token] < arc_starts[token + 1]
        for place in range(tags.shape[0]):
            fits = fits and 0 <= tags[place] < kinds.shape[0]
        for place in range(kinds.shape[0]):
            fits = fits and kinds[place] < 8
    if fits:
        for place in range(captions):
            fits = fits and offsets[place] <= offsets[place + 1]
            if fits:
                for token in range(arc_starts[offsets[place]], arc_starts[offsets[place + 1]]):
                    fits = fits and 0 <= heads[token] <= offsets[place + 1] - offsets[place]
                    fits = fits and 0 <= labels[token] < inner.shape[0]
    if not fits:
        raise ValueError("captions, candidates and weights do not fit each other")
    return 0


cdef bint _allocate(Workspace* space, int longest) noexcept:
    """Make room for captions of some length."""
    cdef size_t square = <size_t>longest * longest
    cdef size_t most = square // 2 * BEAM + <size_t>longest * LEAVES + BEAM
    space.kept = <Phrase*>malloc(most * sizeof(Phrase))
    space.tried = <Phrase*>malloc(MOST_TRIED * sizeof(Phrase))
    space.cells = <int32_t*>malloc((2 * square + SLOTS + 4 * <size_t>longest + 4) * sizeof(int32_t))
    space.reach = <uint64_t*>malloc((square + 1) * sizeof(uint64_t))
    if space.kept == NULL or space.tried == NULL or space.cells == NULL or space.reach == NULL:
        _release(space)
        return False
    space.counts = space.cells + square
    space.slots = space.counts + square
    space.stack = space.slots + SLOTS
    memset(space.slots, 255, SLOTS * sizeof(int32_t))
    space.tried_count = 0
    return True


cdef void _release(Workspace* space) noexcept:
    free(space.kept)
    free(space.tried)
    free(space.cells)
    free(space.reach)


cdef float _derive(
    Candidates* found, int length, Roles* roles, const float* weights, int shift, Workspace* space,
    int32_t* tags, int32_t* heads, int32_t* labels,
) noexcept nogil:
    """Fill the chart of a caption and read the best derivation off it; return its score."""
    cdef int first, last, middle, left, right, width, kept = 0, best = -1, place
    cdef float score, most = -INFINITY
    for first in range(length):
        space.heads[first] = 0
        for place in range(found.arc_starts[first], found.arc_starts[first + 1]):
            space.heads[first] |= <uint64_t>1 << found.heads[place]
        _add_leaves(found, first, length, roles, weights, shift, space)
        kept = _keep(space, first * length + first, kept, LEAVES)
    for width in range(1, length):
        for first in range(length - width):
            last = first + width
            for middle in range(first, last):
                left, right = first * length + middle, (middle + 1) * length + last
                # Heads count from 1.
                if (space.reach[right] & _bits(first + 1, middle + 1)
                        or space.reach[left] & _bits(middle + 2, last + 1)):
                    _combine(found, left, right, width == length - 1, roles, weights, shift, space)
            kept = _keep(space, first * length + last, kept, BEAM)
    cdef int start = space.cells[length - 1]
    for place in range(start, start + space.counts[length - 1]):
        if space.kept[place].label == roles.root:
            score = _complete(&space.kept[place], weights, shift)
            score += _arc_score(found, space.kept[place].head, 0, roles.root)
            if score > most:
                most, best = score, place
    if best >= 0:
        _write(space, best, tags, heads, labels)
    return most


cdef void _write(Workspace* space, int best, int32_t* tags, int32_t* heads, int32_t* labels) noexcept nogil:
    """Read the tags, heads and labels off a derivation."""
    cdef int waiting = 1
    cdef Phrase* phrase = &space.kept[best]
    cdef Phrase* part
    space.stack[0] = best
    heads[phrase.head], labels[phrase.head] = 0, phrase.label
    while waiting:
        waiting -= 1
        phrase = &space.kept[space.stack[waiting]]
        if phrase.step == WORD:
            tags[phrase.head] = phrase.tag
            continue
        part = &space.kept[phrase.part]
        heads[part.head], labels[part.head] = phrase.head + 1, part.label
        space.stack[waiting], space.stack[waiting + 1] = phrase.base, phrase.part
        waiting += 2


cdef void _add_leaves(
    Candidates* found, int token, int length, Roles* roles, const float* weights, int shift, Workspace* space
) noexcept nogil:
    """Try a word with each of its tags, and with each label and kind of head that it may have."""
    cdef int tag, arc, other, head
    cdef uint8_t seen[256]
    memset(seen, 0, sizeof(seen))
    for arc in range(found.arc_starts[token], found.arc_starts[token + 1]):
        head = found.heads[arc]
        if head == 0:
            seen[found.labels[arc]] |= 1
        elif head - 1 != token:
            for other in range(found.tag_starts[head - 1], found.tag_starts[head]):
                seen[found.labels[arc]] |= 1 << roles.kinds[found.tags[other]]
    cdef int label, parent
    cdef Phrase phrase
    cdef uint32_t features[MOST_FEATURES]
    for tag in range(found.tag_starts[token], found.tag_starts[token + 1]):
        for label in range(roles.labels):
            for parent in range(8 if seen[label] else 0):
                if seen[label] >> parent & 1:
                    phrase = leaf(token, found.words[token], found.tags[tag], label, parent, roles)
                    phrase.score = found.tag_scores[tag] + _sum(
                        weights, features, word_features(&phrase, found.words[token], shift, features)
                    )
                    _try(space, &phrase)


cdef void _combine(
    Candidates* found, int left, int right, bint whole, Roles* roles, const float* weights, int shift, Workspace* space
) noexcept nogil:
    """Try every phrase of one half of some words as a dependent of every phrase of the other half.

    Where these are the whole caption, only the root may be extended.
    """
    cdef int one, other
    cdef uint64_t heads
    cdef Phrase* first
    cdef Phrase* second
    for one in range(space.cells[left], space.cells[left] + space.counts[left]):
        first = &space.kept[one]
        heads = space.heads[first.head]
        for other in range(space.cells[right], space.cells[right] + space.counts[right]):
            second = &space.kept[other]
            if (space.heads[second.head] >> first.head + 1 & 1 and first.phase <= 1
                    and second.parent == roles.kinds[first.tag] and (not whole or first.label == roles.root)):
                _extend(found, one, other, RIGHT, roles, weights, shift, space)
            if (heads >> second.head + 1 & 1 and first.parent == roles.kinds[second.tag]
                    and (not whole or second.label == roles.root)):
                if not is_inner(roles, second.tag, first.label) or second.phase == 2:
                    _extend(found, other, one, OUTER, roles, weights, shift, space)
                elif second.phase == 0:
                    _extend(found, other, one, INNER, roles, weights, shift, space)


cdef inline uint64_t _bits(int first, int last) noexcept nogil:
    """Return a number with the bits from ``first`` to ``last``, fewer than 64 of them."""
    return ((<uint64_t>1 << last - first + 1) - 1) << first


cdef void _extend(
    Candidates* found, int base, int part, int step, Roles* roles, const float* weights, int shift, Workspace* space
) noexcept nogil:
    """Try one phrase as a dependent of another, if it may be."""
    cdef Phrase* head = &space.kept[base]
    cdef Phrase* dependent = &space.kept[part]
    cdef float score
    cdef uint32_t features[MOST_FEATURES]
    if dependent.label == roles.root:
        return
    score = _arc_score(found, dependent.head, head.head + 1, dependent.label)
    if score == -INFINITY:
        return
    score += head.score + _complete(dependent, weights, shift)
    score += _sum(weights, features, step_features(head, dependent, step, shift, features))
    cdef Phrase phrase = joined(head, dependent, step, roles)
    phrase.score, phrase.base, phrase.part = score, base, part
    _try(space, &phrase)


cdef float _arc_score(Candidates* found, int token, int head, int label) noexcept nogil:
    cdef int arc
    for arc in range(found.arc_starts[token], found.arc_starts[token + 1]):
        if found.heads[arc] == head and found.labels[arc] == label:
            return found.arc_scores[arc]
    return -INFINITY


cdef float _complete(Phrase* phrase, const float* weights, int shift) noexcept nogil:
    """Return the score of a phrase that gets no more dependents."""
    cdef uint32_t features[MOST_FEATURES]
    if phrase.complete != phrase.complete:
        phrase.complete = phrase.score + _sum(weights, features, end_features(phrase, shift, features))
    return phrase.complete


cdef inline float _sum(const float* weights, const uint32_t* features, int count) noexcept nogil:
    cdef float total = 0
    cdef int place
    for place in range(count):
        total += weights[features[place]]
    return total


cdef void _try(Workspace* space, Phrase* phrase) noexcept nogil:
    """Add a phrase to those that are compared, or replace a worse one that looks the same from outside."""
    cdef uint32_t slot = <uint32_t>phrase.key & (SLOTS - 1)
    cdef int32_t place = space.slots[slot]
    while place >= 0:
        if space.tried[place].key == phrase.key:
            if space.tried[place].score < phrase.score:
                space.tried[place] = phrase[0]
            return
        slot = (slot + 1) & (SLOTS - 1)
        place = space.slots[slot]
    if space.tried_count < MOST_TRIED:
        space.slots[slot] = space.tried_count
        space.tried[space.tried_count] = phrase[0]
        space.tried_count += 1


cdef int _keep(Workspace* space, int cell, int kept, int most) noexcept nogil:
    """Keep the best phrases of those compared, as a cell of the chart; return where the next cell begins."""
    cdef int place, best, count = min(most, space.tried_count), number
    for place in range(space.tried_count):
        _forget(space, &space.tried[place])
    space.cells[cell], space.counts[cell], space.reach[cell] = kept, count, 0
    for number in range(count):
        best = number
        if count < space.tried_count:
            for place in range(number + 1, space.tried_count):
                if space.tried[place].score > space.tried[best].score:
                    best = place
        space.kept[kept + number] = space.tried[best]
        space.reach[cell] |= space.heads[space.tried[best].head]
        space.tried[best] = space.tried[number]
    space.tried_count = 0
    return kept + count


cdef inline void _forget(Workspace* space, Phrase* phrase) noexcept nogil:
    """Empty the slots that a phrase may be in."""
    cdef uint32_t slot = <uint32_t>phrase.key & (SLOTS - 1)
    while space.slots[slot] >= 0:
        space.slots[slot] = -1
        slot = (slot + 1) & (SLOTS - 1)
