"""Image features from every kind of file, and what is wrong with them."""

import h5py
import numpy as np
import pytest

from caplens.errors import InputError
from caplens.learned.critique.image_features import read_image_features

IDS = ["7", "3", "12"]
VECTORS = np.arange(12, dtype=np.float32).reshape(3, 4)


def write(folder, kind):
    path = folder / f"features{kind}"
    if kind == ".npz":
        np.savez(path, ids=np.array(IDS), features=VECTORS)
    elif kind == ".npy":
        np.save(path, VECTORS)
        path.with_suffix(".txt").write_text("\n".join(IDS))
    elif kind == ".h5":
        with h5py.File(path, "w") as file:
            for image, vector in zip(IDS, VECTORS, strict=True):
                file[image] = vector
    else:
        numpy = pytest.importorskip("safetensors.numpy", reason="the extra train brings safetensors")
        numpy.save_file({image: vector.copy() for image, vector in zip(IDS, VECTORS, strict=True)}, path)
    return path


@pytest.mark.parametrize("kind", [".npz", ".npy", ".h5", ".safetensors"])
def test_every_kind_of_file(tmp_path, kind):
    features = read_image_features(write(tmp_path, kind))
    assert features.width == 4
    assert features.of(["3", "7"]).tolist() == VECTORS[[1, 0]].tolist()


def test_ids_of_numbers_and_grids(tmp_path):
    np.savez(tmp_path / "grid.npz", ids=np.array([5, 6]), features=np.ones((2, 3, 3, 4)) * [[[[2]]], [[[4]]]])
    features = read_image_features(tmp_path / "grid.npz")
    assert features.of(["6", "5"]).tolist() == [[4.0] * 4, [2.0] * 4]


def test_missing_images_and_other_widths_are_named(tmp_path):
    features = read_image_features(write(tmp_path, ".npz"))
    with pytest.raises(InputError, match=r"no features for 2 of 3 images \(1, 2\)"):
        features.of(["1", "7", "2"])
    with pytest.raises(InputError, match="4 numbers per image, but the critique was trained on 2,048"):
        features.of(["7"], 2048)


@pytest.mark.parametrize(
    ("name", "arrays", "message"),
    [
        ("a.npz", {"ids": np.array(["1"]), "features": np.ones((2, 3))}, "1 id but 2 rows"),
        ("a.npz", {"ids": np.array(["1", "1"]), "features": np.ones((2, 3))}, "1 repeated id"),
        ("a.npz", {"ids": np.array(["1", "2"]), "features": np.array([[1.0], [np.nan]])}, r"not finite \(2\)"),
        ("a.npz", {"1": np.ones(3), "2": np.ones(4), "3": np.ones(3)}, r"different widths: 1 image \(2\)"),
        ("a.npz", {"ids": np.array(["1"]), "features": np.array(["x"])}, "one row of numbers"),
        ("a.npz", {"1": np.array([["x", "y"]])}, "one row of numbers"),
        ("a.npz", {"ids": np.array([]), "features": np.zeros((0, 2, 2, 5))}, "contains no image features"),
        ("a.npz", {}, "contains no image features"),
    ],
)
def test_bad_arrays_are_refused(tmp_path, name, arrays, message):
    np.savez(tmp_path / name, **arrays)
    with pytest.raises(InputError, match=message):
        read_image_features(tmp_path / name)


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "a.npz").write_text("no archive")
    np.save(tmp_path / "b.npy", VECTORS)
    whole = write(tmp_path, ".npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[:200])
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("cut.npz", "empty.npz"):
        with pytest.raises(InputError, match="cannot be read"):
            read_image_features(tmp_path / name)
    for name, message in (("a.npz", "cannot be read"), ("b.npy", "b.txt beside it"), ("c.csv", "must end in")):
        with pytest.raises(InputError, match=message):
            read_image_features(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_image_features(tmp_path / "absent.h5")


def test_headers_that_python_2_wrote_are_read_without_a_warning(tmp_path):
    path = tmp_path / "features.npy"
    np.save(path, np.arange(6.0).reshape(2, 3))
    # As Python 2 wrote a long number; the header keeps its length.
    path.write_bytes(path.read_bytes().replace(b"(2, 3), }  ", b"(2L, 3L), }", 1))
    assert b"2L" in path.read_bytes()
    path.with_suffix(".txt").write_text("a\nb\n")
    assert read_image_features(path).width == 3
