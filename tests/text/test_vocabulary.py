"""A sorted vocabulary answers like a dictionary."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.files.arrays import read_arrays, write_arrays
from caplens.text._tables import BytesTable
from caplens.text.vocabulary import Vocabulary

# Few letters, so that words are often each other's beginnings; the zero byte and bytes over 127 must sort as they are.
words = st.lists(st.sampled_from([b"\0", b"a", b"b", "é".encode(), b"\xff"]), max_size=5).map(b"".join)
several_words = st.lists(words, max_size=30)


def table_of(entries, base=None):
    table = BytesTable(base)
    for entry in entries:
        table.insert(entry)
    return table


@given(several_words, several_words)
def test_words_and_places_are_those_of_a_sorted_list(listed, asked):
    vocabulary = Vocabulary.from_words(listed)
    ordered = sorted(set(listed))
    assert [vocabulary.word(place) for place in range(len(vocabulary))] == ordered
    places = {word: place for place, word in enumerate(ordered)}
    assert [vocabulary.index(word) for word in [*listed, *asked]] == [
        places.get(word, -1) for word in [*listed, *asked]
    ]


@given(several_words, st.lists(several_words, min_size=1, max_size=4), st.data())
def test_finds_the_entries_of_a_table_and_of_those_it_stands_on(listed, levels, data):
    table = None
    for entries in levels:
        table = table_of(entries, table)
    first = data.draw(st.integers(0, len(table)))
    vocabulary = Vocabulary.from_words(listed)
    found = vocabulary.find(table, first)
    assert found.dtype == np.int32
    assert found.tolist() == [vocabulary.index(table.key(entry)) for entry in range(first, len(table))]


def test_an_empty_vocabulary_has_no_word():
    vocabulary = Vocabulary.from_words([])
    assert len(vocabulary) == 0
    assert vocabulary.index(b"") == -1
    assert vocabulary.find(table_of([b"", b"a"])).tolist() == [-1, -1]


def test_lives_in_a_mapped_file(tmp_path):
    written = Vocabulary.from_words(str(number).encode() for number in range(2000))
    write_arrays(tmp_path / "words", {"blob": written.blob, "offsets": written.offsets}, {})
    arrays = read_arrays(tmp_path / "words")
    vocabulary = Vocabulary(arrays["blob"], arrays["offsets"])
    assert not vocabulary.blob.flags.writeable
    assert vocabulary.find(table_of([b"1999", b"2000", b"0"])).tolist() == [written.index(b"1999"), -1, 0]


def test_threads_can_search_at_the_same_time():
    vocabulary = Vocabulary.from_words(str(number).encode() for number in range(0, 40_000, 2))
    table = table_of(str(number).encode() for number in range(20_000))
    expected = vocabulary.find(table)
    with ThreadPoolExecutor(4) as threads:
        assert all((found == expected).all() for found in threads.map(vocabulary.find, [table] * 8))


@pytest.mark.parametrize("place", [-1, 2])
def test_refuses_places_and_entries_that_are_not_there(place):
    vocabulary = Vocabulary.from_words([b"a", b"b"])
    with pytest.raises(IndexError):
        vocabulary.word(place)
    with pytest.raises(IndexError):
        vocabulary.find(table_of([b"a"]), place)


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 1], [0, 3]])
def test_refuses_offsets_that_do_not_fit_the_words(offsets):
    with pytest.raises(ValueError, match="offsets"):
        Vocabulary(np.frombuffer(b"ab", dtype=np.uint8), np.array(offsets, dtype=np.uint32))


@given(several_words)
def test_words_ascend(listed):
    vocabulary = Vocabulary.from_words(listed)
    ordered = [vocabulary.word(place) for place in range(len(vocabulary))]
    assert all(one < other for one, other in pairwise(ordered))
