"""Small feed-forward networks over a handful of numbers, run with numpy alone.

A file holds one or several networks of the same shape (trained from different seeds), whose probabilities are averaged:
arrays ``mean`` and ``deviation`` (inputs), ``weights_0`` (networks, inputs, hidden), ``bias_0`` (networks, hidden), and
so on; the last layer has one output.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caplens.arrays import Floats, Singles
from caplens.errors import InputError, MissingDataError, reason_of
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.files.checks import DamagedFileError, all_finite

BLOCK_ROWS = 2048  # the hidden values of a block stay in the processor's cache


def _softsign(values: Singles) -> None:
    """Replace x by x / (1 + |x|): a bend like that of tanh at a tenth of its cost."""
    size = np.abs(values)
    size += 1
    np.divide(values, size, out=values)


# Each changes its argument.
ACTIVATIONS: dict[str, Callable[[Singles], object]] = {
    "softsign": _softsign,
    "tanh": lambda values: np.tanh(values, out=values),
    "relu": lambda values: np.maximum(values, 0.0, out=values),
}


@dataclass(frozen=True, eq=False)
class FeedForward:
    r"""Networks that turn numbers into a probability.

    .. math:: P(x) = \frac{1}{k} \sum_k \sigma(W^k_L\, a(\dots a(W^k_0 (x - \mu) / s + b^k_0)) + b^k_L)

    Attributes
    ----------
    mean, deviation : numpy.ndarray, shape (inputs,)
        What inputs are standardised by.
    layers : tuple of (weights, biases)
        Arrays of shape (networks, inputs, outputs) and (networks, outputs).
    activation : {"softsign", "tanh", "relu"}
        Between layers.
    facts : mapping of str to str
        What was said about the networks when they were saved.

    Examples
    --------
    >>> one = FeedForward(np.zeros(1), np.ones(1), ((np.ones((1, 1, 1)), np.zeros((1, 1))),), "tanh")
    >>> one(np.array([[0.0], [2.0]])).round(3).tolist()
    [0.5, 0.881]
    """

    mean: Floats
    deviation: Floats
    layers: tuple[tuple[Floats, Floats], ...]
    activation: str
    facts: Mapping[str, str] | None = None

    @property
    def inputs(self) -> int:
        """How many numbers go in."""
        return len(self.mean)

    @property
    def networks(self) -> int:
        """How many networks are averaged."""
        return len(self.layers[0][0])

    def __call__(self, rows: Floats) -> Floats:
        """Return the probability of each row, shape (rows, inputs)."""
        found = np.empty(len(rows))
        for first in range(0, len(rows), BLOCK_ROWS):
            found[first : first + BLOCK_ROWS] = self._block(rows[first : first + BLOCK_ROWS])
        return found

    def _block(self, rows: Floats) -> Floats:
        # Not a product of matrices: for so few numbers BLAS is slower, and rounds by what else stands in the block.
        # Inside the network 32 bits are enough and twice as fast; sums over networks have 64.
        standard = ((rows - self.mean) / self.deviation).astype(np.float32)
        activate = ACTIVATIONS[self.activation]
        total = np.zeros(len(rows))
        for network in range(self.networks):
            values = standard
            for weights, biases in self.layers[:-1]:
                values = np.einsum("ri,io->ro", values, weights[network].astype(np.float32))
                values += biases[network].astype(np.float32)
                activate(values)
            weights, biases = self.layers[-1]
            last = weights[network, :, 0].astype(np.float32)
            logits = np.einsum("ri,i->r", values, last).astype(np.float64) + biases[network, 0]
            total += 0.5 + 0.5 * np.tanh(logits / 2)  # the sigmoid, which overflows nowhere
        probabilities: Floats = total / self.networks
        return probabilities

    @property
    def fingerprint(self) -> str:
        """A short hash of the weights."""
        digest = hashlib.blake2b(self.activation.encode(), digest_size=6)
        for array in (self.mean, self.deviation, *(part for layer in self.layers for part in layer)):
            digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
        return digest.hexdigest()

    @classmethod
    def averaged(cls, networks: Sequence[FeedForward], facts: Mapping[str, str]) -> FeedForward:
        """Put networks of the same shape and standardisation together."""
        first = networks[0]
        layers = tuple(
            (
                np.concatenate([network.layers[place][0] for network in networks]),
                np.concatenate([network.layers[place][1] for network in networks]),
            )
            for place in range(len(first.layers))
        )
        return cls(first.mean, first.deviation, layers, first.activation, dict(facts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the networks and the facts into one safetensors file, whole or not at all."""
        arrays = {"mean": self.mean, "deviation": self.deviation}
        for place, (weights, biases) in enumerate(self.layers):
            arrays[f"weights_{place}"], arrays[f"bias_{place}"] = weights, biases
        facts = {**(self.facts or {}), "activation": self.activation}
        with atomic_path(path) as temporary:
            write_arrays(temporary, arrays, facts)


def load(path: str | os.PathLike[str]) -> FeedForward:
    """Read networks that `FeedForward.save` wrote."""
    try:
        arrays = read_arrays(path)
    except DamagedFileError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise MissingDataError(f"There is no weights file at {path}: {reason_of(error)}.") from error
    found = _understood(arrays)
    if found is None:
        raise InputError(f"{path} contains arrays, but not those of a feed-forward network.")
    return found


def _understood(arrays: Arrays) -> FeedForward | None:
    """Return the networks, or None where arrays are missing or do not fit each other."""
    count = sum(name.startswith("weights_") for name in arrays)
    activation = arrays.facts.get("activation", "")
    names = [f"{kind}_{place}" for place in range(count) for kind in ("weights", "bias")]
    if not count or set(arrays) != {"mean", "deviation", *names} or activation not in ACTIVATIONS:
        return None
    shape = arrays["weights_0"].shape
    expected = (shape[0], *arrays["mean"].shape) if len(shape) == 3 else ()
    for place in range(count):
        weights, biases = arrays[f"weights_{place}"], arrays[f"bias_{place}"]
        if weights.shape[:2] != expected or weights.ndim != 3 or biases.shape != (weights.shape[0], weights.shape[2]):
            return None
        expected = biases.shape
    if arrays["deviation"].shape != arrays["mean"].shape or expected[1:] != (1,):
        return None
    if not all(map(all_finite, arrays.values())) or not (arrays["deviation"] > 0).all():
        return None
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    layers = tuple((wide[f"weights_{place}"], wide[f"bias_{place}"]) for place in range(count))
    facts = {name: fact for name, fact in arrays.facts.items() if name != "activation"}
    return FeedForward(wide["mean"], wide["deviation"], layers, activation, facts)
