"""Several candidates per image: each a row, means, or the best per metric."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caplens
from caplens.cli import main

CAPTIONS = {
    7: ["two dogs run on grass", "a cat sits on a mat"],
    9: ["a man rides a horse", "a man", "the man rides a brown horse"],
    11: ["a red bus on a street"],
}
REFERENCES = {
    7: ["two dogs run on the grass", "dogs playing"],
    9: ["a man rides a brown horse"],
    11: ["a red bus drives down a street", "a bus"],
}
ROWS = [(key, text) for key, texts in CAPTIONS.items() for text in texts]
METRICS = "bleu, rouge, cider, meteor, spice"


def one_by_one(metrics=METRICS):
    """Score every caption as a row, with the document frequencies of the images."""
    evaluator = caplens.Evaluator(metrics, REFERENCES)
    return evaluator.score([text for _, text in ROWS], ids=[key for key, _ in ROWS])


@pytest.fixture(scope="module")
def rows():
    return one_by_one()


def groups():
    return [[place for place, (key, _) in enumerate(ROWS) if key == wanted] for wanted in CAPTIONS]


class TestEach:
    def test_rows_are_named_by_image_and_resampled_by_it(self, rows):
        found = caplens.score(CAPTIONS, REFERENCES, METRICS, several="each")
        assert found.ids == ["7#1", "7#2", "9#1", "9#2", "9#3", "11#1"]
        assert found.groups == ["7", "7", "9", "9", "9", "11"]
        for key in rows:
            np.testing.assert_allclose(found[key].item_scores, rows[key].item_scores, rtol=1e-12, err_msg=key)
        grouped = caplens.Evaluator("rouge", REFERENCES).score(
            [text for _, text in ROWS], ids=[key for key, _ in ROWS], groups=[key for key, _ in ROWS]
        )
        assert found["ROUGE_L"].interval == grouped["ROUGE_L"].interval
        assert "several:each" in found["ROUGE_L"].signature


class TestMean:
    def test_statistics_are_averaged(self, rows):
        found = caplens.score(CAPTIONS, REFERENCES, METRICS, several="mean")
        assert found.ids == [7, 9, 11]
        for run, each in zip(found.runs, rows.runs, strict=True):
            wanted = [each.statistics.table[places].mean(axis=0) for places in groups()]
            np.testing.assert_allclose(run.statistics.table, wanted, rtol=1e-12)
        wanted = [rows["CIDEr"].item_scores[places].mean() for places in groups()]
        np.testing.assert_allclose(found["CIDEr"].item_scores, wanted, rtol=1e-12)
        assert found["CIDEr"].score == pytest.approx(np.mean(wanted), rel=1e-12)
        assert "rows:3|" in found["CIDEr"].signature
        assert "several:mean|candidates:1-3" in found["CIDEr"].signature


class TestBest:
    def test_every_metric_takes_its_own_best(self, rows):
        found = caplens.score(CAPTIONS, REFERENCES, METRICS, several="best")
        for key in ("Bleu_4", "ROUGE_L", "CIDEr", "METEOR", "SPICE"):
            wanted = [rows[key].item_scores[places].max() for places in groups()]
            np.testing.assert_allclose(found[key].item_scores, wanted, rtol=1e-12, err_msg=key)
        chosen = [places[int(np.argmax(rows["Bleu_4"].item_scores[places]))] for places in groups()]
        assert found["Bleu_1"].item_scores.tolist() == rows["Bleu_1"].item_scores[chosen].tolist()

    def test_lower_scores_can_be_better(self):
        scores = {"a": 3.0, "b": 1.0, "c": 2.0}
        found = caplens.score(
            {1: ["a", "b"], 2: ["c"]},
            metrics="given(column=cost, lower=true)",
            columns={"cost": list(scores.values())},
            several="best",
        )
        assert found["cost"].item_scores.tolist() == [1.0, 2.0]

    def test_tables_say_so(self, tmp_path):
        found = caplens.score(CAPTIONS, REFERENCES, "rouge", several="best")
        assert "for each metric, only the best candidate of each image counts" in " ".join(str(found).split())
        assert "only the best candidate" in found._repr_html_()
        assert found.to_dict()["metrics"]["ROUGE_L"]["several"] == "best"
        found.write(tmp_path / "table.md")
        assert "only the best candidate" in (tmp_path / "table.md").read_text()


@pytest.mark.parametrize("several", ["each", "mean", "best"])
def test_one_candidate_each_scores_as_without(several):
    captions = {key: texts[0] for key, texts in CAPTIONS.items()}
    plain = caplens.score(captions, REFERENCES, METRICS)
    found = caplens.score(captions, REFERENCES, METRICS, several=several)
    for key in plain:
        np.testing.assert_equal(found[key].score, plain[key].score)
        np.testing.assert_equal(found[key].interval, plain[key].interval)


@pytest.mark.parametrize("several", ["each", "mean", "best"])
def test_all_shapes_are_the_same(several, tmp_path):
    wanted = caplens.score(CAPTIONS, REFERENCES, "cider, bleu", several=several)
    records = [{"image_id": key, "caption": text} for key, text in ROWS]
    by_position = caplens.score(list(CAPTIONS.values()), list(REFERENCES.values()), "cider, bleu", several=several)
    paired = tmp_path / "rows.jsonl"
    paired.write_text(
        "".join(json.dumps({"id": key, "candidate": text, "references": REFERENCES[key]}) + "\n" for key, text in ROWS)
    )
    lists = tmp_path / "lists.jsonl"
    lists.write_text(
        "".join(
            json.dumps({"id": key, "candidate": texts, "references": REFERENCES[key]}) + "\n"
            for key, texts in CAPTIONS.items()
        )
    )
    prepared = caplens.Evaluator("cider, bleu", REFERENCES).score(CAPTIONS, several=several)
    found = [
        caplens.score(records, REFERENCES, "cider, bleu", several=several),
        by_position,
        caplens.score(caplens.load_corpus(paired, several=several), metrics="cider, bleu"),
        caplens.score(caplens.load_corpus(lists, several=several), metrics="cider, bleu"),
        prepared,
    ]
    for other in found:
        assert other["CIDEr"].item_scores.tolist() == wanted["CIDEr"].item_scores.tolist()
        assert other["Bleu_4"].score == wanted["Bleu_4"].score
    assert by_position.ids == ([0, 1, 2] if several != "each" else ["0#1", "0#2", "1#1", "1#2", "1#3", "2#1"])


def test_the_note_below_the_table_does_not_fold_at_the_width_of_the_table():
    shown = str(caplens.score(CAPTIONS, REFERENCES, "rouge", several="best"))
    assert "Several candidates per image: for each metric, only the best candidate of each image counts." in shown


class TestCompare:
    def test_systems_may_have_different_numbers_of_candidates(self):
        single = {key: texts[0] for key, texts in CAPTIONS.items()}
        for several in ("mean", "best"):
            found = caplens.compare({"a": CAPTIONS, "b": single}, REFERENCES, "rouge, cider", several=several)
            alone = caplens.score(CAPTIONS, REFERENCES, "rouge, cider", several=several)
            assert found["a"].ids == [7, 9, 11]
            assert found["a"]["CIDEr"].score == pytest.approx(alone["CIDEr"].score, rel=1e-12)
            assert found.tests[0].difference == found["a"]["ROUGE_L"].score - found["b"]["ROUGE_L"].score
            assert found.to_dict()["n"] == 3
            assert "Several candidates per image" in " ".join(str(found).split())

    def test_only_common_images(self):
        fewer = {key: CAPTIONS[key] for key in (9, 7)}
        found = caplens.compare({"a": CAPTIONS, "b": fewer}, REFERENCES, "rouge", several="best")
        assert found["a"].ids == found["b"].ids == [7, 9]
        assert found.warnings[0].code == "not-common"

    def test_row_by_row_needs_equal_numbers(self):
        single = {key: texts[0] for key, texts in CAPTIONS.items()}
        with pytest.raises(caplens.InputError, match=r"a has 2 candidates for '7' but b has 1: .*several='mean'"):
            caplens.compare({"a": CAPTIONS, "b": single}, REFERENCES, "rouge", several="each")
        found = caplens.compare({"a": CAPTIONS, "b": CAPTIONS}, REFERENCES, "rouge", several="each")
        assert len(found["a"].ids) == 6
        assert found["a"].groups == ["7", "7", "9", "9", "9", "11"]


class TestMore:
    def test_subsets(self):
        found = caplens.score(CAPTIONS, REFERENCES, "rouge", several="best")
        parts = found.by({7: "x", 9: "y", 11: "x"})
        assert parts["x"].ids == [7, 11]
        assert parts["x"]["ROUGE_L"].item_scores.tolist() == found["ROUGE_L"].item_scores[[0, 2]].tolist()

    def test_captions_in_files_can_be_scored_again(self, tmp_path):
        found = caplens.score(CAPTIONS, REFERENCES, "rouge", several="mean")
        path = tmp_path / "scores.jsonl"
        found.with_captions().write(path)
        assert json.loads(path.read_text().splitlines()[0])["candidate"] == CAPTIONS[7]
        again = caplens.score(caplens.load_corpus(path, several="mean"), metrics="rouge")
        assert again["ROUGE_L"].item_scores.tolist() == found["ROUGE_L"].item_scores.tolist()

    def test_diversity_takes_each_only(self):
        each = caplens.score(CAPTIONS, metrics="diversity", several="each")
        groups = [key for key, _ in ROWS]
        wanted = caplens.score([text for _, text in ROWS], metrics="diversity", groups=groups)
        assert each["Div_1"].score == wanted["Div_1"].score
        with pytest.raises(caplens.UsageError, match=r"diversity compares the candidates .* several='each'"):
            caplens.score(CAPTIONS, metrics="diversity", several="mean")

    def test_without_it_the_error_names_it(self):
        with pytest.raises(caplens.InputError, match="use several='each', 'mean' or 'best'"):
            caplens.score(CAPTIONS, REFERENCES, "rouge")
        with pytest.raises(caplens.UsageError, match="each, mean, best, not 'all'"):
            caplens.score(CAPTIONS, REFERENCES, "rouge", several="all")


class TestCommandLine:
    @pytest.fixture
    def files(self, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps([{"image_id": key, "caption": text} for key, text in ROWS]))
        (tmp_path / "refs.json").write_text(json.dumps(REFERENCES))
        return [str(tmp_path / "a.json"), "-r", str(tmp_path / "refs.json"), "-m", "rouge"]

    def run(self, *arguments):
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code

    def test_score(self, files, capsys, tmp_path):
        assert self.run("score", *files) == 2
        assert "use --several each, mean or best" in capsys.readouterr().err
        out = str(tmp_path / "out.json")
        assert self.run("score", *files, "--several", "best", "-o", out) == 0
        assert "only the best candidate of each image counts" in " ".join(capsys.readouterr().out.split())
        assert [item["id"] for item in json.loads((tmp_path / "out.json").read_text())["items"]] == ["7", "9", "11"]
        assert self.run("score", "--again", out) == 0
        assert "reproduce" in capsys.readouterr().out

    def test_compare(self, files, capsys):
        assert self.run("compare", f"b={files[0]}", *files, "--several", "mean", "-q") == 0
        assert "averaged over the candidates of each image" in " ".join(capsys.readouterr().out.split())

    def test_streams_refuse(self, files, capsys, tmp_path):
        assert self.run("score", *files, "--several", "mean", "--stream", "-o", str(tmp_path / "out")) == 2
        assert "--several needs all rows at once" in capsys.readouterr().err
