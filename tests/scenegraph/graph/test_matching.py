"""Matches, counts and scores: small cases by hand, properties, and the reference tool's own tuples and scores."""

from __future__ import annotations

import gzip
import math
from functools import cache
from itertools import combinations, permutations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import SHARED
from tests.graph_oracle import compare_graphs

from caplens.errors import UsageError
from caplens.scenegraph.graph.concepts import Concepts
from caplens.scenegraph.graph.matching import match, names, similar_tuples
from caplens.scenegraph.graph.scene_graph import build, build_all
from caplens.scenegraph.graph.score import (
    KINDS,
    WORD_LISTS,
    categories_of,
    count_matches,
    count_rows,
    count_tuples,
    precision_recall_f,
    word_lists,
)

SPICE = SHARED / "spice"
SETS = ("coco2000_knn", "coco2000_human", "fakecap1000", "flickr8k_expert")
CATEGORIES = (*KINDS, *WORD_LISTS)
CONCEPTS = Concepts()
EXACT = Concepts(synonyms=False)

TERMS = ["man", "bike", "bicycle", "motorcycle", "cycle", "black", "dark", "blue", "big", "large", "two", "on", "be on"]
TERM = st.sampled_from(TERMS)
TUPLES = st.lists(st.one_of(st.tuples(TERM), st.tuples(TERM, TERM), st.tuples(TERM, TERM, TERM)), max_size=12)

needs_golden = pytest.mark.skipif(
    not SPICE.exists(), reason="the golden data of SPICE is not here (../shared/data/spice, beside the repository)"
)


def counts_of(candidate, reference, once=False, concepts=CONCEPTS, lists=WORD_LISTS):
    """Return (matched, candidate, reference) by category."""
    graphs = build(candidate, concepts), build(reference, concepts)
    (counts,) = count_rows([graphs[0]], [graphs[1]], [0], lists, once)
    return dict(zip([*KINDS, *lists], map(tuple, counts.tolist()), strict=True))


def matching_of(candidate, reference, once=False):
    found = match(build(candidate, CONCEPTS), build(reference, CONCEPTS), once)
    matched = {names(one): names(two) for one, two in found.matched}
    return matched, [*map(names, found.wrong)], [*map(names, found.missed)]


def test_tuples_match_part_by_part():
    matched, wrong, missed = matching_of(
        [("bike", "red"), ("man", "bike", "be on"), ("man", "bike", "near"), ("bike", "man", "on")],
        [("bicycle", "red"), ("bicycle", "old"), ("man", "bicycle", "on")],
    )
    assert matched == {
        ("bike",): ("bicycle",),
        ("bike", "red"): ("bicycle", "red"),
        ("man",): ("man",),
        ("man", "on", "bike"): ("man", "on", "bicycle"),
    }
    assert wrong == [("bike", "on", "man"), ("man", "near", "bike")]
    assert missed == [("bicycle", "old")]


def test_a_tuple_matches_the_first_similar_one_in_the_alphabet():
    matched, _, missed = matching_of([("bike",)], [("motorcycle",), ("bicycle",)])
    assert (matched, missed) == ({("bike",): ("bicycle",)}, [("motorcycle",)])


def test_several_tuples_may_match_one_unless_it_counts_once():
    candidate, reference = [("bicycle", "big"), ("motorcycle", "big")], [("bike", "big")]
    assert counts_of(candidate, reference)["All"] == (4, 4, 2)
    assert counts_of(candidate, reference, once=True)["All"] == (2, 4, 2)
    matched, wrong, missed = matching_of(candidate, reference, once=True)
    assert matched == {("bicycle",): ("bike",), ("bicycle", "big"): ("bike", "big")}
    assert (wrong, missed) == ([("motorcycle",), ("motorcycle", "big")], [])


def test_counting_once_finds_as_many_matches_as_there_are():
    # `a` takes the first similar one, `x`, and has to make room for `b`, which has no other.
    graphs = build([("a",), ("b",)], EXACT), build([("x",), ("y",)], EXACT)
    (a, b), (x, y) = (list(graph.tuples()) for graph in graphs)
    assert count_matches({a: [x, y], b: [x]}, once=True)[0] == 2
    assert count_matches({a: [x], b: [x]}, once=True)[0] == 1


