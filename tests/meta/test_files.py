"""Finding the files of a study in a folder."""

from __future__ import annotations

import pytest

from caplens.errors import InputError
from caplens.meta.files import find_file


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(
        InputError, match=r"nowhere does not exist: specify the folder that contains the expert ratings"
    ):
        find_file(tmp_path / "nowhere", ["ExpertAnnotations.txt"], "the expert ratings of Flickr8k")


def test_a_folder_without_the_file(tmp_path):
    with pytest.raises(InputError, match=r"There is no ExpertAnnotations.txt with the expert ratings of Flickr8k in"):
        find_file(tmp_path, ["ExpertAnnotations.txt"], "the expert ratings of Flickr8k")


def test_two_files_of_one_name(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("1")
    with pytest.raises(InputError, match="contains 2 files for things"):
        find_file(tmp_path, ["x.txt"], "things")
