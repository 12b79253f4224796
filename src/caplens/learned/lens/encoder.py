"""The encoder of captions behind Lens: words in context, how much each counts, and how well-formed a caption is.

`training/lens/model.py` is the same network in torch; `training/lens/export.py` multiplies matrices that follow each
other. Windows of three words reach two words far; all words of all captions are computed at once, with a row of zeros
between captions.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.arrays import Floats, Integers, Singles
from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, read_arrays
from caplens.files.checks import DamagedFileError, check_finite, check_range, check_shape
from caplens.learned.lens._encoding import gather
from caplens.learned.lens.words import CodedWords, Lexicon
from caplens.networks import Matrix, gelu
from caplens.text._tables import BytesTable
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary

Variant = Literal["unsupervised", "supervised"]
PATH = Path(caplens.data.__file__).parent / "lens" / "encoder.safetensors"
VERSION = "4"
_LAYERS = ("match_context", "scene_first", "scene_second", "form_second", "form_third")
_GATES = ("word_gate", "scene_gate")
_REPETITIONS = 3  # of a word, of two words, of three


@dataclass(frozen=True, eq=False)
class EncodedCaptions:
    """Captions after the encoder.

    Attributes
    ----------
    offsets : numpy.ndarray of int64
        Caption ``c`` has the words ``offsets[c]:offsets[c + 1]``.
    vectors, weights : numpy.ndarray of float32
        The direction of each word in its context, and how much it counts (0 to 1).
    captions : numpy.ndarray of float32
        Two views of each caption as a whole, side by side, each as long as √½: its scene, and the sum of its words.
        Their product is the mean of two cosines. Zero without words.
    """

    offsets: Integers
    vectors: Singles
    weights: Singles
    captions: Singles


class CaptionEncoder:
    """Weights of the encoder, laid out for speed.

    Parameters
    ----------
    arrays : Arrays
        The file that ships, or one that `training/lens/export.py` wrote.
    """

    def __init__(self, arrays: Arrays) -> None:
        if arrays.facts.get("version") != VERSION or "weights" not in arrays.facts:
            raise DamagedFileError("it does not contain a caption encoder.")
        self.facts = arrays.facts
        self.fingerprint = arrays.facts["fingerprint"]
        self.vocabulary = Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32))
        _check(arrays, len(self.vocabulary))
        self._arrays = arrays
        self._layers = {name: _matrix(arrays, name) for name in _LAYERS}
        self._products = _by_word(arrays, "first", arrays["rows"].shape[1])
        self._directions = _matrix(arrays, "match_words")
        self._form_products = _by_word(arrays, "form_first", arrays["form_rows"].shape[1])
        self._biases = {name: arrays[f"{name}.bias"].astype(np.float32) for name in ("first", "form_first")}
        # What repetitions of words add, beside the words themselves.
        by_place = arrays["form_first.weight"].astype(np.float32).reshape(3, -1, len(self._biases["form_first"]))
        self._repeated = Matrix(by_place[:, -_REPETITIONS:].reshape(3 * _REPETITIONS, -1))
        self._gates = np.ascontiguousarray([arrays[f"{name}.weight"][:, 0] for name in _GATES], np.float32)
        self._gate_biases = np.array([arrays[f"{name}.bias"][0] for name in _GATES], np.float32)
        self._form_last = (arrays["form_last.weight"][:, 0].astype(np.float32), float(arrays["form_last.bias"][0]))

    @property
    def width(self) -> int:
        """How many numbers a direction has."""
        return int(self._arrays["rows"].shape[1])

    def words(self, table: BytesTable, summed: Singles, first: int = 0) -> CodedWords:
        """Return the words of a table from the id ``first`` on; ``summed`` are their vectors in the second view."""
        places = self.vocabulary.find(table, first)
        keys = table.keys(np.flatnonzero(places < 0) + first)
        return self._coded(places, [key.decode("utf-8", "replace") for key in keys], summed)

    def _coded(self, places: npt.NDArray[np.int32], unknown: Sequence[str], summed: Singles) -> CodedWords:
        """Look words up; of ``unknown`` words, whose place is -1, beginnings and ends are added up."""
        arrays = self._arrays
        vectors = _scaled(arrays["rows"][places], arrays["row_scales"][places])
        weights = arrays["row_weights"][places].astype(np.float32)
        known = places >= 0
        forms = np.where(known, arrays["form_places"][places], 0)
        if unknown:
            pieces = np.array([affixes(word, len(arrays["affix_scales"])) for word in unknown])
            vectors[~known] = _scaled(arrays["affix_rows"][pieces], arrays["affix_scales"][pieces]).sum(axis=1)
            logits = arrays["affix_weights"][pieces].astype(np.float32).sum(axis=1)
            weights[~known] = logits + arrays["unknown_weight"][0]
        own = np.concatenate([vectors, self._directions(vectors), weights[:, np.newaxis]], axis=1)
        spoken = _scaled(arrays["form_rows"][forms], arrays["form_scales"][forms])
        # Words that nobody used in training are mostly names of things.
        nouns = np.where(known, arrays["noun_shares"][places] / np.float32(255), np.float32(1))
        usual = np.where(known[:, np.newaxis], arrays["usual"][places], arrays["unknown_usual"])
        shares = usual.astype(np.float32) / np.float32(255)
        return CodedWords(self._products(vectors), own, self._form_products(spoken), summed, nouns, shares)

    def encode(self, lexicon: Lexicon, ids: npt.NDArray[np.int32], offsets: Integers) -> EncodedCaptions:
        """Encode captions, each alone: its neighbours change nothing.

        Parameters
        ----------
        lexicon : Lexicon
            The distinct words.
        ids : numpy.ndarray of int32
            Which of them the captions have, one caption after the other.
        offsets : numpy.ndarray of int64
            Caption ``c`` has the words ``offsets[c]:offsets[c + 1]``.
        """
        captions = lexicon.captions(ids, offsets)
        states = gelu(lexicon.states(captions, "products", self._biases["first"]))
        vectors = self._layers["match_context"](_windows(states))
        weights = np.empty(len(ids), np.float32)
        means = np.empty((len(offsets) - 1, self.width + 3 * states.shape[1]), np.float32)
        gather(
            captions, lexicon.below.own, lexicon.above.own, self._gates, self._gate_biases,
            states, vectors, weights, means,
        )  # fmt: skip
        scenes = self._layers["scene_second"](gelu(self._layers["scene_first"](means)))
        scenes[np.diff(offsets) == 0] = 0
        views = np.concatenate([_halves(scenes), _halves(lexicon.sums(captions))], axis=1)
        return EncodedCaptions(offsets, vectors[: len(ids)], weights, views)

    def odds(self, lexicon: Lexicon, ids: npt.NDArray[np.int32], offsets: Integers) -> Singles:
        """Return the log odds that each word stands where a person would put it; parameters are those of `encode`."""
        owner, at, rows = _places(offsets)
        states = lexicon.states(lexicon.captions(ids, offsets), "forms", self._biases["form_first"])
        repeated = repetitions(ids, owner)
        if repeated.any():
            states[at] += self._repeated(_windows(_spread(repeated, at, rows)))[at - 1]
        states = gelu(states)[at]
        for name in ("form_second", "form_third"):
            states = gelu(self._layers[name](_windows(_spread(states, at, rows)))[at - 1])
        weights, bias = self._form_last
        found: Singles = (states * weights).sum(axis=1) + np.float32(bias)  # row by row, whatever the others are
        return found


def affixes(word: str, buckets: int) -> list[int]:
    """Return the rows of a word's beginnings and ends, and of the word itself, for words that have no row.

    Examples
    --------
    >>> affixes("dog", 4096) == affixes("dog", 4096), len(affixes("", 4096))
    (True, 5)
    """
    pieces = (f"={word}", f"<{word[:3]}", f"<{word[:5]}", f">{word[-3:]}", f">{word[-2:]}")
    return [zlib.crc32(piece.encode()) % buckets for piece in pieces]


def repetitions(ids: npt.NDArray[np.int32], owner: Integers) -> Singles:
    """Tell of each word whether it, it with the word before, and it with the two before occurred before in its caption.

    Examples
    --------
    >>> repetitions(np.array([5, 6, 5, 6], np.int32), np.zeros(4, np.int64)).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    found = np.zeros((len(ids), _REPETITIONS), np.float32)
    if not len(ids):
        return found
    codes = owner * (int(ids.max()) + 1) + ids
    single = codes
    position = np.arange(len(ids)) - np.searchsorted(owner, owner)
    for size in range(_REPETITIONS):
        if size:
            _, codes = np.unique(codes, return_inverse=True)
            joined = np.zeros(len(ids), np.int64)
            joined[1:] = codes[:-1] * (int(single.max()) + 1) + single[1:]
            codes = np.where(position >= size, joined, -1 - np.arange(len(ids)))  # too short: like no other
        _, first = np.unique(codes, return_index=True)
        found[:, size] = 1.0
        found[first, size] = 0.0
    return found


