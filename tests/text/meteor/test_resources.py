"""METEOR's data files and the index made of them, as commands in processes of their own use them.

Most tests use a small package of the shape of pycocoevalcap, put before it on the path. What `files.cache` promises
at every moment of a build is tested there, so here a few moments of a real command are enough.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from tests.conftest import needs_meteor

SCORE = """
import json, sys, caplens
try:
    result = caplens.score(["a man on top of a hill"], [["a man above a hill"]], "meteor")
except caplens.CaplensError as error:
    print(json.dumps([type(error).__name__, str(error)]))
else:
    print(json.dumps([result["METEOR"].score, [notice.code for notice in result.warnings]]))
"""
INDEX = "meteor-english-2.safetensors"


@pytest.fixture
def package(tmp_path) -> Path:
    """A folder with a package of the name and shape of the real one, with a small table of paraphrases."""
    folder = tmp_path / "site"
    meteor = folder / "pycocoevalcap" / "meteor"
    (meteor / "data").mkdir(parents=True)
    information = folder / "pycocoevalcap-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: pycocoevalcap\nVersion: 1.2\n")
    with zipfile.ZipFile(meteor / "meteor-1.5.jar", "w") as jar:
        jar.writestr("function/english.words", "a\nof\non\n")
        jar.writestr("nonbreaking/english.prefixes", "# titles\nMr\nNo #NUMERIC_ONLY#\n")
    write_table(meteor / "data" / "paraphrase-en.gz", [("on top of", "above")])
    return folder


def write_table(path: Path, pairs: list[tuple[str, str]], fill: int = 60_000) -> None:
    lines = [*pairs, *((f"w{number} x", f"y w{number % 977}") for number in range(fill))]
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.writelines(f"0.5\n{source}\n{target}\n" for source, target in lines)


def start(cache: Path, package: Path | None = None, **more) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "CAPLENS_CACHE": str(cache)}
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    return subprocess.Popen(
        [sys.executable, "-c", SCORE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **more
    )


def outcome(process: subprocess.Popen[bytes], *, warns: bool = False) -> list:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    assert (b"CaplensWarning" in errors) == warns, errors.decode()
    return json.loads(output)


@pytest.fixture
def expected(package, tmp_path) -> list:
    found = outcome(start(tmp_path / "first", package))
    assert found[0] == pytest.approx(0.8839, abs=1e-4)  # 1 but for the paraphrase, which counts 0.6
    assert found[1] == []
    return found


def test_the_paraphrases_are_those_of_the_table(package, tmp_path, expected):
    write_table(package / "pycocoevalcap" / "meteor" / "data" / "paraphrase-en.gz", [("no such", "phrase")])
    without = outcome(start(tmp_path / "second", package))
    assert without[0] < expected[0]


def test_another_table_makes_another_index(package, tmp_path, expected):
    cache = tmp_path / "first"
    before = (cache / INDEX).stat().st_mtime_ns
    assert outcome(start(cache, package)) == expected
    assert (cache / INDEX).stat().st_mtime_ns == before
    write_table(package / "pycocoevalcap" / "meteor" / "data" / "paraphrase-en.gz", [("no such", "phrase")])
    assert outcome(start(cache, package))[0] < expected[0]
    assert (cache / INDEX).stat().st_mtime_ns > before


def test_a_build_that_is_killed_does_no_harm(package, tmp_path, expected):
    draw = random.Random(1)
    for attempt in range(8):
        cache = tmp_path / f"killed {attempt}"
        process = start(cache, package)
        time.sleep(draw.uniform(0.1, 0.8))  # any moment will do, before, in or behind the build
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert outcome(start(cache, package)) == expected
        assert {file.name for file in cache.iterdir()} <= {INDEX, "meteor-english-2.lock"}


def test_two_at_once_are_both_right(package, tmp_path, expected):
    cache = tmp_path / "shared"
    assert [outcome(process) for process in [start(cache, package) for _ in range(3)]] == [expected] * 3


@pytest.mark.parametrize("keep", [0, 7, 100, 0.5, 0.999])
def test_a_truncated_index_is_built_again(package, tmp_path, expected, keep):
    cache = tmp_path / "first"
    whole = (cache / INDEX).read_bytes()
    (cache / INDEX).write_bytes(whole[: keep if keep > 1 else int(keep * len(whole))])
    assert outcome(start(cache, package)) == expected
    assert (cache / INDEX).read_bytes() == whole


def test_a_damaged_byte_is_noticed(package, tmp_path, expected):
    cache = tmp_path / "first"
    whole = bytearray((cache / INDEX).read_bytes())
    whole[len(whole) // 2] ^= 1
    (cache / INDEX).write_bytes(whole)
    assert outcome(start(cache, package)) == expected


def test_a_cache_that_cannot_be_written_is_said_and_does_no_harm(package, tmp_path, expected):
    (tmp_path / "file").write_text("not a folder")
    score, notices = outcome(start(tmp_path / "file", package), warns=True)
    assert score == expected[0]
    assert notices == ["cache-not-written"]


@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write in any folder")
def test_a_read_only_cache_serves_if_it_holds_the_index(package, tmp_path, expected):
    """(As root: tests/files/test_cache_processes.py, in a process that becomes nobody.)"""
    cache = tmp_path / "first"
    cache.chmod(0o555)
    try:
        assert outcome(start(cache, package)) == expected
        (cache / INDEX).chmod(0o000)
        assert outcome(start(cache, package)) == [expected[0], ["cache-not-written"]]
    finally:
        cache.chmod(0o755)


@pytest.mark.parametrize("file", ["data/paraphrase-en.gz", "meteor-1.5.jar"])
@pytest.mark.parametrize("keep", [0, 0.6])
def test_a_damaged_package_is_named_with_the_command_that_mends_it(package, tmp_path, file, keep):
    path = package / "pycocoevalcap" / "meteor" / file
    path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
    name, sentence = outcome(start(tmp_path / "cache", package))
    assert name == "MissingDataError"
    assert sentence.startswith(f"{path} is damaged (")
    assert sentence.endswith("): pip install --force-reinstall --no-deps pycocoevalcap==1.2")


def test_a_package_without_the_files_is_no_package(package, tmp_path):
    (package / "pycocoevalcap" / "meteor" / "meteor-1.5.jar").unlink()
    name, sentence = outcome(start(tmp_path / "cache", package))
    assert name == "MissingDataError"
    assert sentence == 'meteor cannot run here: its data files are not installed: pip install "caplens[meteor]"'


@needs_meteor
def test_the_real_index(tmp_path):
    """Built by one of two processes that start at once."""
    first, second = [outcome(process) for process in [start(tmp_path / "cache") for _ in range(2)]]
    assert first == second == outcome(start(tmp_path / "cache"))
    assert first[1] == []
    assert 50e6 < (tmp_path / "cache" / INDEX).stat().st_size < 400e6
