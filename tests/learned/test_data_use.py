"""Every model that ships says what it was fitted, chosen and reported on."""

from __future__ import annotations

from pathlib import Path

import pytest

import caplens.data
from caplens.files.arrays import read_arrays

FOLDER = Path(caplens.data.__file__).parent
MODELS = [
    "critique/weights.safetensors",
    "fluency/coco-train2014.safetensors",
    "parser/captions.safetensors",
    "vectors/glove.safetensors",
    "vectors/scene.safetensors",
    *(str(path.relative_to(FOLDER)) for path in sorted((FOLDER / "composite").glob("Eval_*.safetensors"))),
]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_file_carries_its_line(name):
    facts = read_arrays(FOLDER / name).facts
    for fact in ("fitted_on", "chosen_on", "reported_on"):
        assert facts[fact]
    # Judged sets that may choose nothing are reported on, if anything.
    assert not [judged for judged in ("ABSTRACT", "PASCAL") if judged in facts["fitted_on"] + facts["chosen_on"]]
