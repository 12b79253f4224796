"""The shared, lazy view of a corpus: a caption is tokenised, counted, parsed or embedded once, whoever asks.

A `Requirement` says what to derive from one side's captions. Metrics list their requirements; the first to ask
computes, the others share. Candidates stand on the references (`base`), so that both sides speak of the same ids; one
prepared reference side serves any number of systems.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.core.requirement import Requirement, Value
from caplens.corpus import Corpus, ReferenceSets, SceneTuples
from caplens.errors import Notice
from caplens.files.threads import available_cpus
from caplens.text.captions import Captions


class PreparedCaptions:
    """Captions of one side with everything that was derived from them so far.

    Parameters
    ----------
    captions : Captions
        The captions.
    base : PreparedCaptions, optional
        The side whose ids are to be kept (the references, for candidates).
    jobs : int
        Threads that may be used.
    cache : pathlib.Path, optional
        The folder that the user named for what takes long and may be kept for later runs (parses).
    graphs : SceneTuples, optional
        The scene graphs that stand in the place of captions.
    """

    def __init__(
        self,
        captions: Captions,
        base: PreparedCaptions | None = None,
        jobs: int = 1,
        cache: Path | None = None,
        graphs: SceneTuples | None = None,
    ) -> None:
        self.captions = captions
        self.graphs = graphs
        self.base = base
        self.jobs = jobs
        self.cache = cache
        self._notices: dict[Notice, None] = {}
        self._values: dict[Requirement[Any], Any] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self.captions)

    def get(self, requirement: Requirement[Value]) -> Value:
        """Return what ``requirement`` asks for, computed the first time."""
        with self._lock:
            if requirement not in self._values:
                self._values[requirement] = requirement.compute(self)
            value: Value = self._values[requirement]
            return value

    def note(self, notices: Iterable[Notice]) -> None:
        """Keep what a requirement has to say to the user, each notice once."""
        with self._lock:
            self._notices.update(dict.fromkeys(notices))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What requirements had to say so far."""
        with self._lock:
            return tuple(self._notices)

    def base_value(self, requirement: Requirement[Value]) -> Value | None:
        """Return the base's value, or None where there is no base."""
        return self.base.get(requirement) if self.base is not None else None


class PreparedReferences(PreparedCaptions):
    """The reference side: captions in sets."""

    def __init__(self, references: ReferenceSets, jobs: int = 1, cache: Path | None = None) -> None:
        super().__init__(references.captions, jobs=jobs, cache=cache, graphs=references.graphs)
        self.ids = references.ids
        self.offsets = references.offsets

    @property
    def sets(self) -> int:
        """Number of reference sets."""
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Candidates, prepared references, and which set each candidate row belongs to; ids of the rows, for messages."""

    candidates: PreparedCaptions
    references: PreparedReferences
    reference_set: npt.NDArray[np.int64]
    jobs: int = 1
    ids: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.reference_set)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What requirements had to say about either side, each notice once."""
        return tuple(dict.fromkeys((*self.references.notices, *self.candidates.notices)))


@dataclass(frozen=True, eq=False)
class Usage:
    """How often each reference set is used, for metrics that count documents.

    Attributes
    ----------
    rows : numpy.ndarray of int64
        By how many rows.
    images : numpy.ndarray of int64
        By how many images; an image whose rows have different references counts once for each set.
    """

    rows: npt.NDArray[np.int64]
    images: npt.NDArray[np.int64]

    @classmethod
    def once(cls, sets: int) -> Usage:
        """Each set once."""
        ones = np.ones(sets, dtype=np.int64)
        return cls(ones, ones)

    @classmethod
    def of(cls, corpus: Corpus) -> Usage:
        """Count the rows and images of a corpus; without images, every set is one."""
        sets = len(corpus.references)
        rows = np.bincount(corpus.reference_set, minlength=sets).astype(np.int64)
        if corpus.groups is None:
            return cls(rows, np.minimum(rows, 1))
        used = [number for _, number in set(zip(corpus.groups, corpus.reference_set.tolist(), strict=True))]
        return cls(rows, np.bincount(np.array(used, dtype=np.int64), minlength=sets).astype(np.int64))


def prepare(
    corpus: Corpus,
    references: PreparedReferences | None = None,
    jobs: int | None = None,
    cache: Path | None = None,
) -> Prepared:
    """Prepare a corpus; pass ``references`` where they were prepared before (same sets, same order).

    ``cache`` is a folder for what takes long and may be kept for later runs.
    """
    jobs = jobs or available_cpus()
    side = PreparedReferences(corpus.references, jobs, cache) if references is None else references
    candidates = PreparedCaptions(corpus.candidates, side, jobs, cache, corpus.candidate_graphs)
    return Prepared(candidates, side, corpus.reference_set, jobs, corpus.ids)
