"""The grammar's kernel against every tree of short captions, and what it leaves alone."""

import numpy as np
import pytest
from tests import grammar_oracle

from caplens.scenegraph.parser._grammar import LONGEST
from caplens.scenegraph.parser._tree_features import tree_features
from caplens.scenegraph.parser._trees import likely_heads
from caplens.scenegraph.parser.grammar import NETWORK_SHARE, Candidates, Grammar, Roles, checksums, pack, unpack

TAGS = ["DT", "NN", "VBG", "IN", "JJ", "RB"]
LABELS = ["root", "det", "case", "mark", "nmod", "advmod", "nsubj"]
ROLES = Roles(TAGS, LABELS)
BITS = 12


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(5).normal(0, 0.3, 1 << BITS).astype(np.float32)


def drawn(generator, length):
    """Return the choices of a caption: a few tags a token, a few heads with a few labels."""
    tags = [
        [(int(tag), float(generator.normal())) for tag in generator.choice(len(TAGS), generator.integers(1, 3), False)]
        for _ in range(length)
    ]
    arcs = []
    for token in range(length):
        others = [head for head in range(length + 1) if head != token + 1]
        # Few enough that the beam loses nothing.
        heads = generator.choice(others, min(len(others), int(generator.integers(1, 4))), False).tolist()
        number = 2 if length < 4 else 1
        labels = {head: [0] if head == 0 else generator.choice(range(1, len(LABELS)), number, False) for head in heads}
        arcs.append([(head, int(label), float(generator.normal())) for head in heads for label in labels[head]])
    return tags, arcs


def joined(captions):
    """Return the choices of captions as `Candidates`."""
    tags = [choices for each, _ in captions for choices in each]
    arcs = [choices for _, each in captions for choices in each]

    def starts(choices):
        return np.cumsum([0, *map(len, choices)]).astype(np.int32)

    def column(choices, place, kind):
        return np.array([each[place] for several in choices for each in several], kind)

    return Candidates(
        *(starts(tags), column(tags, 0, np.int32), column(tags, 1, np.float32) / NETWORK_SHARE),
        *(starts(arcs), column(arcs, 0, np.int32), column(arcs, 1, np.int32)),
        column(arcs, 2, np.float32) / NETWORK_SHARE,
    )


def choose(grammar, captions, words):
    """Return what the grammar makes of captions that had -7 everywhere, and its scores."""
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int32)
    columns = np.full((3, offsets[-1]), -7, np.int32)
    scores = grammar.choose(joined(captions), np.concatenate(words).astype(np.uint32), offsets, columns)
    return [part.tolist() for part in np.split(columns, offsets[1:-1], axis=1)], scores


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_derivations_are_the_best_of_all(weights, length):
    generator = np.random.default_rng(length)
    captions = [drawn(generator, length) for _ in range(40 if length < 4 else 15)]
    words = [generator.integers(0, 2**32, length) for _ in captions]
    found, scores = choose(Grammar(weights, ROLES), captions, words)
    compared = 0
    for caption, theirs, columns, score in zip(captions, words, found, scores, strict=True):
        best = grammar_oracle.best_tree(theirs.tolist(), *caption, ROLES, weights)
        if best is None or all(len(choices) == 1 for part in caption for choices in part):
            assert score == -np.inf
            assert columns == [[-7] * length] * 3
            continue
        compared += 1
        assert score == pytest.approx(best[0], abs=1e-4)
        assert columns == list(best[1:])
    assert compared > len(captions) // 4


def test_features_are_those_of_the_oracle():
    words = checksums(["the", "dog", "near", "a", "fence", "runs", "very", "fast"])
    tags, labels = ["DT", "NN", "IN", "DT", "NN", "VBG", "RB", "RB"], "det nsubj case det nmod root advmod advmod"
    heads = [2, 6, 5, 5, 2, 0, 8, 6]
    columns = [[TAGS.index(tag) for tag in tags], heads, [LABELS.index(label) for label in labels.split()]]
    expected = grammar_oracle.Derivation(words.tolist(), *columns, ROLES, BITS).features
    rows = np.array(columns, np.int32)
    found = tree_features(words, *rows, ROLES.kinds, ROLES.speaking, ROLES.inner, ROLES.named, BITS)
    assert sorted(found) == sorted(expected)
    for row, wrong in ((0, len(TAGS)), (1, len(words) + 1), (2, -1)):
        broken = rows.copy()
        broken[row, 3] = wrong
        with pytest.raises(ValueError, match="do not fit"):
            tree_features(words, *broken, ROLES.kinds, ROLES.speaking, ROLES.inner, ROLES.named, BITS)


