"""Safetensors files of other programs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens.files.arrays import write_arrays
from caplens.files.checks import DamagedFileError
from caplens.files.safetensors import read_safetensors


def write(path, header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_arrays_of_every_type_in_any_order(tmp_path):
    header = {
        "__metadata__": {"format": "pt"},
        "half": {"dtype": "F16", "shape": [2], "data_offsets": [8, 12]},
        "single": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "brain": {"dtype": "BF16", "shape": [2], "data_offsets": [12, 16]},
        "truth": {"dtype": "BOOL", "shape": [2], "data_offsets": [16, 18]},
        "empty": {"dtype": "I64", "shape": [0, 3], "data_offsets": [18, 18]},
    }
    singles = np.array([1.5, -2], "<f4")
    brain = (singles.view("<u4") >> 16).astype("<u2")
    data = singles.tobytes() + singles.astype("<f2").tobytes() + brain.tobytes() + b"\x01\x00"
    found = read_safetensors(write(tmp_path / "a.safetensors", header, data))
    assert found["single"].tolist() == [[1.5, -2]]
    assert found["half"].tolist() == found["brain"].tolist() == [1.5, -2]
    assert found["truth"].tolist() == [True, False]
    assert found["empty"].shape == (0, 3)


def test_the_package_writes_what_we_read(tmp_path):
    package = pytest.importorskip("safetensors.numpy", reason="the extra train is not installed")
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([7], np.int32)}
    package.save_file(arrays, tmp_path / "a.safetensors")
    found = read_safetensors(tmp_path / "a.safetensors")
    assert {name: array.tolist() for name, array in found.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        (b"{", "not a safetensors file"),
        (b"[" * 5000, "not a safetensors file"),
        ({"a": {"dtype": "F32", "shape": [2]}}, "not a safetensors file"),
        ({"a": {"dtype": "F8", "shape": [2], "data_offsets": [0, 2]}}, "'F8', which is not known"),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 16]}}, "is incomplete"),
        ({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, "is incomplete"),
        ({"a": {"dtype": "F32", "shape": [-2], "data_offsets": [8, 0]}}, "is incomplete"),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}, "is incomplete"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, header, fault):
    with pytest.raises(DamagedFileError, match=fault):
        read_safetensors(write(tmp_path / "a.safetensors", header, b"\x00" * 8))


def test_an_empty_file(tmp_path):
    (tmp_path / "a.safetensors").write_bytes(b"")
    with pytest.raises(DamagedFileError, match="not a safetensors file"):
        read_safetensors(tmp_path / "a.safetensors")


def test_arrays_share_one_copy_of_the_file(tmp_path):
    path = tmp_path / "many.safetensors"
    write_arrays(path, {f"a{number}": np.arange(4) for number in range(50)}, {})
    arrays = read_safetensors(path)
    # All of them are views of the same bytes: a copy of the file for each array once took 9 GB.
    addresses = [array.__array_interface__["data"][0] for array in arrays.values()]
    assert max(addresses) - min(addresses) < path.stat().st_size
