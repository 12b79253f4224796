"""The critique's commands on toy captions: train, score, evaluate, ablation."""

import json

import pytest
from tests.command_line import refuse
from tests.critique_toys import SMALL, write_captions, write_features

from caplens.cli import main

torch = pytest.importorskip("torch", reason="training needs torch")
torch.set_num_threads(1)  # networks this small lose by more


def run(capsys, *arguments):
    """Run ``caplens`` in this process, where torch is loaded once; return what it printed."""
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    assert left.value.code in (0, None), printed.err
    return printed.out


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    folder = tmp_path_factory.mktemp("given")
    references, system = write_captions(folder)
    config = folder / "small.toml"
    config.write_text(SMALL.replace("epochs = 2", "epochs = 1\nseed = 3"))
    return references, system, config


def test_train_then_score(given, tmp_path, capsys):
    references, system, config = given
    options = ("-r", references, "--settings", config, "--threads", 1, "-q")
    assert "accuracy" in run(capsys, "train", "critique", system, "-o", tmp_path / "run", *options)
    out = tmp_path / "scores.json"
    run(capsys, "score", system, "-r", references, "-m", f"critique(weights={tmp_path / 'run'})", "-o", out, "-q")
    assert 0 < json.loads(out.read_text())["metrics"]["Critique"]["score"] < 1


def test_the_caption_level_preset_needs_no_system(given, tmp_path, capsys):
    references, _, config = given
    run(
        capsys,
        "train",
        "critique",
        "-r",
        references,
        "-o",
        tmp_path,
        "--preset",
        "caption-level",
        "--settings",
        config,
        "--labels",
        "inverted",
        "-q",
    )
    text = (tmp_path / "config.toml").read_text()
    assert "machine = 0.0" in text
    assert "rc = 1.0" in text
    assert 'labels = "inverted"' in text


def test_evaluate_gives_scores_judgments_and_a_figure(given, tmp_path, capsys):
    references, system, config = given
    other = tmp_path / "system.json"
    human = json.loads(references.read_text())["annotations"][::4]
    other.write_text(json.dumps([{"image_id": row["image_id"], "caption": row["caption"]} for row in human]))
    table = tmp_path / "judgments.csv"
    table.write_text("system,M1,note\nsystem,0.1,x\nbetter,0.9,y\n")
    figure = tmp_path / "figure.svg"
    arguments = (
        "critique",
        "evaluate",
        system,
        f"better={other}",
        "-r",
        references,
        "-o",
        tmp_path / "run",
        "--human",
        table,
    )
    arguments += ("--settings", config, "--seeds", 2, "--figure", figure, "-q", "--threads", 1)
    first = run(capsys, *arguments)
    assert "two-fold evaluation" in first
    assert "M1" in first
    data = json.loads((tmp_path / "run" / "critique-evaluate.json").read_text())
    entry = data["by_system"]["system"]
    assert entry["images"] == 60
    assert "seed = 3" in data["settings"]
    assert len(entry["score"]["runs"]) == 2
    assert entry["capability"]["mean"] == pytest.approx((entry["human"]["mean"] + 1 - entry["score"]["mean"]) / 2)
    assert figure.read_text().lstrip().startswith("<?xml")
    assert run(capsys, *arguments) == first  # what was done is not done again, and says the same
    assert "other settings, captions or images" in refuse(*arguments, "--images", 30)


def test_ablation_with_features_fills_the_whole_grid(given, tmp_path, capsys):
    references, system, config = given
    features = write_features(tmp_path / "features.npz")
    figure = tmp_path / "figure.svg"
    run(
        capsys, "critique", "ablation", system, "-r", references, "-o", tmp_path / "run", "--features", features,
        "--settings", config, "--figure", figure, "-q", "--threads", 1,
    )  # fmt: skip
    data = json.loads((tmp_path / "run" / "critique-ablation.json").read_text())
    assert set(data["grid"]) == {"concat + linear", "bilinear + linear", "concat + MLP"}
    assert all(set(row) == {"image", "reference", "both"} for row in data["grid"].values())
    assert set(data["metrics"]) == {
        "linear", "linear, no augmentation", "non-linear", "non-linear, no augmentation"
    }  # fmt: skip
    assert figure.exists()


def test_what_cannot_be_done_is_said(given, tmp_path):
    references, system, _ = given
    assert "--human TABLE" in refuse(
        "critique", "evaluate", system, "-r", references, "-o", tmp_path, "--figure", "a.svg"
    )
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[network]\nhiden = 3\n")
    options = ("-r", references, "-o", tmp_path / "run")
    assert "did you mean 'hidden'" in refuse("train", "critique", system, *options, "--settings", wrong)
    assert "at least 20 are needed" in refuse("critique", "evaluate", system, *options, "-q", "--images", 3)
    assert "at least 20 are needed" in refuse("critique", "ablation", system, *options, "--images", 3)
    assert "'fast' is not one of" in refuse("critique", "evaluate", system, *options, "--preset", "fast")
    judgments = tmp_path / "judgments.csv"
    judgments.write_text("system,M1\nother,1\n")
    assert "no judgments of system" in refuse("critique", "evaluate", system, *options, "--human", judgments)
