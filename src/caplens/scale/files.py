"""Which files are one input, and what tells them from others."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from caplens.errors import InputError, UsageError, reason_of
from caplens.files.claims import claim_input
from caplens.files.paths import exists, is_folder

_WILDCARDS = "*?["


def expand(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files that paths, folders and patterns (``data/*.parquet``) stand for, in the order of their names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.jsonl", "a.jsonl", ".hidden"):
    ...         _ = Path(folder, name).write_text("")
    ...     [path.name for path in expand([folder])]
    ['a.jsonl', 'b.jsonl']
    """
    found: dict[Path, None] = {}
    for given in inputs:
        text = os.fspath(given)
        if text == "-":
            raise UsageError("Standard input cannot be scored in parts and resumed: specify files.")
        if is_folder(text):
            files = sorted(path for path in Path(text).iterdir() if path.is_file() and path.name[0] not in "._")
            problem = f"There is no file in the folder {text}."
        elif not exists(text) and any(character in text for character in _WILDCARDS):
            files = sorted(Path(path) for path in _matching(text) if Path(path).is_file())
            problem = f"No file is named {text}."
        else:
            files, problem = [Path(text)], ""
        if not files:
            raise InputError(problem)
        found.update(dict.fromkeys(files))
    return list(found)


def _matching(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207 - a pattern may have wildcards in its folders


def shard_name(path: Path) -> str:
    """Return what the shard of a file is called: as the file, without dots, so that it is not taken for one.

    Examples
    --------
    >>> shard_name(Path("data/part-0007.parquet"))
    'part-0007-parquet'
    """
    return path.name.replace(".", "-")


def digest_of_file(path: Path) -> str:
    """Return a hash of what a file holds."""
    claim_input(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, _hash).hexdigest()
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}: check the path.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason_of(error)}.") from error


def digest_of_text(text: str) -> str:
    """Return a hash of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _hash() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)
