"""Eval_MS and its siblings with the weights that ship: scores, refusals, explanations."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.conftest import needs_meteor

import caplens
from caplens.core.registry import select
from caplens.learned.composite import feedforward
from caplens.metrics.composite.metric import COMPOSITES, EvalCS, EvalWCS
from caplens.text.meteor import resources

NAMES = [kind.name for kind in COMPOSITES]
CANDIDATES = ["a man rides a horse", "a plate of food", "two dogs in the snow"]
REFERENCES = [["a man riding a horse", "a person on a horse"], ["a bus on a street"], ["two dogs play in the snow"]]


@pytest.fixture(scope="module")
def result():
    request = ", ".join([*NAMES, "meteor, wmd, cider(df=coco-val2014), spice"])
    return caplens.score(CANDIDATES, REFERENCES, request)


@needs_meteor
class TestScores:
    @pytest.mark.parametrize("kind", COMPOSITES)
    def test_they_are_the_network_of_the_scores_of_their_inputs(self, kind, result):
        keys = {"M": "METEOR", "W": "WMD", "C": "CIDEr", "S": "SPICE"}
        scores = np.column_stack([result[keys[letter]].item_scores for letter in kind.letters])
        found = result[f"Eval_{kind.letters}"]
        np.testing.assert_array_equal(found.item_scores, kind().network(scores))
        assert found.score == pytest.approx(found.item_scores.mean())
        assert found.item_scores[1] < found.item_scores[[0, 2]].min()

    def test_a_score_does_not_depend_on_its_neighbours(self, result):
        alone = caplens.score(CANDIDATES[:1], REFERENCES[:1], "eval_mwcs")
        assert alone["Eval_MWCS"].item_scores[0] == result["Eval_MWCS"].item_scores[0]
        assert alone.warnings == ()

    @pytest.mark.parametrize("kind", COMPOSITES)
    def test_no_input_lowers_the_score(self, kind):
        network = kind().network
        generator = np.random.default_rng(3)
        rows = generator.normal(network.mean, 2 * network.deviation, (500, network.inputs))
        for place in range(network.inputs):
            higher = rows.copy()
            higher[:, place] += generator.uniform(0, 1, 500) * network.deviation[place]
            assert (network(higher) - network(rows) > -1e-6).all()


def test_a_signature_names_weights_and_data_and_round_trips():
    score = caplens.score(CANDIDATES, REFERENCES, "eval_wcs")["Eval_WCS"]
    for fact in ("table:", "documents:40504", "df:", "parser:", "weights:"):
        assert f"|{fact}" in score.signature
    assert caplens.metric(score.signature) == EvalWCS()


class TestRefusals:
    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            ("eval_wcs(vectors=raw)", "Eval_WCS was trained with wmd(vectors=captions), not with wmd(vectors=raw)"),
            ("eval_cs(df=corpus)", "Eval_CS was trained with cider(df=coco-val2014), not with cider(df=corpus)"),
            (
                "eval_cs(tokenizer=intl)",
                "Eval_CS was trained with cider(tokenizer=ptb), not with cider(tokenizer=intl)",
            ),
            ("eval_ms(vectors=raw)", "eval_ms has no option 'vectors'; it has label, weights, parser, tokenizer."),
            ("eval_cs(spice)", "eval_cs combines no other metrics"),
        ],
    )
    def test_inputs_other_than_those_of_the_training(self, request_, message):
        with pytest.raises(caplens.UsageError) as refused:
            select(request_)
        assert message in str(refused.value)

    def test_data_of_the_same_name_with_other_numbers(self, tmp_path):
        network = EvalCS().network
        trained = json.loads(network.facts["inputs"])
        for facts in trained.values():
            facts.update(dict.fromkeys(facts, "another"))
        replace(network, facts={"inputs": json.dumps(trained)}).save(tmp_path / "Eval_CS.safetensors")
        with pytest.raises(caplens.UsageError, match=r"was trained with a CIDEr.* whose documents is another, but"):
            caplens.score(CANDIDATES, REFERENCES, f"eval_cs(weights={tmp_path})")

    def test_weights_that_are_not_there_or_of_something_else(self, tmp_path):
        with pytest.raises(caplens.MissingDataError, match=r"there are no weights at .*: train them with"):
            select(f"eval_cs(weights={tmp_path / 'absent.safetensors'})")
        with pytest.raises(caplens.UsageError, match=r"are of Eval_CS, not of Eval_WCS\."):
            select(f"eval_wcs(weights={EvalCS().path})")
        network = feedforward.load(EvalCS().path)
        replace(network, facts={"inputs": network.facts["inputs"]}).save(tmp_path / "nameless.safetensors")
        assert select(f"eval_cs(weights={tmp_path / 'nameless.safetensors'})").metrics
        with pytest.raises(caplens.UsageError, match=r"are not of Eval_WCS\."):
            select(f"eval_wcs(weights={tmp_path / 'nameless.safetensors'})")
        replace(network, facts={}).save(tmp_path / "bare.safetensors")
        with pytest.raises(caplens.UsageError, match="does not say what it was trained with"):
            select(f"eval_cs(weights={tmp_path / 'bare.safetensors'})")

    def test_what_is_missing_is_named_with_what_to_install(self, monkeypatch):
        monkeypatch.setattr(resources, "PACKAGE", "a-package-that-nobody-has")
        with pytest.raises(caplens.MissingDataError) as refused:
            select("eval_ms")
        assert str(refused.value) == (
            "eval_ms cannot run here: meteor is not ready, its data files are not installed: "
            'pip install "caplens[meteor]"'
        )

    def test_damaged_weights_cost_one_metric_of_a_group(self, monkeypatch, tmp_path):
        damaged = tmp_path / "Eval_CS.safetensors"
        damaged.write_bytes(EvalCS.shipped_path().read_bytes()[:-50])
        monkeypatch.setattr(EvalCS, "shipped_path", classmethod(lambda cls: damaged))
        selection = select("all")
        assert "eval_cs" not in {metric.name for metric in selection.metrics}
        said = next(str(notice) for notice in selection.left_out if "eval_cs" in str(notice))
        assert "cannot be used" in said
        assert "pip install --force-reinstall caplens" in said

    def test_a_group_leaves_out_what_does_not_know_the_tokenizer(self):
        selection = select("all", tokenizer="none")
        assert not {metric.name for metric in selection.metrics} & {*NAMES, "mean"}
        assert any("eval_cs is left out of 'all': Eval_CS was trained with" in str(one) for one in selection.left_out)
        with pytest.raises(caplens.UsageError, match="There is no tokenizer 'spacy'"):
            select("all", tokenizer="spacy")


def test_a_row_without_references_gets_0_where_that_is_asked_for():
    captions = {"1": "a man rides a horse", "2": "a dog"}
    request = "eval_cs, mean(rouge, wmd, normalize=z), mean(rouge, scenesim, normalize_on=range)"
    result = caplens.score(captions, {"1": ["a man on a horse"]}, request, missing="zero")
    for score in result.values():
        assert score.item_scores[1] == 0
        assert score.score == score.item_scores[0] / 2


def test_an_explanation_shares_the_score_out_and_shows_the_inputs():
    explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "eval_wcs")
    table = explained.sections[0]
    assert [row[0] for row in table.rows] == ["start", "WMD", "CIDEr", "SPICE", "Eval_WCS"]
    contributions = [row[3] for row in table.rows]
    assert sum(contributions[:-1]) == pytest.approx(contributions[-1]) == pytest.approx(explained.scores["Eval_WCS"])
    assert all(share > 0 for share in contributions[1:-1])  # it is better than the mean training caption in all
    titles = {section.title.partition(": ")[0] for section in explained.sections[1:]}
    assert titles == {"WMD", "CIDEr", "SPICE"}
    assert "contributions (Shapley values" in str(explained)


def test_shipped_document_frequencies_are_a_name_for_a_file(tmp_path):
    from caplens.metrics.cider.document_frequencies import SHIPPED

    by_name = caplens.score(CANDIDATES, REFERENCES, "cider(df=coco-val2014)")
    by_file = caplens.score(CANDIDATES, REFERENCES, f"cider(df={SHIPPED['coco-val2014']})")
    np.testing.assert_array_equal(by_name["CIDEr"].item_scores, by_file["CIDEr"].item_scores)
    assert by_name.warnings == ()
    assert "|documents:40504|" in by_name["CIDEr"].signature
    with pytest.raises(caplens.UsageError, match=r"tokenizer=ptb \(not stemmed\), but this CIDEr uses"):
        caplens.score(CANDIDATES, REFERENCES, "cider(df=coco-val2014, variant=plain)")
