"""Trees become the tuples that the reference proposes."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import SHARED

from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.dependencies import Graph, Link
from caplens.scenegraph.rules.tuples import propose, propose_from_graph

PARSES = SHARED / "spice" / "parses_golden.jsonl.gz"
needs_parses = pytest.mark.skipif(
    not PARSES.exists(), reason="the parses of the reference are not here (../shared/data/spice)"
)


def said(tree: str) -> set[tuple[str, ...]]:
    """Return the tuples of a tree written as `word/TAG/label/head` for each word, with its lemma after a `=`."""
    words, tags, labels, heads = zip(*(each.rsplit("/", 3) for each in tree.split()), strict=True)
    forms, lemmas = zip(*((word.partition("=")[0], word.rpartition("=")[2]) for word in words), strict=True)
    return set(propose((Sentence(forms, tags, lemmas, tuple(map(int, heads)), labels),)))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("owls=owl/NNS/nsubj/2 hunt/VBP/root/0 mice=mouse/NNS/dobj/2", ("owl", "mouse", "hunt")),
        ("owls=owl/NNS/nsubj/2 dive/VBP/root/0 into/IN/case/4 lakes=lake/NNS/nmod/2", ("owl", "lake", "dive into")),
        (
            "owl/NN/nsubj/2 picks=pick/VBZ/root/0 up/RP/compound:prt/2 hay/NN/dobj/2",
            ("owl", "hay", "pick up"),
        ),
        ("owl/NN/root/0 eating=eat/VBG/acl/1 mice=mouse/NNS/dobj/2", ("owl", "mouse", "eat")),
        ("barn/NN/nsubj/3 is=be/VBZ/cop/3 dark/JJ/root/0", ("barn", "dark")),
        ("owl/NN/nsubj/2 sleeps=sleep/VBZ/root/0", ("owl", "sleep")),
        ("owl/NN/nsubj/4 is=be/VBZ/cop/4 in/IN/case/4 barn/NN/root/0", ("owl", "barn", "in")),
        ("white/JJ/amod/2 owl/NN/root/0", ("owl", "white")),
        ("that/WDT/nsubj/3 is=be/VBZ/cop/3 open/JJ/root/0", ("that", "open")),
        ("owl/NN/root/0 near/IN/case/3 another/DT/nmod/1", ("owl", "another", "near")),
        ("owl/NN/nmod:poss/3 's/POS/case/1 nest/NN/root/0", ("owl", "nest", "have")),
        (
            "mouse/NN/nsubjpass/3 is=be/VBZ/auxpass/3 eaten=eat/VBN/root/0 by/IN/case/5 owls=owl/NNS/nmod/3",
            ("owl", "mouse", "eat"),
        ),
        ("two/CD/nummod/2 owls=owl/NNS/root/0", ("owl", "two")),
        ("barn/NN/compound/2 owl/NN/root/0", ("owl", "barn")),
        ("owl/NN/root/0", ("owl",)),
    ],
)
def test_each_rule(tree, expected):
    assert expected in said(tree)


def test_multi_word_prepositions_are_relations():
    tree = "owl/NN/root/0 in/IN/case/3 front/NN/nmod/1 of/IN/case/5 barn/NN/nmod/3"
    assert said(tree) == {("owl", "barn", "in front of"), ("owl",), ("barn",), ("front",)}


def test_a_copula_makes_a_place_not_a_relation_by_the_verb():
    tree = "owl/NN/nsubj/4 is=be/VBZ/cop/4 in/IN/case/4 barn/NN/root/0 at/IN/case/6 night/NN/nmod/4"
    assert said(tree) == {("owl", "barn", "in"), ("barn", "night", "at"), ("owl",), ("barn",), ("night",)}


def test_words_of_a_compound_are_no_objects_of_their_own():
    assert said("barn/NN/compound/2 owl/NN/root/0") == {("owl", "barn")}


def test_a_numeral_counts_only_plurals():
    assert said("one/CD/nummod/2 owl/NN/root/0") == {("owl",)}


def test_being_is_no_attribute():
    assert said("there/EX/expl/2 is=be/VBZ/root/0 owl/NN/nsubj/2") == {("owl",)}


def test_relative_clauses_relate_nothing():
    tree = "owl/NN/root/0 that/WDT/nsubj/3 eats=eat/VBZ/acl:relcl/1 mice=mouse/NNS/dobj/3"
    assert said(tree) == {("owl",), ("mouse",)}


def test_conjuncts_share_relations():
    tree = "owls=owl/NNS/nsubj/4 and/CC/cc/1 cats=cat/NNS/conj/1 eat/VBP/root/0 mice=mouse/NNS/dobj/4"
    assert {("owl", "mouse", "eat"), ("cat", "mouse", "eat")} <= said(tree)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("a/DT/det/2 couple/NN/root/0 of/IN/case/4 owls=owl/NNS/nmod/2", {("couple",), ("owl", "a"), ("owl",)}),
        (
            "a/DT/det/3 wide/JJ/amod/3 variety/NN/root/0 of/IN/case/5 owls=owl/NNS/nmod/3",
            {("variety",), ("owl", "a"), ("owl",)},
        ),
        ("lots=lot/NNS/root/0 of/IN/case/3 owls=owl/NNS/nmod/1", {("lot",), ("owl", "lot"), ("owl",)}),
        ("one/CD/root/0 of/IN/case/4 the/DT/det/4 owls=owl/NNS/nmod/1", {("owl", "one"), ("owl",)}),
        ("one/CD/root/0 of/IN/case/4 his=he/PRP$/nmod:poss/4 owls=owl/NNS/nmod/1", {("owl",)}),
        (
            "the/DT/det/2 couple/NN/root/0 of/IN/case/4 owls=owl/NNS/nmod/2",
            {("couple",), ("couple", "owl", "of"), ("owl",)},
        ),
        ("flock/NN/root/0 of/IN/case/3 owls=owl/NNS/nmod/1", {("flock",), ("flock", "owl", "of"), ("owl",)}),
        ("lots=lot/NNS/root/0 of/IN/case/3 green/JJ/nmod/1", {("lot",), ("lot", "green", "of")}),
    ],
)
def test_quantities_give_way_to_what_they_count(tree, expected):
    assert said(tree) == expected


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("owl/NN/nsubj/2 loves=love/VBZ/root/0 its/PRP$/nmod:poss/4 nest/NN/dobj/2", ("owl", "nest", "have")),
        ("owl/NN/nsubj/2 loves=love/VBZ/root/0 their=they/PRP$/nmod:poss/4 nest/NN/dobj/2", ("owl", "nest", "have")),
        ("owls=owl/NNS/nsubj/2 love/VBP/root/0 its=it/PRP$/nmod:poss/4 nest/NN/dobj/2", ("owl", "nest", "love")),
        ("owl/NN/nsubj/2 sees=see/VBZ/root/0 itself/PRP/dobj/2", ("owl", "owl", "see")),
    ],
)
def test_pronouns_give_way_to_the_first_noun_that_agrees(tree, expected):
    assert expected in said(tree)


def test_a_pronoun_at_the_start_or_before_its_noun_stays():
    assert said("its=it/PRP$/nmod:poss/2 nest/NN/nsubj/3 holds=hold/VBZ/root/0 eggs=egg/NNS/dobj/3") == {
        ("nest", "egg", "hold"),
        ("nest",),
        ("egg",),
    }
    assert said("in/IN/case/3 its=it/PRP$/nmod:poss/3 nest/NN/root/0") == {("nest",)}


def test_sentences_follow_one_another():
    owl = Sentence(("owl",), ("NN",), ("owl",), (0,), ("root",))
    assert propose((owl, owl)) == [("owl",), ("owl",)]
    assert propose(()) == []


WORDS = "in front of on top next to out inside and or as well not by a couple lots one the them it dog"
TAGS = "NN NNS NNP JJ VBN VBZ VBG IN CC DT CD PRP PRP$ RB"
LABELS = (
    "nmod nmod:poss case case conj cc mwe nsubj nsubjpass csubj auxpass cop dobj iobj amod det compound "
    "compound:prt acl acl:relcl advcl advmod mark nummod dep xcomp"
)


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    """Any tree, however odd, of words, tags and labels that the rules look at."""
    count = draw(st.integers(1, 24))
    order = draw(st.permutations(range(1, count + 1)))
    heads = [0] * count
    for place, position in enumerate(order[1:], 1):
        heads[position - 1] = order[draw(st.integers(0, place - 1))]
    words, tags, labels = (
        tuple(draw(st.lists(st.sampled_from(some.split()), min_size=count, max_size=count)))
        for some in (WORDS, TAGS, LABELS)
    )
    return Sentence(words, tags, words, tuple(heads), labels)


@given(trees())
def test_no_tree_is_too_odd(sentence):
    for each in propose((sentence,)):
        assert 1 <= len(each) <= 3
        assert all(each)


@pytest.fixture(scope="module")
def golden() -> list[Any]:
    """Return the sentences of each golden caption with their collapsed edges, and its tuples."""
    captions = []
    with gzip.open(PARSES, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            sentences = []
            for parsed in record["sents"]:
                by_word = {dependent: (head, label) for head, dependent, label in parsed["basic"]}
                heads, labels = zip(*(by_word[i] for i in range(1, len(by_word) + 1)), strict=True)
                sentence = Sentence(tuple(parsed["w"]), tuple(parsed["t"]), tuple(parsed["l"]), heads, labels)
                sentences.append((sentence, parsed["cc"]))
            captions.append((sentences, {tuple(each) for each in record["tuples"]}))
    return captions


def read_graph(edges: Any, words: int) -> Graph:
    """Return the graph of the reference's edges, where a copy of the word at 3 is written `'3`."""
    nodes: dict[int | str, int] = {position: position for position in range(words + 1)}
    for node in sorted({str(node) for edge in edges for node in edge[:2] if isinstance(node, str)}):
        nodes[node] = len(nodes)
    parents: list[list[Link]] = [[] for _ in nodes]
    for governor, dependent, label in edges:
        parents[nodes[dependent]].append((nodes[governor], label))
    return Graph.from_parents([int(str(node).strip("'")) for node in nodes], parents)


@needs_parses
def test_golden_trees_give_the_tuples_of_the_reference(golden):
    results = [set(propose(tuple(s for s, _ in sentences))) == expected for sentences, expected in golden]
    assert len(results) == 21_121
    assert sum(results) / len(results) >= 0.9999


@needs_parses
def test_golden_graphs_give_the_tuples_of_the_reference(golden):
    results = []
    for sentences, expected in golden:
        found = [each for s, edges in sentences for each in propose_from_graph(read_graph(edges, len(s.words)), s)]
        results.append(set(found) == expected)
    assert sum(results) / len(results) >= 0.9999
