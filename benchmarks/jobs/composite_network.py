"""The network of a composite metric alone: ``composite_network.py NAME OUT ROWS``.

Inputs are drawn at random. OUT holds the processor seconds, and the largest difference from a plain network in 64 bits.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

import caplens
from caplens.learned.composite.feedforward import FeedForward
from caplens.metrics.composite.metric import Composite

COMPARED_ROWS = 10_000


def main(name: str, output: str, rows: str) -> None:
    """Run the network and write."""
    metric = caplens.metric(name)
    if not isinstance(metric, Composite):
        raise TypeError(f"{name} is no composite metric")
    network = metric.trained.network
    generator = np.random.default_rng(1)
    scores = np.maximum(generator.normal(network.mean, network.deviation, (int(rows), network.inputs)), 0)
    metric.combine(scores[:COMPARED_ROWS])
    # Processor time: one thread, and other programs on the machine do not count.
    start = time.process_time()
    found = metric.combine(scores)
    seconds = time.process_time() - start
    difference = np.abs(found[:COMPARED_ROWS] - plain(network, scores[:COMPARED_ROWS])).max()
    Path(output).write_text(json.dumps({"seconds": seconds, "difference": float(difference)}))


def plain(network: FeedForward, scores: np.ndarray) -> np.ndarray:
    """Compute the same with products of matrices."""
    bend = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "softsign": lambda x: x / (1 + np.abs(x))}
    total = 0
    for place in range(network.networks):
        values = (scores - network.mean) / network.deviation
        for weights, biases in network.layers[:-1]:
            values = bend[network.activation](values @ weights[place] + biases[place])
        weights, biases = network.layers[-1]
        total = total + 1 / (1 + np.exp(-(values @ weights[place] + biases[place])[:, 0]))
    return total / network.networks


if __name__ == "__main__":
    main(*sys.argv[1:])
