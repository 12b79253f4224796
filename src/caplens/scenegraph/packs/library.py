"""The packs in force: the one that ships with caplens, those that packages installed, and those that were imported."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import caplens.data
from caplens.errors import CaplensError, InputError, MissingDataError, UsageError, reason_of
from caplens.files.checks import DamagedFileError
from caplens.files.folders import user_directory
from caplens.files.packages import installed_data
from caplens.scenegraph.packs.pack import SUFFIX, Pack, Proposals

VARIABLE = "CAPLENS_PACKS"
"""The environment variable that names another folder for imported packs."""

SHIPPED = "coco-val2014-nocaps"
_SHIPPED_FOLDER = Path(caplens.data.__file__).parent / "packs"


@dataclass(frozen=True)
class Entry:
    """A pack that is in force, or would be if it could be read.

    Attributes
    ----------
    name : str
        Its name.
    captions : int
        How many captions it knows.
    about : str
        Where they come from.
    place : str
        Where it is kept.
    fault : str or None
        Why it cannot be used, if so.
    """

    name: str
    captions: int
    about: str
    place: str
    fault: str | None = None


@dataclass(frozen=True, eq=False)
class KnownGraphs:
    """All packs in force: what they know of a caption, the first that knows it wins."""

    packs: tuple[Pack, ...]

    @property
    def signature(self) -> str:
        """A hash of all packs, for signatures."""
        fingerprints = " ".join(pack.fingerprint for pack in self.packs)
        return hashlib.blake2b(fingerprints.encode(), digest_size=6).hexdigest()

    def find(self, captions: Sequence[Sequence[str]]) -> list[Proposals | None]:
        """Return the tuples of captions, given as words; None for those that no pack knows."""
        found: list[Proposals | None] = [None] * len(captions)
        for pack in self.packs:
            left = [place for place, tuples in enumerate(found) if tuples is None]
            for place, tuples in zip(left, pack.find([captions[place] for place in left]), strict=True):
                found[place] = tuples
        return found


def directory() -> Path:
    """Return the folder of imported packs: ``$CAPLENS_PACKS``, or a folder in the platform's place for data."""

    def usual() -> str:
        from platformdirs import user_data_path

        return str(user_data_path("caplens", appauthor=False) / "packs")

    return user_directory(VARIABLE, usual, "~/.local/share/caplens/packs")


def known_graphs() -> KnownGraphs:
    """Return the packs in force: imported ones by name, then installed ones, then the one that ships."""
    return _opened(tuple((path, _changed(path)) for path in _paths()))


@cache
def _opened(paths: tuple[tuple[Path, int], ...]) -> KnownGraphs:
    """Open packs once; the times of change tell files that were written again from the old ones."""
    return KnownGraphs(tuple(_usable(path) for path, _ in paths))


def _usable(path: Path) -> Pack:
    """Open a pack; where that fails, say what to do, for nothing that uses SPICE works until then."""
    try:
        return Pack.open(path)
    except DamagedFileError as error:
        if path not in _imported():
            raise
        name = path.name.removesuffix(SUFFIX)
        raise DamagedFileError(f"{str(error).rstrip('.')}: remove it (caplens packs remove {name}).") from error


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise MissingDataError(
            f"The pack {path.name} is missing ({reason_of(error)}): pip install --force-reinstall caplens."
        ) from error


def _paths() -> list[Path]:
    """Return the files of all packs, in the order in which they are asked."""
    return [*_imported(), *_installed(), _SHIPPED_FOLDER / f"{SHIPPED}{SUFFIX}"]


def _installed() -> list[Path]:
    return sorted(
        (path for folder in installed_data("packs") for path in folder.glob(f"*{SUFFIX}")), key=lambda path: path.name
    )


def _imported() -> list[Path]:
    try:
        return sorted(directory().glob(f"*{SUFFIX}"))
    except OSError:
        return []


def entries() -> list[Entry]:
    """Return all packs, in the order in which they are asked."""
    found = []
    for path in _paths():
        name = path.name.removesuffix(SUFFIX)
        place = "shipped with caplens" if path.parent == _SHIPPED_FOLDER else str(path)
        try:
            pack = Pack.open(path)
            found.append(Entry(name, len(pack), pack.about, place))
        except (CaplensError, OSError) as error:
            found.append(Entry(name, 0, "", place, str(error)))
    return found


def import_pack(path: str | os.PathLike[str], name: str | None = None) -> Entry:
    """Add a pack to those in force; one of the same name is replaced."""
    try:
        pack = Pack.open(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason_of(error)}.") from error
    name = name or Path(path).name.removesuffix(SUFFIX)
    _check_name(name)
    target = directory() / f"{name}{SUFFIX}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        pack.write(target)
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {reason_of(error)}. Set {VARIABLE} to another folder."
        ) from error
    return Entry(name, len(pack), pack.about, str(target))


def remove_pack(name: str) -> Path:
    """Remove an imported pack; return where it was."""
    _check_name(name)
    path = directory() / f"{name}{SUFFIX}"
    try:
        path.unlink()
    except FileNotFoundError:
        if any(known.name == path.name for known in _installed()):
            raise UsageError(f"The pack {name!r} was installed by a package: remove it with pip uninstall.") from None
        known = ", ".join(known.name.removesuffix(SUFFIX) for known in _imported()) or "none"
        raise UsageError(f"There is no imported pack {name!r}; imported: {known}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be removed: {reason_of(error)}.") from error
    return path


def _check_name(name: str) -> None:
    if name == SHIPPED:
        raise UsageError(f"{name!r} is the pack that ships with caplens: choose another name.")
    if not name or name != Path(name).name or name.startswith("."):
        raise UsageError(f"{name!r} cannot be the name of a pack: it becomes part of a file's name.")
