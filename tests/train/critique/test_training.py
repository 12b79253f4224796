"""Training: it learns, it repeats itself, and it goes on after a kill as if nothing had happened."""

import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from tests.critique_toys import SMALL, write_captions, write_features

import caplens
from caplens.errors import InputError, UsageError
from caplens.files.arrays import read_arrays
from caplens.learned.critique.config import QUICK, read_config
from caplens.learned.critique.model import CONFIG, WEIGHTS, load
from caplens.train.critique.request import TrainingInput, train_critique

torch = pytest.importorskip("torch", reason="training needs torch")
torch.set_num_threads(1)  # networks this small lose by more

# A training that waits after each batch once it has written a checkpoint, so that it can be killed in the middle.
KILLED = """
import sys, time
from pathlib import Path
from caplens.learned.critique.config import QUICK, read_config
from caplens.train.critique import training as critique_training
from caplens.train.critique.request import TrainingInput, train_critique

critique_training.SECONDS_BETWEEN_CHECKPOINTS = 0
folder, references, system, config = map(Path, sys.argv[1:])
learn = critique_training.CritiqueTraining._learn
batches = []

def learn_slowly(self, *arguments):
    batches.append(1)
    if len(batches) == 12:
        (folder / "ready").touch()
        time.sleep(60)
    return learn(self, *arguments)

critique_training.CritiqueTraining._learn = learn_slowly
train_critique(folder, read_config(config, QUICK), TrainingInput([references], [system]), threads=1)
"""


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    folder = tmp_path_factory.mktemp("given")
    references, system = write_captions(folder)
    config = folder / "small.toml"
    config.write_text(SMALL)
    return references, system, config


@pytest.fixture(scope="module")
def trained(given, tmp_path_factory):
    """Train once, undisturbed."""
    references, system, config = given
    folder = tmp_path_factory.mktemp("trained")
    lines = []
    train_critique(folder, read_config(config, QUICK), TrainingInput([references], [system]), lines.append, threads=1)
    return folder, lines


def arrays_of(folder):
    found = read_arrays(folder / WEIGHTS)
    return {name: found[name].copy() for name in found}


def assert_same_weights(first, second):
    ours, theirs = arrays_of(first), arrays_of(second)
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


def test_settings_are_saved_beside_the_weights(given, trained):
    folder, lines = trained
    assert {path.name for path in folder.iterdir()} == {WEIGHTS, CONFIG}
    assert load(str(folder)).config == read_config(given[2], QUICK)
    assert any("loss" in line and "accuracy" in line for line in lines)


def test_a_killed_training_goes_on_as_if_nothing_had_happened(given, trained, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), *map(str, given)])
    until = time.monotonic() + 60
    while not (tmp_path / "ready").exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (tmp_path / "checkpoint.pt").exists()
    lines = []
    settings, files = read_config(given[2], QUICK), TrainingInput([given[0]], [given[1]])
    with pytest.raises(InputError, match="different settings"):
        train_critique(tmp_path, settings.changed({"training": {"seed": 9}}), files)
    with pytest.raises(InputError, match="different captions"):
        train_critique(tmp_path, settings, TrainingInput([given[0]]))
    train_critique(tmp_path, settings, files, lines.append, threads=1)
    assert any(line.startswith("resuming at epoch") for line in lines)
    assert_same_weights(tmp_path, trained[0])
    train_critique(tmp_path, settings, files, lines.append)
    assert lines[-1].endswith("already contains this finished training")


def test_what_was_trained_is_not_written_over(given, trained, tmp_path):
    """A folder belongs to its settings, its captions, their words and the weights that it began with."""
    references, system, config = given
    settings = read_config(config, QUICK)
    before = (trained[0] / WEIGHTS).read_bytes()
    with pytest.raises(InputError, match="different settings"):
        train_critique(trained[0], settings.changed({"training": {"rate": 0.5}}), TrainingInput([references], [system]))
    renamed = tmp_path / "references.json"
    renamed.write_text(references.read_text().replace("zebra", "ferret"))
    machine = tmp_path / "system.json"
    machine.write_text(system.read_text().replace("zebra", "ferret"))
    for files in (
        TrainingInput([references]),
        TrainingInput([renamed], [machine]),
        TrainingInput([references], [system], start=trained[0]),
    ):
        with pytest.raises(InputError, match="different captions"):
            train_critique(trained[0], settings, files)
    assert (trained[0] / WEIGHTS).read_bytes() == before


def test_what_cannot_be_trained_is_said(given, tmp_path):
    references, system, config = given
    settings, files = read_config(config, QUICK), TrainingInput([references], [system])
    with pytest.raises(UsageError, match="cannot use the device 'abacus'"):
        train_critique(tmp_path, settings, files, device="abacus")
    with pytest.raises(InputError, match="minimum_count"):
        train_critique(tmp_path, settings.changed({"words": {"minimum_count": 9999}}), files)
    ids = tmp_path / "ids.txt"
    ids.write_text("COCO_7\n")
    with pytest.raises(InputError, match="nothing would be excluded"):
        train_critique(tmp_path, settings, TrainingInput([references], [system], leave_out=[ids]))
    (tmp_path / "checkpoint.pt").write_bytes(b"damaged")
    with pytest.raises(InputError, match="is damaged"):
        train_critique(tmp_path, settings, files)


