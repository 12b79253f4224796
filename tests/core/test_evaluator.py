"""The evaluator: references prepared once, many systems and batches scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from tests import toys

import caplens
from caplens import Evaluator, InputError, UsageError
from caplens.api.inputs import corpus_of
from caplens.core.metric import Metric, State, Statistics
from caplens.core.prepared import Usage
from caplens.corpus import CaptionTable
from caplens.output.explanation import Explanation

REFERENCES = {
    7: ["a man on a horse", "a person rides a horse"],
    "x": ["two dogs run"],
    9: ["a cat", "the cat sits on a mat"],
}
CANDIDATES = {7: "a man rides a horse", "x": "two dogs", 9: "a cat on a mat"}
OTHERS = {7: "a horse", "x": "two cats", 9: "a mat"}


@dataclass(frozen=True)
class Shown(Metric):
    """Reads a column of the user's; needs no references."""

    name: ClassVar[str] = "shown"
    title: ClassVar[str] = "shown"
    origin: ClassVar[str] = "tests"
    idea: ClassVar[str] = "none"

    @property
    def keys(self):
        return ("Shown",)

    @property
    def needs_references(self):
        return False

    def statistics(self, prepared, state, inputs=()):
        return Statistics(("weight",), np.asarray(prepared.column("weight"), dtype=float)[:, np.newaxis])

    def aggregate(self, sums, rows):
        return sums / np.asarray(rows)[..., np.newaxis]

    def explain(self, prepared, state, row):
        return Explanation(self.name, "", (), {"Shown": float(prepared.column("weight")[row])}, {}, ())


@pytest.fixture
def evaluator():
    return Evaluator("rouge, cider", REFERENCES)


