"""Snowball 2 stemmers: PyStemmer (C) where it can be installed, else snowballstemmer 2.2 (Python), which stems alike.

PyStemmer 2 has no wheels for Python 3.14 and later, and version 3 stems some words (archaeologist, ebbing) otherwise
than METEOR 1.5 does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

Stemmer = Callable[[Sequence[bytes]], list[bytes]]


@cache
def snowball(algorithm: str) -> Stemmer:
    """Return the function that stems words (UTF-8).

    Parameters
    ----------
    algorithm : str
        The name of a Snowball algorithm, such as ``english``.

    Examples
    --------
    >>> snowball("english")([b"riding", b"horses"])
    [b'ride', b'hors']
    """
    try:
        import Stemmer as PyStemmer
    except ImportError:
        return in_python(algorithm)
    stem: Stemmer = PyStemmer.Stemmer(algorithm).stemWords
    return stem


def in_python(algorithm: str) -> Stemmer:
    """Return the stemmer of snowballstemmer, never PyStemmer's, which that package would prefer."""
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    stem_word = getattr(module, f"{algorithm.title()}Stemmer")().stemWord

    def stem(words: Sequence[bytes]) -> list[bytes]:
        # PyStemmer leaves what is not UTF-8 as it is; surrogates carry such bytes through.
        return [stem_word(word.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") for word in words]

    return stem