def test_the_shipped_critique_can_be_gone_on_from(given):
    from caplens.train.critique.training import read_start

    settings = load("shipped").config
    start = read_start("shipped", settings)
    assert start.fingerprint == load("shipped").fingerprint
    assert len(start.weights["embedding.weight"]) == len(load("shipped").vocabulary)


def test_it_learns_what_people_do(given, tmp_path):
    references, system, config = given
    settings = read_config(config, QUICK).changed({"training": {"epochs": 10, "rate": 0.02, "patience": 10}})
    lines = []
    train_critique(tmp_path, settings, TrainingInput([references], [system]), lines.append, threads=1)
    critique = load(str(tmp_path))
    captions = ["a dog sleeps in the snow", "the brown dog sleeps in the snow", "dog sleeps snow", "dog snow the a in"]
    vectors = critique.encode([caption.split() for caption in captions])
    reference = (vectors, np.zeros(3, np.int64))
    human, machine, permuted = critique.judge(vectors, np.array([1, 2, 3]), reference)
    assert human > 0.5 > max(machine, permuted)


def test_inverted_labels_teach_the_opposite(given, tmp_path):
    references, system, config = given
    training = {"epochs": 10, "rate": 0.02, "patience": 10, "labels": "inverted"}
    settings = read_config(config, QUICK).changed({"training": training})
    train_critique(tmp_path, settings, TrainingInput([references], [system]), threads=1)
    critique = load(str(tmp_path))
    assert critique.config.training.labels == "inverted"
    captions = ["a dog sleeps in the snow", "the brown dog sleeps in the snow", "dog sleeps snow"]
    vectors = critique.encode([caption.split() for caption in captions])
    human, machine = critique.judge(vectors, np.array([1, 2]), (vectors, np.zeros(2, np.int64)))
    assert human < 0.5 < machine


def test_images_take_part(given, tmp_path):
    references, system, config = given
    features = write_features(tmp_path / "features.npz")
    settings = read_config(config, QUICK).changed({"network": {"context": "both"}, "training": {"epochs": 1}})
    lines = []
    files = TrainingInput([references], [system], features=features)
    train_critique(tmp_path / "run", settings, files)
    train_critique(tmp_path / "words", settings.changed({"network": {"context": "reference"}}), files, lines.append)
    assert any("are used only to find similar images" in line for line in lines)
    assert load(str(tmp_path / "run")).config.network.image == 5
    train_critique(tmp_path / "image", settings.changed({"network": {"context": "image"}}), files)
    for name, sections in (("run", 3), ("image", 2)):  # without references in the context there is no judgment by them
        metric = f"critique(weights={tmp_path / name},features={features})"
        assert len(caplens.explain("a dog", ["a dog runs"], metric).to_dict()["sections"]) == sections
    alone = caplens.Evaluator(metric).score({3: "a dog runs", 5: "dog runs"})["Critique"].item_scores
    beside = caplens.score({3: "a dog runs", 5: "dog runs"}, {3: ["a dog"], 5: ["a cat"]}, metric)["Critique"]
    assert alone == pytest.approx(beside.item_scores)  # which looks at images only, and needs no references
    assert (alone > 0).all()
    with pytest.raises(UsageError, match="--features"):
        train_critique(tmp_path / "other", settings, TrainingInput([references], [system]))


def test_training_stops_early(given, tmp_path):
    references, system, config = given
    settings = read_config(config, QUICK)
    # Without any learning the loss cannot fall twice.
    settings = replace(settings, training=replace(settings.training, epochs=9, rate=0.0, patience=1))
    lines = []
    train_critique(tmp_path, settings, TrainingInput([references], [system]), lines.append)
    assert sum(line.startswith("after epoch") for line in lines) == 3


def test_a_critique_can_be_gone_on_from(given, trained, tmp_path):
    references, system, config = given
    settings = read_config(config, QUICK).changed({"training": {"rate": 0.0, "epochs": 1}})
    files = TrainingInput([references], [system], start=trained[0])
    train_critique(tmp_path / "run", settings, files)
    assert_same_weights(tmp_path / "run", trained[0])  # nothing was learned
    with pytest.raises(InputError, match="a different network"):
        train_critique(tmp_path / "other", settings.changed({"network": {"hidden": 9}}), files)


def test_a_loss_that_is_no_number_is_said(given, tmp_path):
    references, system, config = given
    settings = read_config(config, QUICK).changed({"training": {"rate": 1e30, "clip": 0.0}})
    with pytest.raises(InputError, match="lower rate"):
        train_critique(tmp_path, settings, TrainingInput([references], [system]))
