"""The network of the caption parser at run time: words -> bidirectional LSTM -> tags, heads (biaffine) and labels.

After Dozat and Manning, "Deep Biaffine Attention for Neural Dependency Parsing" (ICLR 2017), made small;
`training/parser/model.py` is the same network in torch, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers, Singles
from caplens.networks import LstmLayer, Matrix, ShortMatrix
from caplens.scenegraph.parser._trees import find_trees


class Network:
    """Weights, laid out for speed.

    Parameters
    ----------
    weights : mapping of str to numpy.ndarray
        By the names of `training/parser/model.py`, in any precision.
    """

    def __init__(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        single = {name: np.asarray(array, np.float32) for name, array in weights.items()}
        self._vectors = single["embedding.weight"]
        self._layers: list[LstmLayer] = []
        while f"layers.{len(self._layers)}.weight_hh_l0" in single:
            name = f"layers.{len(self._layers)}.{{}}_l0"
            # A layer's inputs are the sum of the states of those below; the first one reads vectors of words.
            bound = float(len(self._layers)) or None
            self._layers.append(LstmLayer(single, (name, f"{name}_reverse"), short=True, input_bound=bound))
        self._arc, self._relation = len(single["arc_bias"]), len(single["label_root"])
        # One product for all that is read off the states: queries and keys of heads, both sides of labels, tags.
        parts = ("arc_dependent", "arc_head", "label_dependent", "label_head", "tag")
        biases = [single.get(f"{part}.bias", np.zeros(len(single[f"{part}.weight"]), np.float32)) for part in parts]
        joined = np.concatenate([single[f"{part}.weight"] for part in parts]).T
        self._read = ShortMatrix(joined, np.concatenate(biases), bound=len(self._layers))
        self._arcs = Matrix(single["arc_product"], single["arc_bias"])
        self._arc_root = single["arc_root"]
        self._labels = Matrix(single["label.weight"].T, single["label.bias"])
        self._label_root = single["label_root"]

    @property
    def input_width(self) -> int:
        """How many numbers the first layer needs of a word."""
        return self._layers[0].inputs.width

    def word_inputs(self, features: ShortIntegers) -> Singles:
        """Return what the first layer needs of each word: its vector times the layer's matrix.

        A word's vector does not depend on its caption, so this is done once for each distinct word.
        """
        return self._layers[0].inputs(self._vectors[features].sum(axis=1))

    def parse(
        self, word_inputs: Singles, rows: ShortIntegers, offsets: ShortIntegers
    ) -> tuple[ShortIntegers, ShortIntegers, ShortIntegers]:
        """Return tags, heads and labels of the tokens of captions, the longest caption first.

        Parameters
        ----------
        word_inputs : numpy.ndarray
            From `word_inputs`.
        rows : numpy.ndarray of int32
            The row of each token in ``word_inputs``.
        offsets : numpy.ndarray of int32
            Caption ``c`` owns the tokens ``offsets[c]:offsets[c + 1]``.
        """
        states = self._layers[0].run(word_inputs, rows, offsets)
        tokens = np.arange(len(rows), dtype=np.int32)
        for layer in self._layers[1:]:
            states += layer.run(layer.inputs(states), tokens, offsets)
        read = self._read(states)
        arc, relation = self._arc, self._relation
        hidden = np.maximum(read[:, : 2 * arc], 0)
        heads = np.empty(len(rows), np.int32)
        keys = np.ascontiguousarray(hidden[:, arc:])
        find_trees(self._arcs(hidden[:, :arc]), keys, self._arc_root, offsets, heads)
        first, second, third = 2 * arc, 2 * arc + relation, 2 * arc + 2 * relation
        of_heads = np.concatenate([self._label_root[np.newaxis], read[:, second:third]])
        starts = np.repeat(offsets[:-1], np.diff(offsets))
        joined = read[:, first:second] + of_heads[np.where(heads == 0, 0, starts + heads)]
        labels = self._labels(np.maximum(joined, 0, out=joined))
        return read[:, third:].argmax(axis=1).astype(np.int32), heads, labels.argmax(axis=1).astype(np.int32)