def well_formed(odds: Singles, offsets: Integers) -> Floats:
    """Return a soft minimum of log odds over the words of each caption, 0 for a caption without words."""
    lengths = np.diff(offsets)
    found = np.zeros(len(lengths))
    filled = np.flatnonzero(lengths)
    if len(filled):
        terms = np.exp(-odds.astype(np.float64))
        found[filled] = -np.log(np.add.reduceat(terms, offsets[filled]))
    return found


def supervised(arrays: Arrays) -> Arrays:
    """Return the encoder as ratings have changed it: other lengths of the axes of words, other weights of words.

    A cosine in a space with stretched axes is the cosine of stretched vectors, so the factors go into the layers that
    directions of words come from, and nothing else has to know of them.

    Parameters
    ----------
    arrays : Arrays
        The file that ships, or one that `training/lens/export.py` wrote: ``supervised.words`` are the logarithms of the
        factors, and ``supervised.gate`` is added to the gate of words.
    """
    stretched, gate = (arrays[f"supervised.{name}"] for name in ("words", "gate"))
    check_shape("supervised.words", stretched, arrays["rows"].shape[-1])
    check_shape("supervised.gate", gate, arrays["first.weight"].shape[-1])
    changed = {name: arrays[name] for name in arrays}
    for name in ("match_words.weight", "match_context.weight", "match_context.bias"):
        changed[name] = arrays[name] * np.exp(stretched)
    changed["word_gate.weight"] = arrays["word_gate.weight"] + gate[:, np.newaxis]
    return Arrays.in_memory(changed, {**arrays.facts, "fingerprint": arrays.facts["supervised_fingerprint"]})


