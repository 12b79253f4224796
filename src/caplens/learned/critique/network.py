"""The network of the critique at run time: captions -> LSTM -> fusion with the context -> P(human).

`caplens.train.critique.model` is the same network in torch, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers, Singles
from caplens.learned.critique.bilinear import CountSketch, as_matrix
from caplens.learned.critique.config import NetworkConfig
from caplens.networks import LstmLayer, Matrix, largest_rows

Weights = Mapping[str, npt.NDArray[Any]]

DIRECTIONS = ("ahead", "back")


def shapes(config: NetworkConfig, words: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of a network with so many rows of words.

    Examples
    --------
    >>> shapes(NetworkConfig(embedding=10, hidden=8, fusion="linear"), 50)["output.weight"]
    (2, 16)
    """
    parts, width, gates = len(config.parts), config.caption, 4 * config.hidden
    found: dict[str, tuple[int, ...]] = {"embedding.weight": (words, config.embedding)}
    for direction in DIRECTIONS[: config.directions]:
        found[f"lstm.{direction}.weight_ih_l0"] = (gates, config.embedding)
        found[f"lstm.{direction}.weight_hh_l0"] = (gates, config.hidden)
        found[f"lstm.{direction}.bias_ih_l0"] = found[f"lstm.{direction}.bias_hh_l0"] = (gates,)
    if "image" in config.parts:
        found["image.weight"], found["image.bias"] = (width, config.image), (width,)
    if config.fusion == "bilinear":
        for side, size in (("context", parts * width), ("candidate", width)):
            found[f"sketch.{side}.places"] = found[f"sketch.{side}.signs"] = (size,)
        found["output.weight"] = (2, config.sketch)
    elif config.fusion == "linear":
        found["output.weight"] = (2, (parts + 1) * width)
    else:
        met = 2 * parts if config.fusion == "matching" else 0
        found["hidden.weight"] = (config.fusion_size, (parts + 1 + met) * width)
        found["hidden.bias"] = (config.fusion_size,)
        found["output.weight"] = (2, config.fusion_size)
    found["output.bias"] = (2,)
    return found


class CaptionReader:
    """Turns captions into vectors.

    Parameters
    ----------
    weights : mapping of str to numpy.ndarray
        By the names of `caplens.train.critique.model`, in any precision.
    config : NetworkConfig
        Sizes and kinds.
    """

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        single = {name: np.asarray(weights[name], np.float32) for name in weights if name.startswith(("emb", "lstm"))}
        self._config = config
        self._vectors = single["embedding.weight"]
        names = [f"lstm.{direction}.{{}}_l0" for direction in DIRECTIONS[: config.directions]]
        self._lstm = LstmLayer(single, names)

    def word_inputs(self, words: ShortIntegers) -> Singles:
        """Return what the LSTM needs of words; it does not depend on the caption, so each word is asked for once."""
        return self._lstm.inputs(self._vectors[words])

    def encode(self, inputs: Singles, rows: ShortIntegers, offsets: ShortIntegers) -> Singles:
        """Return a vector for each caption, the longest caption first; none is empty.

        Parameters
        ----------
        inputs : numpy.ndarray
            From `word_inputs`.
        rows : numpy.ndarray of int32
            The row of each token in ``inputs``.
        offsets : numpy.ndarray of int32
            Caption ``c`` owns the tokens ``offsets[c]:offsets[c + 1]``.
        """
        states = self._lstm.run(inputs, rows, offsets)
        if self._config.pool == "max":
            return largest_rows(states, offsets)
        size = self._lstm.size
        vectors = states[offsets[1:] - 1]
        vectors[:, size:] = states[offsets[:-1], size:]  # the last that the backward direction sees is the first word
        return vectors


