"""Concepts and scene graphs: what is merged with what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.scenegraph.graph.concepts import Concept, Concepts, in_print_order
from caplens.scenegraph.graph.matching import names
from caplens.scenegraph.graph.scene_graph import build, build_all
from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.tuples import propose
from caplens.text import wordnet

CONCEPTS = Concepts()
EXACT = Concepts(synonyms=False)

# Words with synonyms, words that tie, plain words and words that WordNet does not have.
TERMS = [
    "man", "person", "bike", "bicycle", "motorcycle", "sofa", "couch", "toilet", "commode", "bathroom", "black", "dark",
    "blue", "old", "older", "elderly", "on", "next to", "sit on", "be on", "hot dog", "zzz", "ø", "2", "two",
]  # fmt: skip
TERM = st.sampled_from(TERMS)
TUPLES = st.lists(st.one_of(st.tuples(TERM), st.tuples(TERM, TERM), st.tuples(TERM, TERM, TERM)), max_size=20)


def tuples_of(tuples, concepts=CONCEPTS):
    return [names(each) for each in build(tuples, concepts).tuples()]


def test_a_concept_has_the_synsets_of_meteor_with_underscores_in_longer_terms():
    assert CONCEPTS["bikes"].synsets == frozenset(wordnet.load().meaning(b"bikes"))
    assert CONCEPTS["hot dog"].synsets == frozenset(wordnet.load().meaning(b"hot_dog")) != frozenset()
    assert CONCEPTS["hot dog"].words == ("hot dog",)
    assert EXACT["hot dog"].synsets == frozenset()


def test_terms_are_looked_up_alike_one_by_one_and_together():
    together = Concepts()
    together.add([*TERMS, *TERMS, "hot_dog"])
    assert len(together) == len(TERMS) + 1
    for term in TERMS:
        assert Concepts()[term].synsets == together[term].synsets


def test_similarity_is_1_for_a_common_word_and_else_the_share_of_common_synsets():
    one, two = Concept(("a", "b"), frozenset({1, 2, 3})), Concept(("c",), frozenset({3, 4}))
    assert one.similarity(two) == 1 / 4
    assert one.similarity(Concept(("b",), frozenset())) == 1
    assert one.similarity(Concept(("c",), frozenset({4}))) == 0
    assert one.is_similar(two)
    assert not one.is_similar(Concept(("c",), frozenset({4})))
    assert one.merged(two).synsets == {1, 2, 3, 4}
    assert one.merged(one).words == one.words


@pytest.mark.parametrize(
    "printed",
    ["bicycle/bike", "toilet/bathroom", "skateboarder/skateboard", "tie/necktie", "rest/lie", "donut/doughnut"],
)
def test_names_are_printed_in_the_order_of_the_reference_tool(printed):
    words = printed.split("/")
    assert "/".join(in_print_order(sorted(words))) == printed


def test_words_in_one_bucket_stay_in_the_order_of_their_arrival():
    # The reference prints both orders, depending on the captions.
    assert in_print_order(["piece", "slice"]) == ("piece", "slice")
    assert in_print_order(["slice", "piece"]) == ("slice", "piece")


def test_many_words_need_a_larger_table():
    words = [chr(code) * 3 for code in range(97, 113)]
    assert sorted(in_print_order(words)) == words
    assert in_print_order(["\U0001f600", "b"]) == in_print_order(["b", "\U0001f600"])


def test_objects_merge_by_word_and_by_synset():
    assert tuples_of([("sofa",), ("truck",), ("couch",), ("sofa",)]) == [("sofa/couch",), ("truck",)]
    assert tuples_of([("sofa",), ("truck",), ("couch",), ("sofa",)], EXACT) == [("sofa",), ("truck",), ("couch",)]


def test_an_object_merges_into_the_most_similar_node():
    # `bike` shares a synset with both, and with `bicycle` it shares more of them.
    assert CONCEPTS["bike"].similarity(CONCEPTS["bicycle"]) > CONCEPTS["bike"].similarity(CONCEPTS["motorcycle"]) > 0
    expected = {("bicycle/bike",), ("motorcycle",)}
    assert set(tuples_of([("bicycle",), ("motorcycle",), ("bike",)])) == expected
    assert set(tuples_of([("motorcycle",), ("bicycle",), ("bike",)])) == expected


@pytest.mark.parametrize("order", [("commode", "bathroom"), ("bathroom", "commode")])
def test_between_equally_similar_nodes_the_first_in_the_alphabet_wins(order):
    assert CONCEPTS["toilet"].similarity(CONCEPTS["commode"]) == CONCEPTS["toilet"].similarity(CONCEPTS["bathroom"])
    assert set(tuples_of([(order[0],), (order[1],), ("toilet",)])) == {("commode",), ("toilet/bathroom",)}


def test_nodes_that_became_similar_stay_apart():
    graph = build([("bicycle",), ("motorcycle",), ("bike",)], CONCEPTS)
    bicycle, motorcycle = graph.nodes
    assert bicycle.is_similar(motorcycle)
    assert (bicycle.words, motorcycle.words) == (("bicycle", "bike"), ("motorcycle",))


def test_attributes_merge_within_one_node_only():
    tuples = [("dog", "big"), ("dog", "large"), ("cat", "large"), ("dog", "brown"), ("dog", "big")]
    assert tuples_of(tuples)[2:] == [("dog", "big/large"), ("dog", "brown"), ("cat", "large")]
    assert len(tuples_of(tuples, EXACT)) == 6


def test_attributes_merge_into_the_same_word_first_then_into_the_first_similar_one():
    # `older` is nearer to `old`, but `elderly` comes first; `old` itself stays where it is.
    tuples = [("man", "elderly"), ("man", "old"), ("man", "older"), ("man", "old"), ("man", "older")]
    assert tuples_of(tuples)[1:] == [("man", "elderly/older"), ("man", "old")]
    assert tuples_of([("shirt", "blue"), ("shirt", "black"), ("shirt", "dark")])[1:] == [
        ("shirt", "blue"),
        ("shirt", "black/dark"),
    ]


def test_relations_merge_between_the_same_two_nodes():
    tuples = [
        ("boy", "snake", "carry"),
        ("boy", "snake", "hold"),
        ("snake", "boy", "carry"),
        ("boy", "bag", "carry"),
        ("boy", "snake", "eat"),
    ]
    assert tuples_of(tuples)[3:] == [
        ("boy", "carry/hold", "snake"),
        ("boy", "eat", "snake"),
        ("snake", "carry", "boy"),
        ("boy", "carry", "bag"),
    ]


def test_relations_are_between_nodes_not_words():
    tuples = [("man", "bike", "on"), ("man", "bicycle", "on"), ("bike", "red")]
    assert tuples_of(tuples) == [
        ("man",),
        ("bicycle/bike",),
        ("bicycle/bike", "red"),
        ("man", "on", "bicycle/bike"),
    ]


def test_a_leading_be_is_dropped():
    assert tuples_of([("man", "bed", "be on"), ("man", "bed", "on")])[2:] == [("man", "on", "bed")]
    assert tuples_of([("man", "king", "be"), ("it", "king", "bear")])[3:] == [
        ("man", "be", "king"),
        ("it", "bear", "king"),
    ]


def test_an_object_can_be_related_to_itself():
    assert tuples_of([("worker", "worker", "stand behind")]) == [("worker",), ("worker", "stand behind", "worker")]


def test_a_parse_becomes_a_graph():
    sentence = Sentence(
        ("brown", "dogs", "chase", "cats"),
        ("JJ", "NNS", "VBP", "NNS"),
        ("brown", "dog", "chase", "cat"),
        (2, 3, 0, 3),
        ("amod", "nsubj", "root", "dobj"),
    )
    expected = {("dog",), ("cat",), ("dog", "brown"), ("dog", "chase", "cat")}
    assert set(tuples_of(propose((sentence,)))) == expected


def test_no_tuples_make_an_empty_graph():
    graph = build([], CONCEPTS)
    assert (graph.nodes, graph.attributes, graph.relations, list(graph.tuples())) == ((), (), {}, [])


def test_many_graphs_are_built_as_one_by_one_with_all_terms_known_before():
    sets = [[("man", "bed", "be on"), ("be on", "be on")], [], [("couch",), ("sofa",)]]
    concepts = Concepts()
    together = build_all(sets, concepts)
    assert [[names(each) for each in graph.tuples()] for graph in together] == [tuples_of(each) for each in sets]
    assert set(concepts) == {"man", "on", "bed", "be on", "couch", "sofa"}


@given(TUPLES)
def test_every_word_is_in_one_node_and_nothing_is_lost(tuples):
    graph = build(tuples, CONCEPTS)
    terms = {each[0] for each in tuples} | {each[1] for each in tuples if len(each) == 3}
    assert sorted(word for node in graph.nodes for word in node.words) == sorted(terms)
    attributes = {word for found in graph.attributes for each in found for word in each.words}
    assert attributes == {each[1] for each in tuples if len(each) == 2}
    relations = {word for found in graph.relations.values() for each in found for word in each.words}
    assert relations == {each[2].removeprefix("be ") for each in tuples if len(each) == 3}


@given(TUPLES)
def test_tuples_are_distinct_and_building_again_changes_nothing(tuples):
    found = tuples_of(tuples)
    assert len(set(found)) == len(found)
    assert tuples_of([*tuples, *tuples]) == found


@given(TUPLES, st.randoms())
def test_without_synonyms_the_order_does_not_matter(tuples, random):
    shuffled = random.sample(tuples, len(tuples))
    assert set(tuples_of(tuples, EXACT)) == set(tuples_of(shuffled, EXACT))
