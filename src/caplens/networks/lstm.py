"""A layer of an LSTM, in one direction or in two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caplens.arrays import ShortIntegers, Singles
from caplens.networks._layers import Matrix, ShortMatrix, run_lstm


class LstmLayer:
    """Weights of a layer: one matrix for the inputs of all directions, one for the states of each.

    Parameters
    ----------
    weights : mapping of str to numpy.ndarray of float32
        As torch names them.
    directions : sequence of str
        What stands in a name around ``weight_ih``, ``bias_hh`` and so on: ``lstm.{}_l0``. The first direction is
        forward, a second one backward.
    short : bool
        Compute in 16-bit integers what reads states, which lie between -1 and 1: faster, exact to about 1e-4.
    input_bound : float, optional
        With `short`: the inputs are states too, at most this large.
    """

    def __init__(
        self,
        weights: Mapping[str, Singles],
        directions: Sequence[str],
        *,
        short: bool = False,
        input_bound: float | None = None,
    ) -> None:
        inputs = [weights[name.format("weight_ih")] for name in directions]
        biases = [weights[name.format("bias_ih")] + weights[name.format("bias_hh")] for name in directions]
        joined = np.concatenate(inputs).T, np.concatenate(biases)
        self.inputs = Matrix(*joined) if input_bound is None else ShortMatrix(*joined, input_bound)
        recurrent = ShortMatrix if short else Matrix
        self._recurrent = [recurrent(weights[name.format("weight_hh")].T) for name in directions]

    @property
    def size(self) -> int:
        """How many numbers the state of one direction has."""
        return int(self._recurrent[0].depth)

    def run(self, inputs: Singles, rows: ShortIntegers, offsets: ShortIntegers) -> Singles:
        """Return the states of each token, those of the directions side by side.

        Parameters
        ----------
        inputs : numpy.ndarray
            Rows that went through `inputs`.
        rows : numpy.ndarray of int32
            The row of each token in ``inputs``.
        offsets : numpy.ndarray of int32
            Caption ``c`` owns the tokens ``offsets[c]:offsets[c + 1]``; the longest caption stands first.
        """
        size, gates = self.size, self._recurrent[0].width
        states = np.empty((len(rows), size * len(self._recurrent)), np.float32)
        for direction, recurrent in enumerate(self._recurrent):
            run_lstm(recurrent, inputs, rows, offsets, direction * gates, bool(direction), states, direction * size)
        return states
