"""The calls of public projects: caplens against what the original said, and against the original itself.

The golden file is what ``python tests/compat/call_sites.py`` printed last; the last test says whether that is still so.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.compat import call_sites
from tests.conftest import ROOT, needs_meteor
from tests.side_by_side import ORIGINAL, assert_close

SCRIPT = ROOT / "tests" / "compat" / "call_sites.py"
NAMES = [site.__name__ for site in call_sites.CALL_SITES]


def run(*before):
    done = subprocess.run(
        [sys.executable, *before, str(SCRIPT)], capture_output=True, text=True, check=False, timeout=900, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def ours():
    return run("-m", "caplens.compat")


@pytest.fixture(scope="module")
def golden():
    return json.loads((ROOT / "tests" / "data" / "call_sites_golden.json").read_text())


@needs_meteor
@pytest.mark.parametrize("name", NAMES)
def test_results_and_printed_lines_are_those_of_the_original(name, ours, golden):
    assert_close(ours["results"][name], golden["results"][name], name)
    assert ours["printed"][name] == golden["printed"][name]


@pytest.mark.skipif(
    importlib.util.find_spec(ORIGINAL) is None or shutil.which("java") is None,
    reason="the original needs java and pycocoevalcap (pip install 'caplens[meteor]')",
)
def test_the_original_still_says_the_same(golden):
    theirs = run()
    assert_close(theirs["results"], golden["results"])
    assert theirs["printed"] == golden["printed"]
