"""The compiled way from captions to word ids gives the words of the tokenizers themselves."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens.errors import UsageError
from caplens.text import ptb
from caplens.text.captions import Captions
from caplens.text.tokenizers import NAMES, Tokenizer, get_tokenizer
from caplens.text.words import encode_words, split_inner_spaces, stem_words


def encode(texts, tokenizer="ptb", base=None):
    return encode_words(Captions.from_texts(texts)[0], get_tokenizer(tokenizer), base)


def listed(words):
    return [words[place] for place in range(len(words))]


# Pieces that the fast path takes, almost takes, and must leave to the tokenizer.
PIECES = """
    a man Man CANNOT gonna don't Dog's dogs' o'clock x-ray x--ray -ray ray- 'tis St. Mr. etc. no. No. U.S. B. b p.m.
    e.g. man. man, man; man! Inc. vs. . , .. ... - -- ' " 1 12 1/2 3.5 2nd $5 50% 555 1234 (a) <b> A The :) : http://a.b/c
    a@b.com & and/or é café ½ naïve. 日本 😀
"""
pieces = st.sampled_from([*PIECES.split(), "\u3000", "w" * 70])
separators = st.sampled_from([" ", "  ", "\t", "", "\n", "\xa0"])


@st.composite
def pieced_captions(draw):
    return "".join(draw(pieces) + draw(separators) for _ in range(draw(st.integers(0, 6))))


@settings(max_examples=500, deadline=None)
@given(st.lists(pieced_captions(), min_size=1, max_size=4))
def test_fast_ptb_words_are_the_tokenizers(texts):
    captions = Captions.from_texts(texts)[0]
    assert listed(encode_words(captions, get_tokenizer("ptb"))) == [ptb.tokenize(text) for text in captions]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_fast_words_of_any_text_are_the_tokenizers(name, texts):
    captions = Captions.from_texts(texts)[0]
    tokenizer = get_tokenizer(name)
    assert listed(encode_words(captions, tokenizer)) == [tokenizer.tokenize(text) for text in captions]


@settings(max_examples=200, deadline=None)
@given(st.lists(pieced_captions(), max_size=12), st.integers(2, 4), st.booleans())
def test_words_do_not_depend_on_the_number_of_threads(texts, jobs, with_base):
    captions, tokenizer = Captions.from_texts(texts)[0], get_tokenizer("ptb")
    base = encode_words(Captions.from_texts(["a man isn't here", "side-by-side"])[0], tokenizer) if with_base else None
    alone = encode_words(captions, tokenizer, base)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caplens.text.words.BLOCK_CAPTIONS", 2)
        shared = encode_words(captions, tokenizer, base, jobs)
    assert shared.ids.tolist() == alone.ids.tolist()
    assert shared.offsets.tolist() == alone.offsets.tolist()
    assert [shared.table.key(word) for word in range(len(shared.table))] == [
        alone.table.key(word) for word in range(len(alone.table))
    ]
    # What both know afterwards is the same too.
    later = Captions.from_texts([*texts, "a newer half-pipe"])[0]
    assert encode_words(later, tokenizer, shared).ids.tolist() == encode_words(later, tokenizer, alone).ids.tolist()


def test_fast_ptb_words_of_real_captions(shared_dir):
    """Every tenth of the 202,654 human captions, and all captions of a system."""
    with gzip.open(shared_dir / "coco_val2014" / "captions_val2014.json.gz") as file:
        texts = [entry["caption"] for entry in json.load(file)["annotations"]][::10]
    with gzip.open(shared_dir / "coco_val2014" / "systems" / "wu2016.json.gz") as file:
        texts += [entry["caption"] for entry in json.load(file)]
    captions = Captions.from_texts(texts)[0]
    words = encode_words(captions, get_tokenizer("ptb"))
    different = [text for place, text in enumerate(captions) if words[place] != ptb.tokenize(text)]
    assert different == []


def test_words_keep_the_ids_of_their_base():
    base = encode(["a man", "a dog"])
    other = encode(["a dog barks", "the man"], base=base)
    assert other.ids.tolist() == [0, 2, 3, 4, 1]
    assert listed(other) == [["a", "dog", "barks"], ["the", "man"]]
    assert len(base.table) == 3


def test_a_base_cannot_grow_any_more():
    base = encode(["a man"])
    encode(["a dog"], base=base)
    with pytest.raises(RuntimeError, match="base"):
        base.table.insert(b"new")


def test_empty_captions_have_no_words():
    words = encode(["", "  ", "a"])
    assert listed(words) == [[], [], ["a"]]
    assert words.lengths.tolist() == [0, 0, 1]


def test_a_tokenizer_that_fails_is_heard():
    def fail(text):
        raise ValueError(f"cannot read {text}")

    with pytest.raises(ValueError, match="cannot read dog"):
        encode_words(Captions.from_texts(["dog"])[0], Tokenizer("broken", fail))


def test_stems_share_ids_with_their_base():
    base = stem_words(encode(["dogs running"]))
    assert listed(base) == [["dog", "run"]]
    words = encode(["a dog runs"], base=encode(["dogs running"]))
    assert stem_words(words, base).ids.tolist() == [2, 0, 1]


def test_words_with_a_space_inside_are_split_for_those_who_ask():
    words = encode(["1 1/2 cups", "two 1 1/2", "", "none"])
    assert listed(words)[0] == ["1\xa01/2", "cups"]
    assert listed(split_inner_spaces(words)) == [["1", "1/2", "cups"], ["two", "1", "1/2"], [], ["none"]]


def test_split_words_share_ids_with_their_base():
    base = encode(["1 1/2 cups"])
    words = encode(["1/2 cup", "1 1/2 and 2 1/2 cups", "none"], base=base)
    split = split_inner_spaces(words)
    assert listed(split) == [["1/2", "cup"], ["1", "1/2", "and", "2", "1/2", "cups"], ["none"]]
    one, half, cups = split_inner_spaces(base).ids.tolist()
    assert split.ids[[0, 2, 3, 6, 7]].tolist() == [half, one, half, half, cups]


def test_words_without_a_space_inside_stay_as_they_are():
    words = encode(["two cups"], base=encode(["1 1/2 cups"]))
    assert split_inner_spaces(words) is words


# What the kernel takes for a word with signs that are dropped, and what looks like it.
BODIES = """
    dog DOG cannot gonna st Inc u 12 2nd a1 x-ray x- x--y pro-life 10-12 x-1 man's b's dog'S cannot's 80's t-shirt's
    don't ol's www 's
