# cython: language_level=3
"""The features of a given tree's derivation, for training."""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from caplens.scenegraph.parser._phrases cimport (
    INNER, MOST_FEATURES, OUTER, RIGHT, WORD, Phrase, Roles, end_features, is_inner, joined, leaf, step_features,
    word_features,
)


def tree_features(
    const uint32_t[::1] words,
    const int32_t[::1] tags,
    const int32_t[::1] heads,
    const int32_t[::1] labels,
    const uint8_t[::1] kinds,
    const uint8_t[::1] speaking,
    const uint8_t[::1] inner,
    tuple named,
    int bits,
):
    """Return the features of a tree's derivation, for training; the tree must be projective, with one root."""
    cdef int length = <int>words.shape[0], token, place
    cdef Roles roles
    cdef list ids = []
    cdef bint fits = (tags.shape[0] == length and heads.shape[0] == length and labels.shape[0] == length
                      and length > 0 and kinds.shape[0] == speaking.shape[0] and 0 < bits < 32)
    for token in range(length if fits else 0):
        fits = (fits and 0 <= tags[token] < kinds.shape[0] and 0 <= labels[token] < inner.shape[0]
                and 0 <= heads[token] <= length)
    if not fits:
        raise ValueError("words, tags, heads and labels do not fit each other")
    roles.kinds, roles.speaking, roles.inner = &kinds[0], &speaking[0], &inner[0]
    roles.root, roles.case, roles.mark, roles.determiner = named
    cdef Phrase phrase
    cdef list lefts = [[] for _ in range(length)], rights = [[] for _ in range(length)]
    for token in range(length):
        place = heads[token] - 1
        if place >= 0:
            (lefts if token < place else rights)[place].append(token)
    for token in range(length):
        if heads[token] == 0:
            phrase = _grown(token, words, tags, heads, labels, &roles, 64 - bits, lefts, rights, ids)
            _add(ids, &phrase, NULL, WORD, 64 - bits, True)
    return ids


cdef Phrase _grown(
    int token, const uint32_t[::1] words, const int32_t[::1] tags, const int32_t[::1] heads,
    const int32_t[::1] labels, Roles* roles, int shift, list lefts, list rights, list ids,
):
    """Derive the phrase of a word and everything below it; add all features."""
    cdef int parent = roles.kinds[tags[heads[token] - 1]] if heads[token] else 0, dependent, step
    cdef Phrase phrase = leaf(token, words[token], tags[token], labels[token], parent, roles), part, longer
    cdef uint32_t found[MOST_FEATURES]
    cdef int count = word_features(&phrase, words[token], shift, found), place = 0
    ids.extend([found[index] for index in range(count)])
    cdef list nearest = lefts[token][::-1], order = []
    while place < len(nearest) and is_inner(roles, tags[token], labels[<int>nearest[place]]):
        order.append((INNER, nearest[place]))
        place += 1
    order += [(RIGHT, dependent) for dependent in rights[token]]
    order += [(OUTER, dependent) for dependent in nearest[place:]]
    for step, dependent in order:
        part = _grown(dependent, words, tags, heads, labels, roles, shift, lefts, rights, ids)
        _add(ids, &phrase, &part, step, shift, False)
        _add(ids, &part, NULL, WORD, shift, True)
        longer = joined(&phrase, &part, step, roles)
        phrase = longer
    return phrase


cdef void _add(list ids, Phrase* base, Phrase* part, int step, int shift, bint ends):
    cdef uint32_t found[MOST_FEATURES]
    cdef int count = end_features(base, shift, found) if ends else step_features(base, part, step, shift, found)
    ids.extend([found[index] for index in range(count)])
