"""Studies that train critiques, as Python calls them."""

from __future__ import annotations

import pytest

from caplens import study
from caplens.errors import UsageError
from caplens.meta.registry import study_class


@pytest.mark.parametrize("name", ["critique-evaluate", "critique-ablation"])
def test_they_need_captions_and_a_folder(name, tmp_path):
    pytest.importorskip("torch", reason="training needs torch")
    with pytest.raises(UsageError, match=f"'{name}' needs captions of systems"):
        study(name, references="people.json", folder=tmp_path)
    with pytest.raises(UsageError, match=r"is one of quick, paper, caption-level, not 'fast'"):
        study(name, preset="fast")
    with pytest.raises(UsageError, match="has no metrics to choose"):
        study(name, metrics="rouge")


def test_settings_of_a_preset_with_a_file_on_top(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text("[training]\nseed = 5\nepochs = 2\n")
    kind = study_class("critique-evaluate")
    training = kind(config=path).settings().training
    assert (training.seed, training.epochs) == (5, 2)
    assert kind(config=path, seed=9).settings().training.seed == 9
    assert kind().settings(augmentation=False).training.rc == 0
