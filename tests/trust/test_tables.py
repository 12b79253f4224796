"""Tables of words: keyed, so that no choice of words slows them down; and they travel between processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from tests.alone import run_alone

from caplens.metrics.wmd import _wmd
from caplens.networks import Matrix
from caplens.text._tables import BytesTable, PairTable
from caplens.text.captions import Captions
from caplens.text.ngrams import count_ngrams
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

FNV_PRIME, FNV_BASIS = 0x100000001B3, 0xCBF29CE484222325


def crafted_words(count, bits=16):
    """Words whose unkeyed FNV-1a hashes agree in their lowest bits, found as anybody could find them."""
    numbers = np.arange(count << bits, dtype=np.uint64)
    states = np.full(len(numbers), FNV_BASIS, np.uint64)
    with np.errstate(over="ignore"):
        for shift in range(0, 64, 4):
            letters = (numbers >> np.uint64(shift) & np.uint64(15)) + np.uint64(ord("a"))
            states = (states ^ letters) * np.uint64(FNV_PRIME)
            if shift > 32:
                break
    states ^= states >> np.uint64(29)
    chosen = numbers[(states & np.uint64((1 << bits) - 1)) == 0]
    return ["".join(chr(ord("a") + (int(number) >> shift & 15)) for shift in range(0, 40, 4)) for number in chosen]


SECONDS_FOR_WORDS = """
import sys, time
from caplens.text._tables import BytesTable

words = [word.encode() for word in sys.stdin.read().split()]
table = BytesTable()
began = time.process_time()
for word in words:
    table.insert(word)
print(time.process_time() - began)
"""


def test_words_that_were_crafted_for_an_unkeyed_hash_take_no_longer_than_others():
    crafted = [word.encode() for word in crafted_words(400)]
    assert len(crafted) > 300
    ordinary = [f"word{number}".encode() for number in range(len(crafted))]
    import time

    def seconds(words):
        began = time.process_time()
        for _ in range(200):
            table = BytesTable()
            table.insert_all(words)
        return time.process_time() - began

    assert min(seconds(crafted) for _ in range(3)) < 5 * min(seconds(ordinary) for _ in range(3))


def test_hashes_of_two_processes_differ_but_what_can_be_seen_does_not():
    code = """
    import caplens
    from caplens.text.captions import Captions
    captions = Captions.from_texts(["a dog", "two cats"])[0]
    result = caplens.score(["a dog runs", "a cat"], [["a dog", "dogs run"], ["the cat"]], metrics="bleu, rouge, cider")
    print(captions.hashes().tolist(), {key: score.item_scores.tolist() for key, score in result.items()})
    """
    assert len({run_alone(code).stdout for _ in range(3)}) == 1


def test_hashes_of_captions_are_the_same_on_every_machine():
    captions = Captions.from_texts(["", "a", "a dog"])[0]
    expected = []
    for caption in (b"", b"a", b"a dog"):
        value = FNV_BASIS
        for byte in caption:
            value = (value ^ byte) * FNV_PRIME % 2**64
        expected.append(value ^ value >> 29)
    assert captions.hashes().tolist() == expected


def tables():
    base = BytesTable()
    base.insert_all([b"a", b"dog", b"", b"x" * 100])
    table = BytesTable(base)
    table.insert_all([b"cat", b"\xff\0"])
    pairs = PairTable()
    pairs.lookup(np.array([0, 1, 2], np.int32), np.array([5, 5, 6], np.int32), add=True)
    more = PairTable(pairs)
    more.lookup(np.array([7], np.int32), np.array([8], np.int32), add=True)
    return table, more


@pytest.mark.parametrize("travel", [lambda some: pickle.loads(pickle.dumps(some)), copy.deepcopy, copy.copy])
def test_tables_travel_with_their_base(travel):
    for table in tables():
        arrived = travel(table)
        assert (len(arrived), arrived.base_size) == (len(table), table.base_size)
        ask = "key" if isinstance(table, BytesTable) else "pair"
        assert [getattr(arrived, ask)(entry) for entry in range(len(table))] == [
            getattr(table, ask)(entry) for entry in range(len(table))
        ]
    words, _ = map(travel, tables())
    assert words.get(b"dog") == 1
    assert words.insert(b"new") == 6


def test_encoded_words_and_ngrams_travel_and_take_more_captions():
    texts = ["A man's dog, 10 1/2 years.", "two cats...", "naïve man"]
    words = encode_words(Captions.from_texts(texts)[0], get_tokenizer("ptb"))
    ngrams = count_ngrams(words, 3)
    arrived, counted = pickle.loads(pickle.dumps((words, ngrams)))
    assert [arrived.text(place) for place in range(3)] == [words.text(place) for place in range(3)]
    assert counted.index.find(("a", "man", "'s")) == ngrams.index.find(("a", "man", "'s")) >= 0
    later = Captions.from_texts(["a cat's 10 dogs", "A man's dog, 10 1/2 years."])[0]
    ours, theirs = (encode_words(later, get_tokenizer("ptb"), base) for base in (arrived, words))
    assert ours.ids.tolist() == theirs.ids.tolist()
    assert [ours.text(0), ours.text(1)] == [theirs.text(0), theirs.text(1)]


def test_what_arrives_damaged_is_refused():
    table, _ = tables()
    make, (base, text, ends) = table.__reduce__()
    for wrong in (ends[:-1], ends + 1, ends[::-1].copy(), ends[:0]):
        with pytest.raises(ValueError, match="one after the other"):
            make(base, text, wrong)


def test_matrices_and_bags_travel():
    generator = np.random.default_rng(0)
    weights, bias = generator.normal(size=(5, 19)).astype(np.float32), generator.normal(size=19).astype(np.float32)
    inputs = generator.normal(size=(3, 5)).astype(np.float32)
    matrix = Matrix(weights, bias)
    assert np.array_equal(pickle.loads(pickle.dumps(matrix))(inputs), matrix(inputs))
    bags = _wmd.Bags(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.int32), np.array([1]), 1)
    assert pickle.loads(pickle.dumps(bags)).most_words == 1


def length_of(table):
    return len(table), table.get(b"dog")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_tables_reach_other_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    table, _ = tables()
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(length_of, (table,)) == (6, 1)
