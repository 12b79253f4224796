"""Finding the files of a study in a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from caplens.errors import InputError, name_some
from caplens.files.paths import exists, is_folder


def find_file(folder: str | os.PathLike[str], names: Sequence[str], what: str, option: str = "--data") -> Path:
    """Return the first of some file names in a folder or in a folder inside it; ``.gz`` may follow the name.

    Parameters
    ----------
    folder : path
        Where to look; a file is refused.
    names : sequence of str
        File names, the preferred one first; each may begin with the name of a folder.
    what : str
        What the file holds, for messages.
    option : str
        The option that named the folder, for messages.
    """
    place = Path(folder)
    if not is_folder(place):
        kind = "is not a folder" if exists(place) else "does not exist"
        raise InputError(f"{place} {kind}: specify the folder that contains {what} ({option} DIR).")
    for name in names:
        found = matching_files(place, name)
        if len(found) > 1:
            raise InputError(
                f"{place} contains {len(found)} files for {what} ({name_some(found)}): specify the folder of one of "
                f"them."
            )
        if found:
            return found[0]
    raise InputError(f"There is no {' or '.join(names)} with {what} in {place} or in a folder inside it.")


def matching_files(folder: Path, name: str) -> list[Path]:
    """Return the files of a name in a folder, plain before gzip; those of folders inside it only if there are none."""
    for pattern in (name, f"{name}.gz", f"*/{name}", f"*/{name}.gz"):
        found = sorted(folder.glob(pattern))
        if found:
            return found
    return []
