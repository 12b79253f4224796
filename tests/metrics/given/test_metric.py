"""Scores from elsewhere: from files and columns, in every place where metrics work, and every way they can be wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.command_line import write_rows

import caplens
from caplens.cli import main

REFERENCES = {1: ["a dog runs"], 2: ["two cats sleep"], 3: ["a man on a horse"]}
CANDIDATES = {1: "a dog", 2: "two cats", 3: "a horse"}
WORSE = {1: "a cat", 2: "a cat", 3: "a cat"}


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.csv"
    path.write_text("id,clip\n3,0.75\n1,0.25\n2,0.5\n9,1\n")
    return path


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judge.csv"
    rows = [f"{name},{key},{key + bonus}" for name, bonus in (("ours", 1), ("theirs", 0)) for key in (1, 2, 3)]
    path.write_text("\n".join(["system,id,rating", *rows]))
    return path


def test_rows_are_matched_by_id(clip):
    score = caplens.score(CANDIDATES, REFERENCES, f"given(file={clip}, column=clip), rouge")["clip"]
    assert score.item_scores.tolist() == [0.25, 0.5, 0.75]
    assert score.score == 0.5
    low, high = score.interval
    assert low < 0.5 < high


def test_the_signature_has_the_hash_of_the_file_and_can_be_pasted_back(clip):
    first = caplens.score(CANDIDATES, REFERENCES, f"given(file={clip}, column=clip)")["clip"].signature
    again = caplens.score(CANDIDATES, REFERENCES, first)["clip"]
    assert again.signature == first
    assert "scores:" in first
    clip.write_text(clip.read_text().replace("0.25", "0.26"))
    assert caplens.score(CANDIDATES, REFERENCES, first)["clip"].signature != first


def test_no_references_are_needed(clip):
    assert caplens.score(CANDIDATES, metrics=f"given(file={clip}, column=clip)")["clip"].score == 0.5


def test_a_column_of_the_candidates(tmp_path, capsys):
    rows = [{"id": 1, "candidate": "a dog", "clip": 0.5}, {"id": 2, "candidate": "a cat", "clip": "0.25"}]
    references = tmp_path / "references.json"
    references.write_text(json.dumps(REFERENCES))
    out = tmp_path / "out.json"
    path = str(write_rows(tmp_path / "rows", rows))
    with pytest.raises(SystemExit) as left:
        main(["score", path, "-r", str(references), "-m", "given(column=clip)", "-o", str(out)])
    assert left.value.code == 0, capsys.readouterr().err
    assert json.loads(out.read_bytes())["metrics"]["clip"]["score"] == 0.375


def test_systems_are_compared_by_their_own_rows(judged):
    comparison = caplens.compare(
        {"ours": CANDIDATES, "theirs": WORSE}, REFERENCES, f"given(file={judged}, column=rating), rouge"
    )
    assert comparison["ours"]["rating"].item_scores.tolist() == [2, 3, 4]
    assert comparison["theirs"]["rating"].item_scores.tolist() == [1, 2, 3]
    test = next(test for test in comparison.tests if test.score == "rating")
    assert test.difference == pytest.approx(1)


def test_one_system_of_several(judged):
    request = f"given(file={judged}, column=rating, system=theirs)"
    assert caplens.score(CANDIDATES, REFERENCES, request)["rating"].score == 2


def test_in_combinations(clip):
    found = caplens.score(CANDIDATES, REFERENCES, f"mean(given(file={clip}, column=clip), rouge, normalize=none)")
    rouge = caplens.score(CANDIDATES, REFERENCES, "rouge")["ROUGE_L"].item_scores
    np.testing.assert_allclose(next(iter(found.values())).item_scores, (np.array([0.25, 0.5, 0.75]) + rouge) / 2)


@pytest.mark.parametrize(
    ("content", "request_of", "sentence"),
    [
        ("id,clip\n1,0.5\n2,0.5\n", "column=clip", r"has no 'clip' for 1 row of 3 \(id 3\)"),
        ("id,clip\n1,0.5\n2,\n3,1\n", "column=clip", r"has no 'clip' for 1 row of 3 \(id 2\)"),
        ("id,clip\n1,0.5\n2,good\n3,1\n", "column=clip", r"Row 2 of .* has 'good' in 'clip'"),
        ("id,clip\n1,0.5\n1,0.5\n", "column=clip", r"has 1 repeated id \(1\)"),
        ("id,clip\n1,0.5\n", "column=clp", r"has no column 'clp'; it has id, clip"),
        ("name,clip\n1,0.5\n", "column=clip", r"has no column 'id'"),
        ("id,system,clip\n1,a,0.5\n1,b,0.5\n", "column=clip", r"has scores of a, b: write given\(file="),
        ("id,system,clip\n1,a,0.5\n", "column=clip, system=c", r"has no scores for 'c', only for a"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path, content, request_of, sentence):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    with pytest.raises(caplens.CaplensError, match=sentence):
        caplens.score(CANDIDATES, REFERENCES, f"given(file={path}, {request_of})")


def test_a_comparison_needs_the_column_system(clip):
    with pytest.raises(caplens.InputError, match="has no column 'system', so it does not identify the scores of 'a'"):
        caplens.compare({"a": CANDIDATES, "b": WORSE}, REFERENCES, f"given(file={clip}, column=clip)")


def test_without_options_it_says_what_to_write():
    with pytest.raises(caplens.MissingDataError, match=r"given\(file=scores.csv, column=clip\)"):
        caplens.score(CANDIDATES, REFERENCES, "given")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(caplens.CaplensError, match=r"none\.csv"):
        caplens.score(CANDIDATES, REFERENCES, f"given(file={tmp_path / 'none.csv'}, column=clip)")


def test_lower_scores_may_be_better(clip):
    assert not caplens.metric(f"given(file={clip}, column=clip, lower=true)").higher_is_better


def test_an_empty_column_of_candidates_is_an_error():
    with pytest.raises(caplens.InputError, match=r"The column 'clip' has no number for 1 row of 2 \(id 1\)"):
        caplens.score(["a", "b"], [["x"], ["y"]], "given(column=clip)", columns={"clip": [0.5, None]})
