"""Shared data (golden outputs of the reference tools, real captions) where it is there."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from caplens.text.meteor import resources

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
EXAMPLE = ROOT / "src" / "caplens" / "data" / "example"
LEXICAL = ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "CIDEr")

# What tests compile (METEOR's index) is kept between runs, and out of the user's own cache; commands inherit it.
os.environ["CAPLENS_CACHE"] = str(ROOT / ".pytest_cache" / "caplens")

needs_meteor = pytest.mark.skipif(resources.missing_data() is not None, reason=f"METEOR: {resources.missing_data()}")


@cache
def load_golden(name: str) -> Any:
    path = SHARED / "golden" / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"the golden data {path.name} is not here (it lies in ../shared/data, beside the repository)")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


@pytest.fixture
def golden():
    """Load a golden file by name, or skip."""
    return load_golden


@pytest.fixture(scope="session")
def example_dir() -> Path:
    return EXAMPLE


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    if not SHARED.exists():
        pytest.skip("../shared/data is not here (it lies beside the repository)")
    return SHARED
