"""Basic trees become the graphs that the reference collapses them to."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest
from tests.conftest import SHARED

from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.collapse import collapse

PARSES = SHARED / "spice" / "parses_golden.jsonl.gz"


def read(tree: str) -> Sentence:
    """Read a tree written as `word/TAG/label/head` for each word."""
    words, tags, labels, heads = zip(*(each.rsplit("/", 3) for each in tree.split()), strict=True)
    return Sentence(words, tags, words, tuple(map(int, heads)), labels)


def edges(tree: str) -> set[str]:
    """Return `label(governor, dependent)` for each edge; a copy has a prime."""
    sentence = read(tree)
    graph = collapse(sentence)
    names = ["ROOT", *sentence.words]
    names += [f"{names[origin]}'" for origin in graph.origins[len(names) :]]
    return {f"{label}({names[governor]}, {names[dependent]})" for governor, dependent, label in graph.edges()}


def test_labels_carry_prepositions():
    found = edges("owls/NNS/nsubj/2 sleep/VBP/root/0 in/IN/case/4 barns/NNS/nmod/2")
    assert found == {"nsubj(sleep, owls)", "root(ROOT, sleep)", "case(barns, in)", "nmod:in(sleep, barns)"}


def test_the_last_of_several_prepositions_counts():
    assert "nmod:behind(peeks, fence)" in edges("peeks/VBZ/root/0 from/IN/case/4 behind/IN/case/4 fence/NN/nmod/1")


def test_clauses_carry_prepositions_but_not_markers():
    assert "advcl:without(left, ready)" in edges("left/VBD/root/0 without/IN/case/3 ready/JJ/advcl/1")
    assert "advcl(left, eating)" in edges("left/VBD/root/0 after/IN/mark/3 eating/VBG/advcl/1")


def test_by_is_the_agent_of_a_passive_only():
    passive = "kite/NN/nsubjpass/3 is/VBZ/auxpass/3 flown/VBN/root/0 by/IN/case/5 nuns/NNS/nmod/3"
    assert "nmod:agent(flown, nuns)" in edges(passive)
    assert "nmod:by(flown, nuns)" in edges(passive.replace("auxpass", "aux").replace("nsubjpass", "nsubj"))


def test_in_front_of_is_one_preposition():
    found = edges("waits/VBZ/root/0 in/IN/case/3 front/NN/nmod/1 of/IN/case/6 a/DT/det/6 bank/NN/nmod/3")
    assert found == {
        "root(ROOT, waits)",
        "nmod:in_front_of(waits, bank)",
        "case(bank, in)",
        "mwe(in, front)",
        "mwe(in, of)",
        "det(bank, a)",
    }


def test_next_to_gives_way_to_its_noun():
    found = edges("boat/NN/root/0 right/RB/advmod/3 next/JJ/dep/1 to/TO/case/5 piers/NNS/nmod/3")
    assert found == {
        "root(ROOT, boat)",
        "nmod:next_to(boat, piers)",
        "case(piers, next)",
        "mwe(next, to)",
        "advmod(piers, right)",
    }


def test_a_predicate_stays_one_when_its_noun_takes_over():
    found = edges("boat/NN/root/0 that/WDT/nsubj/4 is/VBZ/cop/4 next/JJ/acl:relcl/1 to/TO/case/6 piers/NNS/nmod/4")
    assert {"acl:relcl(boat, piers)", "nsubj(piers, that)", "cop(piers, is)"} <= found


def test_inside_of_is_folded_only_where_both_hang_on_the_noun():
    assert "nmod:inside_of(fish, tanks)" in edges("fish/NN/root/0 inside/RB/advmod/4 of/IN/case/4 tanks/NNS/nmod/1")
    assert "nmod:of(inside, tanks)" in edges("fish/NN/root/0 inside/NN/dep/1 of/IN/case/4 tanks/NNS/nmod/2")


def test_prepositions_that_the_tree_has_joined_keep_their_words():
    assert "nmod:such_as(toys, trains)" in edges("toys/NNS/root/0 such/JJ/case/4 as/IN/mwe/2 trains/NNS/nmod/1")


def test_conjuncts_have_the_edges_of_the_first():
    found = edges("jars/NNS/root/0 with/IN/case/3 jam/NN/nmod/1 and/CC/cc/3 honey/NN/conj/3")
    assert {"conj:and(jam, honey)", "nmod:with(jars, jam)", "nmod:with(jars, honey)"} <= found


def test_a_conjunct_of_a_conjunct_does_not_reach_the_first_governor():
    found = edges("jars/NNS/root/0 with/IN/case/3 jam/NN/nmod/1 or/CC/cc/3 tea/NN/conj/3 and/CC/cc/5 milk/NN/conj/5")
    assert {"conj:or(jam, tea)", "conj:and(tea, milk)", "conj:or(jam, milk)"} <= found
    assert "nmod:with(jars, milk)" not in found


def test_without_a_conjunction_nothing_is_shared():
    found = edges("jars/NNS/root/0 with/IN/case/3 jam/NN/nmod/1 tea/NN/conj/3")
    assert "conj(jam, tea)" in found
    assert "nmod:with(jars, tea)" not in found


def test_as_well_as_means_and():
    found = edges("jam/NN/root/0 as/RB/cc/1 well/RB/mwe/2 as/IN/mwe/2 tea/NN/conj/1")
    assert "conj:and(jam, tea)" in found


@pytest.mark.parametrize(
    ("subject", "tag", "expected"),
    [("nsubj", "VBZ", "nsubj"), ("nsubjpass", "VBN", "nsubjpass"), ("nsubjpass", "JJ", "nsubj"), ("nsubj", "NN", None)],
)
def test_joined_predicates_share_a_subject(subject, tag, expected):
    found = edges(f"hen/NN/{subject}/2 first/VBN/root/0 and/CC/cc/2 second/{tag}/conj/2")
    assert {each for each in found if each.endswith("(second, hen)")} == (
        {f"{expected}(second, hen)"} if expected else set()
    )


def test_a_predicate_with_a_subject_gets_no_other():
    found = edges("hens/NNS/nsubj/2 eat/VBP/root/0 and/CC/cc/2 cocks/NNS/nsubj/5 crow/VBP/conj/2")
    assert "nsubj(crow, hens)" not in found


def test_joined_phrases_copy_what_they_modify():
    found = edges(
        "hen/NN/nsubj/2 sits/VBZ/root/0 on/IN/case/4 eggs/NNS/nmod/2 and/CC/cc/4 under/IN/case/7 leaves/NNS/conj/4"
    )
    assert found == {
        "nsubj(sits, hen)",
        "root(ROOT, sits)",
        "case(eggs, on)",
        "nmod:on(sits, eggs)",
        "cc(sits, and)",
        "case(leaves, under)",
        "conj:and(sits, sits')",
        "nmod:under(sits', leaves)",
        "nsubj(sits', hen)",
    }


def test_joined_prepositions_copy_what_their_noun_modifies():
    found = edges("ants/NNS/root/0 in/IN/case/5 and/CC/cc/2 around/IN/conj/2 it/PRP/nmod/1")
    assert {"conj:and(in, around)", "conj:and(ants, ants')", "nmod:in(ants, it)", "nmod:around(ants', it)"} <= found


def test_the_tree_is_left_alone():
    sentence = read("boat/NN/root/0 next/JJ/dep/1 to/TO/case/4 piers/NNS/nmod/2")
    collapse(sentence)
    assert sentence.heads == (0, 1, 4, 2)
    assert sentence.labels == ("root", "dep", "case", "nmod")


@pytest.mark.skipif(not PARSES.exists(), reason="the parses of the reference are not here (../shared/data/spice)")
def test_graphs_equal_those_of_the_reference():
    total = equal = 0
    with gzip.open(PARSES, "rt", encoding="utf-8") as lines:
        for line in lines:
            for parsed in json.loads(line)["sents"]:
                by_word = {dependent: (head, label) for head, dependent, label in parsed["basic"]}
                heads, labels = zip(*(by_word[i] for i in range(1, len(by_word) + 1)), strict=True)
                sentence = Sentence(tuple(parsed["w"]), tuple(parsed["t"]), tuple(parsed["l"]), heads, labels)
                total += 1
                equal += named_edges(sentence) == {tuple(edge) for edge in parsed["cc"]}
    assert total == 21_121
    assert equal / total >= 0.9999


def named_edges(sentence: Sentence) -> set[tuple[int | str, int | str, str]]:
    """Return the edges with the reference's names for copies: `'3` and `''3` are copies of the word at 3."""
    graph = collapse(sentence)
    words = len(sentence.words) + 1
    names: list[int | str] = list(range(words))
    copies: Counter[int] = Counter()
    for origin in graph.origins[words:]:
        copies[origin] += 1
        names.append("'" * copies[origin] + str(origin))
    return {(names[governor], names[dependent], label) for governor, dependent, label in graph.edges()}
