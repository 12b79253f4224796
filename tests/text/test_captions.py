"""Captions in one buffer: what goes in comes out, cleaned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.text.captions import Captions, Finding

clean_text = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))


@given(st.lists(clean_text))
def test_clean_text_comes_out_as_it_went_in(texts):
    captions, _ = Captions.from_texts(texts)
    assert list(captions) == texts


@given(st.lists(clean_text, min_size=1), st.data())
def test_take(texts, data):
    places = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    captions, _ = Captions.from_texts(texts)
    assert list(captions.take(np.array(places, dtype=int))) == [texts[place] for place in places]


@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_one_line_of_valid_unicode(text):
    captions, _ = Captions.from_texts([text])
    assert len(captions[0].splitlines()) <= 1
    captions[0].encode("utf-8")


@pytest.mark.parametrize(
    ("text", "stored", "finding"),
    [
        ("a\nb", "a b", 0),
        ("a\rb", "a b", Finding.LINE_SEPARATOR),
        ("a\x0bb", "a b", Finding.LINE_SEPARATOR),
        ("a\x0cb", "a b", Finding.LINE_SEPARATOR),
        ("a\x85b", "a b", Finding.LINE_SEPARATOR),
        ("a\u2028b", "a b", Finding.LINE_SEPARATOR),
        ("a\u2029b", "a b", Finding.LINE_SEPARATOR),
        ("a\x07b", "a b", Finding.CONTROL_CHARACTER),
        ("a\x9fb", "a b", Finding.CONTROL_CHARACTER),
        ("a\x00b", "a b", Finding.CONTROL_CHARACTER),
        ("a\ud800b", "a\ufffdb", Finding.LONE_SURROGATE),
        ("a\ud83d\ude00b", "a😀b", Finding.LONE_SURROGATE),
        ("", "", Finding.BLANK),
        (" \t", " \t", Finding.BLANK),
        ("\r\n", "  ", Finding.BLANK | Finding.LINE_SEPARATOR),
        (None, "", Finding.NOT_TEXT),
        (b"bytes", "", Finding.NOT_TEXT),
        (1.5, "", Finding.NOT_TEXT),
        ("a\u20a8b", "a\u20a8b", 0),
        ("ab", "ab", 0),
    ],
)
def test_what_is_odd_is_cleaned_and_noticed(text, stored, finding):
    captions, findings = Captions.from_texts(["before", text, "after"])
    assert list(captions) == ["before", stored, "after"]
    assert findings.tolist() == [0, finding, 0]


def test_subclasses_of_str_are_text():
    class Caption(str):
        __slots__ = ()

    assert list(Captions.from_texts([Caption("a dog")])[0]) == ["a dog"]


def test_indices_are_checked():
    captions, _ = Captions.from_texts(["a"])
    assert captions[-1] == "a"
    with pytest.raises(IndexError):
        captions[1]


def test_hashes_tell_captions_apart():
    first, _ = Captions.from_texts(["a dog", "a cat", "a dog", ""])
    hashes = first.hashes().tolist()
    assert hashes[0] == hashes[2]
    assert len(set(hashes)) == 3