class TestScore:
    def test_it_gives_the_scores_of_score_where_every_set_is_used_once(self, evaluator):
        ours, theirs = evaluator.score(CANDIDATES), caplens.score(CANDIDATES, REFERENCES, "rouge, cider")
        assert list(ours) == list(theirs)
        assert ours.to_dict() == theirs.to_dict()

    def test_references_are_prepared_and_learned_from_once(self):
        toys.calls.clear()
        evaluator = Evaluator([toys.Characters()], REFERENCES)
        for candidates in (CANDIDATES, OTHERS, {7: "x"}):
            evaluator.score(candidates)
        assert toys.calls["lengths of references"] == 1
        assert toys.calls["fit characters"] == 1
        assert toys.calls["lengths of candidates"] == 3

    def test_a_part_of_the_ids_is_scored_as_in_the_whole(self, evaluator):
        whole = evaluator.score(CANDIDATES)["CIDEr"].item_scores
        assert evaluator.score({9: CANDIDATES[9]})["CIDEr"].item_scores == pytest.approx(whole[2:])

    @pytest.mark.parametrize(
        "given",
        [
            {"candidates": {"7": "a man", "9": "a cat"}},
            {"candidates": {7: ["a man"], 9: ["a cat"]}},
            {"candidates": ["a man", "a cat"], "ids": [7, "9"]},
            {"candidates": CaptionTable([7, 9], ["a man", "a cat"], "file.json")},
        ],
        ids=["mapping", "mapping of lists", "ids", "table"],
    )
    def test_candidates_come_in_many_shapes(self, evaluator, given):
        result = evaluator.score(**given)
        assert list(map(str, result.ids)) == ["7", "9"]
        expected = caplens.score({7: "a man", 9: "a cat"}, {7: REFERENCES[7], 9: REFERENCES[9]}, "rouge")
        assert result["ROUGE_L"].item_scores.tolist() == expected["ROUGE_L"].item_scores.tolist()

    def test_positions(self):
        evaluator = Evaluator("rouge", list(REFERENCES.values()))
        assert evaluator.score(list(CANDIDATES.values())).ids == [0, 1, 2]
        assert evaluator.score(["a cat"], ids=[2])["ROUGE_L"].score == 1
        with pytest.raises(InputError, match="does not match 3 prepared reference sets"):
            evaluator.score(["a"])

    def test_positions_meet_ids_that_count(self):
        result = Evaluator("rouge", {0: ["a"], 1: ["b"]}).score(["a", "c"])
        assert result["ROUGE_L"].item_scores.tolist() == [1, 0]

    def test_ids_may_repeat_only_where_they_name_sets(self, evaluator):
        assert evaluator.score(["a", "b"], ids=[7, "7"]).ids == [7, "7"]
        with pytest.raises(InputError, match="repeat 1 id"):
            evaluator.score(CaptionTable([7, "7"], ["a", "b"], ""))

    def test_a_candidate_without_references(self, evaluator):
        more = {**CANDIDATES, "new": "a bird"}
        with pytest.raises(InputError, match=r"1 of 4 ids is not among the prepared references \(new\)"):
            evaluator.score(more)
        skipped = evaluator.score(more, missing="skip", groups=["i", "i", "j", "k"], columns={"weight": [1, 2, 3, 4]})
        assert skipped.ids == [7, "x", 9]
        assert skipped.groups == ["i", "i", "j"]
        assert skipped.corpus.columns == {"weight": [1, 2, 3]}
        assert [notice.code for notice in skipped.warnings][:1] == ["missing-references"]
        zero = evaluator.score(more, missing="zero")
        assert zero["CIDEr"].item_scores[3] == 0
        assert zero["CIDEr"].item_scores[:3] == pytest.approx(evaluator.score(CANDIDATES)["CIDEr"].item_scores)
        with pytest.raises(UsageError, match="`missing` must be one of error, skip, zero"):
            evaluator.score(more, missing="ignore")

    def test_other_ids_of_the_references_are_tried(self):
        table = CaptionTable(
            [7, 7, 9], ["a dog", "dogs", "a cat"], "", other_ids={"filename": ["d.jpg", "d.jpg", "c.jpg"]}
        )
        evaluator = Evaluator("rouge", table)
        assert evaluator.score({"c.jpg": "a cat"})["ROUGE_L"].score == 1
        assert evaluator.score({"9": "a cat"})["ROUGE_L"].score == 1

    def test_references_by_image(self, evaluator):
        table = CaptionTable(["a", "b"], ["two dogs", "two dogs run"], "", images=["x", "x"])
        result = evaluator.score(table)
        assert result.ids == ["a", "b"]
        assert result.groups == ["x", "x"]
        assert result["ROUGE_L"].item_scores[1] == 1

    def test_groups_are_resampled_together(self, evaluator):
        alone = evaluator.score(CANDIDATES)["ROUGE_L"]
        grouped = evaluator.score(CANDIDATES, groups=["i", "i", "j"])["ROUGE_L"]
        assert grouped.score == alone.score
        assert grouped.interval != alone.interval
        with pytest.raises(InputError, match="There are 1 group labels for 3 rows"):
            evaluator.score(CANDIDATES, groups=["i"])

    def test_a_corpus_brings_its_own_references_and_the_states_are_the_evaluators(self, evaluator):
        corpus = corpus_of(CANDIDATES, REFERENCES)
        whole = evaluator.score(corpus)["CIDEr"]
        shard = evaluator.score(corpus.select([2]))["CIDEr"]
        assert shard.item_scores == pytest.approx(whole.item_scores[2:])
        assert shard.run.state is whole.run.state
        with pytest.raises(UsageError, match="A corpus already contains its ids"):
            evaluator.score(corpus, ids=[1])

    def test_settings_are_checked(self):
        with pytest.raises(UsageError, match="`jobs` must be at least 1"):
            Evaluator("rouge", REFERENCES, jobs=0)
        with pytest.raises(UsageError, match="`resamples` must be at least 1"):
            Evaluator("rouge", REFERENCES, resamples=0)
        with pytest.raises(UsageError, match="`seed` must be at least 0"):
            Evaluator("rouge", REFERENCES, seed=-1)


