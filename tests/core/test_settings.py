"""Settings that many calls share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caplens.core.settings import check_at_least, parses_folder
from caplens.errors import UsageError


def test_numbers_have_bounds():
    check_at_least(1, jobs=None, resamples=1)
    for number in (0, -5, 1 << 63):
        with pytest.raises(UsageError, match=f"`jobs` must be at least 1 and less than 2\\*\\*63, not {number}"):
            check_at_least(1, jobs=number)


def test_numbers_are_whole_numbers():
    check_at_least(0, seed=np.int64(3))
    for number in ("2", 1.5, np.float64(1), [1]):
        with pytest.raises(UsageError, match="`seed` must be a whole number, not "):
            check_at_least(0, seed=number)


def test_the_folder_of_parses_need_not_exist(tmp_path):
    assert parses_folder(None) is None
    assert parses_folder(tmp_path / "new") == tmp_path / "new"
    assert not (tmp_path / "new").exists()


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(UsageError, match="is a file: specify a folder"):
        parses_folder(path)
    with pytest.raises(UsageError, match="no such home directory"):
        parses_folder(Path("~nobody-has-this-name/x"))
