"""The example that logs scores in Lightning, run as it stands."""

from __future__ import annotations

import runpy

import pytest
from tests.conftest import ROOT

import caplens

pytest.importorskip("pytorch_lightning", reason="needs Lightning (pip install pytorch-lightning)")


@pytest.mark.filterwarnings("ignore")  # of Lightning: about workers, and about torch
def test_scores_are_logged(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    example = runpy.run_path(str(ROOT / "examples" / "lightning_captions.py"))
    lightning, torch = example["lightning"], example["torch"]
    data = torch.utils.data.DataLoader(torch.arange(3), batch_size=2)
    trainer = lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    (logged,) = trainer.validate(example["Captioner"](), data, verbose=False)
    expected = caplens.score(["a man on a horse"] * 3, example["REFERENCES"], "rouge, cider(df=coco-val2014)")
    assert logged == pytest.approx({f"val/{key}": expected[key].score for key in ("ROUGE_L", "CIDEr")}, rel=1e-6)
    assert list(tmp_path.iterdir()) == []