class TestDocuments:
    ROWS = ("a man on a horse", "a man", "two dogs", "a cat")
    IDS = (7, 7, 7, "x")

    def item_score(self, request="cider", **settings):
        result = Evaluator(request, REFERENCES, **settings).score({"x": "two dogs"})["CIDEr"]
        return float(result.item_scores[0]), result.signature

    def test_each_set_counts_once_by_default_and_the_signature_shows_it(self):
        default, signature = self.item_score()
        assert "|documents:3|" in signature
        once, same = self.item_score(documents={7: 1, "x": 1, 9: 1})
        assert once == default
        assert signature == same

    def test_the_ways_to_count_differ(self):
        """Each set once, the scored rows, the images of the rows, and repeated judgments."""
        rows = {f"r{place}": caption for place, caption in enumerate(self.ROWS)}
        references = {f"r{place}": REFERENCES[identifier] for place, identifier in enumerate(self.IDS)}
        table = CaptionTable(list(rows), list(rows.values()), "", images=["i", "i", "j", "x"])
        found = {"sets": self.item_score()}
        by_rows = caplens.score(table, {**references, "unused": ["a zebra"]}, "cider")["CIDEr"]
        by_images = caplens.score(
            CaptionTable(table.ids, table.captions, "", images=[7, 7, 7, "x"]), REFERENCES, "cider(df_documents=images)"
        )["CIDEr"]
        repeated = self.item_score(documents={7: 3, "x": 1})
        judged = self.item_score(documents={7: 30, "x": 2, 9: 1})
        found |= {"rows": (by_rows.item_scores[3], by_rows.signature), "repeated": repeated, "judged": judged}
        assert "|documents:4|" in by_rows.signature
        assert "|documents:2|" in by_images.signature
        assert "|documents:4|" in repeated[1]
        assert "|documents:33|" in judged[1]
        assert len({signature for _, signature in found.values()}) == len(found)
        assert len({self.item_score()[0], repeated[0], judged[0]}) == 3

    def test_score_counts_the_rows_that_it_scores(self):
        ids = [f"r{place}" for place in range(len(self.IDS))]
        references = dict(zip(ids, (REFERENCES[identifier] for identifier in self.IDS), strict=True))
        by_rows = caplens.score(dict(zip(ids, self.ROWS, strict=True)), references, "cider")["CIDEr"].item_scores
        known = Evaluator("cider", REFERENCES, documents={7: 3, "x": 1})
        by_documents = known.score(list(self.ROWS), ids=list(self.IDS))["CIDEr"].item_scores
        assert by_rows == pytest.approx(by_documents)

    @pytest.mark.parametrize(
        ("documents", "words"),
        [({"new": 1}, "1 id without references"), ({7: -1}, "whole numbers from 0"), ({7: 0.5}, "whole numbers")],
    )
    def test_mistakes(self, documents, words):
        with pytest.raises(caplens.CaplensError, match=words):
            Evaluator("cider", REFERENCES, documents=documents)


class TestWithoutReferences:
    def test_metrics_that_need_them_are_refused_at_once(self):
        with pytest.raises(InputError, match=r"There are no references, which rouge, cider need: pass them"):
            Evaluator("rouge, cider")
        with pytest.raises(UsageError, match="`documents` counts reference sets"):
            Evaluator([Shown()], documents={1: 1})

    def test_others_score_candidates_alone(self):
        result = Evaluator([Shown()]).score({7: "a", 9: ""}, columns={"weight": [0.5, 1]})
        assert result["Shown"].item_scores.tolist() == [0.5, 1]
        assert result.ids == [7, 9]
        assert "|references:0|" in result["Shown"].signature
        samples = Evaluator([Shown()]).score(["a", "b"], ids=[7, 7], columns={"weight": [2, 4]})
        assert samples["Shown"].score == 3
        whole = caplens.score(["a", "b"], metrics=[Shown()], columns={"weight": np.array([2, 4])})
        assert whole["Shown"].score == 3

    def test_a_combination_needs_what_its_inputs_need(self):
        assert toys.Sum((toys.Characters(), Shown())).needs_references
        assert not toys.Sum((Shown(),)).needs_references


class TestColumns:
    def test_they_follow_their_rows(self):
        corpus = corpus_of(CANDIDATES, REFERENCES, columns={"weight": [1.0, 2.0, 4.0]})
        evaluator = Evaluator([Shown()], corpus.references)
        assert evaluator.score(corpus.select([2, 0]))["Shown"].item_scores.tolist() == [4, 1]
        (explanation,) = evaluator.explain_all(corpus.select([1]))[0]
        assert explanation.scores == {"Shown": 2}

    def test_score_and_compare_pass_them_on(self):
        result = caplens.score(CANDIDATES, REFERENCES, [Shown(), "rouge"], columns={"weight": [1, 2, 3]})
        assert result["Shown"].score == 2
        tables = {
            name: CaptionTable(list(side), list(side.values()), "", columns={"weight": weights})
            for name, side, weights in (("a", CANDIDATES, [1, 2, 3]), ("b", OTHERS, [3, 4, 5]))
        }
        comparison = Evaluator([Shown()], REFERENCES).compare(tables)
        assert comparison["b"]["Shown"].score == 4

    def test_one_that_is_not_there_is_named(self):
        with pytest.raises(UsageError, match=r"needs the column 'weight' alongside the candidates \(there are none\)"):
            caplens.score(CANDIDATES, REFERENCES, [Shown()])
        with pytest.raises(UsageError, match=r"\(there are path\)"):
            caplens.score(CANDIDATES, REFERENCES, [Shown()], columns={"path": ["x"] * 3})
        with pytest.raises(InputError, match=r"The column 'weight' has 1 entries for 3 rows"):
            caplens.score(CANDIDATES, REFERENCES, [Shown()], columns={"weight": [1]})


