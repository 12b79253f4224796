"""Learn the grammar that chooses tags, heads and labels together, for a parser that export.py wrote.

    python training/parser/train_grammar.py [--model captions.safetensors] [--passes 2]

The network reads the training captions once; the weights of the grammar's steps learn to place the reference's
derivation above all others by a margin of one for each wrong tag or arc (MIRA: Crammer and Singer, JMLR 2003; averaged
weights). It took eight minutes beside other jobs, most of them for the reading. The grammar is added to the file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from decode import is_projective_tree
from export import write_parser
from runs import CACHE, SILVER, say
from silver import Parses, load_parses
from split import split

from caplens.arrays import Floats, ShortIntegers, Singles
from caplens.files.arrays import Arrays, read_arrays
from caplens.scenegraph.parser._grammar import LONGEST
from caplens.scenegraph.parser._tree_features import tree_features
from caplens.scenegraph.parser.caption_parser import MODEL, CaptionParser
from caplens.scenegraph.parser.grammar import NETWORK_SHARE, Candidates, Grammar, Roles, checksums, pack, unpack
from caplens.scenegraph.parser.network import LEAST_HEAD, LEAST_LABEL, LEAST_TAG
from caplens.text.ragged import offsets_of

BITS = 17  # of the hash of a feature: 131,072 weights; with 2 ** 23 of them agreement is the same
LARGEST_STEP = 0.02
SEED = 1
SHOWN = 40_000  # captions


@dataclass(frozen=True, eq=False)
class Example:
    """A caption as the network reads it, and the reference's parse: rows of tags, heads and labels."""

    candidates: Candidates
    words: np.ndarray
    wanted: ShortIntegers
    read: ShortIntegers

    @property
    def offsets(self) -> ShortIntegers:
        """Where the caption begins and ends."""
        return np.array([0, len(self.words)], np.int32)

    def learnable(self) -> Example:
        """Return the same with the reference's tags and arcs among the candidates."""
        found = self.candidates
        tags = _with(found.tag_starts, (found.tags,), found.tag_logs, self.wanted[:1], LEAST_TAG)
        arcs = _with(
            found.arc_starts, (found.heads, found.labels), found.arc_logs, self.wanted[1:], LEAST_HEAD + LEAST_LABEL
        )
        candidates = Candidates(tags[0], tags[1][0], tags[2], arcs[0], *arcs[1], arcs[2])
        return Example(candidates, self.words, self.wanted, self.read)

    def right(self) -> tuple[np.ndarray, np.ndarray]:
        """Tell which candidates are the reference's: tags, and arcs with labels."""
        found, (tags, heads, labels) = self.candidates, self.wanted
        counts = np.diff(found.tag_starts), np.diff(found.arc_starts)
        arcs = (found.heads == np.repeat(heads, counts[1])) & (found.labels == np.repeat(labels, counts[1]))
        return found.tags == np.repeat(tags, counts[0]), arcs


def _with(
    starts: ShortIntegers, columns: tuple[ShortIntegers, ...], logs: Singles, wanted: ShortIntegers, floor: float
) -> tuple[ShortIntegers, list[ShortIntegers], Singles]:
    """Add what is wanted of each token to its candidates where it is missing."""
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    same = np.all([column == row[owners] for column, row in zip(columns, wanted, strict=True)], axis=0)
    missing = np.flatnonzero(np.bincount(owners[same], minlength=len(starts) - 1) == 0)
    order = np.argsort(np.concatenate([owners, missing]), kind="stable")
    joined = [np.concatenate([column, row[missing]])[order] for column, row in zip(columns, wanted, strict=True)]
    counts = np.diff(starts) + np.isin(np.arange(len(starts) - 1), missing)
    logs = np.concatenate([logs, np.full(len(missing), floor, np.float32)])[order]
    return offsets_of(counts).astype(np.int32), joined, logs


def read_examples(parser: CaptionParser, parses: Parses) -> Iterator[Example]:
    """Let the network read captions, each alone; trees that are not projective and long captions are left out."""
    forms = checksums(parses.forms)
    for place in np.flatnonzero(parses.lengths <= LONGEST).tolist():
        tokens = slice(*parses.offsets[place : place + 2].tolist())
        wanted = np.stack([parses.tag[tokens], parses.head[tokens], parses.label[tokens]]).astype(np.int32)
        if is_projective_tree(wanted[1:2]).all():
            words = parses.words(place)
            reading = parser.read(words, np.array([0, len(words)], np.int32))
            read = np.stack(reading.best())
            yield Example(reading.likely(parses.labels.index("root")), forms[parses.form[tokens]], wanted, read)


