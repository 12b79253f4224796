"""What a paper can say about a result file."""

from __future__ import annotations

import json

import pytest
from tests.command_line import succeed, write_rows

import caplens
from caplens.api.citations import papers_of
from caplens.api.citing import cite
from caplens.cli import main
from caplens.core.registry import names
from caplens.scenegraph.parser import registry

CANDIDATES = ["a dog runs", "two cats"]
KNOWN = "A man riding a wave on top of a surfboard."  # the pack that ships has it
REFERENCES = [["a dog runs fast"], ["two cats sleep"]]


class SilentParser:
    """It finds nothing."""

    def parse(self, captions):
        return [() for _ in captions]


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.json"
    caplens.score(CANDIDATES, REFERENCES, "bleu, cider, spice").write(path)
    return path


def test_the_sentence_names_metrics_with_their_papers_once(scores):
    first, second, third = cite(scores).split("\n\n")[0].splitlines()
    assert first == (
        "We report Bleu_1 to Bleu_4 (Papineni et al., 2002), CIDEr (Vedantam et al., 2015) and SPICE (Anderson et al., "
        f"2016), computed with caplens {caplens.__version__} on 2 captions."
    )
    assert "1,000 resamples" in second
    assert third == (
        "SPICE uses the rules of SPICE 1.0, the reference tool's scene graphs for captions that are in a pack (0 % of "
        "the references, 0 % of the candidates), and caplens' own caption parser for all others."
    )


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("spice(known=false)", "SPICE uses the rules of SPICE 1.0 with caplens' own caption parser."),
        ("mean(rouge, spice)", "SPICE uses the rules of SPICE 1.0 with caplens' own caption parser."),
        ("spider", "scene graphs for captions that are in a pack, and caplens' own"),
        ("spice(parser=silent)", "SPICE uses the rules of SPICE 1.0 with the parser silent."),
    ],
)
def test_it_says_where_scene_graphs_come_from(tmp_path, monkeypatch, metrics, said):
    monkeypatch.setattr(registry, "_registered", {})
    caplens.register_parser("silent", SilentParser())
    path = tmp_path / "scores.json"
    caplens.score(CANDIDATES, REFERENCES, metrics).write(path)
    assert said in cite(path)


def test_known_captions_of_several_systems_are_a_range(tmp_path):
    path = tmp_path / "comparison.json"
    caplens.compare({"a": CANDIDATES, "b": [KNOWN, "two cats"]}, [[KNOWN], [KNOWN]], "spice").write(path)
    assert "(100 % of the references, 0 to 50 % of the candidates)" in cite(path)


def test_signatures_and_bibtex_follow(scores):
    text = cite(scores)
    for score in json.loads(scores.read_bytes())["metrics"].values():
        assert score.get("detail_of") or score["signature"] in text
    assert text.count("@inproceedings{") == 3
    assert "@inproceedings{anderson2016,\n  author = {Anderson, Peter" in text


def test_rows_of_shards_are_counted(tmp_path):
    rows, out = tmp_path / "rows.jsonl", tmp_path / "merged.json"
    write_rows(rows, [{"id": n, "candidate": "a dog", "references": ["two dogs"]} for n in range(3)])
    succeed("score", rows, "-m", "rouge", "--shard-out", tmp_path / "shards")
    succeed("merge", tmp_path / "shards", "-o", out)
    text = cite(out)
    assert "on 3 captions." in text
    assert "1,000 resamples" in text


def test_a_comparison_says_how_systems_were_tested(tmp_path):
    path = tmp_path / "comparison.json"
    caplens.compare({"a": CANDIDATES, "b": ["a", "b"]}, REFERENCES, "rouge").write(path)
    text = cite(path)
    assert "on 2 captions of each system" in text
    assert "Holm's correction at 0.05" in text
    assert "koehn2004" in text


@pytest.mark.parametrize("singles", [["b"], ["b", "c"]])
def test_training_runs_are_counted(tmp_path, singles):
    path = tmp_path / "comparison.json"
    runs = caplens.Runs([CANDIDATES, ["a dog", "cats"]])
    caplens.compare({"a": runs, **{name: [name, "two"] for name in singles}}, REFERENCES, "rouge").write(path)
    text = cite(path)
    assert "Scores are means over training runs: 2 of a" in text
    assert ("Single runs are compared by paired bootstrap" in text) == (len(singles) > 1)


def test_combinations_cite_what_they_combine(tmp_path):
    path = tmp_path / "scores.json"
    caplens.score(CANDIDATES, REFERENCES, "mean(rouge, cider(df=coco-val2014))").write(path)
    assert "(Lin, 2004; Vedantam et al., 2015)" in cite(path)


def test_metrics_of_papers_have_entries():
    for name in ("bleu", "meteor", "rouge", "cider", "spice", "spider", "wmd", "wembsim", "critique", "chair"):
        assert name in names()
        assert papers_of(name)


@pytest.mark.parametrize("content", ['{"schema": 2, "caplens": "0", "explanations": []}', "[]", "no json", "{}"])
def test_other_files_are_refused(tmp_path, content, capsys):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(SystemExit) as left:
        main(["cite", str(path)])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") <= 3


def test_the_command(scores, capsys):
    with pytest.raises(SystemExit) as left:
        main(["cite", str(scores)])
    assert left.value.code == 0
    assert capsys.readouterr().out.rstrip("\n") == cite(scores)
