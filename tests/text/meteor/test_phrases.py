"""The compiled paraphrase table against dictionaries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text.captions import Captions
from caplens.text.meteor.compiling import compile_paraphrases
from caplens.text.meteor.phrases import Phrases, Spans
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import Words, encode_words

PHRASES = st.lists(st.sampled_from("abcdé"), min_size=1, max_size=4).map(" ".join)
TABLES = st.dictionaries(st.tuples(PHRASES, PHRASES), st.none(), max_size=12).map(list)
TABLES_WITH_REPEATS = st.lists(st.tuples(PHRASES, PHRASES), max_size=12)
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


def named(phrases: Phrases, spans: Spans) -> list[list[tuple[int, int, str]]]:
    """Return the spans of each caption as start, length and text."""
    numbers = spans.numbers.tolist()
    texts = [phrase_of(phrases, node) for node in spans.nodes.tolist()]
    lengths = spans.lengths.tolist()
    found = [(start, lengths[n], texts[n]) for start, n in zip(spans.starts.tolist(), numbers, strict=True)]
    return [found[first:last] for first, last in itertools.pairwise(spans.offsets)]


@given(TABLES, CAPTIONS)
def test_every_phrase_is_found_and_nothing_else(pairs, captions):
    phrases = compiled(pairs)
    spans = phrases.find(encoded(captions))
    assert named(phrases, spans) == spans_of(captions, {phrase for pair in pairs for phrase in pair})


@given(st.sets(st.integers(0, 400), min_size=20, max_size=90), st.integers(0, 400))
def test_one_of_many_children_is_found(words, wanted):
    named_words = [f"w{word**2:06}" for word in sorted(words)]  # not evenly spread
    phrases = compiled([(f"a {word}", "b") for word in named_words] + [(f"w{wanted**2:06}", "c")])
    expected = {f"a {word}" for word in named_words} | {f"w{word**2:06}" for word in [wanted]}
    captions = [f"a {word}" for word in named_words] + [f"a w{wanted**2:06}"]
    assert named(phrases, phrases.find(encoded(captions))) == spans_of(captions, expected)


@given(TABLES, CAPTIONS, CAPTIONS)
def test_phrases_of_the_base_keep_their_numbers(pairs, references, candidates):
    phrases = compiled(pairs)
    base = phrases.find(encoded(references))
    spans = phrases.find(encoded(candidates), base=base)
    assert named(phrases, spans) == spans_of(candidates, {phrase for pair in pairs for phrase in pair})
    assert spans.nodes[: len(base.nodes)].tolist() == base.nodes.tolist()
    assert len(set(spans.nodes.tolist())) == len(spans.nodes) == len(spans.table)


@given(TABLES_WITH_REPEATS, CAPTIONS, CAPTIONS)
def test_relations_join_what_the_table_joins(pairs, candidates, references):
    phrases = compiled(pairs)
    theirs = phrases.find(encoded(references))
    ours = phrases.find(encoded(candidates), base=theirs)
    relater = phrases.relater(theirs)
    relater.relate(theirs.nodes, theirs.numbers[::2].copy())  # what it remembers changes nothing
    ranges, entries = relater.relate(ours.nodes, ours.numbers)
    texts = [phrase_of(phrases, node) for node in ours.nodes.tolist()]
    here = {phrase for spans in spans_of(candidates, set(texts)) for *_, phrase in spans}
    for number, phrase in enumerate(texts):
        found = sorted((texts[other], rank) for other, rank in entries[slice(*ranges[number])].tolist())
        expected = [(target, -1) for source, target in pairs if source == phrase]
        for source in {source for source, _ in pairs}:
            ranked = [target for other, target in pairs if other == source]
            expected += [(source, rank) for rank, target in enumerate(ranked) if target == phrase]
        there = set(texts[: len(theirs.nodes)])
        assert found == (sorted(pair for pair in expected if pair[0] in there) if phrase in here else [])


@pytest.mark.parametrize("base", [False, True])
def test_many_captions_on_several_threads_are_found_as_on_one(base):
    phrases = compiled([("a b", "c"), ("b c", "a"), ("x", "d")])
    words = encoded(["a b c", "x", "", "b c a b"] * 6000 + ["d"] * 24_000)
    known = phrases.find(encoded(["x", "a b"])) if base else None
    one, two = phrases.find(words, jobs=1, base=known), phrases.find(words, jobs=2, base=known)
    assert len(set(one.numbers.tolist())) == 6
    for name in ("offsets", "starts", "numbers", "nodes", "lengths"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


@pytest.mark.parametrize("captions", [[], [""], ["x y"]])
def test_nothing_to_find(captions):
    phrases = compiled([("a", "b")])
    spans = phrases.find(encoded(captions))
    assert spans.offsets.tolist() == [0] * (len(captions) + 1)
    assert len(phrases.relater(spans).relate(spans.nodes, spans.numbers)[1]) == 0


def test_an_empty_table():
    spans = compiled([]).find(encoded(["a b"]))
    assert len(spans.numbers) == len(spans.nodes) == 0


def test_a_table_that_breaks_off_is_refused():
    with pytest.raises(ValueError, match="not triples"):
        compile_paraphrases([b"0.5\na\nb\n0.5\nc"])