def test_repeated_clauses_are_one_tuple():
    """`a man a man a man`: objects named again are the same node, whatever the parser makes of the rest."""
    reference = [("man",), ("man", "horse", "ride"), ("horse",)]
    for once in (False, True):
        assert counts_of([("man",)] * 3, reference, once)["All"] == (1, 1, 3)
        assert counts_of([("man", "man"), ("man",), ("man", "man"), ("man",)], reference, once)["All"] == (1, 2, 3)
    # Synonyms of one thing are merged too; only words that share it with something else repeat a match.
    assert counts_of([("sofa",), ("couch",)], [("couch",)])["All"] == (1, 1, 1)


def test_word_lists_are_categories_of_attributes():
    counts = counts_of(
        [("dog", "brown"), ("dog", "big"), ("two",), ("man", "two"), ("brown", "dog", "on")],
        [("dog", "brown"), ("dog", "large"), ("cat", "red"), ("man", "three")],
    )
    assert counts["Color"] == (1, 1, 2)
    assert counts["Size"] == (1, 1, 1)
    assert counts["Cardinality"] == (0, 1, 1)
    assert counts["Attribute"] == (2, 3, 4)


def test_a_merged_attribute_is_in_no_word_list():
    """So it is in SPICE 1.0; and then a tuple that matches it has no match within the category."""
    counts = counts_of([("dog", "big")], [("dog", "big"), ("dog", "large"), ("cat", "small")])
    assert counts["Attribute"] == (1, 1, 2)
    assert counts["Size"] == (0, 1, 1)


def test_a_user_adds_word_lists():
    lists = word_lists({"Material": ["Wooden", " metal"], "Age": {"old"}})
    counts = counts_of([("table", "wooden"), ("man", "old")], [("table", "wooden")], lists=lists)
    assert (counts["Material"], counts["Age"]) == ((1, 1, 1), (0, 1, 0))
    assert (word_lists(), list(counts)) == (dict(WORD_LISTS), [*CATEGORIES, "Material", "Age"])


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ({"Color": ["teal"]}, "category Color"),
        ({"All": ["x"]}, "category All"),
        ({"A": "wood"}, "list"),
        ({"A": []}, "list"),
    ],
)
def test_word_lists_that_cannot_be(categories, message):
    with pytest.raises(UsageError, match=message):
        word_lists(categories)


def test_scores_are_nan_where_the_references_have_nothing_to_find():
    counts = count_rows([build([("dog", "red")], CONCEPTS)], [build([("dog",)], CONCEPTS)], [0])
    for values in precision_recall_f(counts):
        assert np.isnan(values[0]).tolist() == [False, False, True, True, True, True, True]


def test_empty_graphs():
    something = [("dog", "red")]
    assert counts_of([], something)["All"] == (0, 0, 2)
    assert counts_of(something, [])["All"] == (0, 2, 0)
    assert counts_of([], [], once=True)["All"] == (0, 0, 0)
    assert count_rows([], [], []).shape == (0, 7, 3)
    _, _, f = precision_recall_f(np.array([[0, 0, 2], [0, 2, 0], [0, 0, 0]], dtype=np.int32))
    assert f[0] == 0
    assert np.isnan(f[1:]).all()
    assert matching_of([], []) == ({}, [], [])
    comparison = compare_graphs(build([], CONCEPTS), build([], CONCEPTS))
    assert (comparison.matched(), comparison.wrong(), comparison.missed("Color")) == ([], [], [])


