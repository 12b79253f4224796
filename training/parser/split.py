"""Which silver captions are trained on, which choose the network, and which are kept aside.

Every decision is a function of the caption's own words or of the name of its source, so it is the same for every
script, for any order of the files and for any number of them:

- a tenth of the named sources is kept aside whole: nothing is trained or chosen on them;
- of the rest one caption in eighty is for development, whatever part it stands in;
- a caption whose words also occur in one of these two is not trained on.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from silver import Parses

SOURCES_PER_ASIDE = 10
CAPTIONS_PER_DEVELOPMENT = 80


@dataclass(frozen=True)
class Split:
    """The three parts of the silver parses."""

    training: Parses
    development: Parses
    aside: Parses


def aside_sources(sources: list[str]) -> list[str]:
    """Choose every tenth of the named sources, in the order of a hash of their names.

    Examples
    --------
    >>> aside_sources([f"system {number}" for number in range(20)])
    ['system 10', 'system 13']
    """
    named = sorted(filter(None, sources), key=lambda name: (zlib.crc32(name.encode()), name))
    return sorted(named[::SOURCES_PER_ASIDE])


def mark(words: Sequence[str]) -> int:
    """Give a caption its number: the same caption always lands on the same side."""
    return zlib.crc32(" ".join(words).encode())


def split(parses: Parses, captions: int = 0) -> Split:
    """Divide parses; with `captions` only that many are trained on, a fair sample of all, for a learning curve."""
    aside_numbers = [parses.sources.index(name) for name in aside_sources(parses.sources)]
    aside = np.isin(parses.source, aside_numbers)
    marks = np.array([mark(parses.words(place)) for place in range(len(parses))], np.int64)
    development = ~aside & (marks % CAPTIONS_PER_DEVELOPMENT == 0)
    training = ~aside & ~development & ~np.isin(marks, marks[aside])
    chosen = np.flatnonzero(training)
    if captions:
        sample = np.argsort(marks[chosen] // CAPTIONS_PER_DEVELOPMENT, kind="stable")[:captions]
        chosen = np.sort(chosen[sample])
    return Split(
        parses.select(chosen), parses.select(np.flatnonzero(development)), parses.select(np.flatnonzero(aside))
    )
