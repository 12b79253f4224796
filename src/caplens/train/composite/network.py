"""Training of one small network over scores: human or machine, stopped where it agrees best with people."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    steps, every, patience : int
        The most batches, how many between two measurements of tau, and after how many without a better tau it stops.
    least_steps : int
        The batches before the first measurement: a network that has learned nothing is never kept.
    scale, spread : float
        Of the start: the logarithm of the usual first weight of a monotone network, and how far apart the heights lie
        at which hidden units bend.
    """

    hidden: int = 16
    activation: str = "tanh"
    monotone: bool = True
    learning_rate: float = 0.005
    batch: int = 512
    steps: int = 6000
    every: int = 50
    patience: int = 3000
    least_steps: int = 50
    scale: float = -1.0
    spread: float = 1.0


@dataclass(frozen=True, eq=False)
class Examples:
    """Scores of captions, shape (captions, inputs), and whether a person wrote each."""

    scores: Floats
    human: npt.NDArray[np.bool_]


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

    def tau_of(self, network: FeedForward) -> float:
        """Return the tau of a network."""
        known = np.isfinite(self.scores).all(axis=1)
        scores = np.full(len(self.scores), np.nan)
        scores[known] = network(self.scores[known])
        return self.tau(scores)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """The network with the best tau, that tau, and after how many batches it was reached."""

    network: FeedForward
    tau: float
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


def train_network(examples: Examples, judgments: Judgments, settings: NetworkSettings, seed: int) -> TrainedNetwork:
    """Learn to tell people's captions from systems'; keep the network whose scores agree best with the judgments."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for so few numbers, threads only wait for each other
    try:
        return _train(examples, judgments, settings, seed)
    finally:
        torch.set_num_threads(threads)


def _train(examples: Examples, judgments: Judgments, settings: NetworkSettings, seed: int) -> TrainedNetwork:
    torch.manual_seed(seed)
    mean, deviation = examples.scores.mean(axis=0), examples.scores.std(axis=0)
    rows = torch.from_numpy((examples.scores - mean) / deviation).float()
    human = torch.from_numpy(examples.human).float()
    network = ScoreNetwork(rows.shape[1], settings)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    best = TrainedNetwork(network.exported(mean, deviation), -math.inf, 0)
    for step in range(settings.steps + 1):
        if step % settings.every == 0 and step >= settings.least_steps:
            found = network.exported(mean, deviation)
            tau = judgments.tau_of(found)
            if tau > best.tau:
                best = TrainedNetwork(found, tau, step)
            if step - best.step >= settings.patience:
                break
        chosen = torch.randint(len(rows), (settings.batch,))
        loss = nn.functional.binary_cross_entropy_with_logits(network(rows[chosen]), human[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return best
