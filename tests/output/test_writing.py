"""One way out: every kind of result, every suffix."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow.parquet as pq
import pytest

import caplens
from caplens.core.comparison import Comparison
from caplens.errors import InputError, UsageError
from caplens.output import writing
from caplens.output.explanation import Explanation
from caplens.output.tables import Column, NumberTable
from caplens.output.writing import Format, Rows, check_file, check_output, encoded, suffixes_of, write

REFERENCES = [["a dog runs"], ["two cats"], ["a man rides a horse"]]


@pytest.fixture(scope="module")
def result():
    return caplens.score(["a dog", "a cat", ""], REFERENCES, "rouge, bleu(n=1)")


@pytest.fixture(scope="module")
def comparison():
    systems = {"first": ["a dog", "a cat", "a man"], "second": ["a dog runs", "two cats", "a horse"]}
    return caplens.compare(systems, REFERENCES, "rouge")


class Tabled:
    def tables(self):
        return [NumberTable("counts", (Column("what"), Column("n")), (("dogs", 2.5),))]


def test_what_can_be_written_follows_from_the_methods_of_a_result():
    assert suffixes_of(caplens.Result) == (".json", ".jsonl", ".csv", ".parquet", ".txt", ".md", ".tex", ".html")
    assert suffixes_of(Comparison) == suffixes_of(caplens.Result)
    assert suffixes_of(Explanation) == (".json", ".svg", ".html")
    assert suffixes_of(Tabled) == (".txt", ".md", ".tex", ".csv")
    assert suffixes_of(Tabled, "to_dict") == ()


def test_a_result_has_the_same_numbers_in_every_file(result, tmp_path):
    for suffix in (".json", ".jsonl", ".csv", ".parquet"):
        result.write(tmp_path / f"out{suffix}")
    items = [{"id": item["id"], **item["scores"]} for item in json.loads((tmp_path / "out.json").read_text())["items"]]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    table = pq.read_table(tmp_path / "out.parquet")
    assert items == lines == table.to_pylist()
    assert [[float(row[key]) for key in result] for row in rows] == [[row[key] for key in result] for row in lines]
    assert json.loads(table.schema.metadata[b"caplens"]) == result.summary()


def test_every_document_has_the_same_frame(result, comparison, tmp_path):
    for number, one in enumerate((result, comparison)):
        one.write(tmp_path / f"{number}.json")
        data = json.loads((tmp_path / f"{number}.json").read_text())
        keys = list(data)
        assert (keys[:2], keys[-1]) == (["schema", "caplens"], "warnings")
        assert (data["schema"], data["caplens"]) == (2, caplens.__version__)


def test_the_rows_of_a_comparison_are_its_tests(comparison, tmp_path):
    comparison.write(tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.to_pylist() == comparison.to_rows()
    assert json.loads(table.schema.metadata[b"caplens"]) == comparison.summary()
    assert table["first_score"].to_pylist() == [comparison["first"]["rouge_l"].score]
    (test,) = comparison.tests
    assert [table["low"][0].as_py(), table["high"][0].as_py()] == list(test.interval)


def test_one_explanation_or_several(tmp_path):
    one = caplens.explain("a dog", ["a dog runs"], "rouge")
    write(one, tmp_path / "one.json")
    write([one, one], tmp_path / "two.json")
    single = json.loads((tmp_path / "one.json").read_text())
    assert (single["schema"], single["explanations"][0]["candidate"]) == (2, "a dog")
    assert json.loads((tmp_path / "two.json").read_text())["explanations"] == single["explanations"] * 2
    with pytest.raises(UsageError, match=r"A drawing \(.svg\) shows the scene graphs or word costs.*rouge has none"):
        write(one, tmp_path / "one.svg")


def test_a_packed_file_holds_the_same_bytes(result, tmp_path):
    for suffix in (".json", ".jsonl", ".csv"):
        write(result, tmp_path / f"out{suffix}")
        write(result, tmp_path / f"OUT{suffix.upper()}.GZ")
        packed = (tmp_path / f"OUT{suffix.upper()}.GZ").read_bytes()
        assert gzip.decompress(packed) == (tmp_path / f"out{suffix}").read_bytes()
        assert packed == gzip.compress(gzip.decompress(packed), mtime=0)
    with pytest.raises(UsageError, match=r"'out.parquet.gz' cannot be written: its name must end in .json or"):
        write(result, tmp_path / "out.parquet.gz")


def test_the_content_of_a_file_can_be_had_without_one(result, tmp_path):
    for form in ("json", "jsonl", "csv"):
        write(result, tmp_path / f"out.{form}")
        assert encoded(result, form) == (tmp_path / f"out.{form}").read_bytes()
    with pytest.raises(UsageError, match=r"The result cannot be written as jsonl: choose from txt, md, tex, csv\."):
        encoded(Tabled(), "jsonl")


def test_tables(tmp_path):
    for suffix, content in {
        ".txt": "counts\n\nwhat      n\n-----------\ndogs  2.500\n",
        ".md": "**counts**\n\n| what | n |\n| --- | ---: |\n| dogs | 2.500 |\n",
        ".csv": "what,n\ndogs,2.5\n",
    }.items():
        write(Tabled(), tmp_path / f"out{suffix}")
        assert (tmp_path / f"out{suffix}").read_text() == content


def test_a_format_is_imported_when_it_is_used(tmp_path, monkeypatch):
    """So that a room above this one can have a format."""
    monkeypatch.setattr(writing, "FORMATS", (*writing.FORMATS, Format(".page", "to_rows", "no.such.room:page")))
    check_output(tmp_path / "out.page", Rows)
    with pytest.raises(ModuleNotFoundError, match="no"):
        write(Rows([]), tmp_path / "out.page")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path):
    with pytest.raises(UsageError, match=r"'out.xlsx' cannot be written: its name must end in .jsonl or .csv or .parq"):
        check_output("out.xlsx", Rows)
    with pytest.raises(UsageError, match=r"'out.html' cannot be written: its name must end in .jsonl or"):
        check_output("out.html", Rows)
    with pytest.raises(InputError, match="there is no folder"):
        check_output(tmp_path / "nowhere" / "out.csv", Rows)
    with pytest.raises(UsageError, match=r"must end in .parquet"):
        check_file(tmp_path / "df.csv", (".parquet",))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_half_a_character_is_one_sentence(suffix, tmp_path):
    with pytest.raises(InputError, match=r"cannot be written: .* contains a lone surrogate"):
        write(Rows([{"system": "name \ud800"}]), tmp_path / f"out{suffix}")
    assert not list(tmp_path.iterdir())
