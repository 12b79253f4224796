"""Agreement of a trained parser with the reference: tags, heads, labels, whole trees.

    python training/parser/evaluate.py --run RUN                 # on the held-out silver captions
    python training/parser/evaluate.py --run RUN --parses FILE   # on other parses; the golden ones for the final report

Several ``--run`` print one line each: the learning curve. ``--teacher FILE`` adds a line for a teacher's weights,
``--together`` one for all of them with their scores averaged, ``--by source`` or ``--by length`` a line for each group
of captions, and ``--aside`` takes the sources that were kept aside.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from decode import decode_trees, is_projective_tree
from model import NetworkSize, Parser
from runs import CACHE, SILVER, load_network, say
from scorers import PlainScorer, Scorer, TeacherScorer, load_teacher
from silver import Batch, Parses, Vocabulary, gather, load_parses, read_parses
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


@torch.no_grad()
def predict(scorers: Sequence[Scorer], batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give tags, heads and labels of a batch, and which captions' best heads are a tree by themselves.

    Several networks decide together: by the means of their log-probabilities.
    """
    states = [scorer.states(batch) for scorer in scorers]
    both = list(zip(scorers, states, strict=True))
    arcs = _mean([scorer.network.score_arcs(each) for scorer, each in both])
    heads = decode_trees(arcs)
    chosen = torch.from_numpy(heads)
    labels = _mean([scorer.network.score_labels(each, chosen) for scorer, each in both]).argmax(axis=-1)
    tags = _mean([scorer.network.score_tags(each) for scorer, each in both]).argmax(axis=-1)
    return tags, heads, labels, is_projective_tree(arcs.argmax(axis=2))


def _mean(scores: list[Tensor]) -> np.ndarray:
    return torch.stack([each.log_softmax(dim=-1) for each in scores]).mean(dim=0).numpy()


def measure(scorers: Sequence[Scorer], parses: Parses) -> Agreement:
    """Parse captions and compare with what the reference says; `parses` may use other string tables."""
    return summarise(compare(scorers, parses))


def compare(scorers: Sequence[Scorer], parses: Parses) -> np.ndarray:
    """Count for each caption: tokens, right tags, right heads, right arcs; whether tree, parse and first guess are."""
    vocabulary = scorers[0].vocabulary
    # A tag or label the network does not know becomes -1 and counts as an error.
    known_tags, known_labels = places(vocabulary.tags, parses.tags), places(vocabulary.labels, parses.labels)
    counts = np.zeros((len(parses), 7), np.int64)
    for order in scorers[0].batches(parses):
        batch = gather(parses, order)
        tags, heads, labels, already = predict(scorers, batch)
        right_tags = tags == known_tags[batch.tag]
        right_heads = heads == batch.head
        right_arcs = right_heads & (labels == known_labels[batch.label])
        trees = right_arcs.all(axis=1)
        counts[order, 0] = batch.form.shape[1]
        for place, right in enumerate((right_tags, right_heads, right_arcs), start=1):
            counts[order, place] = right.sum(axis=1)
        counts[order, 4:] = np.stack([trees, trees & right_tags.all(axis=1), already], axis=1)
    return counts


def summarise(counts: np.ndarray) -> Agreement:
    """Turn the counts of captions into shares."""
    totals = counts.sum(axis=0)
    return Agreement(*(totals[1:4] / totals[0]).tolist(), *(totals[4:] / len(counts)).tolist())


def places(known: list[str], names: list[str]) -> np.ndarray:
    """Give for each name its position in `known`, -1 if it is not there."""
    numbers = {name: number for number, name in enumerate(known)}
    return np.array([numbers.get(name, -1) for name in names])


def load_run(run: Path) -> tuple[Parser, Vocabulary]:
    """Load the best network of a run and its vocabulary."""
    config = tomllib.loads((run / "config.toml").read_text())
    vocabulary, weights, _ = load_network(run / "best.safetensors")
    size = NetworkSize(vocabulary.rows, len(vocabulary.tags), len(vocabulary.labels), **config["network"])
    network = Parser(size, dropout=0.0)
    network.load_state_dict(weights)
    return network, vocabulary


def groups_of(parses: Parses, by: str) -> dict[str, np.ndarray]:
    """Group the positions of captions by their source or their length."""
    if by == "source":
        names = [name or "people and older systems" for name in parses.sources]
        return {names[number]: np.flatnonzero(parses.source == number) for number in np.unique(parses.source).tolist()}
    bounds = [0, 8, 12, 16, 20, 1000]
    return {
        f"{low + 1} to {high} words": np.flatnonzero((parses.lengths > low) & (parses.lengths <= high))
        for low, high in pairwise(bounds)
    }


def main() -> None:
    """Print one line of figures for each network, or for groups of captions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, action="append", default=[], help="directory made by train.py")
    parser.add_argument("--teacher", type=Path, action="append", default=[], help="weights made by teacher.py")
    parser.add_argument("--together", action="store_true", help="let all networks decide together, too")
    parser.add_argument("--parses", type=Path, action="append", help="parse files instead of the development captions")
    parser.add_argument("--aside", action="store_true", help="the sources kept aside instead")
    parser.add_argument("--by", choices=("source", "length"), help="print a line for each group of captions")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.parses:
        test = read_parses(arguments.parses)
    else:
        parts = split(load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache))
        test = parts.aside if arguments.aside else parts.development
    scorers: dict[str, list[Scorer]] = {}
    for path in arguments.teacher:
        scorers[str(path)] = [TeacherScorer(*load_teacher(path), test.forms)]
    for run in arguments.run:
        scorers[str(run)] = [PlainScorer(*load_run(run), test.forms)]
    if arguments.together:
        scorers["together"] = [each for several in scorers.values() for each in several]
    for name, several in scorers.items():
        counts = compare(several, test)
        say(f"{name}  {len(test)} captions  {summarise(counts)}")
        for group, positions in (groups_of(test, arguments.by) if arguments.by else {}).items():
            if len(positions):
                say(f"    {group:32} {len(positions):6} captions  {summarise(counts[positions])}")


if __name__ == "__main__":
    main()
