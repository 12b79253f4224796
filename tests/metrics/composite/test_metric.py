"""Composite metrics with the weights that ship: scores, refusals, explanations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import needs_meteor
from tests.golden_sets import load

import caplens
from caplens.core.describing import describe_metrics
from caplens.core.registry import attempt
from caplens.core.selection import select
from caplens.metrics.composite import trained
from caplens.metrics.composite.metric import Composite
from caplens.metrics.composite.trained import SHIPPED, find_weights
from caplens.text.meteor import resources

# Corpus scores and twenty captions of the example's human.json, by the weights that were fitted on 2026-11-17.
GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "composite_golden.json").read_text())
LETTERS = ("MS", "CS", "MCS", "WCS", "MWS", "MWCS")
CANDIDATES = ["a man rides a horse", "a plate of food", "two dogs in the snow", ""]
REFERENCES = [
    ["a man riding a horse", "a person on a horse"],
    ["a bus on a street"],
    ["two dogs play in the snow"],
    ["a red kite"],
]


def weights_of(title):
    return Composite(weights=title).trained.network


@pytest.fixture(scope="module")
def result():
    names = [f"eval_{letters}" for letters in LETTERS]
    return caplens.score(
        CANDIDATES, REFERENCES, ", ".join([*names, "meteor, wmd, cider(df=coco-train2014), spice(known=false)"])
    )


@pytest.mark.parametrize("key", GOLDEN)
def test_scores_stay_what_they_were(key, example_dir):
    metric, lacking = attempt(key.lower())
    if lacking is not None:
        pytest.skip(f"{key} is not ready here: {lacking}")
    corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
    found = caplens.score(corpus, metrics=metric)[key]
    assert found.score == pytest.approx(GOLDEN[key]["score"], rel=0, abs=1e-12)
    np.testing.assert_allclose(found.item_scores[:20], GOLDEN[key]["items"], rtol=0, atol=1e-12)


def test_every_file_that_ships_has_a_name_and_every_name_a_file():
    assert set(GOLDEN) == set(SHIPPED)
    for key in SHIPPED:
        assert caplens.metric(key) == Composite(weights=key)
        assert caplens.metric(key).keys == (key,)
        assert find_weights(key).stat().st_size < 10_000


@needs_meteor
class TestScores:
    @pytest.mark.parametrize("letters", LETTERS)
    def test_they_are_the_logistic_function_of_parts_of_their_inputs(self, letters, result):
        metric = Composite(weights=f"Eval_{letters}")
        columns = []
        for feature in metric.trained.features:
            run = result[str(metric.inputs[feature.metric].main_key)].run
            parts = run.metric.parts_of(run.statistics.table, np.ones(len(CANDIDATES)))
            scores = run.metric.item_scores(run.statistics)
            column = scores[:, feature.place] if feature.part is None else parts[:, feature.place, feature.part]
            columns.append(np.nan_to_num(column))
        found = result[f"Eval_{letters}"]
        np.testing.assert_array_equal(found.item_scores, metric.trained.network(np.column_stack(columns)))
        assert found.score == pytest.approx(found.item_scores.mean())
        assert found.item_scores[1] < found.item_scores[[0, 2]].min()

    def test_eval_ms_is_worked_out_by_hand(self, result):
        network = weights_of("Eval_MS")
        (weights, offset) = network.layers[0]
        meteor = result["METEOR"].run
        parts = meteor.metric.parts(meteor.statistics.table)
        spice = result["SPICE"].run.statistics
        features = [
            parts["precision"][0],
            parts["recall"][0],
            1 - parts["fragmentation"][0],
            *(spice[f"{name}_{part}"][0] for name in ("all", "object") for part in ("precision", "recall")),
            *np.nan_to_num([result[f"SPICE_{name}"].item_scores[0] for name in ("Attribute", "Relation")]),
        ]
        inside = ((features - network.mean) / network.deviation) @ weights[0, :, 0] + offset[0, 0]
        assert result["Eval_MS"].item_scores[0] == pytest.approx(1 / (1 + np.exp(-inside)), rel=1e-6)

    def test_what_does_not_exist_counts_as_0_where_the_weights_say_so(self):
        # No reference says anything that SPICE can compare.
        found = caplens.score(["a man rides"], [["the of"]], "eval_ms, eval_mws, spice")
        assert np.isnan(found["SPICE"].item_scores[0])
        for key in ("Eval_MS", "Eval_MWS"):
            assert 0 < found[key].item_scores[0] < 0.5

    @pytest.mark.parametrize("key", ["Eval_MS", "Eval_MWCS"])
    def test_every_caption_has_a_score_even_an_empty_one(self, key, result):
        scores = result[key].item_scores
        assert ((scores > 0) & (scores < 1)).all()
        assert min(scores[0], scores[2]) > max(scores[1], scores[3])

    @pytest.mark.parametrize("key", ["Eval_MS", "Eval_MWCS"])
    def test_a_score_does_not_depend_on_its_neighbours(self, key, result):
        alone = caplens.score(CANDIDATES[:1], REFERENCES[:1], key)
        assert alone[key].item_scores[0] == result[key].item_scores[0]
        assert alone.warnings == ()

    @pytest.mark.parametrize("title", SHIPPED)
    def test_no_feature_lowers_the_score(self, title):
        network = weights_of(title)
        generator = np.random.default_rng(3)
        rows = generator.normal(network.mean, 2 * network.deviation, (500, network.inputs))
        for place in range(network.inputs):
            higher = rows.copy()
            higher[:, place] += generator.uniform(0, 1, 500) * network.deviation[place]
            assert (network(higher) - network(rows) > -1e-6).all()


def test_a_signature_names_weights_and_data_and_round_trips():
    score = caplens.score(CANDIDATES, REFERENCES, "eval_wcs(label=Mine)")["Mine"]
    assert score.signature.startswith("eval_wcs(label=Mine)|rows:4|")
    for fact in ("tokenizer:ptb", "table:", "documents:82783", "df:", "parser:", "weights:"):
        assert f"|{fact}" in score.signature
    assert caplens.metric(score.signature) == Composite(weights="Eval_WCS", label="Mine")


def test_the_weights_decide_how_captions_are_cut_into_words():
    by_default = caplens.score(CANDIDATES, REFERENCES, "eval_cs")
    otherwise = caplens.score(CANDIDATES, REFERENCES, "eval_cs, rouge", tokenizer="char")
    np.testing.assert_array_equal(otherwise["Eval_CS"].item_scores, by_default["Eval_CS"].item_scores)
    assert "tokenizer=char" in otherwise["ROUGE_L"].signature


def test_the_list_of_metrics_says_what_the_weights_say():
    rows = {row[0]: row for row in describe_metrics()}
    assert rows["eval_cs"][1:4] == (
        "Eval_CS",
        "after Sharif et al. 2018",
        "fitted to experts' ratings: CIDEr and SPICE",
    )
    assert rows["eval_cs"][4] == "no extra data"
    assert rows["eval_mwcs"][3] == "fitted to experts' ratings: METEOR, WMD, CIDEr and SPICE"
    assert rows["composite"][4].startswith("MISSING: it needs weights: composite(weights=FILE)")


class TestRefusals:
    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            ("eval_ms(vectors=raw)", "composite has no option 'vectors'; it has label, weights."),
            ("eval_ms(weights=mine)", "eval_ms is short for composite(weights=Eval_MS): to change weights, write"),
            ("eval_cs(spice)", "composite does not combine other metrics"),
        ],
    )
    def test_options_that_the_weights_decide(self, request_, message):
        with pytest.raises(caplens.UsageError) as refused:
            select(request_)
        assert message in str(refused.value)

    def test_weights_that_are_not_there(self, tmp_path):
        with pytest.raises(caplens.MissingDataError, match=r"there are no weights at .*: train them with"):
            select(f"composite(weights={tmp_path / 'absent.safetensors'})")
        with pytest.raises(caplens.MissingDataError, match=r"it needs weights: composite\(weights=FILE\)"):
            select("composite")

    def test_what_is_missing_is_named_with_what_to_install(self, monkeypatch):
        monkeypatch.setattr(resources, "PACKAGE", "a-package-that-nobody-has")
        with pytest.raises(caplens.MissingDataError) as refused:
            select("eval_ms")
        assert str(refused.value) == (
            "eval_ms cannot run here: meteor is not ready, its data files are not installed: "
            'pip install "caplens[meteor]"'
        )

    def test_damaged_weights_cost_one_metric_of_a_group(self, monkeypatch, tmp_path):
        for title in SHIPPED:
            (tmp_path / f"{title}.safetensors").write_bytes(find_weights(title).read_bytes())
        damaged = tmp_path / "Eval_CS.safetensors"
        damaged.write_bytes(damaged.read_bytes()[:-50])
        monkeypatch.setattr(trained, "FOLDER", tmp_path)
        selection = select("all")
        found = {metric.request().name for metric in selection.metrics}
        assert "eval_wcs" in found
        assert "eval_cs" not in found
        said = next(str(notice) for notice in selection.left_out if "eval_cs" in str(notice))
        assert "cannot be used" in said
        assert "pip install --force-reinstall caplens" in said


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
    features = [feature.name for feature in Composite(weights="Eval_WCS").trained.features]
    assert [row[0] for row in table.rows] == ["start", *features, "Eval_WCS"]
    assert features[:3] == ["WMD", "CIDEr", "SPICE.precision"]
    contributions = [row[3] for row in table.rows]
    assert sum(contributions[:-1]) == pytest.approx(contributions[-1]) == pytest.approx(explained.scores["Eval_WCS"])
    # Better than the mean judged caption in all that counts.
    assert all(share > -1e-3 for share in contributions[1:-1])
    titles = {section.title.partition(": ")[0] for section in explained.sections[1:]}
    assert titles == {"WMD", "CIDEr", "SPICE"}
    assert "contributions (Shapley values" in str(explained)


@needs_meteor
def test_an_explanation_names_parts_of_scores():
    explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "eval_ms")
    contributions = explained.sections[0]
    assert [row[0] for row in contributions.rows[1:-1]] == [
        *("METEOR.precision", "METEOR.recall", "METEOR.order"),
        *("SPICE.precision", "SPICE.recall", "SPICE_Object.precision", "SPICE_Object.recall"),
        *("SPICE_Attribute", "SPICE_Relation"),
    ]
    assert sum(row[-1] for row in contributions.rows[:-1]) == pytest.approx(explained.scores["Eval_MS"])


def test_shipped_document_frequencies_are_a_name_for_a_file(tmp_path):
    from caplens.metrics.cider.document_frequencies import SHIPPED as FREQUENCIES

    by_name = caplens.score(CANDIDATES[:3], REFERENCES[:3], "cider(df=coco-val2014)")
    by_file = caplens.score(CANDIDATES[:3], REFERENCES[:3], f"cider(df={FREQUENCIES['coco-val2014']})")
    np.testing.assert_array_equal(by_name["CIDEr"].item_scores, by_file["CIDEr"].item_scores)
    assert by_name.warnings == ()
    assert "|documents:40504|" in by_name["CIDEr"].signature
    with pytest.raises(caplens.UsageError, match=r"tokenizer=ptb \(not stemmed\), but this CIDEr uses"):
        caplens.score(CANDIDATES, REFERENCES, "cider(df=coco-val2014, variant=plain)")


@needs_meteor
def test_agreement_with_people_on_flickr8k_expert(golden):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rows = load("flickr8k_expert", golden)
    ratings = np.array([pair["ratings"] for pair in golden("flickr8k_expert_golden")["pairs"]])
    result = caplens.score(rows.candidates[::3], rows.references[::3], "eval_mwcs, wmd, scenesim")
    found = {
        key: stats.kendalltau(np.repeat(score.item_scores, 3), ratings.ravel(), variant="c").statistic
        for key, score in result.items()
    }
    assert found["SceneSim"] == pytest.approx(0.550, abs=0.001)
    assert found["WMD"] == pytest.approx(0.503, abs=0.001)
    assert found["Eval_MWCS"] > 0.515
