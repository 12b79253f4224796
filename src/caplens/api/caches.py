"""What caplens keeps on the disk: where, how much, and how to be rid of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from caplens.embeddings import library as vectors
from caplens.embeddings import stored
from caplens.errors import UsageError, reason_of
from caplens.files.cache import remove_compiled
from caplens.files.folders import cache_directory
from caplens.files.store import Store
from caplens.files.verifying import MEMORY
from caplens.scenegraph.packs import library as packs
from caplens.scenegraph.packs.pack import SUFFIX
from caplens.scenegraph.parser.cache import FILE, parse_store

METEOR = "meteor-"  # how the names of its indexes begin
Kind = Literal["cache", "parses", "import"]


@dataclass(frozen=True)
class Kept:
    """A file that caplens made.

    Attributes
    ----------
    what : str
        In words.
    path : pathlib.Path
        The file.
    size : int
        Bytes.
    kind : {"cache", "parses", "import"}
        What caplens can make again; parses that the user asked to keep; what the user imported.
    """

    what: str
    path: Path
    size: int
    kind: Kind


def kept_files(parses: str | os.PathLike[str] | None = None) -> list[Kept]:
    """Return the files of caplens' own folders, and of a folder of parses.

    Parameters
    ----------
    parses : path, optional
        A folder that was given to ``parses=`` or ``--parses``.

    Examples
    --------
    >>> import os, tempfile
    >>> from unittest import mock
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     names = dict.fromkeys(["CAPLENS_CACHE", "CAPLENS_VECTORS", "CAPLENS_PACKS"], folder)
    ...     with mock.patch.dict(os.environ, names):
    ...         kept_files()
    []
    """
    folder = cache_directory()
    found: list[tuple[str, Path, Kind]] = [
        *(("METEOR's index", path, "cache") for path in _files(folder, ".safetensors") if path.name.startswith(METEOR)),
        ("checked files", folder / MEMORY, "cache"),
    ]
    found += [("imported word vectors", path, "import") for path in _files(vectors.directory(), stored.SUFFIX)]
    found += [("imported pack", path, "import") for path in _files(packs.directory(), SUFFIX)]
    if parses is not None:
        found.append(("SPICE's parses", Path(parses) / FILE, "parses"))
        found.append(("parses that were damaged", Path(parses) / f"{FILE}.damaged", "parses"))
    return [Kept(what, path, size, kind) for what, path, kind in found if (size := _size(path)) is not None]


def clear(parses: str | os.PathLike[str] | None = None) -> Iterator[Kept]:
    """Remove what caplens can make again, and the parses in a folder that is named; yield each when it is gone.

    Imported vectors and packs stay. Processes that are using a file keep what they have open.
    """
    for each in kept_files(parses):
        if each.kind == "import":
            continue
        try:
            if each.path.suffix == ".safetensors":
                remove_compiled(each.path.stem)
            elif each.path.name == FILE:
                parse_store(each.path.parent).clear()
            elif each.path.name == MEMORY:
                Store(each.path).clear()
            else:
                each.path.unlink()
        except FileNotFoundError:
            continue  # another process was faster
        except OSError as error:
            raise UsageError(f"{each.path} cannot be removed: {reason_of(error)}.") from error
        yield each


def _files(folder: Path, suffix: str) -> list[Path]:
    try:
        return sorted(folder.glob(f"*{suffix}"))
    except OSError:
        return []


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