def test_a_comparison_is_plain_data_by_category():
    candidate = build([("dog", "big"), ("dog", "blue"), ("bike",)], CONCEPTS)
    reference = build([("dog", "big"), ("dog", "large"), ("bicycle",), ("dog", "red")], CONCEPTS)
    comparison = compare_graphs(candidate, reference)
    assert comparison.candidate_nodes == ("dog", "bike")
    assert comparison.reference_nodes == ("dog", "bicycle")
    assert [(each.parts, each.partner) for each in comparison.matched()] == [
        (("bike",), ("bicycle",)),
        (("dog",), ("dog",)),
        (("dog", "big"), ("dog", "big/large")),
    ]
    assert [each.parts for each in comparison.wrong("Size")] == [("dog", "big")]
    assert [each.parts for each in comparison.wrong("Color")] == [("dog", "blue")]
    assert [each.parts for each in comparison.missed("Color")] == [("dog", "red")]
    assert comparison.missed("Size") == []
    first = comparison.reference_tuples[0]
    assert (first.parts, first.partner, first.categories) == (("bicycle",), ("bike",), {"All": True, "Object": True})


@given(TUPLES, TUPLES, st.booleans())
def test_counts_are_consistent(candidate, reference, once):
    counts = counts_of(candidate, reference, once)
    assert counts["All"] == tuple(map(sum, zip(counts["Object"], counts["Attribute"], counts["Relation"], strict=True)))
    for matched, ours, theirs in counts.values():
        assert matched <= (min(ours, theirs) if once else ours)
    for name, entry in counts_of(candidate, reference).items():
        assert counts[name][0] <= entry[0]
        assert counts[name][1:] == entry[1:]


@given(TUPLES, TUPLES, st.booleans())
def test_a_comparison_agrees_with_the_counts(candidate, reference, once):
    graphs = build(candidate, CONCEPTS), build(reference, CONCEPTS)
    comparison = compare_graphs(*graphs, once=once)
    for name, (matched, ours, theirs) in counts_of(candidate, reference, once).items():
        assert len(comparison.matched(name)) == matched
        assert len(comparison.matched(name)) + len(comparison.wrong(name)) == ours
        unmatched = theirs - matched
        assert len(comparison.missed(name)) == unmatched if once else len(comparison.missed(name)) >= unmatched
    found = match(*graphs, once=once)
    assert [each.parts for each in comparison.wrong()] == [*map(names, found.wrong)]
    assert [each.parts for each in comparison.missed()] == [*map(names, found.missed)]


@given(TUPLES, TUPLES)
def test_matches_are_those_of_the_definition(candidate, reference):
    graphs = build(candidate, CONCEPTS), build(reference, CONCEPTS)
    expected = {
        one: {
            two
            for two in graphs[1].tuples()
            if len(one) == len(two) and all(a.is_similar(b) for a, b in zip(one, two, strict=True))
        }
        for one in graphs[0].tuples()
    }
    similar = similar_tuples(*graphs)
    assert {each: set(found) for each, found in similar.items()} == {one: two for one, two in expected.items() if two}
    for graph in graphs:
        by_tuple = [name for each in graph.tuples() for name in categories_of(each)]
        assert count_tuples(graph) == [by_tuple.count(name) for name in CATEGORIES]


@given(TUPLES, st.booleans(), st.booleans())
def test_a_graph_finds_itself(tuples, once, synonyms):
    concepts = CONCEPTS if synonyms else EXACT
    graph = build(tuples, concepts)
    _, _, f = precision_recall_f(count_rows([graph], [graph], [0], once=once))
    assert all(value == 1 or math.isnan(value) for value in f[0].tolist())
    assert math.isnan(f[0, 0]) == (not tuples)


@given(TUPLES, TUPLES, st.randoms(), st.booleans())
def test_without_synonyms_the_order_does_not_matter(candidate, reference, random, once):
    shuffled = (random.sample(each, len(each)) for each in (candidate, reference))
    assert counts_of(candidate, reference, once, EXACT) == counts_of(*shuffled, once, EXACT)


