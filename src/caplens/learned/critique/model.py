"""A trained critique, ready to score: weights, words and settings from a folder, without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.arrays import ShortIntegers, Singles
from caplens.errors import CaplensError, MissingDataError, reason_of
from caplens.files.arrays import Arrays, read_arrays
from caplens.files.checks import DamagedFileError, check_finite, check_range
from caplens.files.threads import map_blocks
from caplens.learned.critique.config import PAPER, CritiqueConfig, read_config
from caplens.learned.critique.network import CaptionReader, Fusion, shapes
from caplens.learned.critique.vocabulary import PADDING, KnownWords
from caplens.text.ragged import offsets_of

SHIPPED = Path(caplens.data.__file__).parent / "critique"
WEIGHTS = "weights.safetensors"
CONFIG = "config.toml"
FORMAT = "caplens-critique-1"

CAPTIONS_AT_ONCE = 128
"""Captions that go through the network together: the states of more would leave the processor's cache."""
PAIRS_AT_ONCE = 2048
KEPT = 4
"""Critiques that stay in memory: `caplens critique evaluate` makes many, each needed once."""


class SavedCritique:
    """A critique as `caplens train critique` saved it.

    Parameters
    ----------
    weights : Arrays
        Weights and words.
    config : CritiqueConfig
        The settings saved beside them.

    Examples
    --------
    >>> critique = load("shipped")
    >>> captions = ["a brown dog runs on the grass", "a dog is running in the grass", "two cats on a bed"]
    >>> vectors = critique.encode([caption.split() for caption in captions])
    >>> good, bad = critique.judge(vectors, np.array([1, 2]), references=(vectors, np.array([0, 0])))
    >>> bool(good > bad)
    True
    """

    def __init__(self, weights: Arrays, config: CritiqueConfig) -> None:
        self.config = config
        self.fingerprint = weights.facts["fingerprint"]
        self.vocabulary = KnownWords(bytes(weights["words"]).decode("utf-8").split("\n"))
        self._encoder = CaptionReader(weights, config.network)
        self._fusion = Fusion(weights, config.network)

    @property
    def reads_images(self) -> bool:
        """Whether image features are part of the context."""
        return "image" in self.config.network.parts

    @property
    def reads_references(self) -> bool:
        """Whether references are part of the context."""
        return "reference" in self.config.network.parts

    def encode(self, captions: Sequence[Sequence[str]]) -> Singles:
        """Return the vectors of captions, given as words."""
        counts = np.array([len(caption) for caption in captions])
        rows = self.vocabulary.rows([word for caption in captions for word in caption])
        return self.encode_rows(rows, offsets_of(counts))

    def encode_rows(self, rows: ShortIntegers, offsets: npt.NDArray[np.int64], jobs: int = 1) -> Singles:
        """Return the vectors of captions, given as rows of the vocabulary; each distinct caption is encoded once."""
        longest = self.config.words.longest
        captions = [
            rows[first : min(first + longest, last)].tobytes() or _EMPTY
            for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ]
        distinct = dict.fromkeys(captions, 0)
        ordered = sorted(distinct, key=len, reverse=True)
        distinct.update((caption, place) for place, caption in enumerate(ordered))
        vectors = self._encode_distinct(ordered, jobs)
        return vectors[[distinct[caption] for caption in captions]]

    def _encode_distinct(self, captions: list[bytes], jobs: int) -> Singles:
        """Encode captions, the longest first."""
        vectors = np.empty((len(captions), self.config.network.caption), np.float32)
        inputs, places = self._word_inputs(captions)

        def fill(first: int, last: int) -> None:
            some = [np.frombuffer(caption, np.int32) for caption in captions[first:last]]
            offsets = np.cumsum([0, *map(len, some)], dtype=np.int32)
            vectors[first:last] = self._encoder.encode(inputs, places[np.concatenate(some)], offsets)

        map_blocks(fill, len(captions), jobs, "critique: captions", CAPTIONS_AT_ONCE)
        return vectors

    def _word_inputs(self, captions: list[bytes]) -> tuple[Singles, ShortIntegers]:
        """Return what the LSTM needs of each distinct word, and the place of each row of the vocabulary in it."""
        used = np.flatnonzero(np.bincount(np.frombuffer(b"".join(captions), np.int32), minlength=len(self.vocabulary)))
        places = np.zeros(len(self.vocabulary), np.int32)
        places[used] = np.arange(len(used), dtype=np.int32)
        return self._encoder.word_inputs(used.astype(np.int32)), places

    def images(self, features: Singles) -> Singles:
        """Return image features as vectors of the context."""
        return self._fusion.images(features)

    def judge(
        self,
        candidates: Singles,
        rows: npt.NDArray[np.int64],
        references: tuple[Singles, npt.NDArray[np.int64]] | None = None,
        images: tuple[Singles, npt.NDArray[np.int64]] | None = None,
        jobs: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Return P(human) of pairs.

        Parameters
        ----------
        candidates : numpy.ndarray
            Vectors of candidates, from `encode`.
        rows : numpy.ndarray of int
            The candidate of each pair.
        references, images : tuple of numpy.ndarray
            Vectors (from `encode` and `images`), and the row of each pair in them.
        jobs : int
            Threads.
        """
        given = {"reference": references, "image": images}
        ours = (candidates, self._fusion.of_candidates(candidates))
        context: dict[str, tuple[Singles, Singles, npt.NDArray[np.int64]]] = {}
        for part in self.config.network.parts:
            entry = given[part]
            if entry is None:
                raise ValueError(f"this critique needs the {part}")
            context[part] = (entry[0], self._fusion.of_context(part, entry[0]), entry[1])

        def judge_some(first: int, last: int) -> npt.NDArray[np.float64]:
            some: Mapping[str, tuple[Singles, Singles, npt.NDArray[np.int64]]] = {
                part: (vectors, made, places[first:last]) for part, (vectors, made, places) in context.items()
            }
            return self._fusion.judge(ours, rows[first:last], some)

        parts = map_blocks(judge_some, len(rows), jobs, "critique", PAIRS_AT_ONCE)
        return np.concatenate(parts) if parts else np.zeros(0)


_EMPTY = np.array([PADDING], np.int32).tobytes()


def folder_of(name: str) -> Path:
    """Return the folder of a critique: ``shipped``, a folder, or the weights in it."""
    folder = SHIPPED if name == "shipped" else Path(name).expanduser()
    return folder.parent if folder.name == WEIGHTS else folder


def load(name: str) -> SavedCritique:
    """Return the critique that ships with caplens (``shipped``), or the one saved in a folder."""
    folder = folder_of(name)
    try:
        changed = (folder / WEIGHTS).stat().st_mtime_ns
    except (OSError, ValueError):
        raise MissingDataError(
            f"There is no critique in {folder} ({WEIGHTS} is missing): to train one, run caplens train critique ... "
            f"-o {folder}."
        ) from None
    return _load(folder, changed)


@lru_cache(maxsize=KEPT)
def _load(folder: Path, changed: int) -> SavedCritique:
    """Read a critique once; ``changed`` tells one that was trained again from the old one."""
    try:
        weights = read_arrays(folder / WEIGHTS)
    except OSError as error:
        raise MissingDataError(f"{folder / WEIGHTS} cannot be read: {reason_of(error)}.") from error
    if weights.facts.get("format") != FORMAT:
        raise CaplensError(f"{folder / WEIGHTS} does not contain a critique that this version of caplens can read.")
    config = read_config(folder / CONFIG, PAPER)
    _check(folder, weights, config)
    if weights.facts.get("config", config.checksum) != config.checksum:
        raise CaplensError(
            f"{folder / CONFIG} has changed since {WEIGHTS} was written: use both from the same training run."
        )
    try:
        return SavedCritique(weights, config)
    except UnicodeDecodeError as error:
        raise CaplensError(f"The words in {folder / WEIGHTS} are not UTF-8 text: the file is damaged.") from error


def _check(folder: Path, weights: Arrays, config: CritiqueConfig) -> None:
    """Refuse weights that the network cannot be made of: the kernels take them as they are."""
    if not {"words"} <= set(weights) or "fingerprint" not in weights.facts:
        raise CaplensError(f"{folder / WEIGHTS} does not contain a critique: its words or its fingerprint are missing.")
    words = bytes(weights["words"]).count(b"\n") + 1
    for name, shape in shapes(config.network, KnownWords.first + words).items():
        kind = "iu" if name.startswith("sketch.") else "f"
        if name not in weights or weights[name].shape != shape or weights[name].dtype.kind not in kind:
            wanted = " x ".join(map(str, shape)) + (" floats" if kind == "f" else " whole numbers")
            raise CaplensError(
                f"{folder / CONFIG} does not match {WEIGHTS} next to it ({name} should be {wanted}): use both from "
                "the same training run."
            )
        try:
            if name.endswith(".places"):
                check_range(name, weights[name], 0, config.network.sketch)
            else:
                check_finite(name, weights[name])
        except DamagedFileError as error:
            raise CaplensError(f"{folder / WEIGHTS} cannot be used: {error}") from error
