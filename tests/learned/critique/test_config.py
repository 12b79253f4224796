"""Settings: presets, TOML and what is wrong with it."""

import pytest

from caplens.errors import InputError, UsageError
from caplens.learned.critique.config import PAPER, PRESETS, QUICK, preset, read_config


def test_the_paper_preset_is_the_papers():
    network, training = PAPER.network, PAPER.training
    assert (network.embedding, network.hidden, network.sketch, network.fusion_size) == (300, 512, 8192, 512)
    assert (training.epochs, training.batch, training.rate, training.decay) == (30, 100, 1e-3, 0.9)
    assert PAPER.words.longest == 15


def test_the_caption_level_preset_has_captions_of_random_images_only():
    training = preset("caption-level").training
    assert (training.machine, training.wp, training.rw, training.samples) == (0, 0, 0, 0)
    assert (training.rc, training.nearness) == (1, 0)


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_written_is_read(name, tmp_path):
    preset(name).write(tmp_path / "config.toml")
    assert read_config(tmp_path / "config.toml", PAPER) == preset(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[network]\nfusion = 'sum'", "one of linear, mlp, bilinear, matching, not 'sum'"),
        ("[network]\nhidden = 1.5", "must be a whole number, not 1.5"),
        ("[training]\nhalf = 1", "must be true or false"),
        ("[training]\nrate = -1.0", "must be at least 0"),
        ("[training]\nrate = nan", "must be a number, not nan"),
        ("[training]\nreferences = 0", "must be at least 1, not 0"),
        ("[training]\ndropout = 1.5", "must be at most 0.99, not 1.5"),
        ("[network]\ndirections = 3", "must be at most 2, not 3"),
        ("[nets]\nhidden = 1", r"an unknown section 'nets': choose from \[network\]"),
        ("hidden = 1", "an unknown section 'hidden'"),
        ("[network", "cannot be read as a configuration"),
    ],
)
def test_bad_settings_are_refused(text, message, tmp_path):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_config(tmp_path / "config.toml", PAPER)


def test_unknown_presets_are_refused():
    with pytest.raises(UsageError, match="choose from paper, quick"):
        preset("fast")


def test_true_labels_go_without_saying_so_that_older_weights_keep_their_checksum():
    assert "labels" not in QUICK.to_toml()
    shuffled = QUICK.changed({"training": {"labels": "shuffled"}})
    assert 'labels = "shuffled"' in shuffled.to_toml()
    assert shuffled.checksum != QUICK.checksum
