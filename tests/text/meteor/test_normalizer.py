"""METEOR's normaliser against METEOR's own output."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ROOT, needs_meteor

from caplens.text.captions import Captions
from caplens.text.meteor import resources
from caplens.text.meteor.normalizer import Normalizer, looks_further
from caplens.text.meteor.words import normalize_words
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

GOLDEN = json.loads((ROOT / "tests" / "data" / "meteor_golden.json").read_text(encoding="utf-8"))["normalized"]
PREFIXES = Normalizer({"Mr", "A", "I", "St", "v"}, {"No", "pp"})
HARD = st.lists(
    st.sampled_from([*"aB1.'`,-!\"_", "’", "“", "–", "é", "中", "Mr", "No", "\xa0"]), min_size=1, max_size=5
)
WORDS = HARD.map("".join).filter(lambda word: len(word.split()) == 1 and "\xa0" not in word)


@needs_meteor
def test_hard_strings_become_what_meteor_makes_of_them():
    normalizer = resources.load().normalizer
    wrong = [(text, words) for text, words in GOLDEN if " ".join(normalizer.words(text)) != words]
    assert not wrong


@needs_meteor
def test_the_golden_strings_have_as_many_words_as_meteor_counts(golden):
    normalizer = resources.load().normalizer
    for item in golden("nasty_golden")["items"]:
        if "|||" not in item["text"] and "\n" not in item["text"]:  # its wrapper's protocol would break
            length = float(item["METEOR_raw_stats"].split()[0])
            assert len(normalizer.words(item["text"])) == length, item["text"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("   ", ""),
        ("can't won't've 1990's dogs' 's", "can 't won 't've 1990 's dogs ' ' s"),
        ("u.s. a.b. 3.b. 5.5.", "us ab 3b 5.5 ."),
        ("u.s a.b", "u.s a.b"),
        ("Mr. Smith", "mr. smith"),
        ("mr. Smith", "mr . smith"),
        ("No. 5 no. 5 No. Five", "no. 5 no . 5 no . five"),
        ("end. next end. Next end.", "end. next end . next end ."),
        ("t-shirt a-b-c well--known a - b x.-y -a a-", "t shirt a b-c well known a - b x. y -a a-"),
        ("a...b .... ..", "a ... b .... .."),
        ("1,000 a,b 1,b , ,", "1,000 a , b 1 , b , ,"),
        ("``x'' “y” ‘z’", '" x " " y " \' z \''),
        ("naïve Ж a²b 中文 a_b", "naïve ж a ² b 中 文 a _ b"),
        ("a\xa0b\u3000c\u200bd", "a b c \u200b d"),
        ("mr.\u3000dog st. dog", "mr . dog st. dog"),
        ("a\x0bb", "a\x0bb"),
    ],
)
def test_rules(text, words):
    """Printed by METEOR 1.5 for these strings (with its own list of abbreviations, which agrees here)."""
    assert " ".join(PREFIXES.words(text)) == words


@given(st.lists(WORDS.filter(lambda word: not looks_further(word)), max_size=6))
def test_words_that_do_not_look_further_can_be_normalised_one_by_one(words):
    assert PREFIXES.words(" ".join(words)) == [part for word in words for part in PREFIXES.words(word)]


@given(st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=5), st.lists(st.lists(WORDS, max_size=4), max_size=3))
def test_captions_are_normalised_as_if_one_by_one(captions, more):
    none = get_tokenizer("none")
    encoded = encode_words(Captions.from_texts([" ".join(words) for words in captions])[0], none)
    normalized = normalize_words(encoded, PREFIXES)
    assert [normalized[place] for place in range(len(captions))] == [
        PREFIXES.words(" ".join(words)) for words in captions
    ]
    # On top of a base, equal words keep their ids.
    candidates = encode_words(Captions.from_texts([" ".join(words) for words in more])[0], none, encoded)
    ours = normalize_words(candidates, PREFIXES, normalized)
    assert [ours[place] for place in range(len(more))] == [PREFIXES.words(" ".join(words)) for words in more]
    for place in range(len(more)):
        ids = ours.ids[ours.offsets[place] : ours.offsets[place + 1]].tolist()
        assert all(
            normalized.table.get(word.encode()) in (-1, entry) for word, entry in zip(ours[place], ids, strict=True)
        )
