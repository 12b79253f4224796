"""The two kinds of files of document frequencies hold the same, and neither is believed when it is damaged."""

from __future__ import annotations

import sys
import zlib

import numpy as np
import pytest

from caplens.api.frequencies import build_frequencies
from caplens.errors import InputError, MissingDataError
from caplens.files.arrays import read_arrays, write_arrays
from caplens.metrics.cider import document_frequencies
from caplens.metrics.cider.frequency_files import SUFFIXES, FrequencyTable, read_table, write_table

FACTS = {"documents": "9", "tokenizer": "ptb", "stem": "false", "max_order": "4", "fingerprint": "0"}
TABLE = FrequencyTable(["a", "a dog", "é \U0001f600"], np.array([9, 3, 2]), FACTS)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(tmp_path, suffix):
    for table in (TABLE, FrequencyTable([], np.zeros(0, np.int64), FACTS)):
        write_table(table, tmp_path / f"df{suffix}")
        found = read_table(tmp_path / f"df{suffix}")
        assert (list(found.ngrams), found.counts.tolist()) == (table.ngrams, table.counts.tolist())
        assert found.facts == FACTS


def test_the_content_says_what_a_file_is_not_its_name(tmp_path):
    for suffix in SUFFIXES:
        write_table(TABLE, tmp_path / f"df{suffix}")
        renamed = (tmp_path / f"df{suffix}").rename(tmp_path / f"renamed-{suffix[1:]}")
        assert document_frequencies.load(renamed).documents == 9


def test_a_line_break_in_a_word_is_not_taken_for_the_end_of_one(tmp_path):
    broken = FrequencyTable(["a\nb"], np.array([2]), FACTS)
    with pytest.raises(InputError, match="A word contains a line break"):
        write_table(broken, tmp_path / "df.safetensors")
    assert list(tmp_path.iterdir()) == []
    write_table(broken, tmp_path / "df.parquet")
    assert list(read_table(tmp_path / "df.parquet").ngrams) == ["a\nb"]


def packed(content):
    return np.frombuffer(zlib.compress(content, 9), np.uint8)


@pytest.mark.parametrize(
    ("changes", "facts", "words"),
    [
        ({"ngrams": packed(b"a\na dog")}, {}, "it has 2 n-grams and 3 numbers"),
        ({"ngrams": packed(b"\xff\n\n")}, {}, "can't decode"),
        ({"df": packed(b"123")}, {}, "buffer size must be a multiple"),
        ({"df": np.zeros(9, np.uint8)}, {}, "while decompressing data"),
        ({"df": packed(np.array([9, 3, 2], "<i4").tobytes())[:-3]}, {}, "does not end where it should"),
        ({"ngrams": packed(bytes(1 << 25))}, {}, "does not end where it should"),  # a bomb
        ({}, {"kind": "word vectors"}, "it contains something else"),
        ({}, {"documents": "1"}, "inconsistent with its 1 documents"),
    ],
)
def test_a_false_file_is_refused(tmp_path, changes, facts, words):
    path = tmp_path / "df.safetensors"
    write_table(TABLE, path)
    whole = read_arrays(path)
    arrays = {name: array.copy() for name, array in whole.items()} | changes
    write_arrays(tmp_path / "false.safetensors", arrays, {**whole.facts, **facts})
    with pytest.raises(InputError, match="is not a file of document frequencies, or is damaged") as refused:
        document_frequencies.load(tmp_path / "false.safetensors")
    assert words in str(refused.value)


def test_only_parquet_files_need_arrow(tmp_path, monkeypatch):
    write_table(TABLE, tmp_path / "df.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    build_frequencies([["a dog"], ["a dog"]], tmp_path / "df.safetensors")
    assert document_frequencies.load(tmp_path / "df.safetensors").documents == 2
    needs = r'Parquet files of document frequencies need pyarrow: pip install "caplens\[arrow\]"'
    with pytest.raises(MissingDataError, match=needs):
        build_frequencies([["a dog"]], tmp_path / "other.parquet")
    with pytest.raises(MissingDataError, match=needs):
        document_frequencies.load(tmp_path / "df.parquet")
