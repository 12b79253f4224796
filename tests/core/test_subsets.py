"""Scores by subset: which rows belong together, and that scores are those of the rows with the state of the whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.command_line import write_rows

import caplens
from caplens.cli import main
from caplens.core.subsets import divide

CANDIDATES = dict(enumerate(["a dog", "two cats", "a man rides", "a red bus", "dogs", "a cat"]))
REFERENCES = {
    n: [text, text + " here"]
    for n, text in enumerate(["a dog runs", "two cats sleep", "a man rides a horse", "a bus", "two dogs", "one cat"])
}
WORSE = dict.fromkeys(CANDIDATES, "a cat")
DOMAINS = ["in", "out", "in", "near", "out", "near"]


@pytest.fixture
def result():
    return caplens.score(CANDIDATES, REFERENCES, "bleu, cider", columns={"domain": DOMAINS})


def test_rows_by_label(result):
    found = result.by("domain")
    assert list(found) == ["in", "near", "out"]
    assert found["out"].ids == [1, 4]
    for label, subset in found.items():
        rows = [row for row, own in enumerate(DOMAINS) if own == label]
        np.testing.assert_array_equal(subset["CIDEr"].item_scores, result["CIDEr"].item_scores[rows])
        assert subset["CIDEr"].score == pytest.approx(result["CIDEr"].item_scores[rows].mean())


def test_a_metric_that_adds_up_statistics_scores_the_subset_as_such(result):
    rows = [1, 4]
    alone = caplens.score({n: CANDIDATES[n] for n in rows}, {n: REFERENCES[n] for n in rows}, "bleu")
    assert result.by("domain")["out"]["Bleu_1"].score == pytest.approx(alone["Bleu_1"].score)


def test_labels_by_id_and_by_row(result):
    by_id = result.by(dict(enumerate(DOMAINS)))
    by_row = result.by(DOMAINS, name="kind")
    assert {label: subset.ids for label, subset in by_id.items()} == {k: v.ids for k, v in by_row.items()}
    assert list(result.subsets) == ["subset", "kind"]


def test_the_document_has_them(result):
    result.by("domain")
    found = result.to_dict()["subsets"]["domain"]
    assert {label: entry["n"] for label, entry in found.items()} == {"in": 2, "near": 2, "out": 2}
    assert set(found["in"]["metrics"]["CIDEr"]) >= {"score", "interval", "signature"}


def test_many_numbers_become_fifths():
    numbers = np.arange(100) % 50
    corpus = caplens.score(["a"] * 100, [["a"]] * 100, "rouge").corpus
    found = divide(corpus, numbers.tolist())
    assert list(found) == ["0 to 9", "10 to 19", "20 to 29", "30 to 39", "40 to 49"]
    assert sorted(np.concatenate(list(found.values()))) == list(range(100))
    assert all(len(rows) == 20 for rows in found.values())


def test_few_numbers_are_labels_in_their_order():
    corpus = caplens.score(["a"] * 4, [["a"]] * 4, "rouge").corpus
    assert list(divide(corpus, [10, 2, 10.0, "2"])) == ["2", "10"]


def test_no_value_is_a_subset_of_its_own():
    corpus = caplens.score(["a"] * 3, [["a"]] * 3, "rouge").corpus
    assert {k: v.tolist() for k, v in divide(corpus, ["x", None, " "]).items()} == {"(none)": [1, 2], "x": [0]}


def test_length_is_that_of_the_references(result):
    assert {label: subset.ids for label, subset in result.by("length").items()} == {
        "2": [3, 4, 5],
        "4": [0, 1],
        "6": [2],
    }


def test_comparisons(result):
    comparison = caplens.compare({"a": CANDIDATES, "b": WORSE}, REFERENCES, "cider, rouge")
    found = comparison.by(dict(enumerate(DOMAINS)), name="domain")
    assert found["in"]["a"].ids == found["in"]["b"].ids == [0, 2]
    entry = comparison.to_dict(items=False)["subsets"]["domain"]["in"]
    assert entry["n"] == 2
    assert {test["score"] for test in entry["tests"]} == {"CIDEr", "ROUGE_L"}


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("kind", r"no column 'kind' alongside the candidates \(there are domain\), and it is not 'length'"),
        ({0: "x"}, r"5 rows of 6 without a label \(id 1, 2, 3, 4, 5\)"),
        (["x"], "Found 1 label for 6 rows"),
    ],
)
def test_mistakes(result, by, sentence):
    with pytest.raises(caplens.CaplensError, match=sentence):
        result.by(by)


def test_too_many_labels():
    corpus = caplens.score(["a"] * 60, [["a"]] * 60, "rouge").corpus
    with pytest.raises(caplens.UsageError, match="into 60 subsets"):
        divide(corpus, [f"label {n}" for n in range(60)])


class TestCommandLine:
    ROWS = [
        {"id": n, "candidate": CANDIDATES[n], "references": REFERENCES[n], "domain": domain}
        for n, domain in enumerate(DOMAINS)
    ]

    def run(self, *arguments):
        with pytest.raises(SystemExit) as left:
            main(list(map(str, arguments)))
        return left.value.code

    def test_a_column(self, tmp_path, capsys):
        out = tmp_path / "out.json"
        assert (
            self.run("score", write_rows(tmp_path / "rows", self.ROWS), "-m", "cider", "--by", "domain", "-o", out) == 0
        )
        assert list(json.loads(out.read_bytes())["subsets"]["domain"]) == ["in", "near", "out"]
        assert "near (2)" in capsys.readouterr().out

    def test_a_file(self, tmp_path, capsys):
        labels = tmp_path / "domains.csv"
        labels.write_text("id,domain\n" + "".join(f"{n},{domain}\n" for n, domain in enumerate(DOMAINS)))
        references, ours, theirs = (tmp_path / name for name in ("references.json", "ours.json", "theirs.json"))
        for path, content in ((references, REFERENCES), (ours, CANDIDATES), (theirs, WORSE)):
            path.write_text(json.dumps(content))
        arguments = ["compare", ours, theirs, "-r", references, "-m", "rouge", "--by", f"{labels}:domain"]
        assert self.run(*arguments) == 0
        assert "ROUGE_L theirs" in capsys.readouterr().out

    def test_a_column_that_is_not_there(self, tmp_path, capsys):
        assert self.run("score", write_rows(tmp_path / "rows", self.ROWS), "-m", "cider", "--by", "kind") == 2
        assert "no column 'kind'" in capsys.readouterr().err
