"""The shared view of a corpus."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from tests import toys

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import PreparedReferences, Usage, prepare
from caplens.core.requirement import Requirement, WordIds
from caplens.corpus import CaptionTable, KnownReferences
from caplens.errors import InputError, Notice, UsageError
from caplens.files.progress import Nobody, is_reported, reporting_to
from caplens.files.threads import BLOCK_ROWS

CANDIDATES = {"r1": "a", "r2": "b", "r3": "c"}
REFERENCES = {"r1": ["x"], "r2": ["y", "z"], "r3": ["x"]}


def test_references_that_were_prepared_are_shared():
    corpus = corpus_of(CANDIDATES, REFERENCES)
    first = prepare(corpus)
    assert prepare(corpus, first.references).references is first.references
    assert first.references.sets == 3


def test_notices_of_both_sides_once():
    prepared = prepare(corpus_of(CANDIDATES, REFERENCES))
    for side in (prepared.references, prepared.candidates):
        side.note([Notice("same", "said by both"), Notice("same", "said by both")])
    prepared.candidates.note([Notice("other", "said by one")])
    assert [notice.code for notice in prepared.notices] == ["same", "other"]


def test_columns_are_had_by_name():
    prepared = prepare(corpus_of(CANDIDATES, REFERENCES, columns={"path": ["1.jpg", "2.jpg", "3.jpg"]}))
    assert prepared.column("path") == ["1.jpg", "2.jpg", "3.jpg"]
    with pytest.raises(UsageError, match=r"needs the column 'category' .*\(there are path\)"):
        prepared.column("category")


def test_a_pickle_holds_captions_and_computes_the_rest_again():
    references = PreparedReferences(corpus_of(CANDIDATES, REFERENCES).references)
    toys.calls.clear()
    lengths = references.get(toys.Lengths())
    copied = pickle.loads(pickle.dumps(references))
    assert copied.get(toys.Lengths()).tolist() == lengths.tolist()
    assert toys.calls["lengths of references"] == 2
    assert copied.offsets.tolist() == [0, 1, 3, 4]


class TestUsage:
    def test_rows_and_images(self):
        table = CaptionTable(list(CANDIDATES), list(CANDIDATES.values()), "", images=["i", "i", "j"])
        usage = Usage.of(corpus_of(table, {"i": ["x"], "j": ["y"]}))
        assert usage.rows.tolist() == [2, 1]
        assert usage.images.tolist() == [1, 1]

    def test_rows_that_stand_for_several(self):
        usage = Usage.of(corpus_of(CANDIDATES, REFERENCES), np.array([5, 1, 2]))
        assert usage.rows.tolist() == [5, 1, 2]
        assert usage.images.tolist() == [1, 1, 1]

    def test_documents_by_id(self):
        assert Usage.of_documents({"7": 2}, ["7", "9"]).images.tolist() == [2, 0]
        assert Usage.of_documents({7: np.int64(2)}, ["7"]).rows.tolist() == [2]
        with pytest.raises(InputError, match=r"contains 2 ids without references \(1, 2\)"):
            Usage.of_documents({1: 1, 2: 1}, ["7"])


def test_captions_that_ptb_does_not_cut_are_counted_with_the_option_that_helps():
    references = {"1": ["一个男人在骑马", "ชายขี่ม้า"], "2": ["a dog"]}
    result = caplens.score({"1": "一个男人骑马", "2": "a dog"}, references, "rouge")
    assert [(notice.code, notice.count, str(notice)) for notice in result.warnings] == [
        (
            "uncut-script",
            3,
            "1 candidate and 2 references in Chinese and Thai characters, which the tokenizer ptb, designed for "
            "English, does not segment: use tokenizer='char'",
        )
    ]
    assert caplens.score(["一个男人骑马"], [["一个男人在骑马"]], "rouge", tokenizer="char").warnings == ()


@dataclass(frozen=True)
class Texts(Requirement[list[str]]):
    def compute(self, side):
        side.note([Notice("texts", "read")])
        return list(side.captions)


@dataclass(frozen=True)
class Derived(Requirement[tuple[str, int, bool]]):
    name: str

    @property
    def source(self):
        return Texts()

    def compute(self, side):
        if self.name == "broken":
            raise InputError("it cannot be derived")
        return self.name, len(side.get(Texts())), is_reported()


def many(jobs):
    table = CaptionTable(list(range(BLOCK_ROWS + 1)), ["a dog"] * (BLOCK_ROWS + 1), "")
    return PreparedReferences(KnownReferences.of(table).sets, jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_has_one_source_is_computed_at_the_same_time(jobs):
    side = many(jobs)
    with reporting_to(Nobody()):
        side.get_all([Derived("first"), WordIds(), Derived("second"), Derived("last")])
    for name in ("first", "second", "last"):
        assert side.get(Derived(name)) == (name, BLOCK_ROWS + 1, True)
    assert len(side.notices) == 1
    known = side.get(Derived("last"))
    side.get_all([Derived("last")])
    assert side.get(Derived("last")) is known


@pytest.mark.parametrize("names", [("broken", "last"), ("first", "broken")])
def test_what_cannot_be_derived_is_said(names):
    side = many(2)
    with pytest.raises(InputError, match="it cannot be derived"):
        side.get_all(map(Derived, names))
