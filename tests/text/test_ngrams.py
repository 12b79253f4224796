"""N-gram ids and counts against dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import ngrams as slow_ngrams

from caplens.text._tables import BytesTable, PairTable
from caplens.text.captions import Captions
from caplens.text.ngrams import count_ids, count_ngrams
from caplens.text.ragged import offsets_of
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

sentences = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=70), min_size=1, max_size=6)


def encode(lists, base=None):
    texts = [" ".join(words) for words in lists]
    return encode_words(Captions.from_texts(texts)[0], get_tokenizer("none"), base)


def as_counter(ngrams, order, caption):
    ids, counts = ngrams.orders[order - 1].of(caption)
    assert (np.diff(ids) > 0).all()
    return Counter({ngrams.index.ngram(order, int(i)): int(n) for i, n in zip(ids, counts, strict=True)})


@settings(max_examples=100, deadline=None)
@given(sentences)
def test_counts_are_those_of_a_dictionary(lists):
    found = count_ngrams(encode(lists), 4)
    for caption, words in enumerate(lists):
        for order in range(1, 5):
            assert as_counter(found, order, caption) == slow_ngrams(words, order)


@settings(max_examples=60, deadline=None)
@given(sentences, sentences)
def test_a_base_is_kept_and_not_changed(lists, others):
    words = encode(lists)
    base = count_ngrams(words, 4)
    sizes = [base.index.size(order) for order in range(1, 5)]
    found = count_ngrams(encode(others, words), 4, base.index)
    assert [base.index.size(order) for order in range(1, 5)] == sizes
    for caption, entry in enumerate(others):
        for order in range(1, 5):
            assert as_counter(found, order, caption) == slow_ngrams(entry, order)
            for gram in slow_ngrams(entry, order):
                known = base.index.find(gram)
                assert known in (-1, found.index.find(gram))


def test_tables_grow_and_remember():
    table = BytesTable()
    keys = [f"word {number}".encode() for number in range(5000)]
    assert [table.insert(key) for key in keys] == list(range(5000))
    assert [table.get(key) for key in keys] == list(range(5000))
    assert table.get(b"other") == -1
    assert table.key(4321) == keys[4321]
    with pytest.raises(IndexError):
        table.key(5000)


def test_pairs_grow_and_remember():
    table = PairTable()
    prefixes = np.repeat(np.arange(100, dtype=np.int32), 60)
    words = np.tile(np.arange(60, dtype=np.int32), 100)
    ids = table.lookup(prefixes, words, add=True)
    assert ids.tolist() == list(range(6000))
    upper = PairTable(table)
    assert upper.lookup(prefixes, words).tolist() == ids.tolist()
    assert upper.lookup(np.array([5, -1], np.int32), np.array([900, 3], np.int32)).tolist() == [-1, -1]
    assert upper.lookup(np.array([5], np.int32), np.array([900], np.int32), add=True).tolist() == [6000]
    assert upper.pair(6000) == (5, 900)
    assert table.pair(61) == (1, 1)


def test_whole_numbers_are_keys_too():
    table = PairTable()
    values = np.array([7, -(2**63), 0, 7, 2**63 - 1, -1])
    assert table.number(values, add=True).tolist() == [0, 1, 2, 0, 3, 4]
    assert PairTable(table).number(np.array([-1, 8, 0])).tolist() == [4, -1, 2]


@given(st.lists(st.lists(st.integers(0, 9), max_size=50), max_size=5))
def test_ids_are_counted_caption_by_caption(captions):
    numbers = np.array([word for caption in captions for word in caption], np.int32)
    found = count_ids(numbers, offsets_of(np.array([len(caption) for caption in captions], np.int64)))
    bags = [sorted(Counter(caption).items()) for caption in captions]
    assert list(zip(found.ids.tolist(), found.counts.tolist(), strict=True)) == [pair for bag in bags for pair in bag]
    assert found.offsets.tolist() == offsets_of(np.array([len(bag) for bag in bags], np.int64)).tolist()
