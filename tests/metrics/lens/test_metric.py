"""Lens with the encoder that ships."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import caplens
from caplens.errors import UsageError
from caplens.metrics.lens import states

REFERENCES = [
    "a man rides a brown horse on the beach",
    "a person riding a horse near the ocean",
    "a man on a horse by the sea",
    "a horse and its rider walk along the shore",
    "someone is riding a horse on the sand",
]
VARIANTS = (("lens", ""), ("lens_s", "_S"))
GOOD = "a man rides a horse on the beach"


def scores(captions, references=REFERENCES, metric="lens"):
    return caplens.score(captions, [references] * len(captions), metric).to_pandas().to_numpy()


def lens(caption, references=REFERENCES, metric="lens"):
    return float(scores([caption], references, metric)[0, 0])


class TestWhatItPrefers:
    @pytest.mark.parametrize("metric", ["lens", "lens_s"])
    @pytest.mark.parametrize(
        "worse",
        [
            "a man rides a horse on the beach and on the beach",
            "horse a the on man beach rides a",
            "a dog runs on the grass",
            "a man rides a bicycle on the beach",
            "two men ride elephants on the beach",
            "a man",
        ],
    )
    def test_above_spoiled_captions(self, worse, metric):
        assert lens(GOOD, metric=metric) > lens(worse, metric=metric)

    def test_a_reference_is_a_good_caption(self):
        assert all(lens(caption) > 60 for caption in REFERENCES)

    def test_a_wrong_thing_costs_more_than_a_wrong_word_about_it(self):
        found = caplens.explain("a purple man rides a bicycle", ["a tall man rides a horse"], "lens")
        costs = dict(found.word_costs()[0].words)
        assert costs["bicycle"] > costs["purple"] > 0

    def test_what_references_seldom_mention_costs_less_than_what_they_usually_do(self):
        """A white dog may be white though nobody says so; a giraffe would have been mentioned."""
        found = caplens.explain("a white dog and a giraffe", ["a dog on grass", "a dog runs", "a dog"], "lens")
        costs = dict(found.word_costs()[0].words)
        assert costs["giraffe"] > 3 * costs["white"] > 0

    def test_unusual_wording_is_no_fault(self):
        unusual = "A Great Dane wearing a saddle contemplates the foggy marina"
        assert scores([unusual], [unusual])[0, 3] > 90

    def test_support_has_the_whole_scale(self):
        assert scores(["a plate of food on a table"])[0, 1] < 30
        assert scores([GOOD])[0, 1] > 95

    def test_an_odd_reference_counts_less(self):
        odd = "lorem ipsum spreadsheets of quarterly tax revenue"
        assert abs(lens(GOOD, [*REFERENCES, odd]) - lens(GOOD)) < abs(lens(GOOD, [odd]) - lens(GOOD)) / 4


class TestEdges:
    def test_from_0_to_100(self):
        found = scores([GOOD, "", "zzzz qqqq", "man", " ".join(["a man"] * 50)])
        assert np.isfinite(found).all()
        assert ((found[:, 0] >= 0) & (found[:, 0] <= 100)).all()

    def test_no_words_score_0(self):
        assert lens("") == 0
        assert caplens.score([GOOD], [["", "..."]], "lens")["Lens"].score == 0

    def test_empty_references_change_nothing(self):
        assert lens(GOOD, [*REFERENCES, ""]) == lens(GOOD)

    def test_one_reference_and_fifty(self):
        assert 0 < lens(GOOD, REFERENCES[:1]) <= 100
        assert lens(GOOD, REFERENCES * 10) == pytest.approx(lens(GOOD), abs=3)

    def test_other_languages_get_a_sentence(self):
        with pytest.raises(UsageError, match="lens is for English captions only: its encoder was trained on English"):
            caplens.score([GOOD], [REFERENCES], "lens", language="de")


class TestTheFramework:
    def test_kept_references_give_the_same_scores(self):
        metric = caplens.metric("lens")
        prepared = metric.prepare([REFERENCES])
        found = [metric([GOOD], prepared)["Lens"].score for _ in range(3)]
        assert found[0] == found[1] == found[2] == lens(GOOD)

    def test_too_many_references_are_not_kept(self, monkeypatch):
        monkeypatch.setattr(states, "KEPT_WORDS", 3)
        metric = caplens.metric("lens")
        prepared = metric.prepare([REFERENCES])
        assert metric([GOOD], prepared)["Lens"].score == metric([GOOD], prepared)["Lens"].score == lens(GOOD)

    def test_rows_do_not_depend_on_blocks_or_threads(self):
        captions = [f"{GOOD} {'very ' * (place % 7)}near {place}" for place in range(100)]
        rows = [REFERENCES[: 1 + place % 5] for place in range(100)]
        whole = caplens.score(captions, rows, "lens", jobs=2)["Lens"].item_scores
        alone = [
            caplens.score([one], [row], "lens", jobs=1)["Lens"].score for one, row in zip(captions, rows, strict=True)
        ]
        assert whole.tolist() == alone

    def test_a_prepared_evaluator_pickles(self):
        evaluator = caplens.Evaluator("lens", [REFERENCES])
        evaluator.score([GOOD])
        assert pickle.loads(pickle.dumps(evaluator)).score([GOOD])["Lens"].score == lens(GOOD)

    def test_parts_are_details_of_the_score(self):
        result = caplens.score([GOOD], [REFERENCES], "lens, lens_s")
        assert list(result)[:4] == ["Lens", "Lens_Support", "Lens_Coverage", "Lens_Form"]
        assert "Lens_S_Support" in result


class TestBothVariants:
    """`lens_s` has its own lengths of axes and weights of words, and everything else in common with `lens`."""

    captions = (GOOD, "a man rides a bicycle on the beach", "a dog", "")

    def test_together_as_alone(self):
        alone = [scores(self.captions, metric=name) for name in ("lens", "lens_s")]
        assert np.array_equal(scores(self.captions, metric="lens, lens_s"), np.concatenate(alone, axis=1))
        assert np.array_equal(scores(self.captions, metric="lens_s, lens"), np.concatenate(alone[::-1], axis=1))

    def test_words_differ_and_form_does_not(self):
        plain, rated = (scores([GOOD], metric=name)[0] for name in ("lens", "lens_s"))
        assert plain[3] == rated[3]
        assert (plain[:3] != rated[:3]).all()

    def test_signatures_name_different_encoders(self):
        first, second = (caplens.score([GOOD], [REFERENCES], name)["Lens" + end] for name, end in VARIANTS)
        assert first.signature != second.signature

    @pytest.mark.parametrize(("metric", "end"), VARIANTS)
    def test_explanations_have_the_parts_of_the_variant(self, metric, end):
        found = caplens.explain("a man rides a bicycle", REFERENCES, metric)
        parts = {row[0]: row[1] for row in found.sections[2].rows}
        for part in ("Support", "Coverage", "Form"):
            assert parts[part.lower()] == pytest.approx(found.scores[f"Lens{end}_{part}"], abs=1e-3)


class TestExplanations:
    def explained(self, caption):
        return caplens.explain(caption, REFERENCES, "lens")

    def test_says_which_word_costs_most(self):
        found = self.explained("a man rides a bicycle on the beach")
        costs = dict(found.word_costs()[0].words)
        assert max(costs, key=costs.get) == "bicycle"
        assert '"bicycle" costs most' in found.summary

    def test_names_what_is_missing(self):
        missing = dict(self.explained("a man on the beach").word_costs()[1].words)
        assert "horse" in missing
        assert "man" not in missing

    def test_a_broken_caption_is_told_that_it_is_broken(self):
        found = self.explained("horse a the on man beach rides a")
        assert found.scores["Lens"] < 1
        assert "its form (words out of order, repeated or missing) costs most (9" in found.summary

    def test_without_words(self):
        assert self.explained("").summary == "Lens is 0.0: there is no word in the candidate."

    def test_shows_the_scores_of_the_row(self):
        assert self.explained(GOOD).scores["Lens"] == lens(GOOD)


class TestPreferences:
    def test_compare_says_whom_people_would_prefer(self):
        compared = caplens.compare(
            {"good": [GOOD] * 4, "bad": ["a dog runs on the grass"] * 4}, [REFERENCES] * 4, "lens, rouge"
        )
        (preferred,) = [test.preferred for test in compared.tests if test.score == "Lens"]
        assert 0.9 < preferred < 1
        assert "People would prefer good over bad for" in str(compared)
        rows = compared.to_rows()
        assert all("preferred" in row for row in rows)

    def test_other_metrics_do_not_tell(self):
        compared = caplens.compare({"a": [GOOD] * 3, "b": ["a dog"] * 3}, [REFERENCES] * 3, "rouge")
        assert "preferred" not in compared.tests[0].to_dict()
