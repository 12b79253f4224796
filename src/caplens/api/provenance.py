"""Which files a result was made of, and with which settings: enough to tell later whether it comes out again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from caplens.files.paths import exists

STDIN = "-"
_PIECE = 1 << 20


def input_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the name of a file as it was given and the hash of its content; standard input has no hash.

    Examples
    --------
    >>> input_file("-")
    {'file': '-', 'sha256': None}
    """
    name = os.fspath(path)
    return {"file": name, "sha256": None if name == STDIN else hash_of(name)}


def hash_of(path: str) -> str | None:
    """Return the SHA-256 of a file; None for what cannot be read twice, such as a pipe."""
    if not Path(path).is_file():
        return None
    digest = hashlib.sha256()
    with open(path, "rb") as file:  # noqa: PTH123 (a path as the user typed it)
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def provenance(
    candidates: Mapping[str, str], references: Sequence[str], settings: Mapping[str, object]
) -> dict[str, Any]:
    """Return what result files record under ``inputs``: files of candidates by system, of references, settings."""
    return {
        "candidates": {name: input_file(path) for name, path in candidates.items()},
        "references": [input_file(path) for path in references],
        "settings": dict(settings),
    }


def changed_files(recorded: Sequence[Mapping[str, Any]], now: Sequence[str]) -> list[str]:
    """Return the files whose content is not that which was recorded; files without a hash are passed over."""
    return [
        name
        for entry, name in zip(recorded, now, strict=False)
        if entry.get("sha256") is not None and exists(Path(name)) and hash_of(name) != entry["sha256"]
    ]