def shipped(variant: Variant = "unsupervised") -> CaptionEncoder:
    """Return the encoder that ships with caplens, as it was trained or as ratings have changed it."""
    return _shipped(variant)


@cache
def _shipped(variant: Variant) -> CaptionEncoder:
    try:
        arrays = read_arrays(PATH)
        return CaptionEncoder(arrays if variant == "unsupervised" else supervised(arrays))
    except (OSError, KeyError, DamagedFileError, msgspec.DecodeError) as error:
        raise MissingDataError(
            f"The caption encoder that ships with caplens cannot be read ({str(error).rstrip('.')}): "
            "pip install --force-reinstall caplens."
        ) from error


def _check(arrays: Arrays, words: int) -> None:
    """Refuse arrays that contradict each other before a kernel sees them."""
    width, inner = arrays["rows"].shape[-1], arrays["first.weight"].shape[-1]
    hidden, scene = arrays["scene_first.weight"].shape[-1], arrays["scene_second.weight"].shape[-1]
    forms = arrays["form_rows"].shape
    form = arrays["form_first.weight"].shape[-1]
    buckets = len(arrays["affix_scales"])
    shapes: dict[str, tuple[int, ...]] = {
        "rows": (words, width), "row_scales": (words,), "row_weights": (words,), "form_places": (words,),
        "affix_rows": (buckets, width), "affix_weights": (buckets,), "unknown_weight": (1,), "form_scales": forms[:1],
        "noun_shares": (words,), "usual": (words, 2), "unknown_usual": (2,),
        "first.weight": (3 * width, inner), "first.bias": (inner,),
        "match_words.weight": (width, width),
        "match_context.weight": (3 * inner, width), "match_context.bias": (width,),
        "scene_first.weight": (width + 3 * inner, hidden), "scene_first.bias": (hidden,),
        "scene_second.weight": (hidden, scene), "scene_second.bias": (scene,),
        "word_gate.weight": (inner, 1), "scene_gate.weight": (inner, 1), **{f"{name}.bias": (1,) for name in _GATES},
        "form_rows": (forms[0], forms[-1]), "form_first.weight": (3 * (forms[-1] + _REPETITIONS), form),
        "form_second.weight": (3 * form, form), "form_third.weight": (3 * form, form), "form_last.weight": (form, 1),
        "form_first.bias": (form,), "form_second.bias": (form,), "form_third.bias": (form,), "form_last.bias": (1,),
    }  # fmt: skip
    for name, shape in shapes.items():
        check_shape(name, arrays[name], *shape)
        if arrays[name].dtype.kind == "f":
            check_finite(name, arrays[name])
    check_range("form_places", arrays["form_places"], 0, forms[0])