class Learner:
    """Weights, their sum over all captions seen, and how many these are.

    Parameters
    ----------
    roles : Roles
        What tags and labels mean.
    """

    def __init__(self, roles: Roles) -> None:
        self.grammar = Grammar(np.zeros(1 << BITS, np.float32), roles)
        self._weighted: Floats = np.zeros(1 << BITS)
        self._seen = 1

    def averaged(self) -> Grammar:
        """Return the mean of the weights over all captions seen, as they ship: eight bits each."""
        mean = (self.grammar.weights - self._weighted / self._seen).astype(np.float32)
        return Grammar(unpack(*pack(mean)), self.grammar.roles)

    def learn(self, example: Example) -> None:
        """Move the weights until the reference's derivation is ahead of the best other one by its errors."""
        self._seen += 1
        found = example.candidates
        right_tags, right_arcs = example.right()
        columns = example.read.copy()
        costs = (~right_tags).astype(np.float32), (~right_arcs).astype(np.float32)
        (score,) = self.grammar.choose(found, example.words, example.offsets, columns, costs)
        if not np.isfinite(score) or np.array_equal(columns, example.wanted):
            return
        gold, other = self._features(example.words, example.wanted), self._features(example.words, columns)
        weights = self.grammar.weights
        wanted = NETWORK_SHARE * (found.tag_logs[right_tags].sum() + found.arc_logs[right_arcs].sum())
        behind = score - wanted - weights[gold].sum()
        ids, places = np.unique(np.concatenate([gold, other]), return_inverse=True)
        change = np.bincount(places, np.repeat([1.0, -1.0], [len(gold), len(other)]))
        if behind > 0 and change.any():
            step = min(LARGEST_STEP, behind / np.square(change).sum()) * change
            weights[ids] += step.astype(np.float32)
            self._weighted[ids] += self._seen * step

    def _features(self, words: np.ndarray, columns: ShortIntegers) -> np.ndarray:
        roles = self.grammar.roles
        found = tree_features(words, *columns, roles.kinds, roles.speaking, roles.inner, roles.named, BITS)
        return np.array(found, np.int64)


def agreement(examples: list[Example], grammar: Grammar | None) -> str:
    """Compare parses with the reference's: arcs with labels, whole trees, captions with all tags right."""
    tokens = arcs = trees = tagged = 0
    for example in examples:
        columns = example.read.copy()
        if grammar is not None:
            grammar.choose(example.candidates, example.words, example.offsets, columns)
        right = columns == example.wanted
        tokens += right.shape[1]
        arcs += int(right[1:].all(axis=0).sum())
        trees += bool(right[1:].all())
        tagged += bool(right[0].all())
    count = len(examples)
    return f"attachment {arcs / tokens:.2%}  same tree {trees / count:.2%}  all tags right {tagged / count:.2%}"


def main() -> None:
    """Read, learn, and add the grammar to the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=MODEL, help="the parser")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--captions", type=int, default=0, help="learn from so many captions only; 0: all of them")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    arguments = parser.parse_args()
    model = read_arrays(arguments.model)
    network = CaptionParser(model)
    parts = split(load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache), arguments.captions)
    development = list(read_examples(network, parts.development))
    say(f"{len(development)} development captions, network alone: {agreement(development, None)}")
    training = [example.learnable() for example in read_examples(network, parts.training)]
    say(f"{len(training)} training captions")
    learner = Learner(Roles(parts.training.tags, parts.training.labels))
    generator = np.random.default_rng(SEED)
    for number in range(arguments.passes):
        for count, place in enumerate(generator.permutation(len(training)).tolist(), start=1):
            learner.learn(training[place])
            if count % SHOWN == 0:
                say(f"pass {number} caption {count}: {agreement(development, learner.averaged())}")
        say(f"pass {number}: {agreement(development, learner.averaged())}")
    add_grammar(arguments.model, model, learner.averaged())


def add_grammar(path: Path, model: Arrays, grammar: Grammar) -> None:
    """Write a parser's file again, with the grammar."""
    arrays = {name: np.array(model[name]) for name in model}
    arrays["grammar"], arrays["grammar_unit"] = pack(grammar.weights)
    write_parser(path, arrays, model.facts)


if __name__ == "__main__":
    main()
