"""Pictures beside captions: found in a folder, or by a pattern; linked, and small ones embedded on request."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from caplens.errors import MissingDataError, UsageError, counted
from caplens.files.paths import is_folder
from caplens.files.progress import blocks

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"})
THUMBNAIL = 320
"""Pixels of the longer side of an embedded picture."""
_QUALITY = 70
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_WINDOWS = re.compile(r"^[a-zA-Z]:[\\/]")


def pictures_of(
    given: str, ids: Sequence[str], place: str | os.PathLike[str] = "", small: Iterable[int] = ()
) -> dict[str, Any]:
    """Return what a page needs to show pictures.

    Parameters
    ----------
    given : str
        A folder, or a pattern with ``{id}`` (``{id:012}`` with leading zeros).
    ids : sequence of str
        Those of the items.
    place : path
        The page; links to files of a folder are relative to it.
    small : iterable of int
        The items whose pictures are embedded.

    Examples
    --------
    >>> pictures_of("https://example.org/{id:012}.jpg", ["7"])
    {'pattern': 'https://example.org/{id:012}.jpg'}
    """
    if not is_folder(given):
        _check_pattern(given)
        if list(small):
            raise UsageError("Thumbnails are made from a folder of pictures, not from a pattern.")
        return {"pattern": given}
    found = _files(Path(given))
    paths = [found.get(_bare(name)) or found.get(name) for name in ids]
    if not any(paths):
        raise UsageError(f"No picture in {given} is named by the id of an item, such as {ids[0]}.jpg.")
    base = Path(place).resolve().parent if str(place) else Path.cwd()
    links = [None if path is None else _link(path, base) for path in paths]
    shown: dict[str, Any] = {"pattern": "", "files": links}
    chosen = list(small)
    if chosen:
        embedded: list[str | None] = [None] * len(ids)
        for first, last in blocks("thumbnails", len(chosen), 1):
            for item in chosen[first:last]:
                path = paths[item]
                embedded[item] = None if path is None else thumbnail(path)
        shown["thumbnails"] = embedded
    return shown


def _check_pattern(given: str) -> None:
    if not re.search(r"\{id(:0\d{1,2})?\}", given):
        raise UsageError(f"--pictures takes a folder, or a pattern with {{id}}; {given!r} is neither.")
    scheme = None if _WINDOWS.match(given) else _SCHEME.match(given)
    if scheme and scheme[0].lower() not in ("http:", "https:", "file:"):
        raise UsageError(f"Pictures are at http, https or file addresses, not {scheme[0]}.")


def _files(folder: Path) -> dict[str, Path]:
    """Return the pictures of a folder by the name without suffix, and by the number that it ends in."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in SUFFIXES:
            found[path.stem] = path
            digits = re.search(r"(\d+)$", path.stem)
            if digits:
                found.setdefault(digits[1].lstrip("0") or "0", path)
    return found


def _bare(name: str) -> str:
    stem = Path(name).stem if Path(name).suffix.lower() in SUFFIXES else name
    return stem.lstrip("0") or stem if stem.isdigit() else stem


def _link(path: Path, base: Path) -> str:
    try:
        return quote(os.path.relpath(path.resolve(), base).replace(os.sep, "/"))
    except ValueError:  # another drive of Windows
        return path.resolve().as_uri()


def thumbnail(path: Path) -> str:
    """Return a small copy of a picture as a ``data:`` address."""
    import io

    try:
        from PIL import Image
    except ImportError:
        raise MissingDataError("Thumbnails need Pillow: pip install 'caplens[report]'.") from None
    try:
        with Image.open(path) as picture:
            small = picture.convert("RGB")
            small.thumbnail((THUMBNAIL, THUMBNAIL))
            buffer = io.BytesIO()
            small.save(buffer, "JPEG", quality=_QUALITY)
    except (OSError, ValueError) as error:
        raise UsageError(f"{counted(1, 'picture')} cannot be read: {path} ({error}).") from error
    return f"data:image/jpeg;base64,{b64encode(buffer.getvalue()).decode('ascii')}"
