"""`caplens.compare`: common items, one state, paired tests, correction."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests import toys

import caplens
from caplens.stats.resampling import Units, bootstrap_sums, exchange_sums
from caplens.stats.significance import holm

REFERENCES = {1: ["a man on a horse"], 2: ["two dogs run"], 3: ["a cat sits"], 4: ["a red bus"]}
FIRST = {1: "a man on a horse", 2: "two dogs", 3: "a cat", 5: "x"}
SECOND = {3: "a bird", 2: "two dogs", 1: "a man"}


@pytest.fixture(scope="module")
def example(example_dir):
    load = caplens.load_candidates
    human, degraded = (load(example_dir / f"{name}.json") for name in ("human", "degraded"))
    return human, degraded, caplens.load_references(example_dir / "references.json")


@pytest.fixture(scope="module")
def comparison(example):
    human, degraded, references = example
    return caplens.compare({"human": human, "degraded": degraded}, references, "bleu, rouge, cider")


@pytest.fixture(scope="module")
def random_systems():
    """Six systems between good and bad, one after the other a little worse."""
    generator = np.random.default_rng(11)
    words = [f"w{number}" for number in range(30)]
    references = [[" ".join(generator.choice(words, 8))] for _ in range(120)]

    def spoil(text, share):
        return " ".join(word if generator.random() > share else "x" for word in text.split())

    systems = {f"s{step}": [spoil(texts[0], 0.1 * step) for texts in references] for step in range(1, 7)}
    return systems, references


class TestItems:
    def test_only_common_ids_count_in_the_order_of_the_first_system(self):
        found = caplens.compare({"a": FIRST, "b": SECOND}, REFERENCES, "rouge")
        assert found["a"].ids == found["b"].ids == [1, 2, 3]
        assert found["b"]["ROUGE_L"].item_scores[1] == found["a"]["ROUGE_L"].item_scores[1]
        assert str(found.warnings[0]) == "1 of 4 items of a are excluded because another system lacks them (5)"
        assert {notice.code: notice.count for notice in found.warnings}["unused-references"] == 1
        assert found.to_dict()["n"] == 3

    def test_systems_without_a_common_id_are_refused(self):
        with pytest.raises(caplens.InputError, match="The systems have no ids in common"):
            caplens.compare({"a": {1: "x"}, "b": {2: "y"}}, REFERENCES, "rouge")

    def test_all_systems_have_one_state(self):
        found = caplens.compare({"a": FIRST, "b": SECOND}, REFERENCES, "cider")
        ours, theirs = found["a"]["CIDEr"], found["b"]["CIDEr"]
        assert ours.run.state is theirs.run.state
        assert ours.signature == theirs.signature
        alone = caplens.score({key: FIRST[key] for key in (1, 2, 3)}, REFERENCES, "cider")["CIDEr"]
        assert ours.signature == alone.signature
        assert ours.item_scores.tolist() == alone.item_scores.tolist()

    def test_oddities_of_one_system_carry_its_name(self):
        found = caplens.compare({"a": ["", "b"], "b": ["a", "b"]}, [["a"], ["b"]], "cider")
        said = [str(notice) for notice in found.warnings]
        assert said[0] == "a: 1 candidate without any text (0)"
        assert sum("document frequencies come from only 2 rows" in text for text in said) == 1

    @pytest.mark.parametrize(
        ("systems", "options", "error", "words"),
        [
            ({"a": ["x"]}, {}, caplens.UsageError, "needs at least two systems"),
            ([["x"], ["y"]], {}, caplens.UsageError, "a mapping from name to captions, not list"),
            ({"a": ["x"], "b": ["y"]}, {"baseline": "c"}, caplens.UsageError, "'c' is not one of the systems: a, b"),
            ({"a": ["x"], "b": {0: "y"}}, {}, caplens.InputError, "of a are given by position but those of b by id"),
            (
                {"a": ["x"], "b": ["y", "z"]},
                {},
                caplens.InputError,
                "a has 1 caption but b has 2: to match by position",
            ),
            ({"a": ["x", "y"], "b": ["y", "z"]}, {}, caplens.InputError, "2 candidates in system 'a' but 1 reference"),
            ({"Aa": "x", "b": ["y"]}, {}, caplens.InputError, "System 'Aa': The candidates are a single string"),
            ({"a": ["x"], "b": ["y"]}, {"seed": -1}, caplens.UsageError, "`seed` must be at least 0"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, systems, options, error, words):
        with pytest.raises(error, match=words):
            caplens.compare(systems, [["a"]], "rouge", **options)

    @pytest.mark.parametrize(("missing", "ids"), [("skip", [1]), ("zero", [1, 9])])
    def test_missing_references(self, missing, ids):
        systems = {"a": {1: "x", 9: "y"}, "b": {1: "z", 9: "y"}}
        assert caplens.compare(systems, REFERENCES, "rouge", missing=missing)["a"].ids == ids


class TestTests:
    def test_identical_systems_do_not_differ(self, example):
        human, _, references = example
        for test in caplens.compare({"a": human, "b": human}, references, "bleu, rouge, cider").tests:
            assert (test.difference, test.interval, test.effect) == (0, (0, 0), 0)
            assert (test.p_bootstrap, test.p_randomisation) == (1, 1)
            assert (test.p_bootstrap_holm, test.p_randomisation_holm) == (1, 1)

    def test_clearly_different_systems_have_the_smallest_p(self, comparison):
        assert comparison.smallest_p == 1 / 1001
        for test in comparison.tests:
            assert test.p_bootstrap == test.p_randomisation == comparison.smallest_p
            assert 0 < test.interval[0] < test.difference < test.interval[1]
            assert test.effect > 0.3

    def test_the_order_of_systems_turns_the_signs(self, example, comparison):
        human, degraded, references = example
        turned = caplens.compare({"degraded": degraded, "human": human}, references, "bleu, rouge, cider")
        for test, back in zip(comparison.tests, turned.tests, strict=True):
            assert (back.first, back.second) == (test.second, test.first)
            assert back.difference == -test.difference
            assert back.effect == pytest.approx(-test.effect)
            assert back.interval == pytest.approx((-test.interval[1], -test.interval[0]))

    @pytest.mark.parametrize("key", ["Bleu_4", "ROUGE_L", "CIDEr"])
    def test_both_tests_equal_explicit_loops(self, example, key):
        """Take the same rows one sample at a time and score them from scratch."""
        human, degraded, references = example
        found = caplens.compare({"a": human, "b": degraded}, references, "bleu, rouge, cider", seed=3)
        test = next(test for test in found.tests if test.score == key)
        ours, theirs = found["a"][key].run, found["b"][key].run
        metric = ours.metric
        place = metric.result_keys.index(key)

        def difference(left, right):
            scores = [
                metric.aggregate(table.sum(axis=0), np.asarray(float(len(table))))[place] for table in (left, right)
            ]
            return scores[0] - scores[1]

        left, right = ours.statistics.table, theirs.statistics.table
        observed = difference(left, right)
        drawn = []
        units = Units.of(found["a"].ids)
        for counts in bootstrap_sums(np.eye(len(left)), units, found.resamples, seed=3).astype(int):
            rows = np.repeat(np.arange(len(left)), counts)
            drawn.append(difference(left[rows], right[rows]))
        extreme = np.count_nonzero(np.abs(np.array(drawn) - observed) >= abs(observed) - 1e-12)
        assert test.p_bootstrap == (extreme + 1) / (found.resamples + 1)
        assert test.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]))

        exchanged = []
        for sample in exchange_sums(np.eye(len(left)), units, found.resamples, seed=3).astype(bool):
            swap = sample[:, np.newaxis]
            exchanged.append(difference(np.where(swap, right, left), np.where(swap, left, right)))
        extreme = np.count_nonzero(np.abs(exchanged) >= abs(observed) - 1e-12)
        assert test.p_randomisation == (extreme + 1) / (found.resamples + 1)

    @pytest.mark.parametrize("seed", [12345, 7])
    def test_intervals_are_those_of_score(self, example, seed):
        human, degraded, references = example
        comparison = caplens.compare({"a": degraded, "b": human}, references, "bleu, rouge, cider", seed=seed)
        assert comparison.tests  # drawn for all systems at once
        alone = caplens.score(human, references, "cider, rouge, bleu", seed=seed)
        assert {key: score.interval for key, score in comparison["b"].items()} == {
            key: alone[key].interval for key in comparison["b"]
        }

    def test_the_order_of_rows_does_not_matter(self, example, comparison):
        human, degraded, references = example
        order = np.random.default_rng(0).permutation(len(human.ids)).tolist()
        shuffled = {human.ids[row]: human.captions[row] for row in order}
        turned = caplens.compare({"human": shuffled, "degraded": degraded}, references, "bleu, rouge, cider")
        for test, again in zip(comparison.tests, turned.tests, strict=True):
            assert again.interval == pytest.approx(test.interval, abs=1e-12)
            assert (again.p_bootstrap, again.p_randomisation) == (test.p_bootstrap, test.p_randomisation)

    def test_resamples_without_rows_are_left_out_and_counted(self):
        systems = {"a": ["a dog", "two cats", "a bird"], "b": ["a dog", "two men", "a boat"]}
        comparison = caplens.compare(systems, [["a dog"], ["two cats"], ["a bird"]], metrics="rouge")
        drawn = Units.of("012").bootstrap_weights(0, 1000, 12345)
        empty = np.count_nonzero(drawn.sum(axis=1) == 0)
        assert 20 < empty < 80  # exp(-3) of them
        assert comparison.to_dict()["testing"]["left_out"] == empty
        assert f"paired bootstrap, {empty} without items left out" in str(comparison)
        kept = drawn[drawn.sum(axis=1) > 0]
        items = comparison["a"]["ROUGE_L"].item_scores - comparison["b"]["ROUGE_L"].item_scores
        samples = kept[:, Units.of("012").owners] @ items / kept.sum(axis=1)
        assert comparison.tests[0].interval == pytest.approx(np.quantile(samples, [0.025, 0.975]))
        extreme = np.count_nonzero(np.abs(samples - items.mean()) >= items.mean() - 1e-12)
        assert comparison.tests[0].p_bootstrap == (extreme + 1) / (len(kept) + 1)

    def test_without_a_difference_small_p_values_are_rare(self):
        """Two systems of the same quality, many times: about one in twenty is called different."""
        generator = np.random.default_rng(5)
        references = [[" ".join(f"w{place}" for place in range(6))]] * 60

        def system():
            return [
                " ".join(f"w{place}" if generator.random() < 0.6 else "x" for place in range(6)) for _ in references
            ]

        found = [caplens.compare({"a": system(), "b": system()}, references, "rouge").tests[0] for _ in range(60)]
        assert sum(test.p_randomisation <= 0.05 for test in found) <= 8
        assert sum(test.p_bootstrap <= 0.05 for test in found) <= 8
        assert sum(test.p_randomisation <= 0.5 for test in found) >= 15

    def test_the_seed_decides(self, random_systems):
        systems, references = random_systems
        pair = {name: systems[name] for name in ("s1", "s2")}
        runs = [caplens.compare(pair, references, "rouge", seed=seed).to_dict() for seed in (1, 1, 2)]
        assert runs[0] == runs[1]
        assert runs[0]["tests"] != runs[2]["tests"]


class TestFamilies:
    def test_all_pairs_are_one_family_for_each_score(self, random_systems):
        systems, references = random_systems
        found = caplens.compare(systems, references, "bleu(n=1), rouge")
        assert len(found.pairs) == 15
        assert found.resamples == 3000
        for key in ("Bleu_1", "ROUGE_L"):
            family = [test for test in found.tests if test.score == key]
            assert [(test.first, test.second) for test in family] == found.pairs
            assert [test.p_bootstrap_holm for test in family] == holm([test.p_bootstrap for test in family])
            assert [test.p_randomisation_holm for test in family] == holm([test.p_randomisation for test in family])

    def test_against_a_baseline_there_is_one_test_a_system(self, random_systems):
        systems, references = random_systems
        found = caplens.compare(systems, references, "rouge", baseline="s3")
        assert [(test.first, test.second) for test in found.tests] == [(f"s{step}", "s3") for step in (1, 2, 4, 5, 6)]
        assert [test.difference > 0 for test in found.tests] == [True, True, False, False, False]

    def test_the_correction_can_reject_in_a_large_family(self, random_systems):
        systems, references = random_systems
        found = caplens.compare(systems, references, "rouge")
        far = next(test for test in found.tests if (test.first, test.second) == ("s1", "s6"))
        assert far.p_bootstrap_holm == pytest.approx(15 * found.smallest_p, rel=0.7)
        assert max(far.p_bootstrap_holm, far.p_randomisation_holm) < 0.05


class TestOutput:
    def test_plain_data(self, comparison):
        data = comparison.to_dict()
        assert list(data) == [
            *("schema", "caplens", "n", "systems", "baseline", "tests", "testing", "resampling", "items", "warnings")
        ]
        assert data["systems"]["human"]["metrics"]["CIDEr"]["score"] == comparison["human"]["cider"].score
        assert data["n"] == len(data["items"])
        for name in ("human", "degraded"):
            assert [(item["id"], item["scores"][name]) for item in data["items"]] == [
                (item["id"], item["scores"]) for item in comparison[name].item_dicts()
            ]
        assert list(comparison.to_dict(items=False)) == [key for key in data if key != "items"]
        assert data["testing"]["resamples"] == comparison.resamples
        assert data["testing"]["smallest_p"] == comparison.smallest_p
        assert json.loads(json.dumps(data, allow_nan=False)) == data

    def test_it_prints_scores_tests_and_what_was_corrected(self, comparison):
        text = str(comparison)
        assert "human minus degraded" in text
        assert "1,000 resamples each (smallest p 0.001)" in text
        assert "Holm corrects within each score over its 1 tested pair; nothing corrects across the 6 scores" in text
        assert sum(line.rstrip().endswith("*") for line in text.splitlines()) >= 6

    def test_one_score_needs_no_word_about_the_others(self, random_systems):
        systems, references = random_systems
        text = str(caplens.compare(systems, references, "rouge"))
        assert "over its 15 tested pairs.\n" in text
        assert "nothing corrects" not in text

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
    def test_what_was_written_is_what_was_tested(self, comparison, tmp_path, suffix):
        path = tmp_path / f"tests{suffix}"
        comparison.write(path)
        data = comparison.to_dict()
        if suffix == ".json":
            assert json.loads(path.read_text("utf-8")) == data
            return
        if suffix == ".jsonl":
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        elif suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        else:
            rows = pq.read_table(path).to_pylist()
        for row, test in zip(rows, data["tests"], strict=True):
            assert (row["score"], row["first"], row["second"]) == (test["score"], test["first"], test["second"])
            assert [float(row["low"]), float(row["high"])] == test["interval"]
            assert float(row["p_randomisation_holm"]) == test["p_randomisation_holm"]

    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
    def test_values_that_do_not_exist(self, tmp_path, suffix):
        found = caplens.compare({"a": ["one", ""], "b": ["one", "two"]}, [["a"]] * 2, toys.Characters())
        (test,) = found.tests
        assert math.isnan(test.difference)
        assert math.isnan(test.p_bootstrap)
        assert math.isnan(test.p_randomisation_holm)
        assert "nan" not in str(found)
        found.write(tmp_path / f"tests{suffix}")
        assert b"nan" not in (tmp_path / f"tests{suffix}").read_bytes().lower()


class TestInPython:
    def test_the_repr_is_short(self, comparison):
        lines = repr(comparison).splitlines()
        assert lines[2].split() == ["system", "Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "CIDEr"]
        assert lines[4].split()[0] == "human"
        assert f"{comparison['human']['CIDEr'].score:.4f}" in lines[4]
        assert "print() shows intervals and tests." in lines

    def test_data_frames(self, comparison):
        scores = comparison.to_pandas()
        assert scores.loc["human", "CIDEr"] == comparison["human"]["CIDEr"].score
        tests = comparison.to_pandas("tests")
        assert tests.to_dict("records")[0]["difference"] == comparison.tests[0].difference
        items = comparison.to_pandas("items")
        identifier = comparison["degraded"].ids[3]
        assert items.loc[("degraded", identifier), "ROUGE_L"] == comparison["degraded"]["ROUGE_L"].item_scores[3]
        with pytest.raises(caplens.UsageError, match="`what` must be one of scores, tests, items, not 'all'"):
            comparison.to_pandas("all")

    def test_html(self, comparison):
        shown = comparison._repr_html_()
        assert "2 systems on 250 common items" in shown
        assert "<td class='words'>human - degraded</td>" in shown
        assert "<td class='words'>yes</td>" in shown

    def test_ids_keep_their_type(self):
        systems = {"a": {1: "a dog", 2: "x"}, "b": {2: "two cats", 1: "y", 3: "z"}}
        found = caplens.compare(systems, {1: ["a dog"], 2: ["two cats"]}, "rouge")
        assert found["a"].ids == found["b"].ids == [1, 2]
