"""Caplens inside torchmetrics: batches, ids, pickling, and two processes with uneven data."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import pytest

import caplens

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'caplens[torchmetrics]')")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed (pip install 'caplens[torchmetrics]')")

from caplens.integrations.torchmetrics import CaptionMetric, CaptionMetricCollection  # noqa: E402

CANDIDATES = ["a man rides a horse", "two dogs", "", "a cat on the mat ü", "a red bus on the street"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run", "dogs"], ["a boat"], ["the cat sits"], ["a bus"]]
REQUESTS = ["bleu", "rouge", "cider", "cider(df=coco-val2014)", "mean(rouge, cider(df=coco-val2014))", "spider"]


def expected(request, rows=slice(None)):
    result = caplens.score(CANDIDATES[rows], REFERENCES[rows], request)
    return {key: score.score for key, score in result.items()}


def computed(metric):
    value = metric.compute()
    return {key: each.item() for key, each in value.items()} if isinstance(value, dict) else {metric.key: value.item()}


def updated(request, *cuts, **options):
    metric = CaptionMetric(request, **options)
    for first, last in zip((0, *cuts), (*cuts, len(CANDIDATES)), strict=True):
        metric.update(CANDIDATES[first:last], REFERENCES[first:last])
    return metric


@pytest.mark.filterwarnings("ignore::caplens.CaplensWarning")
class TestScores:
    @pytest.mark.parametrize("request_text", REQUESTS)
    @pytest.mark.parametrize("cuts", [(), (2,), (1, 2, 3, 4)])
    def test_batches_give_the_scores_of_the_whole(self, request_text, cuts):
        found, whole = computed(updated(request_text, *cuts)), expected(request_text)
        assert found == pytest.approx({key: whole[key] for key in found}, rel=1e-12, nan_ok=True)

    def test_ids_count_once(self):
        for request in ("rouge", "cider"):
            metric = CaptionMetric(request)
            metric.update(CANDIDATES[:3], REFERENCES[:3], ids=[1, 2, 3])
            metric.update([*CANDIDATES[3:], CANDIDATES[0]], [*REFERENCES[3:], REFERENCES[0]], ids=["4", "5", "1"])
            assert computed(metric) == pytest.approx(expected(request), rel=1e-12)
            metric.update(["x", "y"], [["x"], ["y"]], ids=[6, 6])
            assert computed(metric) != pytest.approx(expected(request))

    def test_forward_returns_the_batch_and_keeps_the_sum(self):
        metric = CaptionMetric("rouge")
        batch = metric(CANDIDATES[:2], REFERENCES[:2])
        assert batch.item() == pytest.approx(expected("rouge", slice(2))["ROUGE_L"])
        metric(CANDIDATES[2:], REFERENCES[2:])
        assert computed(metric) == pytest.approx(expected("rouge"))
        assert batch.dtype == torch.float64
        metric.reset()
        metric.update(["a"], ["a"])  # a single reference as a text
        assert metric.compute() == 1

    @pytest.mark.parametrize("request_text", ["rouge", "cider"])
    def test_states_merge_and_pickle(self, request_text):
        metric, other = CaptionMetric(request_text), CaptionMetric(request_text)
        metric.update(CANDIDATES[:2], REFERENCES[:2])
        other.update(CANDIDATES[2:], REFERENCES[2:])
        metric = pickle.loads(pickle.dumps(metric))
        metric.merge_state(other)
        assert computed(metric) == pytest.approx(expected(request_text), rel=1e-12)

    def test_a_collection(self):
        metrics = CaptionMetricCollection("bleu, rouge, cider", prefix="val/")
        metrics.update(CANDIDATES, REFERENCES)
        found = {key: value.item() for key, value in metrics.compute().items()}
        assert found == pytest.approx({f"val/{key}": value for key, value in expected("bleu, rouge, cider").items()})

    def test_chair_by_image(self):
        metric = CaptionMetric("chair", key="CHAIRs")
        metric.update(["a dog", "a man"], ids=[391895, 391895])
        metric.update(["a man"], ids=[522418])
        assert metric.compute() == 0.5
        assert not metric.higher_is_better


def test_nothing_is_not_a_number():
    for request in ("rouge", "cider"):
        metric = CaptionMetric(request)
        metric.update([], [])
        assert torch.isnan(metric.compute())


def test_what_it_declares():
    cider = CaptionMetric("cider(df=coco-val2014)")
    assert (cider.higher_is_better, cider.plot_lower_bound, cider.plot_upper_bound) == (True, 0.0, 10.0)
    assert CaptionMetric("bleu").key is None
    assert CaptionMetric("bleu", key="bleu_4").key == "Bleu_4"
    assert CaptionMetric("spice").key == "SPICE"
    with pytest.raises(caplens.UsageError, match="rouge has no score 'x'; it has ROUGE_L"):
        CaptionMetric("rouge", key="x")
    with pytest.raises(caplens.InputError, match="1 caption but 2 targets"):
        cider.update(["a"], [["a"], ["b"]])


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure, axes = updated("rouge").plot()
    assert axes is not None
    matplotlib.pyplot.close(figure)


RANK = """
import json, sys, warnings
warnings.simplefilter("ignore")
import torch.distributed as distributed
from caplens.integrations.torchmetrics import CaptionMetric
from tests.integrations.test_torchmetrics import CANDIDATES, REFERENCES
rank, store = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
found = {}
for request in ("rouge", "cider", "bleu"):
    for name, parts in {"uneven": ([0, 3], [3, 5]), "one": ([0, 5], [5, 5])}.items():
        metric = CaptionMetric(request)
        first, last = parts[rank]
        if last > first:
            metric.update(CANDIDATES[first:last], REFERENCES[first:last])
        value = metric.compute()
        found[f"{request} {name}"] = value["Bleu_4"].item() if request == "bleu" else value.item()
    padded = CaptionMetric(request)
    places = ([0, 1, 2], [3, 4, 0])[rank]
    padded.update([CANDIDATES[place] for place in places], [REFERENCES[place] for place in places], ids=places)
    value = padded.compute()
    found[f"{request} padded"] = value["Bleu_4"].item() if request == "bleu" else value.item()
print(json.dumps(found))
distributed.destroy_process_group()
"""


@pytest.mark.filterwarnings("ignore::caplens.CaplensWarning")
def test_two_processes(tmp_path):
    from tests.conftest import ROOT

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", RANK, str(rank), str(tmp_path / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(2)
    ]
    results = []
    for process in started:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        results.append(json.loads(output.splitlines()[-1]))
    assert results[0] == results[1]
    keys = {"rouge": "ROUGE_L", "cider": "CIDEr", "bleu": "Bleu_4"}
    for name, value in results[0].items():
        request = name.split()[0]
        assert value == pytest.approx(expected(request)[keys[request]], rel=1e-9), name
