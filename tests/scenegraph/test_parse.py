"""Parsed sentences check themselves."""

from __future__ import annotations

import pytest

from caplens.errors import InputError
from caplens.scenegraph.parse import Sentence

GOOD = {
    "words": ("dogs", "chase", "cats"),
    "tags": ("NNS", "VBP", "NNS"),
    "lemmas": ("dog", "chase", "cat"),
    "heads": (2, 0, 2),
    "labels": ("nsubj", "root", "dobj"),
}


def test_a_sentence_keeps_what_it_is_given():
    sentence = Sentence(**GOOD)
    assert sentence.words == GOOD["words"]
    assert sentence.heads == (2, 0, 2)
    assert sentence == Sentence(**GOOD)
    assert hash(sentence) == hash(Sentence(**GOOD))


def test_a_sentence_does_not_change():
    with pytest.raises(AttributeError):
        Sentence(**GOOD).words = ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags": ("NNS",)}, "the parse of 'dogs chase cats' has 1 tags for 3 words"),
        ({"lemmas": ()}, "has 0 lemmas for 3 words"),
        ({"heads": (2, 0)}, "has 2 heads for 3 words"),
        ({"labels": ("nsubj", "root", "dobj", "punct")}, "has 4 labels for 3 words"),
        ({"heads": (2, 0, 4)}, "has the head 4 for 'cats', but heads range from 0 (the root) to 3"),
        ({"heads": (-1, 0, 2)}, "has the head -1 for 'dogs'"),
        ({"heads": (2, 1, 2)}, "has no root"),
        ({"heads": (1, 0, 2)}, "has a cycle of heads at 'dogs'"),
        ({"heads": (3, 0, 1)}, "has a cycle of heads at 'dogs'"),
        (dict.fromkeys(GOOD, ()), "has no words"),
    ],
)
def test_bad_parses_get_one_sentence(change, message):
    with pytest.raises(InputError) as caught:
        Sentence(**{**GOOD, **change})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_more_than_one_root_is_a_parse_too():
    assert Sentence(**{**GOOD, "heads": (0, 0, 2)}).heads == (0, 0, 2)


def test_long_chains_are_trees():
    count = 5_000
    words = ("very",) * count
    Sentence(words, words, words, tuple(range(count)), words)
