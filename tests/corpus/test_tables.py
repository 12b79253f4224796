"""Tables of captions: made from what callers pass, and shown in a line."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.corpus import CaptionTable, Corpus, PairedTable, pair, reference_table, table_of
from caplens.corpus.tables import choose
from caplens.errors import InputError


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


@pytest.mark.parametrize("kind", [list, tuple])
def test_captions_of_lists_have_the_position_of_their_list(kind):
    table = reference_table([kind(["a dog", "dogs"]), kind([]), kind(["a cat"])])
    assert (table.ids, table.captions) == ([0, 0, 2], ["a dog", "dogs", "a cat"])
    assert (table.by_position, table.positions, table.given_ids) == (True, 3, [0, 0, 2])


def test_captions_of_mappings_have_the_id_of_their_list():
    table = reference_table({"x": ["a dog", "dogs"], 7: ("a cat",)})
    assert (table.ids, table.captions, table.positions) == (["x", "x", 7], ["a dog", "dogs", "a cat"], None)


def test_lists_beside_single_captions_and_scene_graphs():
    graph = [("man",), ("man", "tall")]
    table = table_of(["a dog", ["two", "cats"], graph], "The candidates")
    assert (table.ids, table.captions) == ([0, 1, 1, 2], ["a dog", "two", "cats", graph])
    with pytest.raises(InputError, match="1 has an empty list"):
        table_of(["a dog", []], "The candidates")


def test_references_that_are_single_strings_are_refused():
    with pytest.raises(InputError, match=r"a single string \('two dogs'\)"):
        reference_table([["a dog"], "two dogs"])


def test_a_column_of_which_everything_is_chosen_is_not_copied():
    column = ["a", "b", "c"]
    assert choose(column, np.arange(3)) is column
    assert choose(column, np.array([0, 2])) == ["a", "c"]
    assert choose(column, np.array([0, 1])) == ["a", "b"]