@given(st.lists(st.sets(st.integers(0, 3)), max_size=4), st.randoms())
def test_counting_once_is_a_maximum_matching_that_serves_the_first(edges, random):
    ours = list(build([(f"c{place}",) for place in range(len(edges))], EXACT).tuples())
    theirs = list(build([(f"r{place}",) for place in range(4)], EXACT).tuples())
    similar = {one: [theirs[place] for place in places] for one, places in zip(ours, edges, strict=True) if places}
    servable = [
        chosen
        for size in range(len(edges), -1, -1)
        for chosen in combinations(range(len(edges)), size)
        if any(
            all(place in edges[one] for one, place in zip(chosen, order, strict=True))
            for order in permutations(range(4), size)
        )
    ]
    assert count_matches(similar, once=True)[0] == len(servable[0])
    shuffled = {one: similar[one] for one in random.sample(list(similar), len(similar))}
    assert count_matches(shuffled, once=True) == count_matches(similar, once=True)


class Parse(msgspec.Struct):
    """The part of a stored parse that is needed here: its tuples."""

    text: str
    tuples: list[list[str]]


@cache
def tuples_by_caption():
    """Return the tuples that the reference tool found in each caption."""
    decoder = msgspec.json.Decoder(Parse)
    found = {"": []}
    for name in ("parses_golden", "parses_systems500"):
        for parse in decoder.decode_lines(gzip.decompress((SPICE / f"{name}.jsonl.gz").read_bytes())):
            found[parse.text] = [tuple(each) for each in parse.tuples]
    return found


def load(name):
    return msgspec.json.decode(gzip.decompress((SPICE / "golden" / f"{name}.json.gz").read_bytes()))


def golden_graphs(items, references):
    """Return the graphs of candidates, those of the distinct reference sets, and which belong together."""
    tuples = tuples_by_caption()
    distinct = list(dict.fromkeys(map(tuple, references)))
    places = {each: place for place, each in enumerate(distinct)}
    candidates = build_all([tuples[item["candidate_ptb"]] for item in items], CONCEPTS)
    together = [[each for caption in captions for each in tuples[caption]] for captions in distinct]
    return candidates, build_all(together, CONCEPTS), [places[tuple(each)] for each in references]


def assert_golden_scores(items, graphs):
    counts = count_rows(*graphs)
    values = np.stack(precision_recall_f(counts), axis=-1)
    golden = [[item["scores"][name] for name in CATEGORIES] for item in items]
    wanted = [[(each["tp"], each["tp"] + each["fp"], each["tp"] + each["fn"]) for each in row] for row in golden]
    np.testing.assert_array_equal(counts, np.array(wanted))
    wanted = [[(each["pr"], each["re"], each["f"]) for each in row] for row in golden]
    np.testing.assert_array_equal(values, np.array(wanted, dtype=np.float64))
    return values


@needs_golden
@pytest.mark.parametrize("name", SETS)
def test_reference_tuples_give_reference_scores_and_merged_tuples(name):
    golden = load(name)
    items = golden["items"]
    graphs = golden_graphs(items, [item["references_ptb"] for item in items])
    values = assert_golden_scores(items, graphs)
    assert np.mean(values[:, 0, 2]) == pytest.approx(golden["corpus"]["SPICE"], abs=1e-12)
    unlike = []
    candidates, references, reference_of = graphs
    for item, candidate, place in zip(items, candidates, reference_of, strict=True):
        found = compare_graphs(candidate, references[place], lists={})
        for ours, theirs in (
            (found.candidate_tuples, item["candidate_tuples"]),
            (found.reference_tuples, item["reference_tuples"]),
        ):
            if [[list(each.parts), each.partner is not None] for each in ours] != theirs:
                unlike.append(item["id"])
    # The reference made two graphs of the same five captions: `dark` went to `black` five times, to `blue` thrice.
    assert unlike == ([3435, 3436, 3437] if name == "flickr8k_expert" else [])


@needs_golden
def test_seventeen_systems_on_the_same_images():
    golden = load("systems500")
    systems = list(golden["systems"].values())
    items = [item for system in systems for item in system["items"]]
    references = [golden["images"][str(item["id"])]["references_ptb"] for item in items]
    values = assert_golden_scores(items, golden_graphs(items, references))
    for system, scores in zip(systems, np.split(values, len(systems)), strict=True):
        assert np.mean(scores[:, 0, 2]) == pytest.approx(system["SPICE"], abs=1e-12)
