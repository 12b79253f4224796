"""The captions that ship, to try caplens with."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from caplens.errors import InputError, UsageError, reason_of
from caplens.files.atomic import atomic_path

NAMES = ("human.json", "degraded.json", "references.json")


def write_example(folder: str | os.PathLike[str]) -> list[Path]:
    """Write the example captions to a folder.

    They are those of 250 images of COCO val2014: captions by people, the same captions made worse, and references.

    Parameters
    ----------
    folder : path
        Where to; it is created if needed. A file of the same name with other content is never replaced.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_example(folder)]
    ['human.json', 'degraded.json', 'references.json']
    """
    shipped = resources.files("caplens.data") / "example"
    contents = {Path(folder, name): (shipped / name).read_bytes() for name in NAMES}
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            if path.exists() and (not path.is_file() or path.read_bytes() != content):
                raise UsageError(f"{path} already exists and is a different file; choose another folder.")
        for path, content in contents.items():
            if not path.exists():
                with atomic_path(path) as temporary:
                    temporary.write_bytes(content)
    except OSError as error:
        raise InputError(f"The example captions cannot be written to {folder}: {reason_of(error)}.") from error
    return list(contents)
