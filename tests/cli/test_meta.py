"""``caplens meta`` as a command."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from caplens.cli.meta import command
from caplens.core.options import declared_options
from caplens.errors import InputError, UsageError
from caplens.meta.registry import study_class, study_names, study_title


def invoke(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_it_prints_a_table_and_writes_a_file(judged_table, tmp_path):
    out, items = tmp_path / "out.json", tmp_path / "items.jsonl"
    done = invoke("table", "--data", judged_table, "-m", "rouge", "-o", out, "--items", items, "--resamples", 10)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("table: correlation with human judgments\n")
    assert json.loads(out.read_text())["metrics"]["ROUGE_L"]["kendall_b"]["value"] > 0
    first = json.loads(items.read_text().splitlines()[0])
    assert first == {
        "id": "1",
        "image": "1",
        "candidate": "a dog runs",
        "references": ["a dog runs fast", "the dog"],
        "human": 4.0,
    }


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("markdown", "**table: correlation"),
        ("latex", "% \\usepackage{booktabs}\n\\begin{table}"),
        ("csv", "metric,Kendall b,low"),
    ],
)
def test_formats(judged_table, form, beginning):
    done = invoke("table", "--data", judged_table, "-m", "rouge", "--format", form, "--resamples", 10)
    assert done.stdout.startswith(beginning)


def test_scores_of_the_rows_that_it_wrote_join_in(judged_table, tmp_path):
    items = tmp_path / "items.jsonl"
    invoke("table", "--data", judged_table, "-m", "rouge", "--items", items, "--resamples", 10)
    rows = [json.loads(line) for line in items.read_text().splitlines()]
    scores = tmp_path / "scores.csv"
    scores.write_text("id,Length\n" + "".join(f"{row['id']},{len(row['candidate'])}\n" for row in rows))
    done = invoke("table", "--data", judged_table, "-m", "rouge", "--scores", scores, "--resamples", 10)
    assert "Length" in done.stdout


def test_a_study_without_rows_writes_none(tmp_path):
    out = tmp_path / "out.json"
    done = invoke("sensitivity", "-m", "rouge", "--items", tmp_path / "items.jsonl", "-o", out)
    assert done.exit_code == 2
    assert "No such option '--items'" in done.output
    assert not out.exists()  # refused before any work


def test_all_studies_need_two_folders(tmp_path):
    done = invoke("all", "--data", tmp_path)
    assert "--data DIR -o DIR" in str(done.exception)


def test_all_studies_have_the_metrics_of_their_papers_unless_some_are_asked_for(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("caplens.meta.run.study_all", lambda *_, metrics, **__: asked.append(metrics) or [])
    invoke("all", "--data", tmp_path, "-o", tmp_path / "out")
    invoke("all", "--data", tmp_path, "-o", tmp_path / "out", "-m", "rouge")
    assert asked == [None, "rouge"]


def test_options_of_a_single_study_are_not_for_all(tmp_path):
    done = invoke("all", "--data", tmp_path, "-o", tmp_path / "out", "--preset", "anderson2016")
    assert (done.exit_code, "No such option '--preset'" in done.output) == (2, True)
    assert not (tmp_path / "out").exists()


def test_an_old_name_of_a_preset_gives_the_new_one(shared_dir):
    for study in ("flickr8k-expert", "williams"):
        done = invoke(study, "--data", shared_dir, "--preset", "004")
        assert isinstance(done.exception, UsageError)
        assert "The preset '004' of flickr8k-expert is now named 'anderson2016'" in str(done.exception)


def test_the_help_lists_presets():
    done = invoke("flickr8k-expert", "--help")
    assert "--preset [hessel2021|anderson2016|kilickaya2017|cui2018]" in " ".join(done.output.split())


def test_a_test_on_systems(shared_dir):
    done = invoke("williams", "--data", shared_dir, "--on", "coco2015", "-m", "cider, spice", "--measure", "M2")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("coco2015: Williams' test\n")
    assert "people: M2." in done.stdout


def test_all_studies_into_a_folder(flickr, tmp_path):
    done = invoke("all", "--data", flickr, "-o", tmp_path / "study", "-m", "rouge, bleu(n=1)", "--resamples", 5)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "study" / "index.html").exists()
    assert "not run: thumb" in done.stdout


def test_an_output_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    done = invoke("table", "--data", tmp_path / "nowhere", "-o", tmp_path / "out.xlsx")
    assert isinstance(done.exception, UsageError)
    assert "must end in .json or .txt or .md or .tex or .csv" in str(done.exception)


def test_a_wrong_path_is_one_sentence(tmp_path):
    done = invoke("flickr8k-expert", "--data", tmp_path / "nowhere", "-m", "rouge")
    assert isinstance(done.exception, InputError)
    assert str(done.exception).count("\n") == 0


def test_numbers_of_a_curve(tmp_path):
    for text in ("a", "1,,2", "0", "-1"):
        done = invoke("pascal50s", "--data", tmp_path, "--curve", text)
        assert str(done.exception).startswith("pascal50s(curve=...) must be numbers from 1 to"), text


def test_the_list_has_every_study_on_one_line():
    listed = invoke("--help").output.splitlines()
    for name in study_names():
        assert f"  {name:<15}  {study_title(name)}" in listed
    assert any(line.startswith("  all ") for line in listed)


@pytest.mark.parametrize("name", [*study_names(), "all"])
def test_the_help_of_a_study_has_its_options_only(name):
    done = invoke(name, "--help")
    assert done.exit_code == 0
    shown = {word for line in done.output.splitlines() for word in line.split()[:2] if word.startswith("--")}
    options = {"captions", "jobs", "max_words", "parses", "resamples", "seed", "tokenizer"}
    own = options if name == "all" else declared_options(study_class(name))
    assert {f"--{one.replace('_', '-')}" for one in own} <= shown
    others = {one for other in study_names() for one in declared_options(study_class(other)) if one not in own}
    assert shown.isdisjoint(f"--{one.replace('_', '-')}" for one in others)


def test_references_of_any_file_and_their_number(judged_table, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({image: [f"a {image} runs", f"the {image} is here"] for image in ("dog", "cat", "bus")}))
    done = invoke("robustness", "-r", path, "-m", "rouge", "--images", 3, "--resamples", 5)
    assert "n = 3 images, drawn from all 3 images of mine.json" in done.output
    done = invoke("table", "--data", judged_table, "--reference-count", 3)
    assert "No such option '--reference-count'" in done.output
