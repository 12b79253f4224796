"""Caption files of systems."""

from __future__ import annotations

import pytest

from caplens.errors import InputError
from caplens.meta.systems.files import find_systems, load_systems


def test_systems_are_named_by_their_files(coco):
    files = find_systems(coco, None)
    assert list(files) == ["one", "two"]
    assert find_systems(coco.parent, coco / "systems") == files
    assert load_systems(files)["one"].captions == ["a red dog", "a cat"]


def test_a_folder_must_be_one_and_hold_captions(tmp_path):
    with pytest.raises(InputError, match=r"nowhere is not a folder: specify the one with the caption files"):
        find_systems(tmp_path, tmp_path / "nowhere")
    with pytest.raises(InputError, match="contains no caption files"):
        find_systems(tmp_path, tmp_path)
