"""Training of one small network over scores: human or machine, stopped where it does best on other captions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from caplens.arrays import Floats
from caplens.learned.composite.feedforward import FeedForward
from caplens.stats.correlation import SortedPairs

ACTIVATIONS = {"tanh": torch.tanh, "softsign": nn.functional.softsign, "relu": torch.relu}


@dataclass(frozen=True)
class NetworkSettings:
    """Hyper-parameters of a network.

    Attributes
    ----------
    hidden : int
        Units of the one hidden layer.
    activation : {"tanh", "softsign", "relu"}
        Of the hidden units.
    monotone : bool
        Whether all weights are positive, so that no input can lower the score.
    learning_rate, batch : float, int
        Of Adam.
    epochs : int
        The most passes over the training captions.
    every, patience : int
        How many batches lie between two measurements, and after how many without a better one training stops.
    least_steps : int
        The batches before the first measurement: a network that has learned nothing is never kept.
    scale, spread : float
        Of the start: the logarithm of the usual first weight of a monotone network, and how far apart the heights lie
        at which hidden units bend.
    """

    hidden: int = 16
    activation: Literal["tanh", "softsign", "relu"] = "tanh"
    monotone: bool = True
    learning_rate: float = 0.005
    batch: int = 512
    epochs: int = 40
    every: int = 50
    patience: int = 1500
    least_steps: int = 50
    scale: float = -1.0
    spread: float = 1.0


@dataclass(frozen=True, eq=False)
class Examples:
    """Scores of captions, shape (captions, inputs), and whether a person wrote each."""

    scores: Floats
    human: npt.NDArray[np.bool_]


RANGES = {
    **dict.fromkeys(("hidden", "batch", "epochs", "every"), (1, math.inf)),
    "scale": (-math.inf, math.inf),
    "learning_rate": (1e-9, math.inf),
}
"""The smallest and the largest value of settings that cannot be any number from 0 on."""


class Stopping(Protocol):
    """What training is stopped by."""

    def value_of(self, network: FeedForward) -> float:
        """Return how good a network is; higher is better."""

    def update(self, digest: Digest) -> None:
        """Add the data to a hash."""


class Digest(Protocol):
    """A hash that data can be added to."""

    def update(self, data: bytes, /) -> None:
        """Add data."""


@dataclass(frozen=True, eq=False)
class Watched:
    """Captions of other images: the better network has the smaller cross entropy on them."""

    examples: Examples

    def value_of(self, network: FeedForward) -> float:
        """Return minus the mean cross entropy; people's captions and systems' count half each."""
        found = np.clip(network(self.examples.scores), 1e-9, 1 - 1e-9)
        human = self.examples.human
        return float(np.log(found[human]).mean() + np.log(1 - found[~human]).mean()) / 2

    def update(self, digest: Digest) -> None:
        """Add the captions to a hash."""
        digest.update(self.examples.scores.tobytes())
        digest.update(self.examples.human.tobytes())


@dataclass(frozen=True, eq=False)
class Judgments:
    """Scores of judged captions, shape (captions, inputs), the caption of each judgment, and the judgments."""

    scores: Floats
    place: npt.NDArray[np.int64]
    human: Floats

    def tau(self, scores: Floats) -> float:
        """Return Kendall's tau-c between scores of the captions and the judgments; NaN are left out."""
        pairs = SortedPairs(scores[self.place], self.human)
        return float(pairs.coefficients(np.ones((1, len(self.place))))["kendall_c"][0])

    def update(self, digest: Digest) -> None:
        """Add the judgments to a hash."""
        for array in (self.scores, self.place, self.human):
            digest.update(array.tobytes())

    def value_of(self, network: FeedForward) -> float:
        """Return the tau of a network."""
        known = np.isfinite(self.scores).all(axis=1)
        scores = np.full(len(self.scores), np.nan)
        scores[known] = network(self.scores[known])
        return self.tau(scores)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """The best network, its value, and after how many batches it was reached."""

    network: FeedForward
    value: float
    step: int


class ScoreNetwork(nn.Module):
    """One hidden layer; where it must be monotone, weights are exponentials of what is learned."""

    def __init__(self, inputs: int, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        hidden = settings.hidden
        if settings.monotone:
            first = 0.5 * torch.randn(inputs, hidden) + settings.scale
            second = 0.5 * torch.randn(hidden, 1) - math.log(hidden)
        else:
            first, second = torch.randn(inputs, hidden) / inputs**0.5, torch.randn(hidden, 1) / hidden**0.5
        self.first, self.second = nn.Parameter(first), nn.Parameter(second)
        # Units that bend at different heights: one may care about poor captions, another about good ones.
        self.first_bias = nn.Parameter(settings.spread * torch.randn(hidden))
        self.second_bias = nn.Parameter(torch.zeros(1))

    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """Return weights and biases as they are used."""
        first, second = self.first, self.second
        if self.settings.monotone:
            return [(first.exp(), self.first_bias), (second.exp(), self.second_bias)]
        return [(first, self.first_bias), (second, self.second_bias)]

    def forward(self, rows: Tensor) -> Tensor:
        """Return the logarithm of the odds that a person wrote each row."""
        (first, first_bias), (second, second_bias) = self.layers()
        hidden = ACTIVATIONS[self.settings.activation](rows @ first + first_bias)
        logits: Tensor = (hidden @ second + second_bias)[:, 0]
        return logits

    def exported(self, mean: Floats, deviation: Floats) -> FeedForward:
        """Return the network for use without torch."""
        layers = tuple(
            (weights.detach().double().numpy()[np.newaxis].copy(), biases.detach().double().numpy()[np.newaxis].copy())
            for weights, biases in self.layers()
        )
        return FeedForward(mean, deviation, layers, self.settings.activation)


def train_network(examples: Examples, stopping: Stopping, settings: NetworkSettings, seed: int) -> TrainedNetwork:
    """Learn to tell people's captions from systems'; keep the network that is best by what training is stopped by."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for so few numbers, threads only wait for each other
    try:
        return _train(examples, stopping, settings, seed)
    finally:
        torch.set_num_threads(threads)


def _train(examples: Examples, stopping: Stopping, settings: NetworkSettings, seed: int) -> TrainedNetwork:
    torch.manual_seed(seed)
    mean, deviation = examples.scores.mean(axis=0), examples.scores.std(axis=0)
    deviation[deviation == 0] = 1.0
    rows = torch.from_numpy((examples.scores - mean) / deviation).float()
    human = torch.from_numpy(examples.human).float()
    network = ScoreNetwork(rows.shape[1], settings)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    best = TrainedNetwork(network.exported(mean, deviation), -math.inf, 0)
    for step in range(max(settings.least_steps, settings.epochs * len(rows) // settings.batch) + 1):
        if step % settings.every == 0 and step >= settings.least_steps:
            found = network.exported(mean, deviation)
            value = stopping.value_of(found)
            if value > best.value:
                best = TrainedNetwork(found, value, step)
            if step - best.step >= settings.patience:
                break
        chosen = torch.randint(len(rows), (settings.batch,))
        loss = nn.functional.binary_cross_entropy_with_logits(network(rows[chosen]), human[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return best
