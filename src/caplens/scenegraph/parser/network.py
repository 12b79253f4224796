"""The network of the caption parser at run time: words -> bidirectional LSTM -> tags, heads (biaffine) and labels.

After Dozat and Manning, "Deep Biaffine Attention for Neural Dependency Parsing" (ICLR 2017), made small;
`training/parser/model.py` is the same network in torch, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers, Singles
from caplens.networks import LstmLayer, Matrix, ShortMatrix
from caplens.scenegraph.parser._trees import find_trees, likely_heads
from caplens.scenegraph.parser.grammar import Candidates
from caplens.text.ragged import offsets_of

LEAST_TAG, LEAST_HEAD, LEAST_LABEL = -3.0, -3.5, -2.5
"""Log-probabilities above which tags, heads and labels are likely: with less, agreement hardly rises and time does."""


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

    def read(self, word_inputs: Singles, rows: ShortIntegers, offsets: ShortIntegers) -> Reading:
        """Read captions, the longest first.

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
        first, second, third = 2 * arc, 2 * arc + relation, 2 * arc + 2 * relation
        return Reading(
            offsets,
            self._arcs(hidden[:, :arc]),
            np.ascontiguousarray(hidden[:, arc:]),
            self._arc_root,
            read[:, first:second],
            np.concatenate([self._label_root[np.newaxis], read[:, second:third]]),
            self._labels,
            read[:, third:],
        )


@dataclass(frozen=True, eq=False)
class Reading:
    """What the network says about the words of captions.

    Attributes
    ----------
    offsets : numpy.ndarray of int32
        Where captions begin among the tokens.
    queries, keys, root : numpy.ndarray
        Their products score heads.
    dependents, heads, labels : numpy.ndarray, numpy.ndarray, Matrix
        Score labels; the first of ``heads`` is the root.
    tags : numpy.ndarray
        Scores of tags.
    """

    offsets: ShortIntegers
    queries: Singles
    keys: Singles
    root: Singles
    dependents: Singles
    heads: Singles
    labels: Matrix
    tags: Singles

    def best(self) -> tuple[ShortIntegers, ShortIntegers, ShortIntegers]:
        """Return the best tags, the best tree and its best labels."""
        heads = np.empty(len(self.tags), np.int32)
        find_trees(self.queries, self.keys, self.root, self.offsets, heads)
        labels = self._score_labels(np.arange(len(heads)), heads)
        return self.tags.argmax(axis=1).astype(np.int32), heads, labels.argmax(axis=1).astype(np.int32)

    def likely(self, root: int) -> Candidates:
        """Return the likely tags, heads and labels; ``root`` is the label of the root."""
        tag_logs = _logarithms(self.tags)
        tokens, tags = np.nonzero((tag_logs > LEAST_TAG) | (tag_logs == tag_logs.max(axis=1, keepdims=True)))
        starts, heads, head_logs = likely_heads(self.queries, self.keys, self.root, self.offsets, LEAST_HEAD)
        dependents = np.repeat(np.arange(len(self.tags)), np.diff(starts))
        label_logs = _logarithms(self._score_labels(dependents, heads))
        # The root has its own label, and nothing else has it.
        is_root = np.arange(label_logs.shape[1]) == root
        label_logs[(heads == 0)[:, np.newaxis] != is_root] = -np.inf
        arcs, labels = np.nonzero((label_logs > LEAST_LABEL) | (label_logs == label_logs.max(axis=1, keepdims=True)))
        return Candidates(
            offsets_of(np.bincount(tokens, minlength=len(self.tags))).astype(np.int32),
            tags.astype(np.int32),
            tag_logs[tokens, tags],
            offsets_of(np.bincount(dependents[arcs], minlength=len(self.tags))).astype(np.int32),
            heads[arcs],
            labels.astype(np.int32),
            head_logs[arcs] + label_logs[arcs, labels],
        )

    def _score_labels(self, tokens: npt.NDArray[np.int64], heads: ShortIntegers) -> Singles:
        """Return the scores of labels of tokens with heads."""
        starts = np.repeat(self.offsets[:-1], np.diff(self.offsets))[tokens]
        joined = self.dependents[tokens] + self.heads[np.where(heads == 0, 0, starts + heads)]
        return self.labels(np.maximum(joined, 0, out=joined))


def _logarithms(scores: Singles) -> Singles:
    """Return logarithms of the softmax of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Singles = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
