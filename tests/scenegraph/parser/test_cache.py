"""Parses kept on the disk: the same as without, and nothing is parsed twice."""

from __future__ import annotations

import gzip
import itertools
import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.errors import InputError
from caplens.files.store import Store
from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.parser import cache as parse_cache
from caplens.scenegraph.parser.cache import FILE, CachedParser, decode_parse, encode_parse


class Chain:
    """A parser that hangs each word on the one before, and remembers what it was asked."""

    def __init__(self, tag="NN"):
        self.tag = tag
        self.asked = []

    def parse(self, captions):
        self.asked.extend(captions)
        return [self.sentences(tuple(caption)) for caption in captions]

    def sentences(self, words):
        if not words:
            return ()
        return (Sentence(words, (self.tag,) * len(words), words, tuple(range(len(words))), ("dep",) * len(words)),)


class Threaded(Chain):
    def parse(self, captions, jobs=1):
        self.jobs = jobs
        return super().parse(captions)


CAPTIONS = [["a", "dog"], ["two", "cats"], [], ["a", "dog"], ["a dog"]]


class TestCachedParser:
    def test_gives_what_the_parser_gives_and_asks_it_once(self, tmp_path):
        expected = Chain().parse(CAPTIONS)
        first, second = Chain(), Chain()
        assert CachedParser(first, "chain", tmp_path).parse(CAPTIONS) == expected
        assert first.asked == [["a", "dog"], ["two", "cats"], [], ["a dog"]]
        assert CachedParser(second, "chain", tmp_path).parse(CAPTIONS[::-1]) == expected[::-1]
        assert second.asked == []

    def test_parses_only_what_is_new(self, tmp_path):
        CachedParser(Chain(), "chain", tmp_path).parse([["a", "dog"]])
        parser = Chain()
        assert CachedParser(parser, "chain", tmp_path).parse(CAPTIONS) == Chain().parse(CAPTIONS)
        assert parser.asked == [["two", "cats"], [], ["a dog"]]

    def test_never_uses_the_parses_of_another_parser(self, tmp_path):
        CachedParser(Chain("NN"), "one", tmp_path).parse(CAPTIONS)
        [[sentence]] = CachedParser(Chain("VB"), "two", tmp_path).parse([["a", "dog"]])
        assert sentence.tags == ("VB", "VB")
        [[sentence]] = CachedParser(Chain(), "one", tmp_path).parse([["a", "dog"]])
        assert sentence.tags == ("NN", "NN")

    def test_nor_those_of_another_version(self, tmp_path, monkeypatch):
        CachedParser(Chain("NN"), "chain", tmp_path).parse(CAPTIONS)
        monkeypatch.setattr(parse_cache, "__version__", "0.0.0")
        [[sentence]] = CachedParser(Chain("VB"), "chain", tmp_path).parse([["a", "dog"]])
        assert sentence.tags == ("VB", "VB")

    def test_tells_captions_apart_by_their_words_not_their_text(self, tmp_path):
        for captions in itertools.permutations([["a", "b c"], ["a b", "c"], ["a", "b", "c"], ["a\0b", "c"]]):
            parser = CachedParser(Chain(), "chain", tmp_path / "-".join(map(str, map(len, captions))))
            assert [parse[0].words for parse in parser.parse(list(captions))] == [tuple(words) for words in captions]

    def test_passes_threads_on_to_a_parser_that_takes_them(self, tmp_path):
        parser = Threaded()
        CachedParser(parser, "threaded", tmp_path).parse(CAPTIONS, jobs=3)
        assert parser.jobs == 3
        assert CachedParser(Chain(), "chain", tmp_path).parse(CAPTIONS, jobs=3) == Chain().parse(CAPTIONS)

    def test_a_parser_that_loses_captions_is_refused(self, tmp_path):
        parser = Chain()
        parser.parse = lambda captions: []
        with pytest.raises(InputError, match="The parser lossy returned 0 parses for 4 captions"):
            CachedParser(parser, "lossy", tmp_path).parse(CAPTIONS)

    def test_numbers_of_numpy_are_kept_as_numbers(self, tmp_path):
        parser = Chain()
        parser.sentences = lambda words: (Sentence(words, ("NN",) * 2, words, tuple(np.arange(2)), ("root", "dep")),)
        assert CachedParser(parser, "numpy", tmp_path).parse([["a", "dog"]])[0][0].heads == (0, 1)
        assert CachedParser(Chain(), "numpy", tmp_path).parse([["a", "dog"]])[0][0].labels == ("root", "dep")

    def test_a_folder_that_cannot_be_used_costs_no_result(self, tmp_path):
        (tmp_path / "folder").write_text("")
        cached = CachedParser(Chain(), "chain", tmp_path / "folder")
        assert cached.parse(CAPTIONS) == Chain().parse(CAPTIONS)
        assert [notice.code for notice in cached.notices] == ["store-not-written"]

    @pytest.mark.parametrize(
        "wrong",
        [
            b"",
            b"\xc1",
            encode_parse(Chain().sentences(("a", "dog")))[:-1],
            msgspec.msgpack.encode([[["a", "dog"]]]),
            msgspec.msgpack.encode([[["a"], ["NN"], ["a"], [7], ["dep"]]]),
            msgspec.msgpack.encode([[["a", "dog"], ["NN"], ["a"], [0], ["dep"]]]),
            msgspec.msgpack.encode("a dog"),
            b"\x91\x95\x91\xa1\xff\x91\xa1\xff\x91\xa1\xff\x91\x00\x91\xa1\xff",
        ],
    )
    def test_a_wrong_value_counts_as_absent_and_is_replaced(self, tmp_path, wrong):
        assert decode_parse(wrong) is None
        cached = CachedParser(Chain(), "chain", tmp_path)
        Store(tmp_path / FILE).put({cached._key(["a", "dog"]): wrong})
        assert cached.parse([["a", "dog"]]) == Chain().parse([["a", "dog"]])
        parser = Chain()
        CachedParser(parser, "chain", tmp_path).parse([["a", "dog"]])
        assert parser.asked == []

    def test_a_file_that_was_cut_off_is_made_again(self, tmp_path):
        captions = [[f"word{number}"] for number in range(500)]
        CachedParser(Chain(), "chain", tmp_path).parse(captions)
        (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:30_000])
        cached = CachedParser(Chain(), "chain", tmp_path)
        assert cached.parse(captions) == Chain().parse(captions)
        assert [notice.code for notice in cached.notices] == ["store-damaged"]
        parser = Chain()
        assert CachedParser(parser, "chain", tmp_path).parse(captions) == Chain().parse(captions)
        assert parser.asked == []


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1), max_size=3))
def test_any_parse_comes_back(sentences):
    parse = tuple(sentence for words in sentences for sentence in Chain("ünï").sentences(tuple(words)))
    assert decode_parse(encode_parse(parse)) == parse


def test_the_parses_of_the_reference_come_back(shared_dir, tmp_path):
    path = shared_dir / "spice" / "parses_golden.jsonl.gz"
    if not path.exists():
        pytest.skip("the parses of the reference are not here (they lie in ../shared/data, beside the repository)")
    parses = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in itertools.islice(file, 3_000):
            entry = json.loads(line)
            parses[tuple(entry["text"].split())] = tuple(map(as_sentence, entry["sents"]))

    class Recorded:
        def __init__(self, answers):
            self.answers = answers

        def parse(self, captions):
            return [self.answers[tuple(caption)] for caption in captions]

    captions = [list(words) for words in parses]
    CachedParser(Recorded(parses), "reference", tmp_path).parse(captions)
    assert CachedParser(Recorded({}), "reference", tmp_path).parse(captions) == list(parses.values())


def as_sentence(stored):
    heads, labels = [0] * len(stored["w"]), ["root"] * len(stored["w"])
    for head, dependent, label in stored["basic"]:
        heads[dependent - 1], labels[dependent - 1] = head, label
    return Sentence(*map(tuple, (stored["w"], stored["t"], stored["l"], heads, labels)))