def _matrix(arrays: Arrays, name: str) -> Matrix:
    bias = arrays[f"{name}.bias"].astype(np.float32) if f"{name}.bias" in arrays else None
    return Matrix(arrays[f"{name}.weight"].astype(np.float32), bias)


def _by_word(arrays: Arrays, name: str, size: int) -> Matrix:
    """Return what a word adds to the state behind it, to its own and to the one before it, side by side."""
    weight = arrays[f"{name}.weight"].astype(np.float32)
    before, itself, behind = weight.reshape(3, -1, weight.shape[1])[:, :size]
    return Matrix(np.concatenate([before, itself, behind], axis=1))


def _scaled(rows: npt.NDArray[np.int8], scales: npt.NDArray[np.float16]) -> Singles:
    found: Singles = rows.astype(np.float32) * scales.astype(np.float32)[..., np.newaxis]
    return found


def _places(offsets: Integers) -> tuple[Integers, Integers, int]:
    """Return which caption each word belongs to, its row with a row of zeros before each caption, and all rows."""
    captions = len(offsets) - 1
    owner = np.repeat(np.arange(captions), np.diff(offsets))
    return owner, np.arange(len(owner)) + owner + 1, len(owner) + captions + 1


def _spread(states: Singles, at: Integers, rows: int) -> Singles:
    """Put states of words where zeros stand before, between and behind captions."""
    spread = np.zeros((rows, states.shape[1]), np.float32)
    spread[at] = states
    return spread


def _windows(states: Singles) -> Singles:
    """Return each row with the one before and the one behind it, without copies; the first and the last have none."""
    width = states.shape[1]
    step = states.strides[0]
    return np.lib.stride_tricks.as_strided(
        states, (max(len(states) - 2, 0), 3 * width), (step, states.itemsize), writeable=False
    )


def _halves(vectors: Singles) -> Singles:
    """Return vectors of the length √½, so that two side by side have the length 1."""
    lengths = np.sqrt(2 * np.einsum("ij,ij->i", vectors, vectors))[:, np.newaxis]
    found: Singles = vectors / np.maximum(lengths, 1e-12).astype(np.float32)
    return found
