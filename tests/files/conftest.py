"""A cache of its own for each test."""

from __future__ import annotations

import pytest
from tests.cache_processes import NAME


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that does not exist yet."""
    folder = tmp_path / "home" / "cache"
    monkeypatch.setenv("CAPLENS_CACHE", str(folder))
    return folder


@pytest.fixture
def path(folder):
    return folder / f"{NAME}.safetensors"
