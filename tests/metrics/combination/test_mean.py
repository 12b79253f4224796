"""Means and sums of metrics: numbers, names, what is refused, and explanations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.conftest import needs_meteor
from tests.toys import Characters

import caplens
from caplens.core.registry import names
from caplens.core.selection import select
from caplens.metrics.combination.mean import Mean, Sum
from caplens.metrics.combination.normalizing import constants_of
from caplens.text.meteor import resources

CANDIDATES = ["a man rides a horse", "two dogs", "a cat on a mat"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run"], ["a cat", "the cat sits", "a mat"]]


def items(request, key=None, candidates=CANDIDATES, references=REFERENCES):
    result = caplens.score(candidates, references, request)
    return result[key or next(iter(result))].item_scores


class TestNumbers:
    def test_a_sum_adds_raw_scores(self):
        expected = 2 * items("rouge") + 0.5 * items("wmd")
        np.testing.assert_allclose(items("sum(rouge, wmd, weights=2 .5)"), expected, rtol=1e-12)
        assert caplens.metric("sum(rouge, wmd, weights=2 .5)") == Sum(
            (caplens.metric("rouge"), caplens.metric("wmd")), weights=(2, 0.5)
        )

    @pytest.mark.parametrize("normalize", ["minmax", "z"])
    def test_a_mean_uses_the_constants_of_the_named_set(self, normalize):
        expected = np.zeros(len(CANDIDATES))
        for name, weight in (("rouge", 1), ("wmd", 3)):
            metric = caplens.metric(name)
            known = constants_of(metric, metric.keys[0], "coco-val2014")
            zero, size = (
                (known.least, known.largest - known.least) if normalize == "minmax" else (known.mean, known.deviation)
            )
            expected += weight / 4 * (items(name) - zero) / size
        found = caplens.score(CANDIDATES, REFERENCES, f"mean(rouge, wmd, normalize={normalize}, weights=1 3)")
        np.testing.assert_allclose(found["Mean_ROUGE_L_WMD"].item_scores, expected, rtol=1e-12)
        assert found["Mean_ROUGE_L_WMD"].score == pytest.approx(expected.mean())

    def test_every_metric_with_its_usual_options_has_constants(self):
        # As docs/composite.md says.
        without = ("mean", "sum", "eval_", "composite", "critique", "wembsim_", "chair", "diversity", "given", "lens")
        for name in names():
            if not name.startswith(without):
                (metric,) = select(name, known="false").metrics
                assert all(constants_of(metric, key, "coco-val2014").deviation > 0 for key in metric.keys)

    @pytest.mark.parametrize("normalize_on", ["coco-val2014", "range"])
    def test_neighbours_do_not_matter(self, normalize_on):
        request = f"mean(rouge, wmd, normalize_on={normalize_on})"
        alone = items(request, candidates=CANDIDATES[:2], references=REFERENCES[:2])
        np.testing.assert_array_equal(alone, items(request)[:2])

    def test_the_range_of_each_metric(self):
        cider = "cider(df=coco-val2014)"
        expected = (items("rouge") + (items("scenesim") + 1) / 2 + items(cider) / 10) / 3
        found = items(f"mean(rouge, scenesim, {cider}, normalize_on=range)")
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        metric = caplens.metric(f"mean(rouge, scenesim, {cider}, normalize_on=range)")
        assert list(metric.range.values()) == [(0.0, 1.0)]

    def test_a_row_without_one_input_has_none(self):
        metric = Sum((Characters(), caplens.metric("rouge")))
        result = caplens.score(["", "abc"], [["x"], ["abc"]], metric)
        (score,) = result.values()
        assert np.isnan(score.item_scores).tolist() == [True, False]
        assert score.score == score.item_scores[1] == 4.0
        assert math.isnan(caplens.explain("", ["x"], metric).scores[score.name])

    def test_several_share_their_inputs_and_can_be_nested(self):
        request = "sum(rouge, cider), sum(rouge, sum(rouge, cider), label=Twice), cider, rouge"
        result = caplens.score(CANDIDATES, REFERENCES, request)
        np.testing.assert_allclose(
            result["Twice"].item_scores, 2 * result["ROUGE_L"].item_scores + result["CIDEr"].item_scores
        )
        explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "sum(rouge, sum(rouge, wmd))")
        assert any(section.title.startswith("Sum_ROUGE_L_WMD: WMD: ") for section in explained.sections)

    def test_intervals_and_batches(self):
        result = caplens.score(CANDIDATES, REFERENCES, "mean(rouge, wmd)")["Mean_ROUGE_L_WMD"]
        assert result.interval[0] <= result.score <= result.interval[1]
        metric = caplens.metric("mean(rouge, wmd)")
        batch = metric(CANDIDATES, metric.prepare(REFERENCES))
        np.testing.assert_array_equal(batch["Mean_ROUGE_L_WMD"].item_scores, result.item_scores)


class TestNames:
    def test_keys_labels_and_signatures(self):
        request = 'mean(bleu, spice, scores=bleu_4 SPICE_OBJECT, weights="1 2", normalize=z)'
        result = caplens.score(CANDIDATES, REFERENCES, request)
        (score,) = result.values()
        assert score.name == "Mean_Bleu_4_SPICE_Object"
        assert caplens.metric(score.signature) == caplens.metric(request)
        assert "|parser:" in score.signature
        assert list(caplens.score(CANDIDATES, REFERENCES, "sum(rouge, wmd, label=Mine)")) == ["Mine"]

    def test_facts_that_differ_say_whose_they_are(self):
        request = "sum(cider(df=coco-val2014), cider(label=Own))"
        (score,) = caplens.score(CANDIDATES, REFERENCES, request).values()
        assert "|CIDEr.documents:40504|" in score.signature
        assert "|Own.documents:3|" in score.signature
        assert caplens.metric(score.signature) == caplens.metric(request)

    @needs_meteor
    def test_without_inputs_it_is_that_of_the_paper(self):
        assert caplens.metric("mean").keys == ("Mean_WMD_SPICE_METEOR",)
        assert Mean() == caplens.metric("mean(wmd, spice, meteor)")

    def test_the_tokenizer_of_a_call_reaches_the_inputs(self):
        (metric,) = select("sum(rouge, wmd(tokenizer=char))", tokenizer="none").metrics
        assert [one.tokenizer for one in metric.inputs] == ["none", "char"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("mean(wmd)", "mean requires at least two metrics, such as mean(wmd, spice)."),
        ("sum(cider, cider(n=2))", "Two inputs of sum are named CIDEr: give one a label, as in"),
        (
            "mean(bleu, wmd)",
            "bleu has several scores (Bleu_1, Bleu_2, Bleu_3, Bleu_4): specify which one mean should use",
        ),
        ("mean(bleu, wmd, scores=bleu_1 bleu_2)", "selects two scores of bleu: choose one per input."),
        ("mean(rouge, wmd, scores=METEOR)", "mean(scores=...) names METEOR, which none of its inputs provides."),
        (
            "mean(rouge, wmd, weights=1)",
            "takes a positive number for each of its 2 inputs",
        ),
        ("mean(rouge, wmd, weights=1 zero)", "takes a positive number"),
        ("sum(rouge, wmd, weights=1 -1)", "takes a positive number"),
        (
            "mean(rouge(beta=2), wmd)",
            "do not cover rouge(beta=2,tokenizer=ptb), only rouge(beta=1.2,tokenizer=ptb): use those options, "
            "normalize_on=range",
        ),
        ("mean(rouge, wmd, normalize_on=corpus)", "There are no normalisation constants 'corpus'"),
        (
            "mean(rouge, wmd, normalize=z, normalize_on=range)",
            "needs means and deviations, which bounds do not provide",
        ),
        (
            "mean(rouge, wmd, normalize_on=mars)",
            "There are no normalisation constants 'mars': choose from",
        ),
        ("mean(rouge, wmd, normalize=log)", "mean(normalize=...) must be one of minmax, z, none, not 'log'."),
        ("mean(rouge, coco)", "'coco' is a group of metrics, not one"),
        ("mean(rouge, wmd, metrics=spice)", "mean has no option 'metrics'; it has label, weights, normalize"),
    ],
)
def test_mistakes_are_said_in_one_sentence(request_, message):
    with pytest.raises(caplens.UsageError) as refused:
        select(request_)
    assert message in str(refused.value)


def test_an_input_that_is_not_ready_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setattr(resources, "PACKAGE", "a-package-that-nobody-has")
    with pytest.raises(caplens.MissingDataError) as refused:
        select("mean(wmd, meteor)")
    assert str(refused.value) == (
        'mean cannot run here: meteor is not ready, its data files are not installed: pip install "caplens[meteor]"'
    )
    assert any("mean is omitted from 'all': meteor is not ready" in str(notice) for notice in select("all").left_out)


class TestExplanation:
    def test_contributions_add_up_and_inputs_explain_themselves(self):
        explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "mean(rouge, wmd)")
        table = explained.sections[0]
        assert table.columns == ("input", "score", "compared with", "contribution")
        start, rouge, wmd, total = (row[3] for row in table.rows)
        assert start + rouge + wmd == pytest.approx(total) == pytest.approx(explained.scores["Mean_ROUGE_L_WMD"])
        assert explained.facts["ROUGE_L"] == pytest.approx(items("rouge")[0])
        assert {section.title.partition(": ")[0] for section in explained.sections[1:]} == {"ROUGE_L", "WMD"}

    def test_with_ranges_it_starts_from_the_least_possible_scores(self):
        explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "mean(rouge, scenesim, normalize_on=range)")
        table = explained.sections[0]
        assert "from the lowest possible scores" in table.title
        assert [row[2] for row in table.rows] == [None, 0.0, -1.0, None]
        assert table.rows[0][3] == 0.0
