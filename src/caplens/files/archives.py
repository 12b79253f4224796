"""Zip archives, such as those that torch saves: their own checksums, which not every reader compares."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib


def check_archive(path: str | os.PathLike[str]) -> None:
    """Compare the checksums of everything in an archive.

    Raises
    ------
    ValueError
        If a part of it is not what was written.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.zip")
    ...     with zipfile.ZipFile(path, "w") as archive:
    ...         archive.writestr("numbers", "1 2 3")
    ...     check_archive(path)
    ...     with open(path, "r+b") as file:
    ...         _ = file.seek(file.read().index(b"1 2 3")), file.write(b"1 2 4")
    ...     check_archive(path)
    Traceback (most recent call last):
    ValueError: the checksum of numbers does not match
    """
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, struct.error, zlib.error) as error:
        raise ValueError(str(error)) from error
    if damaged is not None:
        raise ValueError(f"the checksum of {damaged} does not match")
