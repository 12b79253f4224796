"""`caplens.score` and its result."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests import toys

import caplens
from caplens.stats.resampling import bootstrap_sums
from caplens.text.meteor import resources

CANDIDATES = {7: "a man rides a horse", "x": "two dogs", 9: "a cat on a mat"}
REFERENCES = {7: ["a man on a horse", "a person rides"], "x": ["two dogs run"], 9: ["a cat", "the cat sits", "a mat"]}
KEYS = ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "CIDEr"]


@pytest.fixture(scope="module")
def result():
    return caplens.score(CANDIDATES, REFERENCES, "bleu, rouge, cider")


@pytest.fixture
def with_gap():
    """A result in which one item has no value."""
    return caplens.score(["one", "", "three"], [["a"]] * 3, [toys.Characters(), "rouge"])


class TestResult:
    def test_it_maps_keys_to_scores(self, result):
        assert list(result) == KEYS
        assert len(result) == 6
        assert dict(result)["CIDEr"] is result["CIDEr"]

    @pytest.mark.parametrize("key", ["CIDEr", "cider", "CIDER", "rouge_l", "bleu_4"])
    def test_look_up_ignores_case(self, result, key):
        assert key in result
        assert result[key].name.lower() == key.lower()
        assert result.get(key) is result[key]

    def test_what_is_not_there_is_a_key_error(self, result):
        assert "SPICE" not in result
        assert 5 not in result
        assert result.get("SPICE") is None
        with pytest.raises(KeyError, match="SPICE"):
            result["SPICE"]

    def test_items_stand_in_input_order(self, result):
        assert result.ids == [7, "x", 9]
        alone = caplens.score({"x": "two dogs"}, REFERENCES, "rouge")
        assert result["ROUGE_L"].item_scores[1] == alone["ROUGE_L"].score
        assert isinstance(result["ROUGE_L"].item_scores, np.ndarray)

    def test_the_corpus_score_of_a_mean_is_the_mean(self, result):
        for key in ("ROUGE_L", "CIDEr"):
            assert result[key].score == pytest.approx(result[key].item_scores.mean())

    def test_the_default_is_what_the_coco_tools_report_and_lens_and_names_what_it_lacks(self, result):
        result = caplens.score(CANDIDATES, REFERENCES)
        without = [key for key in result if key != "METEOR"]
        assert without[: len(KEYS)] == KEYS
        assert all(key.startswith(("SPICE", "Lens")) for key in without[len(KEYS) :])
        assert {"SPICE", "Lens"} <= set(result)
        meteor = resources.missing_data() is None
        assert ("METEOR" in result) == meteor
        left_out = set() if meteor else {"metric-left-out"}
        assert {notice.code for notice in result.warnings} == {"few-documents"} | left_out

    def test_it_prints_as_a_table(self, result):
        lines = str(result).splitlines()
        assert lines[1].split() == ["metric", "score", "95", "%", "interval"]
        assert [line.split()[0] for line in lines[3:9]] == KEYS
        assert f"{result['CIDEr'].score:.4f}" in lines[8]
        assert repr(result) == str(result)
        assert repr(result["CIDEr"]) == f"Score(CIDEr={result['CIDEr'].score:.4f}, 3 items)"


class TestIntervals:
    def test_they_hold_the_score_and_follow_the_seed(self, example_dir):
        corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
        results = [caplens.score(corpus, metrics="bleu, cider", seed=seed) for seed in (1, 1, 2)]
        for key in ("Bleu_4", "CIDEr"):
            low, high = results[0][key].interval
            assert low < results[0][key].score < high
            assert results[1][key].interval == (low, high)
            assert results[2][key].interval != (low, high)

    def test_groups_are_resampled_together(self):
        candidates = ["a dog", "a cat", "no", "yes"] * 25
        references = [["a dog"], ["a cat"], ["maybe"], ["never"]] * 25
        images = [place // 4 for place in range(100)]
        rows = caplens.score(candidates, references, "rouge")["ROUGE_L"]
        grouped = caplens.score(candidates, references, "rouge", groups=images)["ROUGE_L"]
        assert rows.score == grouped.score == 0.5
        assert rows.interval[0] < 0.45
        assert grouped.interval == pytest.approx((0.5, 0.5))  # every image has the same mean

    @pytest.mark.parametrize("groups", [False, True])
    def test_the_order_of_rows_does_not_matter(self, example_dir, groups):
        corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
        images = [str(row // 2) for row in range(len(corpus))]
        order = np.random.default_rng(1).permutation(len(corpus)).tolist()
        whole, turned = (
            caplens.score(corpus.select(rows), metrics="bleu", groups=[images[row] for row in rows] if groups else None)
            for rows in (range(len(corpus)), order)
        )
        for key, score in whole.items():
            assert (turned[key].score, turned[key].interval) == (score.score, score.interval)

    def test_a_shard_draws_what_the_whole_draws(self, example_dir):
        """Sums of resamples over shards are those of the whole."""
        corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
        shards = np.array_split(np.random.default_rng(1).permutation(len(corpus)), 3)
        results = [caplens.score(part, metrics="bleu") for part in (corpus, *map(corpus.select, shards))]
        sums = [
            bootstrap_sums(result.runs[0].statistics.table, result.intervals.units, 100, seed=5) for result in results
        ]
        np.testing.assert_array_equal(sums[0], sum(sums[1:]))

    def test_resamples_without_rows_are_left_out_and_counted(self):
        result = caplens.score(["a dog", "two cats"], [["a dog"], ["no"]], "rouge")
        assert result.intervals.left_out == pytest.approx(1000 * np.exp(-2), abs=40)
        assert result.to_dict()["resampling"]["left_out"] == result.intervals.left_out
        assert result["ROUGE_L"].interval == (0, 1)

    @pytest.mark.parametrize("groups", [None, ["one", "one"]])
    def test_one_item_has_no_interval(self, groups):
        captions = ["a dog"] if groups is None else ["a dog", "a cat"]
        result = caplens.score(captions, [["a dog"]] * len(captions), "bleu, rouge, cider", groups=groups)
        assert np.isnan([score.interval for score in result.values()]).all()
        assert result.to_dict()["metrics"]["ROUGE_L"]["interval"] == [None, None]
        assert result.to_dict()["resampling"]["left_out"] == 1000

    def test_a_label_for_every_row_is_needed(self):
        with pytest.raises(caplens.InputError, match="There are 1 group labels for 2 rows"):
            caplens.score(["a", "b"], [["a"], ["b"]], "rouge", groups=["i"])

    @pytest.mark.parametrize("option", [{"seed": -1}, {"seed": 1 << 64}, {"jobs": 0}, {"jobs": -2}])
    def test_impossible_numbers_are_refused(self, option):
        (name,) = option
        with pytest.raises(caplens.UsageError, match=f"`{name}` must be"):
            caplens.score(["a"], [["a"]], "rouge", **option)

    def test_threads_change_nothing(self, example_dir):
        corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
        big = corpus.select(np.arange(9_000) % 250)
        one, two = (caplens.score(big, metrics="coco, spider, wmd, wembsim", jobs=jobs) for jobs in (1, 2))
        for key in one:
            np.testing.assert_array_equal(one[key].item_scores, two[key].item_scores)
            assert one[key].score == two[key].score


class TestPlainData:
    def test_it_has_the_documented_shape(self, result):
        data = result.to_dict()
        assert list(data) == ["schema", "caplens", "metrics", "resampling", "items", "warnings"]
        assert (data["schema"], data["caplens"]) == (2, caplens.__version__)
        assert list(data["metrics"]) == KEYS
        assert data["resampling"] == {"resamples": 1000, "left_out": result.intervals.left_out, "seed": 12345}
        for key, entry in data["metrics"].items():
            assert entry == {
                "score": result[key].score,
                "interval": list(result[key].interval),
                "signature": result[key].signature,
            }
        assert [item["id"] for item in data["items"]] == list(map(str, result.ids))
        for place, item in enumerate(data["items"]):
            scores = {key: result[key].item_scores[place] for key in KEYS}
            assert item == {"id": str(result.ids[place]), "scores": scores}
        assert all(set(notice) == {"code", "message", "count", "ids"} for notice in data["warnings"])
        assert json.loads(json.dumps(data, allow_nan=False)) == data

    def test_a_value_that_does_not_exist_is_none(self, with_gap):
        assert np.isnan(with_gap["Characters"].item_scores[1])
        data = with_gap.to_dict()
        assert [item["scores"]["Characters"] for item in data["items"]] == [3, None, 5]
        assert data["metrics"]["Characters"]["score"] is None
        assert data["metrics"]["ROUGE_L"]["score"] == 0
        assert json.dumps(data, allow_nan=False)

    def test_arrow(self, result, with_gap):
        table = result.to_arrow()
        assert table.column_names == ["id", *KEYS]
        assert table.column("id").to_pylist() == ["7", "x", "9"]
        assert table.column("CIDEr").to_pylist() == result["CIDEr"].item_scores.tolist()
        assert with_gap.to_arrow().column("Characters").to_pylist() == [3, None, 5]

    def test_pandas(self, result):
        frame = result.to_pandas()
        assert frame.index.name == "id"
        assert frame.loc["x", "ROUGE_L"] == result["ROUGE_L"].item_scores[1]
        assert list(frame.columns) == KEYS

    def test_a_missing_value_prints_as_a_dash(self, with_gap):
        line = next(line for line in str(with_gap).splitlines() if "Characters" in line)
        assert "nan" not in line
        assert line.split()[1] == "-"


class TestFiles:
    def read(self, path):
        """The item scores in a file, by id."""
        if path.suffix == ".json":
            return {item["id"]: item["scores"] for item in json.loads(path.read_text("utf-8"))["items"]}
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        elif path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                rows = [
                    {key: value if key == "id" else float(value) if value else None for key, value in row.items()}
                    for row in csv.DictReader(file)
                ]
        else:
            rows = pq.read_table(path).to_pylist()
        return {row.pop("id"): row for row in rows}

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet", ".JSON"])
    def test_what_was_written_is_what_was_scored(self, result, tmp_path, suffix):
        path = tmp_path / f"scores{suffix}"
        result.write(path)
        expected = {item["id"]: item["scores"] for item in result.to_dict()["items"]}
        path.rename(path.with_suffix(suffix.lower()))
        assert self.read(path.with_suffix(suffix.lower())) == expected
        assert len(list(tmp_path.iterdir())) == 1

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
    def test_no_nan_in_any_file(self, with_gap, tmp_path, suffix):
        path = tmp_path / f"scores{suffix}"
        with_gap.write(path)
        assert self.read(path)["1"]["Characters"] is None
        assert b"nan" not in path.read_bytes().lower()

    def test_ids_with_commas_quotes_and_any_script_survive(self, tmp_path):
        ids = ["a,b", 'say "hi"', "ein Bär", "一"]
        result = caplens.score(dict.fromkeys(ids, "a"), {name: ["a"] for name in ids}, "rouge")
        for suffix in (".json", ".jsonl", ".csv", ".parquet"):
            result.write(tmp_path / f"scores{suffix}")
            assert list(self.read(tmp_path / f"scores{suffix}")) == ids

    def test_json_holds_everything(self, result, tmp_path):
        result.write(tmp_path / "scores.json")
        assert json.loads((tmp_path / "scores.json").read_text("utf-8")) == result.to_dict()

    def test_parquet_keeps_the_corpus_scores_beside_the_table(self, result, tmp_path):
        result.write(tmp_path / "scores.parquet")
        facts = pq.read_schema(tmp_path / "scores.parquet").metadata
        assert json.loads(facts[b"caplens"]) == result.to_dict()["metrics"]

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("a.doc", "'a.doc' cannot be written: its name must end in "),
            ("json", "'json' cannot be written: its name must end in "),
        ],
    )
    def test_other_suffixes_are_refused(self, result, tmp_path, name, message):
        with pytest.raises(caplens.UsageError) as refused:
            result.write(tmp_path / name)
        assert str(refused.value).startswith(f"{message}.json or .jsonl or .csv or .parquet")
        assert list(tmp_path.iterdir()) == []

    def test_a_path_that_cannot_be_written_is_refused(self, result, tmp_path):
        with pytest.raises(caplens.InputError, match="there is no folder"):
            result.write(tmp_path / "nowhere" / "scores.json")
        (tmp_path / "scores.json").mkdir()
        with pytest.raises(caplens.InputError, match="is a folder: specify a file to write to"):
            result.write(tmp_path / "scores.json")


class TestPlanner:
    def test_each_requirement_and_each_metric_once(self):
        toys.calls.clear()
        one, two = toys.Characters(), toys.Characters(times=2, label="Twice")
        both = toys.Sum(parts=(one, two))
        nested = toys.Sum(parts=(both, one), label="Nested")
        result = caplens.score(["one", "three"], [["a"], ["b"]], [nested, one, both])
        assert result["Nested"].item_scores.tolist() == [12, 20]
        assert result["Sum"].item_scores.tolist() == [9, 15]
        assert list(result) == ["Nested", "Characters", "Sum"]
        assert toys.calls == {
            "lengths of references": 1,
            "lengths of candidates": 1,
            "fit characters": 2,
            "fit sum": 2,
            "statistics characters(1)": 1,
            "statistics characters(2)": 1,
            "statistics sum": 2,
        }

    def test_references_are_prepared_once_for_all_systems(self):
        toys.calls.clear()
        systems = {name: [name, "three"] for name in ("a", "b", "c")}
        caplens.compare(systems, [["a"], ["b"]], toys.Characters())
        assert toys.calls["lengths of references"] == toys.calls["fit characters"] == 1
        assert toys.calls["lengths of candidates"] == toys.calls["statistics characters(1)"] == 3

    def test_a_combination_has_a_signature_with_its_inputs(self):
        both = toys.Sum(parts=(toys.Characters(), toys.Characters(times=2)))
        signature = caplens.score(["one"], [["a"]], both)["Sum"].signature
        inputs = "tests.toys:Characters(times=1),tests.toys:Characters(times=2)"
        assert signature.startswith(f"tests.toys:Sum({inputs})|rows:1|references:1|")