def test_long_captions_stay_as_they_are(weights):
    generator = np.random.default_rng(2)
    length = LONGEST + 1
    caption = [[(0, 0.0), (1, 0.0)]] * length, [[(place, 0 if place == 0 else 1, 0.0)] for place in range(length)]
    found, scores = choose(Grammar(weights, ROLES), [caption], [generator.integers(0, 9, length)])
    assert scores.tolist() == [-np.inf]
    assert found == [[[-7] * length] * 3]


def test_no_captions(weights):
    empty = [np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)]
    candidates = Candidates(*empty, empty[0], empty[1], empty[1], empty[2])
    offsets, columns = np.zeros(1, np.int32), np.zeros((3, 0), np.int32)
    assert len(Grammar(weights, ROLES).choose(candidates, np.zeros(0, np.uint32), offsets, columns)) == 0


@pytest.mark.parametrize(
    "broken",
    [
        {"tags": np.array([len(TAGS)], np.int32)},
        {"tags": np.array([-1], np.int32)},
        {"heads": np.array([2], np.int32)},
        {"labels": np.array([len(LABELS)], np.int32)},
        {"arc_starts": np.array([0, 2], np.int32)},
        {"tag_starts": np.array([0, 0], np.int32)},
        {"arc_logs": np.zeros(2, np.float32)},
    ],
)
def test_what_does_not_fit_is_refused(weights, broken):
    good = dict.fromkeys(("tag_starts", "arc_starts"), np.array([0, 1], np.int32))
    good |= dict.fromkeys(("tags", "heads", "labels"), np.zeros(1, np.int32))
    good |= dict.fromkeys(("tag_logs", "arc_logs"), np.zeros(1, np.float32))
    rest = np.zeros(1, np.uint32), np.array([0, 1], np.int32), np.zeros((3, 1), np.int32)
    Grammar(weights, ROLES).choose(Candidates(**good), *rest)
    with pytest.raises(ValueError, match="do not fit"):
        Grammar(weights, ROLES).choose(Candidates(**(good | broken)), *rest)
    with pytest.raises(ValueError, match="do not fit"):
        Grammar(weights[:1000], ROLES).choose(Candidates(**good), *rest)


def test_likely_heads_are_all_above_the_least_and_the_best():
    generator = np.random.default_rng(3)
    queries, keys = (generator.normal(size=(9, 4)).astype(np.float32) for _ in range(2))
    root, offsets = generator.normal(size=4).astype(np.float32), np.array([0, 6, 6, 9], np.int32)
    for least in (-8.0, -1.5, -0.01):
        starts, heads, scores = likely_heads(queries, keys, root, offsets, least)
        for first, last in ((0, 6), (6, 9)):
            arcs = queries[first:last].astype(float) @ np.concatenate([root[np.newaxis], keys[first:last]]).T
            arcs -= np.log(np.exp(arcs).sum(axis=1, keepdims=True))
            for token, row in enumerate(arcs, start=first):
                expected = np.flatnonzero((row > least) | (row == row.max()))
                assert heads[starts[token] : starts[token + 1]].tolist() == expected.tolist()
                assert scores[starts[token] : starts[token + 1]] == pytest.approx(row[expected], abs=1e-5)


def test_packed_weights_are_near():
    weights = np.random.default_rng(1).normal(size=64).astype(np.float32)
    packed, unit = pack(weights)
    assert packed.dtype == np.int8
    assert np.abs(unpack(packed, unit) - weights).max() <= unit[0] / 2 * 1.001
