"""The compiled paraphrase table against dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text.captions import Captions
from caplens.text.meteor.compiling import compile_paraphrases
from caplens.text.meteor.phrases import Phrases
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import Words, encode_words

PHRASES = st.lists(st.sampled_from("abcdé"), min_size=1, max_size=4).map(" ".join)
TABLES = st.dictionaries(st.tuples(PHRASES, PHRASES), st.none(), max_size=12).map(list)
CAPTIONS = st.lists(st.lists(st.sampled_from("abcdéx"), max_size=7).map(" ".join), min_size=1, max_size=4)


def compiled(pairs: list[tuple[str, str]], piece: int = 7) -> Phrases:
    text = "".join(f"0.5\n{source}\n{target}\n" for source, target in pairs).encode()
    return Phrases(compile_paraphrases(text[start : start + piece] for start in range(0, len(text), piece)))


def encoded(captions: list[str]) -> Words:
    return encode_words(Captions.from_texts(captions)[0], get_tokenizer("none"))


def phrase_of(phrases: Phrases, node: int) -> str:
    """Climb from a node to the root."""
    words = []
    while node:
        words.append(phrases.vocabulary.word(int(phrases.node_words[node])).decode())
        node = int(np.searchsorted(phrases.first_child, node, side="right")) - 1
    return " ".join(reversed(words))


def spans_of(captions: list[str], known: set[str]) -> list[list[tuple[int, int, str]]]:
    found = []
    for caption in captions:
        words = caption.split()
        places = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
        all_spans = [(start, end - start, " ".join(words[start:end])) for start, end in places]
        found.append([span for span in all_spans if span[2] in known])
    return found


@given(TABLES, CAPTIONS)
def test_every_phrase_is_found_and_nothing_else(pairs, captions):
    phrases = compiled(pairs)
    spans = phrases.find(encoded(captions))
    found = [
        (start, length, phrase_of(phrases, node))
        for start, length, node in zip(spans.starts.tolist(), spans.lengths.tolist(), spans.nodes.tolist(), strict=True)
    ]
    expected = spans_of(captions, {phrase for pair in pairs for phrase in pair})
    assert [found[first:last] for first, last in zip(spans.offsets, spans.offsets[1:], strict=False)] == expected


@given(TABLES, CAPTIONS, CAPTIONS)
def test_relations_join_what_the_table_joins(pairs, candidates, references):
    phrases = compiled(pairs)
    ours, theirs = phrases.find(encoded(candidates)), phrases.find(encoded(references))
    relations = phrases.relate(ours.nodes, theirs.nodes)
    nodes = np.arange(1, len(phrases.node_words), dtype=np.int32)
    numbers = relations.numbers.lookup(np.zeros_like(nodes), nodes).tolist()
    number_of = {phrase_of(phrases, node): number for node, number in zip(nodes.tolist(), numbers, strict=True)}
    here = {phrase for spans in spans_of(candidates, set(number_of)) for *_, phrase in spans}
    there = {phrase for spans in spans_of(references, set(number_of)) for *_, phrase in spans}
    forward = [(source, target) for source, target in pairs if source in there and target in here]
    backward = [(source, target) for source, target in pairs if source in here and target in there]
    joined = {phrase for pair in forward + backward for phrase in pair}
    assert {phrase for phrase, number in number_of.items() if number >= 0} == joined
    for expected, offsets, targets in (
        (forward, relations.forward_offsets, relations.forward),
        (backward, relations.backward_offsets, relations.backward),
    ):
        for source in joined:
            numbers = targets[offsets[number_of[source]] : offsets[number_of[source] + 1]].tolist()
            assert numbers == [number_of[target] for phrase, target in expected if phrase == source]  # in this order


def test_many_captions_on_several_threads_are_found_as_on_one():
    phrases = compiled([("a b", "c"), ("b c", "a")])
    words = encoded(["a b c", "x", "", "b c a b"] * 6000)
    one, two = phrases.find(words, jobs=1), phrases.find(words, jobs=2)
    for name in ("offsets", "starts", "lengths", "nodes"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_nodes_of_some_captions():
    spans = compiled([("a", "b")]).find(encoded(["a b", "x", "b", "a"]))
    assert spans.nodes_of(np.array([3, 0])).tolist() == [1, 1, 2]


@pytest.mark.parametrize("captions", [[], [""], ["x y"]])
def test_nothing_to_find(captions):
    phrases = compiled([("a", "b")])
    spans = phrases.find(encoded(captions))
    assert spans.offsets.tolist() == [0] * (len(captions) + 1)
    assert len(phrases.relate(spans.nodes, spans.nodes).numbers) == 0


def test_an_empty_table():
    spans = compiled([]).find(encoded(["a b"]))
    assert len(spans.nodes) == 0


def test_a_table_that_breaks_off_is_refused():
    with pytest.raises(ValueError, match="not triples"):
        compile_paraphrases([b"0.5\na\nb\n0.5\nc"])
