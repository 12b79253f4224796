"""All studies at once, resumable."""

from __future__ import annotations

import json
import re

import pytest

from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta import everything, run, study_all
from caplens.meta.everything import Planned, planned, summary


def test_what_the_data_allows_is_run_and_the_rest_is_named(flickr, tmp_path):
    out = tmp_path / "study"
    finished = study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=10, jobs=1)
    done = {(one.name, one.preset) for one in finished if not one.why_not}
    assert {
        ("flickr8k-expert", "anderson2016"),
        ("flickr8k-crowd", "cui2018"),
        ("williams", "kilickaya2017"),
        ("sensitivity", None),
    } <= done
    results = json.loads((out / "results.json").read_text())
    assert len(results["studies"]) == len(done)
    assert {"williams on coco2015, preset anderson2016", "thumb, preset thumb"} <= {
        one.title for one in finished if one.why_not
    }
    assert len(results["not_run"]) == len(planned()) - len(done)
    page = (out / "index.html").read_text()
    assert '<h2 id="s1">flickr8k-expert, preset hessel2021</h2>' in page
    assert "Not run" in page
    assert not re.search(r"(src|href)=.http", page)
    assert summary(finished, out).startswith(f"{len(done)} of {len(finished)} studies; see ")


FEW = [Planned("flickr8k-expert", "anderson2016"), Planned("thumb", "thumb"), Planned("sensitivity")]


def test_a_finished_study_is_not_run_again_unless_the_request_changes(flickr, tmp_path, monkeypatch):
    monkeypatch.setattr(everything, "planned", lambda: FEW)
    out, runs = tmp_path / "study", []
    ordinary = run.configure

    def counting(kind, options):
        runs.append((kind.name, options.get("preset")))
        return ordinary(kind, options)

    monkeypatch.setattr(run, "configure", counting)
    first = study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=10, jobs=1)
    runs.clear()
    second = study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=10, jobs=1)
    assert len(runs) == len([one for one in first if one.why_not])
    assert [one.tables for one in second] == [one.tables for one in first]
    study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=11, jobs=1)
    assert ("flickr8k-expert", "anderson2016") in runs


def test_changed_data_is_studied_again_and_new_data_is_added(flickr, monkeypatch):
    """The folder that is written to may lie in that of the data."""
    monkeypatch.setattr(
        everything, "planned", lambda: [Planned("flickr8k-expert", "kilickaya2017"), Planned("thumb", "thumb")]
    )

    def rows():
        done, _ = study_all(flickr, flickr / "study", metrics="rouge", resamples=5, jobs=1)
        return done.result["n"], (
            flickr / "study" / "studies" / "flickr8k-expert-kilickaya2017.json"
        ).stat().st_mtime_ns

    first = rows()
    (flickr / "new.txt").write_text("of another set")
    assert rows() == first
    expert = flickr / "ExpertAnnotations.txt"
    expert.write_text("".join(expert.read_text().splitlines(keepends=True)[:-1]))
    assert rows()[0] == first[0] - 3  # three judgments of one caption


def test_one_metric_leaves_out_the_studies_between_metrics(flickr, tmp_path, monkeypatch):
    plan = [
        Planned("williams", "kilickaya2017"),
        Planned("complementarity", "kilickaya2017"),
        Planned("distributions", "anderson2016"),
    ]
    monkeypatch.setattr(everything, "planned", lambda: plan)
    finished = study_all(flickr, tmp_path / "study", metrics="rouge", resamples=5, jobs=1)
    why = {one.title: one.why_not for one in finished}
    assert "at least two scores" in why["williams, preset kilickaya2017"]
    assert not why["distributions, preset anderson2016"]
    assert (tmp_path / "study" / "index.html").exists()


def test_a_leaderboard_gives_all_that_it_has(shared_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(everything, "planned", lambda: [Planned("coco2015", "anderson2016")])
    (done,) = study_all(shared_dir / "coco2015", tmp_path / "study", resamples=5, jobs=1)
    assert done.result["metrics"] == study("coco2015", shared_dir, resamples=5).to_dict()["metrics"]


def test_a_damaged_file_is_made_again(flickr, tmp_path, monkeypatch):
    monkeypatch.setattr(everything, "planned", lambda: FEW)
    out = tmp_path / "study"
    study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=10, jobs=1)
    path = out / "studies" / "sensitivity.json"
    path.write_text("{")
    study_all(flickr, out, metrics="rouge, bleu(n=1)", resamples=10, jobs=1)
    assert json.loads(path.read_text())["study"]["name"] == "sensitivity"


def test_refusals(flickr, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no metric 'rogue'"):
        study_all(flickr, tmp_path / "out", metrics="rogue")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file: specify a folder"):
        study_all(flickr, tmp_path / "file", metrics="rouge")
    monkeypatch.setattr(everything, "planned", lambda: [Planned("thumb", "thumb")])
    with pytest.raises(InputError, match="No study can be run: There is no"):
        study_all(flickr, tmp_path / "out", metrics="rouge")
