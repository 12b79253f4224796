"""Packs of known scene graphs: what goes in comes out, and damage is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens.errors import InputError
from caplens.files.arrays import Arrays
from caplens.files.checks import DamagedFileError
from caplens.scenegraph.packs import pack as packs
from caplens.scenegraph.packs.pack import Pack, key_of

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=4)
TUPLES = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(tuple), max_size=8)


@given(st.dictionaries(st.lists(WORDS, min_size=1, max_size=5).map(tuple), TUPLES, max_size=20))
@settings(max_examples=60, deadline=None)
def test_what_goes_in_comes_out(captions):
    pack = Pack.build(captions)
    assert pack.find([*captions]) == [tuple(tuples) for tuples in captions.values()]
    assert pack.find([["no", "such", "caption", "at", "all"]]) == [None]


def test_many_tuples_need_several_bytes_and_are_found_after_writing(tmp_path):
    captions = {(str(number),): [(f"thing{number}",), ("x", f"thing{number // 2}")] for number in range(20_000)}
    Pack.build(captions, "made up").write(tmp_path / "a.pack.safetensors")
    pack = Pack.open(tmp_path / "a.pack.safetensors")
    assert pack.find(list(captions)) == [tuple(tuples) for tuples in captions.values()]
    assert (len(pack), pack.about) == (20_000, "made up")


def test_captions_that_share_the_high_bits_are_told_apart(monkeypatch):
    keys = {("a",): 0x100000001, ("b",): 0x100000002, ("c",): 0x100000003, ("d",): 0x200000001, ("e",): 0x100000009}
    monkeypatch.setattr(packs, "key_of", lambda words: keys[tuple(words)])
    pack = Pack.build({words: [words] for words in keys if words != ("e",)})
    assert pack.find([("d",), ("c",), ("e",), ("a",), ("b",)]) == [(("d",),), (("c",),), None, (("a",),), (("b",),)]


def test_the_same_hash_twice_is_refused(monkeypatch):
    monkeypatch.setattr(packs, "key_of", lambda words: 1)
    with pytest.raises(InputError, match="same hash"):
        Pack.build({("a",): [], ("b",): []})


def test_a_no_break_space_inside_a_word_is_a_space():
    assert key_of(["1\xa01/2", "cups"]) == key_of(["1", "1/2", "cups"])


def test_the_fingerprint_follows_the_content():
    first, again, other = (Pack.build({("a",): [("a", word)]}).fingerprint for word in ("x", "x", "y"))
    assert first == again != other


@pytest.mark.parametrize("name", ["high", "low", "sizes", "numbers", "words", "word_sizes", "tuples"])
def test_arrays_that_do_not_fit_are_refused(name):
    arrays = dict(Pack.build({("a",): [("a", "b")], ("c",): [("d",)]}).arrays)
    arrays[name] = arrays[name] + np.uint8(200) if name == "tuples" else arrays[name][:-1]
    with pytest.raises(DamagedFileError, match="are inconsistent"):
        Pack(Arrays.in_memory(arrays, {"fingerprint": "0"}))


def test_flipped_bits_are_noticed(tmp_path):
    path = tmp_path / "a.pack.safetensors"
    Pack.build({("a",): [("a", "b")], ("c",): [("d",)]}).write(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(DamagedFileError):
            Pack.open(path)