"""
SIGNS = ("", *".,;:!?\"'-")
TAILS = [first + second for first in SIGNS for second in SIGNS]


@pytest.mark.parametrize("before", ["", '"', "'", '""', 'a "'])
@pytest.mark.parametrize("behind", ["", " a", " The", " 5", " ."])
def test_signs_around_words_are_dropped_as_the_tokenizer_does(before, behind):
    texts = [f"{before}{body}{tail}{behind}" for body in BODIES.split() for tail in TAILS]
    words = encode(texts)
    assert [(text, words[place]) for place, text in enumerate(texts)] == [(text, ptb.tokenize(text)) for text in texts]


def test_an_unknown_tokenizer_is_named():
    with pytest.raises(UsageError, match="ptb, none, intl, char"):
        get_tokenizer("moses")


@pytest.mark.parametrize(
    ("word", "other", "same"),
    [
        ("archaeologists", "archaeology", False),
        ("ebb", "ebbing", False),
        ("interferes", "interfering", False),
        ("organismic", "organismness", False),
        ("riding", "rides", True),
        ("skiing", "skis", True),
        ("news", "new", False),
    ],
)
def test_stems_are_those_of_the_snowball_that_meteor_has(word, other, same):
    """As METEOR 1.5 matches them; Snowball 3 would join or part some of these."""
    stems = stem_words(encode([word, other], "none"))
    assert (stems.text(0) == stems.text(1)) is same
