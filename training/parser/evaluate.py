"""Agreement of a trained parser with the reference: tags, heads, labels, whole trees.

    python training/parser/evaluate.py --run RUN                 # on the held-out silver captions
    python training/parser/evaluate.py --run RUN --parses FILE   # on other parses; the golden ones for the final report

Several ``--run`` print one line each, with the number of training captions: the learning curve.
"""

from __future__ import annotations

import argparse
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from decode import decode_trees, is_projective_tree
from model import NetworkSize, Parser
from runs import CACHE, SILVER, load_network, say
from silver import Batch, Parses, Vocabulary, batches, gather, load_parses, read_parses
from split import split
from torch import Tensor


@dataclass(frozen=True)
class Agreement:
    """Shares of tokens (tag, head, head and label) and of captions (tree, tree and tags) equal to the reference.

    `already_tree` is the share of captions whose best heads, taken one by one, are a projective single-root tree.
    """

    tags: float
    heads: float
    labelled: float
    trees: float
    parses: float
    already_tree: float

    def __str__(self) -> str:
        return (
            f"tags {self.tags:.2%}  UAS {self.heads:.2%}  LAS {self.labelled:.2%}  same tree {self.trees:.2%}"
            f"  same tree and tags {self.parses:.2%}  argmax is a tree {self.already_tree:.2%}"
        )


class Scorer(Protocol):
    """A network with its own way from captions to batches and states."""

    network: Parser
    vocabulary: Vocabulary

    def batches(self, parses: Parses) -> list[np.ndarray]:
        """Give the positions of captions that may go together."""

    def states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch."""


class PlainScorer:
    """The network that ships: a word is its rows of the table.

    Parameters
    ----------
    network, vocabulary
        The parser.
    forms
        The strings that the forms of batches point into.
    """

    def __init__(self, network: Parser, vocabulary: Vocabulary, forms: list[str]) -> None:
        self.network, self.vocabulary = network.eval(), vocabulary
        self._features = torch.from_numpy(vocabulary.features(forms))

    def batches(self, parses: Parses) -> list[np.ndarray]:
        """Give the positions of captions of one length."""
        return batches(parses, tokens=4096)

    def states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch."""
        return self.network.encode(self._features[torch.from_numpy(batch.form.T.astype(np.int64))])


@torch.no_grad()
def predict(scorer: Scorer, batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give tags, heads and labels of a batch, and which captions' best heads are a tree by themselves."""
    states = scorer.states(batch)
    arcs = scorer.network.score_arcs(states).log_softmax(dim=-1).numpy()
    heads = decode_trees(arcs)
    labels = scorer.network.score_labels(states, torch.from_numpy(heads)).argmax(dim=-1).numpy()
    tags = scorer.network.score_tags(states).argmax(dim=-1).numpy()
    return tags, heads, labels, is_projective_tree(arcs.argmax(axis=2))


def measure(scorer: Scorer, parses: Parses) -> Agreement:
    """Parse captions and compare with what the reference says; `parses` may use other string tables."""
    # A tag or label the network does not know becomes -1 and counts as an error.
    known_tags = places(scorer.vocabulary.tags, parses.tags)
    known_labels = places(scorer.vocabulary.labels, parses.labels)
    totals = np.zeros(6)
    for order in scorer.batches(parses):
        batch = gather(parses, order)
        tags, heads, labels, already = predict(scorer, batch)
        right_tags = tags == known_tags[batch.tag]
        right_heads = heads == batch.head
        right_arcs = right_heads & (labels == known_labels[batch.label])
        trees = right_arcs.all(axis=1)
        totals += [
            right_tags.sum(),
            right_heads.sum(),
            right_arcs.sum(),
            trees.sum(),
            (trees & right_tags.all(axis=1)).sum(),
            already.sum(),
        ]
    totals /= [len(parses.form)] * 3 + [len(parses)] * 3
    return Agreement(*totals.tolist())


def places(known: list[str], names: list[str]) -> np.ndarray:
    """Give for each name its position in `known`, -1 if it is not there."""
    numbers = {name: number for number, name in enumerate(known)}
    return np.array([numbers.get(name, -1) for name in names])


def load_run(run: Path) -> tuple[Parser, Vocabulary, dict[str, int]]:
    """Load the best network of a run, its vocabulary and what its configuration says of the data."""
    config = tomllib.loads((run / "config.toml").read_text())
    vocabulary, weights, _ = load_network(run / "best.safetensors")
    size = NetworkSize(vocabulary.rows, len(vocabulary.tags), len(vocabulary.labels), **config["network"])
    network = Parser(size, dropout=0.0)
    network.load_state_dict(weights)
    return network, vocabulary, config["data"]


def main() -> None:
    """Print one line of figures for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, action="append", required=True, help="directory made by train.py")
    parser.add_argument("--parses", type=Path, action="append", help="parse files instead of the held-out captions")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.parses:
        test = read_parses(arguments.parses)
    else:
        test = split(load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache)).development
    for run in arguments.run:
        network, vocabulary, data = load_run(run)
        say(f"{run}  captions {data['captions'] or 'all'}  {measure(PlainScorer(network, vocabulary, test.forms), test)}")


if __name__ == "__main__":
    main()
