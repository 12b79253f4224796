"""The network of BERT's family, run without torch on captions of any lengths: nothing is filled up to equal lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.networks import Matrix, add_normalized, attention, gelu

_EPSILON = 1e-12  # config.json: layer_norm_eps

Offsets = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class _Norm:
    """Scale and shift of normalised rows."""

    scale: Singles
    shift: Singles

    @classmethod
    def of(cls, weights: Mapping[str, Singles], name: str) -> Self:
        return cls(weights[f"{name}.weight"], weights[f"{name}.bias"])

    def add(self, states: Singles, added: Singles) -> None:
        """Add to states and normalise them, in place."""
        add_normalized(states, added, self.scale, self.shift, _EPSILON)


@dataclass(frozen=True, eq=False)
class _Layer:
    """Attention, then two products with a bend between them; both are added to what comes in."""

    heads: int
    queries: Matrix
    keys_values: Matrix
    attended: Matrix
    attended_norm: _Norm
    inner: Matrix
    outer: Matrix
    outer_norm: _Norm

    @classmethod
    def of(cls, weights: Mapping[str, Singles], name: str, heads: int) -> Self:
        def matrix(*parts: str) -> Matrix:
            names = [f"{name}.{part}" for part in parts]
            stacked = np.concatenate([weights[f"{part}.weight"] for part in names])
            return Matrix(stacked.T, np.concatenate([weights[f"{part}.bias"] for part in names]))

        return cls(
            heads,
            matrix("attention.self.query"),
            matrix("attention.self.key", "attention.self.value"),
            matrix("attention.output.dense"),
            _Norm.of(weights, f"{name}.attention.output.LayerNorm"),
            matrix("intermediate.dense"),
            matrix("output.dense"),
            _Norm.of(weights, f"{name}.output.LayerNorm"),
        )

    def run(self, chosen: Singles, chosen_offsets: Offsets, states: Singles, offsets: Offsets) -> None:
        """Replace the states of chosen pieces, which may be all, by what they make of all pieces of their captions."""
        keys_values = self.keys_values(states)
        found = attention(self.queries(chosen), chosen_offsets, keys_values, offsets, self.heads)
        self.attended_norm.add(chosen, self.attended(found))
        self.outer_norm.add(chosen, self.outer(gelu(self.inner(chosen))))


class Transformer:
    """The network; threads may share it.

    Parameters
    ----------
    weights : mapping of str to numpy.ndarray
        By the names that the library transformers gives them.
    layers, heads : int
        How many layers there are, and into how many heads the attention of each is cut.
    """

    def __init__(self, weights: Mapping[str, Singles], layers: int, heads: int) -> None:
        self._pieces = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _Norm.of(weights, "embeddings.LayerNorm")
        self._layers = [_Layer.of(weights, f"encoder.layer.{layer}", heads) for layer in range(layers)]

    @property
    def most_pieces(self) -> int:
        """How many pieces a caption may have."""
        return len(self._places)

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._pieces.shape[1])

    def run(self, pieces: npt.NDArray[np.int32], offsets: Offsets, chosen: npt.NDArray[np.bool_]) -> Singles:
        """Return the last states of chosen pieces; caption ``c`` owns the pieces ``offsets[c]:offsets[c + 1]``.

        The last layer, a sixth of the work in all-MiniLM-L6-v2, is run for the chosen pieces only.
        """
        states: Singles = self._pieces[pieces]
        places = np.arange(len(pieces)) - np.repeat(offsets[:-1], np.diff(offsets))
        self._norm.add(states, self._places[places])
        for layer in self._layers[:-1]:
            layer.run(states, offsets, states, offsets)
        last = np.ascontiguousarray(states[chosen])
        before = np.concatenate([[0], np.cumsum(chosen)])
        self._layers[-1].run(last, before[offsets].astype(np.int32), states, offsets)
        return last
