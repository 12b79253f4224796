"""Studies that train critiques, as Python calls them."""

from __future__ import annotations

import pytest

from caplens import study
from caplens.errors import UsageError
from caplens.meta.registry import study_class
from caplens.train.critique.request import chosen_settings


@pytest.mark.parametrize("name", ["critique-evaluate", "critique-ablation"])
def test_they_need_captions_and_a_folder(name, tmp_path):
    pytest.importorskip("torch", reason="training needs torch")
    with pytest.raises(UsageError, match=f"'{name}' needs captions of systems"):
        study(name, references="people.json", folder=tmp_path)
    with pytest.raises(UsageError, match=r"must be one of quick, paper, caption-level, not 'fast'"):
        study(name, preset="fast")
    with pytest.raises(UsageError, match="does not take metrics"):
        study(name, metrics="rouge")


def test_settings_of_a_preset_with_a_file_on_top(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text("[training]\nseed = 5\nepochs = 2\n")
    kind = study_class("critique-evaluate")
    training = kind(settings=path).config().training
    assert (training.seed, training.epochs) == (5, 2)
    assert kind(settings=path, seed=9).config().training.seed == 9
    assert kind().config(augmentation=False).training.rc == 0


def test_the_papers_settings_look_at_images_where_there_are_features(tmp_path):
    kind = study_class("critique-ablation")
    assert kind(preset="paper").config().network.context == "reference"
    assert kind(preset="paper", features="features.npz").config().network.context == "both"
    assert kind(preset="quick", features="features.npz").config().network.context == "reference"
    path = tmp_path / "mine.toml"
    path.write_text('[network]\ncontext = "image"\n')
    study_ = kind(preset="paper", features="features.npz", settings=path)
    assert study_.config().network.context == "image"
    assert study_.networks(study_.config()) == (
        "preset paper changed by mine.toml: context image, fusion mlp, LSTM of 512, at most 30 epochs"
    )


def test_typed_transformations_may_name_code_and_those_of_files_not(tmp_path, monkeypatch):
    (tmp_path / "my_training_changes.py").write_text("def emptied(caption):\n    return ''\n")
    monkeypatch.syspath_prepend(tmp_path)
    named = "my_training_changes:emptied"
    path = tmp_path / "mine.toml"
    path.write_text(f'[training]\ntransformations = "{named}"\n')
    with pytest.raises(UsageError, match="no transformation 'my_training_changes:emptied'"):
        chosen_settings("quick", path)
    with pytest.raises(UsageError, match="allow_code=True"):
        chosen_settings("quick", transformations=[named])
    assert chosen_settings("quick", transformations=[named], allow_code=True).training.own_names == (named,)
