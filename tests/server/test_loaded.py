"""Files that the server was started with: their report, and explanations of rows on demand."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

import caplens
from caplens.core.selection import select
from caplens.errors import InputError, UsageError
from caplens.readers import ReadOptions
from caplens.server.app import create_app
from caplens.server.loaded import load

OURS = {"1": "a dog runs", "2": "two <b>cats</b>", "3": "a man on a horse"}
THEIRS = {"1": "a cat", "2": "two cats sleep", "3": "a horse"}
REFERENCES = {"1": ["a dog is running", "the dog runs"], "2": ["two cats sleeping"], "3": ["a man rides a horse"]}
METRICS = "rouge, cider, spice"


@pytest.fixture
def files(tmp_path):
    for name, captions in {"ours": OURS, "theirs": THEIRS, "references": REFERENCES}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(captions))
    caplens.score(OURS, REFERENCES, METRICS).with_captions().write(tmp_path / "scores.json")
    caplens.compare({"ours": OURS, "theirs": THEIRS}, REFERENCES, METRICS).with_captions().write(tmp_path / "both.json")
    return tmp_path


def loaded(files, *names, references=()):
    paths = [str(files / f"{name}.json") for name in references]
    return load([str(files / f"{name}.json") for name in names], paths, select(METRICS), ReadOptions())[0]


def asked(found, system, identifier):
    with TestClient(create_app(found), base_url="http://127.0.0.1") as client:
        page = client.get("/report")
        assert page.status_code == 200
        assert "<b>cats" not in page.text
        assert 'src="/static/report/main.js"' in page.text
        for name in ("main.js", "theme.css", "explanation.js"):
            assert client.get(f"/static/report/{name}").status_code == 200
        return client.post("/api/report/explain", json={"system": system, "id": identifier})


@pytest.mark.parametrize(
    ("names", "references", "system"),
    [
        (["scores"], [], "candidate"),
        (["both"], [], "ours"),
        (["ours"], ["references"], "ours"),
        (["ours", "theirs"], ["references"], "ours"),
    ],
)
def test_rows_are_explained_with_what_the_metrics_learned_from_all_of_them(files, names, references, system):
    answer = asked(loaded(files, *names, references=references), system, "3").json()
    expected = caplens.score(OURS, REFERENCES, METRICS)
    scores = {key: value for each in answer["explanations"] for key, value in each["scores"].items()}
    assert scores["CIDEr"] == pytest.approx(expected["CIDEr"].item_scores[2], abs=1e-12)
    assert scores["SPICE"] == pytest.approx(expected["SPICE"].item_scores[2], abs=1e-12)
    assert answer["explanations"][0]["candidate"] == OURS["3"]


def test_rows_that_are_not_there(files):
    found = loaded(files, "both")
    assert asked(found, "ours", "9").json() == {"error": "There is no row with the id '9' in the loaded files."}
    assert asked(found, "nobody", "1").json() == {"error": "There is no system 'nobody' in the loaded files."}


def test_files_that_cannot_be_shown(files):
    caplens.score(OURS, REFERENCES, "rouge").write(files / "bare.json")
    with pytest.raises(InputError, match=r"bare\.json cannot be shown: .*--with-captions"):
        loaded(files, "bare")
    with pytest.raises(UsageError, match="Comparing several files requires references"):
        loaded(files, "ours", "theirs")
