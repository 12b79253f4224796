"""Tables of captions in a line."""

from __future__ import annotations

from caplens.corpus import CaptionTable, Corpus, PairedTable, pair, reference_table, table_of


def test_reprs_are_short():
    captions = ["a dog runs"] * 50_000
    table = CaptionTable(list(range(50_000)), captions, "dogs.json")
    assert repr(table) == "CaptionTable(50,000 captions of 50,000 ids from dogs.json: 'a dog runs', ...)"
    assert repr(table_of(["a dog"], "")) == "CaptionTable(1 caption by position: 'a dog')"
    assert repr(PairedTable([1], ["a"], [["b"]], "f")) == "PairedTable(1 caption with references from f: 'a')"
    assert repr(CaptionTable([], [], "")) == "CaptionTable(0 captions of 0 ids)"


def test_so_is_that_of_a_corpus():
    corpus = pair(table_of(["a"] * 9, ""), reference_table([["b", "c"]] * 9))
    assert isinstance(corpus, Corpus)
    assert repr(corpus) == "Corpus(9 candidates, 18 references in 9 sets, ids 0, 1, 2, 3, 4 and 4 more)"