class TestCompare:
    def test_it_gives_the_comparison_of_compare(self, evaluator):
        systems = {"ours": CANDIDATES, "theirs": {**OTHERS, "more": "a bird"}}
        ours = evaluator.compare(systems, baseline="theirs")
        theirs = caplens.compare(systems, REFERENCES, "rouge, cider", baseline="theirs")
        assert ours.to_dict() == theirs.to_dict()
        assert ours.warnings[0].code == "not-common"

    def test_corpora_must_have_the_same_rows(self, evaluator):
        first, second = corpus_of(CANDIDATES, REFERENCES), corpus_of(OTHERS, REFERENCES)
        assert evaluator.compare({"a": first, "b": second})["a"].ids == [7, "x", 9]
        with pytest.raises(InputError, match="must have the same rows"):
            evaluator.compare({"a": first, "b": second.select([0])})

    @pytest.mark.parametrize(
        ("systems", "baseline", "words"),
        [
            ([CANDIDATES], None, "Systems must be a mapping"),
            ({"a": CANDIDATES}, None, "at least two systems"),
            ({"a": CANDIDATES, "b": OTHERS}, "c", "The baseline 'c' is not one of the systems: a, b"),
        ],
    )
    def test_mistakes(self, evaluator, systems, baseline, words):
        with pytest.raises(UsageError, match=words):
            evaluator.compare(systems, baseline=baseline)


class TestExplain:
    def test_one_explanation_a_metric(self, evaluator):
        explanations = evaluator.explain("a cat on a mat", id="9")
        scores = evaluator.score({9: "a cat on a mat"})
        assert [list(explanation.scores) for explanation in explanations] == [["ROUGE_L"], ["CIDEr"]]
        for explanation in explanations:
            for key, value in explanation.scores.items():
                assert value == pytest.approx(scores[key].score)
        assert "a cat on a mat" in str(explanations[0])

    def test_many_at_once(self, evaluator):
        every = evaluator.explain_all(CANDIDATES)
        assert [[each.candidate for each in explanations] for explanations in every] == [
            [caption] * 2 for caption in CANDIDATES.values()
        ]
        assert every == [evaluator.explain(caption, id=identifier) for identifier, caption in CANDIDATES.items()]

    def test_only_metrics_that_learn_from_them_see_the_other_references(self):
        toys.calls.clear()
        evaluator = Evaluator([toys.Characters()], REFERENCES)
        evaluator.explain("a", id=7)
        assert "lengths of candidates" not in toys.calls
        assert "references" not in evaluator.__dict__ or evaluator.references._values == {}


class TestMetricOnABatch:
    def test_references_are_prepared_on_the_way(self):
        cider = caplens.metric("cider")
        prepared = cider(CANDIDATES, cider.prepare(REFERENCES))
        assert cider(CANDIDATES, REFERENCES).to_dict() == prepared.to_dict()
        assert isinstance(prepared, caplens.Result)
        assert prepared.corpus.ids == ["7", "x", "9"]

    def test_a_metric_without_references(self):
        with pytest.raises(UsageError, match="needs the column 'weight'"):
            Shown()(["a"])
        with pytest.raises(InputError, match="There are no references, which rouge needs"):
            caplens.metric("rouge")(["a"])

    def test_states_are_learned_when_the_references_are_prepared(self):
        evaluator = caplens.metric("rouge").prepare(REFERENCES)
        assert isinstance(evaluator.states[caplens.metric("rouge")], State)
        assert "states" in evaluator.__dict__


def test_what_a_group_leaves_out_and_odd_references_are_said():
    evaluator = Evaluator("all", {1: ["a dog", ""]})
    codes = {notice.code for notice in evaluator.warnings}
    assert {"metric-left-out", "empty-reference"} <= codes


def test_usage_by_repeats():
    corpus = corpus_of({1: "a", 2: "b"}, {1: ["x"], 2: ["y"]})
    usage = Usage.of(corpus, np.array([3, 1]))
    assert usage.rows.tolist() == [3, 1]
    assert usage.images.tolist() == [1, 1]