class Fusion:
    """Judges candidates, as vectors, by their context, as vectors of equal width.

    All that concerns one caption alone is worked out once (`of_candidates`, `of_context`); `judge` does the rest for
    pairs. A linear classifier of compact bilinear vectors is a bilinear form, so it needs no Fourier transform here.
    """

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        single = {name: np.asarray(array, np.float32) for name, array in weights.items() if array.dtype.kind == "f"}
        self._config = config
        self._image = Matrix(single["image.weight"].T, single["image.bias"]) if "image" in config.parts else None
        # Of the two classes' scores only the difference matters to a softmax.
        output = single["output.weight"][1] - single["output.weight"][0]
        bias = single["output.bias"][1] - single["output.bias"][0]
        if config.fusion == "bilinear":
            self._prepare_bilinear(weights, output, bias)
            return
        hidden = config.fusion != "linear"
        first = single["hidden.weight"] if hidden else output[np.newaxis]
        first_bias = single["hidden.bias"] if hidden else np.array([bias])
        pieces = np.split(first, first.shape[1] // config.caption, axis=1)
        parts = len(config.parts)
        self._context = {part: Matrix(piece.T) for part, piece in zip(config.parts, pieces[:parts], strict=True)}
        self._candidate = Matrix(pieces[parts].T, first_bias)
        met = pieces[parts + 1 :]
        self._met = {
            part: Matrix(np.concatenate(met[2 * place : 2 * place + 2], axis=1).T)
            for place, part in enumerate(config.parts if met else ())
        }
        self._output = Matrix(output[:, np.newaxis], np.array([bias])) if hidden else None

    def _prepare_bilinear(self, weights: Weights, output: Singles, bias: np.float32) -> None:
        sketches = [
            CountSketch(weights[f"sketch.{side}.places"], weights[f"sketch.{side}.signs"], self._config.sketch)
            for side in ("context", "candidate")
        ]
        self._candidate = Matrix(as_matrix(output, *sketches).T)
        self._bias = float(bias)

    def images(self, features: Singles) -> Singles:
        """Return image features at the width of captions."""
        if self._image is None:
            raise ValueError("this critique does not use images")
        return self._image(features)

    def of_candidates(self, vectors: Singles) -> Singles:
        """Return what candidates bring to every pair."""
        return self._candidate(vectors)

    def of_context(self, part: str, vectors: Singles) -> Singles:
        """Return what the part ``reference`` or ``image`` of the context brings to every pair."""
        if self._config.fusion != "bilinear":
            return self._context[part](vectors)
        return vectors

    def judge(
        self,
        candidates: tuple[Singles, Singles],
        rows: npt.NDArray[np.int64],
        context: Mapping[str, tuple[Singles, Singles, npt.NDArray[np.int64]]],
    ) -> npt.NDArray[np.float64]:
        """Return the probability, for each pair, that a person wrote the candidate.

        Parameters
        ----------
        candidates : tuple of numpy.ndarray
            Vectors, and what `of_candidates` made of them.
        rows : numpy.ndarray of int
            The candidate of each pair.
        context : mapping of str to tuple
            By part: vectors, what `of_context` made of them, and the row of each pair in them.
        """
        if self._config.fusion == "bilinear":
            joined = np.hstack([context[part][0][context[part][2]] for part in self._config.parts])
            products = np.einsum("ij,ij->i", candidates[1][rows], joined, dtype=np.float64) + self._bias
            return _sigmoid(products)
        sums = candidates[1][rows]
        for part in self._config.parts:
            vectors, projected, places = context[part]
            sums += projected[places]
            if self._config.fusion == "matching":
                ours, theirs = candidates[0][rows], vectors[places]
                sums += self._met[part](np.hstack([np.abs(theirs - ours), theirs * ours]))
        if self._output is None:
            return _sigmoid(sums[:, 0].astype(np.float64))
        return _sigmoid(self._output(np.maximum(sums, 0, out=sums))[:, 0].astype(np.float64))


def _sigmoid(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 0.5 + 0.5 * np.tanh(0.5 * values)
