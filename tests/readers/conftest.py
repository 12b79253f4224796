from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write bytes, text or (as JSON) anything else to a file whose name says nothing about its format."""

    def to_file(content: Any, name: str | None = None) -> Path:
        path = tmp_path / (name or f"input{len(list(tmp_path.iterdir()))}")
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return to_file
