"""SPICE as a metric: the reference's numbers from the reference's parses, options, oddities, and what goes with it."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests import spice_reference
from tests.spice_reference import CATEGORIES, SETS, needs_spice

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import Usage, prepare
from caplens.core.registry import metric_class
from caplens.metrics.spice.preparing import ProposedTuples

Spice = metric_class("spice")
PARTS = ("precision", "recall")


class Telegram:
    """Every word but the last is an adjective of the last; `x` is no word at all. Counts what it is asked."""

    signature = "telegram-1"

    def __init__(self):
        self.asked = Counter()

    def parse(self, captions):
        self.asked.update(map(tuple, captions))
        return [() if "x" in words else (self.sentence(tuple(words)),) for words in captions]

    @staticmethod
    def sentence(words):
        before = len(words) - 1
        tags, heads, labels = ("JJ",) * before, (len(words),) * before, ("amod",) * before
        return caplens.Sentence(words, (*tags, "NN"), words, (*heads, 0), (*labels, "root"))


@pytest.fixture
def telegram():
    parser = Telegram()
    caplens.register_parser("telegram", parser)
    return parser


def score(candidates, references, options="", **more):
    request = f"spice(parser=telegram{', ' if options else ''}{options})"
    return caplens.score(candidates, references, request, **more)


def values(result, key="SPICE"):
    return [None if math.isnan(value) else round(value, 6) for value in result[key].item_scores.tolist()]


@needs_spice
class TestReference:
    # The references of fakecap1000 are stored as tokens only.
    @pytest.mark.parametrize(
        ("name", "tokenizer"),
        [*((name, "none") for name in SETS), *((name, "ptb") for name in SETS if name != "fakecap1000")],
    )
    def test_its_parses_give_its_scores(self, name, tokenizer):
        golden = spice_reference.load(name)
        items = golden["items"]
        given = "_ptb" if tokenizer == "none" else ""
        result = caplens.score(
            [item[f"candidate{given}"] for item in items],
            [item[f"references{given}"] for item in items],
            f"spice(parser={spice_reference.register()}, tokenizer={tokenizer})",
        )
        for found, category in CATEGORIES.items():
            ours = result[found]
            columns = [ours.item_scores, *(ours.parts[part].item_scores for part in PARTS)]
            wanted = np.array([[item["scores"][category][each] for each in ("f", "pr", "re")] for item in items], float)
            np.testing.assert_allclose(np.column_stack(columns), wanted, rtol=0, atol=1e-12)
            assert ours.score == pytest.approx(np.nanmean(wanted[:, 0]), abs=1e-12)
            assert ours.parts["recall"].score == pytest.approx(np.nanmean(wanted[:, 2]), abs=1e-12)
        assert result["SPICE"].score == pytest.approx(golden["corpus"]["SPICE"], abs=1e-9)
        assert result["SPICE"].interval[0] < result["SPICE"].score < result["SPICE"].interval[1]
        assert "|parser:stanford-corenlp-3.6.0|" in result["SPICE"].signature

    def test_spider_is_the_mean_of_both(self):
        items = spice_reference.load("fakecap1000")["items"]
        texts = [item["candidate_ptb"] for item in items], [item["references_ptb"] for item in items]
        options = f"parser={spice_reference.register()}, tokenizer=none"
        result = caplens.score(*texts, f"spider({options}), spice({options}), cider(tokenizer=none)")
        alone = caplens.score(*texts, f"spider({options})")
        expected = (result["SPICE"].item_scores + result["CIDEr"].item_scores) / 2
        np.testing.assert_array_equal(result["SPIDEr"].item_scores, expected)
        np.testing.assert_array_equal(alone["SPIDEr"].item_scores, expected)
        assert result["SPIDEr"].score == pytest.approx((result["SPICE"].score + result["CIDEr"].score) / 2, abs=1e-12)
        facts = alone["SPIDEr"].signature
        assert facts == result["SPIDEr"].signature
        assert result["CIDEr"].signature.split("|")[-2] in facts.split("|")
        assert caplens.metric(facts) == caplens.metric(f"spider({options})")


class TestScores:
    def test_precision_recall_and_f_by_category(self, telegram):
        result = score(["brown small dog"], [["brown dog", "happy brown hound"]], "synonyms=false")
        # The references have dog, brown dog, hound, happy hound and brown hound; the candidate a small dog besides.
        assert result["SPICE"].parts["precision"].score == pytest.approx(2 / 3)
        assert result["SPICE"].parts["recall"].score == pytest.approx(2 / 5)
        assert result["SPICE"].score == pytest.approx(0.5)
        assert result["SPICE_Object"].score == pytest.approx(2 / 3)
        assert result["SPICE_Color"].parts["precision"].score == 1
        assert result["SPICE_Color"].parts["recall"].score == 0.5
        assert list(result) == list(CATEGORIES)
        assert math.isnan(result["SPICE_Relation"].score)
        assert math.isnan(result["SPICE_Size"].parts["precision"].score)

    def test_synonyms_match_unless_exact(self, telegram):
        candidate, references = ["red bike"], [["red bicycle"]]
        assert score(candidate, references)["SPICE"].score == 1
        assert score(candidate, references, "synonyms=false")["SPICE"].score == 0

    def test_repeated_synonyms_count_once_on_request(self):
        # Two bikes that are apart in the candidate find the one in the references.
        candidate = [[("bicycle",), ("motorcycle",)]]
        references = [[[("bike",)]]]
        assert caplens.score(candidate, references, "spice")["SPICE"].parts["precision"].score == 1
        assert caplens.score(candidate, references, "spice(repeat=once)")["SPICE"].parts["precision"].score == 0.5

    def test_a_candidate_without_words_or_tuples_scores_0(self, telegram):
        result = score(["", "x", "dog"], [["dog"]] * 3)
        assert values(result) == [0, 0, 1]
        assert result["SPICE"].parts["precision"].item_scores.tolist() == [0, 0, 1]

    def test_images_without_reference_tuples_are_left_out_and_named(self, telegram):
        result = score({"a": "dog", "b": "dog", "c": "cat"}, {"a": ["dog"], "b": ["x", "x x"], "c": ["dog"]})
        assert values(result) == [1, None, 0]
        assert result["SPICE"].score == 0.5
        assert result["SPICE"].parts["recall"].score == 0.5
        (notice,) = result.warnings
        assert (notice.code, notice.count, notice.ids) == ("no-tuples", 1, ("b",))
        assert str(notice) == (
            "SPICE excludes 1 image, in whose references its parser finds no object, attribute or relation (b)"
        )

    def test_nothing_but_empty_graphs(self, telegram):
        result = score(["dog", "x"], [["x"], ["x"]])
        assert values(result) == [None, None]
        assert math.isnan(result["SPICE"].score)
        assert all(map(math.isnan, result["SPICE"].interval))

    def test_one_image(self, telegram):
        result = score(["brown dog"], [["brown dog"]])
        assert result["SPICE"].score == 1
        assert np.isnan(result["SPICE"].interval).all()  # of one item

    def test_intervals_are_those_of_the_images_that_count(self, telegram):
        candidates = ["brown dog", "dog", "cat", "red dog"] * 25
        references = [["brown dog"], ["dog", "cat"], ["dog"], ["x"]] * 25
        whole = score(candidates, references)
        low, high = whole["SPICE_Color"].interval
        assert (low, high) == (1, 1)
        assert whole["SPICE_Color"].score == 1
        low, high = whole["SPICE"].interval
        assert low < whole["SPICE"].score < high
        assert whole["SPICE"].score == pytest.approx(np.nanmean(whole["SPICE"].item_scores))


class TestWork:
    def test_each_distinct_caption_is_parsed_once(self, telegram):
        captions = ["brown dog", "Brown dog.", "brown dog", "big cat", ""]
        score(captions, [["big cat", "brown dog", "dog"]] * 5)
        assert telegram.asked == {("brown", "dog"): 1, ("big", "cat"): 1, ("dog",): 1}

    def test_blocks_and_threads_change_nothing(self, telegram):
        adjectives = [f"{first}{second}" for first in "abcdefghijklmnopqrs" for second in "abcdefghijklmnopqrs" * 10]
        candidates = [f"{adjective} {place} dog" for place, adjective in enumerate(adjectives)]
        references = [[f"{adjective} dog"] for adjective in adjectives]
        one, two = (score(candidates, references, jobs=jobs) for jobs in (1, 3))
        assert len(candidates) > 3000
        for found in one:
            np.testing.assert_array_equal(one[found].item_scores, two[found].item_scores)
        assert one["SPICE"].score == pytest.approx(0.8)

    def test_rows_may_share_an_image_and_images_have_different_numbers_of_references(self, telegram):
        rows = {"1": "dog", "2": "brown dog", "3": "dog", "4": "dog"}
        references = {"1": ["dog"], "2": ["dog"], "3": ["dog", "brown dog", "cat"], "4": ["dog", "brown dog", "cat"]}
        result = score(rows, references, groups=["a", "a", "b", "b"])
        assert values(result) == [1, round(2 / 3, 6), 0.5, 0.5]
        assert "references:1-3" in result["SPICE"].signature

    def test_shards_give_what_the_whole_gives(self, telegram):
        metric = Spice(parser="telegram")
        captions = ["dog", "brown dog", "x", "big cat"]
        whole = score(captions, [["brown dog", "x"]] * 4).runs[0]
        parts = [score([caption], [["brown dog", "x"]]).runs[0].statistics for caption in captions]
        together = type(whole.statistics).concatenate(parts)
        np.testing.assert_array_equal(together.table, whole.statistics.table)
        assert metric.corpus_scores(together)[0] == metric.corpus_scores(whole.statistics)[0]

    def test_batches_parse_references_once_and_build_only_the_graphs_they_use(self, telegram):
        metric = Spice(parser="telegram")
        prepared = metric.prepare({"1": ["brown dog"], "2": ["cat", "x"], "3": ["x"]})
        assert [notice.code for notice in metric({"3": "dog"}, prepared).warnings] == ["no-tuples"]
        asked = Counter(telegram.asked)
        assert values(metric(["dog", "brown dog", "cat"], prepared, ids=["1", "1", "2"])) == [round(2 / 3, 6), 1, 1]
        # `brown dog` and `cat` are references too, and a batch forgets what it parsed.
        assert telegram.asked - asked == {("dog",): 1}
        assert values(metric({"1": "white dog"}, prepared)) == [0.5]
        assert telegram.asked - asked == {("dog",): 1, ("white", "dog"): 1}
        known = prepared.references.get(ProposedTuples("ptb", "telegram"))
        assert len(known.distinct) == 3

    def test_graphs_of_a_row(self, telegram):
        metric = Spice(parser="telegram")
        prepared = prepare(corpus_of({"1": "dog", "2": "brown dog"}, {"1": ["cat"], "2": ["dog", "red dog"]}))
        state = metric.fit(prepared.references, Usage.once(2))
        (scenes,) = metric.explain(prepared, state, 1).scene_graphs()
        assert [each.name for each in scenes.candidate.objects] == ["dog"]
        assert [each.name for each in scenes.references.objects[0].attributes] == ["red"]


class TestCompare:
    def test_systems_on_images_of_which_some_do_not_count(self, telegram):
        references = [["brown dog"], ["x"], ["cat"], ["big brown cat"]] * 10
        systems = {
            "good": ["brown dog", "dog", "cat", "brown cat"] * 10,
            "bad": ["dog", "dog", "red cat", "fish"] * 10,
        }
        comparison = caplens.compare(systems, references, "spice(parser=telegram)")
        by_score = {test.score: test for test in comparison.tests}
        assert set(by_score) == set(CATEGORIES)
        assert by_score["SPICE"].difference == pytest.approx((1 + 1 + 0.8) / 3 - (2 / 3 + 2 / 3 + 0) / 3)
        assert by_score["SPICE"].p_bootstrap < 0.01
        assert by_score["SPICE"].p_randomisation < 0.01
        assert math.isnan(by_score["SPICE_Relation"].p_bootstrap)
        json.dumps(comparison.to_dict(), allow_nan=False)
        assert [notice.code for notice in comparison.warnings].count("no-tuples") == 1

    def test_what_spice_and_spider_say_is_said_once(self, telegram):
        metrics = "spice(parser=telegram), spider(parser=telegram), cider"
        comparison = caplens.compare({"a": ["dog", "cat"], "b": ["cat", "dog"]}, [["dog"], ["x"]], metrics)
        assert sorted(notice.code for notice in comparison.warnings) == ["few-documents", "no-tuples"]


class TestFiles:
    @pytest.fixture
    def result(self, telegram):
        return score({"1": "brown dog", "2": "dog"}, {"1": ["dog"], "2": ["x"]})

    def test_json_has_precision_and_recall_and_null(self, result, tmp_path):
        result.write(tmp_path / "scores.json")
        data = json.loads((tmp_path / "scores.json").read_text())
        spice = data["metrics"]["SPICE"]
        assert (spice["score"], spice["precision"], spice["recall"]) == (pytest.approx(2 / 3), 0.5, 1)
        assert data["metrics"]["SPICE_Size"]["precision"] is None
        first, second = data["items"]
        assert first["parts"]["SPICE"] == {"precision": 0.5, "recall": 1}
        assert first["scores"]["SPICE_Color"] is None
        assert second["parts"]["SPICE"] == {"precision": None, "recall": None}
        assert data == result.to_dict()

    def test_metrics_without_parts_have_none_in_files(self, telegram):
        data = caplens.score(["dog"], [["dog"]], "rouge").to_dict()
        assert list(data["items"][0]) == ["id", "scores"]
        both = caplens.score(["dog"], [["dog"]], "rouge, spice(parser=telegram)").to_dict()
        assert list(both["items"][0]["parts"]) == list(CATEGORIES)
        assert "precision" not in both["metrics"]["ROUGE_L"]

    def test_tables_have_a_column_for_each_part(self, result, tmp_path):
        for suffix in ("parquet", "csv", "jsonl"):
            result.write(tmp_path / f"scores.{suffix}")
        table = pq.read_table(tmp_path / "scores.parquet")
        assert table.column("SPICE_precision").to_pylist() == [0.5, None]
        columns = ["id", *CATEGORIES, *(f"{each}_{part}" for each in CATEGORIES for part in PARTS)]
        assert table.column_names == columns
        lines = (tmp_path / "scores.csv").read_text().splitlines()
        assert lines[0].split(",") == columns
        assert lines[2].split(",")[1] == ""
        rows = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
        assert rows == table.to_pylist()
        assert list(result.to_pandas().columns) == columns[1:]

    def test_the_terminal_shows_scores_only(self, result):
        assert "precision" not in str(result)


class TestCategories:
    def write(self, tmp_path, data):
        path = tmp_path / "lists.json"
        content = data if isinstance(data, str | bytes) else json.dumps(data)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def test_own_word_lists_become_scores(self, telegram, tmp_path):
        path = self.write(tmp_path, {"Material": ["Wooden", "metal"], "eye_color": ["hazel"]})
        result = score(["wooden table"], [["wooden table", "metal chair", "red chair"]], f'categories="{path}"')
        assert list(result)[-2:] == ["SPICE_Material", "SPICE_eye_color"]
        assert result["SPICE_Material"].score == pytest.approx(2 / 3)
        assert result["SPICE_material"].parts["recall"].score == 0.5
        assert math.isnan(result["SPICE_eye_color"].score)
        signature = result["SPICE"].signature
        assert "|categories:" in signature
        assert caplens.metric(signature).keys == Spice(categories=str(path)).keys

    def test_the_hash_is_that_of_the_lists(self, telegram, tmp_path):
        def fact(data):
            path = self.write(tmp_path, data)
            signature = score(["dog"], [["dog"]], f'categories="{path}"')["SPICE"].signature
            return next(fact for fact in signature.split("|") if fact.startswith("categories:"))

        one = fact({"Material": ["wooden", "metal"]})
        assert fact('{ "Material": ["metal", "Wooden"] }') == one
        assert fact({"Material": ["wooden"]}) != one
        assert "categories" not in score(["dog"], [["dog"]])["SPICE"].signature

    def test_labels_replace_the_name_in_every_key(self, tmp_path):
        path = self.write(tmp_path, {"eye_color": ["hazel"]})
        assert Spice(label="Mine", categories=str(path)).result_keys == tuple(
            name.replace("SPICE", "Mine") for name in (*CATEGORIES, "SPICE_eye_color")
        )

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ("{", "must map names to lists of words"),
            (b'{"Material": ["\xff"]}', "must map names to lists of words"),
            ([], "must map names to lists of words"),
            ({"Material": "wooden"}, "must map names to lists of words"),
            ({"Material": [1]}, "must map names to lists of words"),
            ({}, "contains no word list"),
            ({"Material": []}, "the category Material needs at least one word"),
            ({"Material": ["wooden", " "]}, "the category Material needs at least one word"),
            ({"color": ["red"]}, "there is already a category color"),
            ({"Material": ["a"], "material": ["b"]}, "there is already a category material"),
            ({" ": ["a"]}, "' ' cannot be the name of a category"),
            ({"Object_Precision": ["a"]}, "'Object_Precision' cannot be the name of a category"),
        ],
    )
    def test_other_files_are_refused_in_one_sentence(self, tmp_path, data, words):
        path = self.write(tmp_path, data)
        with pytest.raises(caplens.InputError) as refused:
            Spice(categories=str(path))
        assert words in str(refused.value)
        assert str(path) in str(refused.value)

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(caplens.InputError, match=r"The word lists .*none\.json cannot be read: No such file"):
            Spice(categories=str(tmp_path / "none.json"))


class TestLanguage:
    def test_references_in_another_language_are_warned_about(self):
        captions = ["ein mann reitet auf einem braunen pferd", "zwei hunde laufen durch den schnee"]
        result = caplens.score(captions, [[caption] for caption in captions], "spice")
        assert [notice.code for notice in result.warnings] == ["not-english"]
        assert "knows only" in str(result.warnings[0])

    def test_english_and_parsers_that_cannot_tell_are_not(self, telegram):
        assert caplens.score(["a man rides a horse"], [["a man on a horse"]], "spice").warnings == ()
        assert score(["ein pferd"], [["ein pferd"]]).warnings == ()


class TestSpider:
    def test_it_has_none_where_spice_has_none(self, telegram):
        result = caplens.score(["dog", "cat"], [["dog"], ["x"]], "spider(parser=telegram), cider")
        assert np.isnan(result["SPIDEr"].item_scores).tolist() == [False, True]
        assert result["SPIDEr"].score == pytest.approx((1 + result["CIDEr"].score) / 2)
        # What both say is said once.
        assert sorted(notice.code for notice in result.warnings) == ["few-documents", "no-tuples"]

    def test_it_explains_both_parts(self, telegram):
        explanation = caplens.explain("brown dog", ["dog"], "spider(parser=telegram)")
        assert explanation.facts["SPICE"] == pytest.approx(2 / 3)
        parts = explanation.facts["SPICE"] + explanation.facts["CIDEr"]
        assert explanation.scores["SPIDEr"] == pytest.approx(parts / 2)
        titles = [section.title for section in explanation.sections]
        assert titles[0].startswith("contributions")
        assert {title.partition(": ")[0] for title in titles[1:]} == {"SPICE", "CIDEr"}
        assert "SPICE: tuples" in str(explanation)

    def test_a_batch(self, telegram):
        spider = caplens.metric("spider(parser=telegram)")
        prepared = spider.prepare({"1": ["dog"], "2": ["cat"]})
        assert spider({"1": "dog"}, prepared)["SPIDEr"].item_scores[0] > 0.5


class TestTuplesAsReferences:
    def test_they_are_read_instead_of_parsed(self, telegram):
        references = [[[("dog",), ("dog", "brown"), ("dog", "on", "grass")], "big dog"]]
        result = score(["brown dog"], references)
        assert telegram.asked == {("brown", "dog"): 1, ("big", "dog"): 1}
        assert result["SPICE"].parts["precision"].score == 1
        assert result["SPICE"].parts["recall"].score == pytest.approx(2 / 5)
        assert result["SPICE_Relation"].score == 0
