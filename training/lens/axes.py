"""Learn from ratings how long the axes are along which words are compared, and how much words count.

    python training/lens/axes.py --run RUN --encoder NAME [--seed 1]

`lens` compares words by cosines in a space of 128 axes. Here each axis gets a factor, and the gate that weighs words a
change; the parts of the score and their weights stay those of `unsupervised`, so the score keeps its meaning and its
form. Loss: the cross entropy of the mean rating of a caption and a logistic function of the log odds of its score.
Figures come from folds that share neither image nor caption; inside each, inner folds choose the penalty. Writes
RUN/axes_NAME.npz; parts.py, fit.py, report.py and export.py take it. The encoder must be a file as it runs: `shipped`,
or one of distil.py.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from features import encoder_file, tau
from fit import Weights, read_weights, wanted_of
from runtime import Encoded, RunTime, content
from scipy.optimize import minimize
from scipy.stats import kendalltau
from torch import Tensor
from torch.nn import functional

from bench import Bench, Rows
from caplens.arrays import Floats, Integers
from corpus import say

sys.path.append(str(Path(__file__).resolve().parents[1] / "composite"))
from monotone import disjoint_folds

FOLDS, FOLD_SEED = 5, 1
PENALTIES = (4e-4, 1e-4, 2.5e-5)  # gone through one after the other, from where the one before ended
STEPS = 14  # of each
GATE = 2.0  # the gate may change so much more than logarithms of factors at the same penalty
INNER = 3  # folds that choose
BLOCK = 48  # groups of rows with the same references
TOGETHER = 6  # rows of a group
LONGEST = 40  # words of a caption
LEAST_WEIGHT = 0.01  # of words that are learned from
OF_WORDS = ("matched", "odds", "nouns", "usual", "real", "states")


@dataclass(frozen=True, eq=False)
class Axes:
    """What was learned: logarithms of the factors of axes, and what is added to the gate of words."""

    words: Floats
    gate: Floats

    def tensors(self) -> tuple[Tensor, Tensor]:
        """Return both for torch."""
        return torch.from_numpy(self.words).float(), torch.from_numpy(self.gate).float()


@dataclass(frozen=True, eq=False)
class Block:
    """Groups of rows: encoded captions, places of candidates and references among them, rows, which are no filling."""

    captions: Encoded
    candidates: Tensor
    references: Tensor
    rows: Tensor
    real: Tensor


class Judged:
    """Rated captions, encoded once, whose scores axes change.

    Parameters
    ----------
    bench : Bench
        What is measured.
    path : Path
        The file of the encoder.
    parts : numpy.ndarray
        The parts of the rows of Flickr8k-Expert; only their form is used.
    weights : Weights
        How parts become a score.
    """

    def __init__(self, bench: Bench, path: Path, parts: Floats, weights: Weights) -> None:
        rows = bench.sets["expert"]
        self.images = rows.facts["images"]
        self.texts = [" ".join(bench.captions[place]) for place in rows.candidates]
        self.weights = weights
        self.form = torch.from_numpy(weights.logits(parts)[1]).float()
        used = sorted({*rows.candidates, *(place for theirs in rows.references for place in theirs)})
        position = {place: row for row, place in enumerate(used)}
        captions = [bench.captions[place][:LONGEST] for place in used]
        self.lengths = np.array([len(words) for words in captions])
        self.encoded = encode(path, captions)
        self.candidates = np.array([position[place] for place in rows.candidates])
        self.references = _padded(rows, position, self.lengths)

    @cached_property
    def heavy(self) -> Judged:
        """The same without words that hardly count: learning takes half the time, and weights lose 0.4 %."""
        kept = self.encoded.weights >= LEAST_WEIGHT
        order = (~kept).to(torch.int8).argsort(dim=1, stable=True)
        arrays = {name: _along(getattr(self.encoded, name), order) for name in OF_WORDS}
        arrays["real"] = _along(kept, order).float()
        found = copy(self)
        found.encoded, found.lengths = replace(self.encoded, **arrays), kept.sum(1).numpy()
        return found

    def blocks(self, rows: Integers) -> list[Block]:
        """Return rows in groups that share references; groups of one size and captions of like length together."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in rows.tolist():
            groups.setdefault(tuple(self.references[row].tolist()), []).append(row)
        parted = [
            (theirs, rows[first : first + TOGETHER])
            for theirs, rows in groups.items()
            for first in range(0, len(rows), TOGETHER)
        ]
        longest = [max(self.lengths[[*theirs, *self.candidates[ours]]]) for theirs, ours in parted]
        order = np.lexsort((longest, [len(ours) for _, ours in parted]))
        chosen = ([parted[place] for place in order[first : first + BLOCK]] for first in range(0, len(order), BLOCK))
        return [self._block(part) for part in chosen]

    def _block(self, groups: list[tuple[tuple[int, ...], list[int]]]) -> Block:
        most = max(len(rows) for _, rows in groups)
        filled = np.array([(rows * most)[:most] for _, rows in groups])
        real = np.array([[place < len(rows) for place in range(most)] for _, rows in groups])
        both = np.concatenate([self.candidates[filled], np.array([theirs for theirs, _ in groups])], axis=1)
        used = np.unique(both[both >= 0])
        places = torch.from_numpy(np.where(both >= 0, np.searchsorted(used, both), -1))
        captions = _taken(self.encoded, used, max(1, int(self.lengths[used].max())))
        return Block(captions, places[:, :most], places[:, most:], torch.from_numpy(filled), torch.from_numpy(real))

    def odds(self, block: Block, words: Tensor, gate: Tensor) -> Tensor:
        """Return the log odds of the scores of a block."""
        weights = torch.from_numpy(self.weights.content).float()
        parts = content(block.captions.stretched(words, gate), block.candidates, block.references)
        said = parts @ weights[1:] + weights[0]
        form = self.form[block.rows]
        return -torch.log(torch.exp(-said) + torch.exp(-form) + torch.exp(-said - form))

    @torch.no_grad()
    def score(self, axes: Axes, rows: Integers) -> Floats:
        """Return the scores of rows from 0 to 100."""
        found = np.empty(len(self.candidates))
        for block in self.blocks(rows):
            found[block.rows.numpy()] = self.odds(block, *axes.tensors()).numpy()
        scores: Floats = 100 / (1 + np.exp(-found[rows]))
        return scores


def encode(path: Path, captions: Sequence[Sequence[str]]) -> Encoded:
    """Encode captions by a file as it runs."""
    words = ["", *sorted({word for caption in captions for word in caption})]
    number = {word: place for place, word in enumerate(words)}
    table = np.zeros((len(captions), LONGEST), np.int64)
    for row, caption in enumerate(captions):
        table[row, : len(caption)] = [number[word] for word in caption]
    network = RunTime(words, path).eval()
    with torch.no_grad():
        blocks = [network(torch.from_numpy(table[first : first + 512])) for first in range(0, len(table), 512)]
    return Encoded(*(torch.cat(arrays) for arrays in zip(*(vars(block).values() for block in blocks), strict=True)))


def _taken(encoded: Encoded, captions: Integers, longest: int) -> Encoded:
    """Return some captions, without the places behind the longest."""
    found = replace(encoded, **{name: array[captions] for name, array in vars(encoded).items()})
    return replace(found, **{name: getattr(found, name)[:, :longest] for name in OF_WORDS})


def _along(array: Tensor, order: Tensor) -> Tensor:
    """Put the words of captions in another order."""
    return array.take_along_dim(order if array.ndim == order.ndim else order[..., None], dim=1)


def _padded(rows: Rows, position: dict[int, int], lengths: Integers) -> Integers:
    """Return the references of all rows that have words; -1 where there is none."""
    most = max(len(theirs) for theirs in rows.references)
    found = np.full((len(rows.candidates), most), -1)
    for row, theirs in enumerate(rows.references):
        known = [position[place] for place in theirs if lengths[position[place]]]
        found[row, : len(known)] = known
    return found


def path_of(
    judged: Judged, rows: Integers, wanted: Floats, penalties: Sequence[float], least_slope: float = 0.0
) -> list[Axes]:
    """Fit with one penalty after the other; return what each ended with.

    Parameters
    ----------
    judged : Judged
        The captions.
    rows : numpy.ndarray of int
        Those to learn from.
    wanted : numpy.ndarray
        The mean rating of each of these from 0 to 1.
    penalties : sequence of float
        Weights of the squares of what is learned, beside the mean loss of a row.
    least_slope : float
        Of the logistic function of log odds.
    """
    blocks = judged.heavy.blocks(rows)
    target = torch.zeros(len(judged.candidates))
    target[torch.from_numpy(rows)] = torch.from_numpy(wanted).float()
    width, states = judged.encoded.matched.shape[-1], judged.encoded.states.shape[-1]

    def loss(parameters: Floats, penalty: float) -> tuple[float, Floats]:
        learned = np.append(parameters[:-2], [0.0, 0.0])  # the logistic function costs nothing
        given = torch.from_numpy(parameters).float().requires_grad_()
        total = penalty * float(learned @ learned)
        for block in blocks:
            words, gate, (slope, offset) = given.split([width, states, 2])
            odds = slope.exp() * judged.odds(block, words, GATE * gate) + offset
            error = functional.binary_cross_entropy_with_logits(odds, target[block.rows], reduction="none")
            part = (error * block.real).sum() / len(rows)
            part.backward()
            total += part.item()
        return total, given.grad.numpy() + 2 * penalty * learned

    found, at = [], np.zeros(width + states + 2)
    free = (None, None)
    bounds = [free] * (width + states) + [(math.log(least_slope), None) if least_slope else free, free]
    fitted = partial(minimize, loss, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": STEPS})
    for penalty in penalties:
        at = fitted(at, args=(penalty,)).x
        found.append(Axes(at[:width], GATE * at[width : width + states]))
    return found


def learned_axes(judged: Judged, rows: Integers, wanted: Floats, number: int, least_slope: float = 0.0) -> Axes:
    """Fit with the first penalties; with none of them everything stays as it is."""
    if number == 0:
        width, states = judged.encoded.matched.shape[-1], judged.encoded.states.shape[-1]
        return Axes(np.zeros(width), np.zeros(states))
    return path_of(judged, rows, wanted, PENALTIES[:number], least_slope)[-1]


def chosen_number(judged: Judged, rows: Integers, wanted: Floats) -> int:
    """Return how many of the penalties to go through: what agrees best with ratings of inner folds.

    Only as many of the folds are used as it takes to test each image and each caption once.
    """
    images, texts = ([labels[row] for row in rows] for labels in (judged.images, judged.texts))
    folds = list(disjoint_folds(images, texts, INNER, 0))[:: INNER + 1]
    scores: list[list[Floats]] = [[] for _ in range(len(PENALTIES) + 1)]
    for learned, tested in folds:
        nothing = learned_axes(judged, rows[learned], wanted[learned], 0)
        fitted = path_of(judged, rows[learned], wanted[learned], PENALTIES)
        for place, axes in enumerate((nothing, *fitted)):
            scores[place].append(judged.score(axes, rows[tested]))
    ratings = wanted[np.concatenate([tested for _, tested in folds])]
    agreed = [float(kendalltau(np.concatenate(each), ratings).statistic) for each in scores]
    return int(np.argmax(agreed))


def in_folds(
    judged: Judged, wanted: Floats, number: int | None = None, seed: int = FOLD_SEED, least_slope: float = 0.0
) -> tuple[Floats, list[int]]:
    """Return scores of captions that their fit has not seen, nor their image, and how many penalties it had.

    Parameters
    ----------
    judged : Judged
        The captions.
    wanted : numpy.ndarray
        Their ratings from 0 to 1, or others as a control.
    number : int, optional
        How many penalties to go through; chosen inside each fold if it is not given.
    seed : int
        Of the folds.
    least_slope : float
        See `path_of`; 0 lets a fit ignore ratings that say nothing.
    """
    scores, numbers = np.empty(len(wanted)), []
    for learned, tested in disjoint_folds(judged.images, judged.texts, FOLDS, seed):
        used = chosen_number(judged, learned, wanted[learned]) if number is None else number
        axes = learned_axes(judged, learned, wanted[learned], used, least_slope)
        scores[tested] = judged.score(axes, tested)
        numbers.append(used)
    return scores, numbers


def read_judged(run: Path, encoder: str) -> Judged:
    """Return the rated captions with the weights that fit.py found without ratings."""
    parts = np.load(run / f"parts_{encoder}.npz")["expert"]
    weights = json.loads((run / f"weights_{encoder}.json").read_text())["unsupervised"]
    return Judged(Bench.read(run), encoder_file(run, encoder), parts, read_weights(weights))


def main() -> None:
    """Learn from all ratings, measure in folds, and write both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--seed", type=int, help="measure in the folds of another seed only, with the usual penalties")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    bench = Bench.read(arguments.run)
    judged = read_judged(arguments.run, arguments.encoder)
    wanted = wanted_of(bench, "true")
    rows = bench.sets["expert"]
    if arguments.seed is not None:
        number = int(np.load(arguments.run / f"axes_{arguments.encoder}.npz")["number"])
        scores, _ = in_folds(judged, wanted, number, arguments.seed)
        say(f"in folds of seed {arguments.seed}, {number} penalties: {tau(rows, scores, 'kendall_c'):.4f}")
        return
    scores, numbers = in_folds(judged, wanted)
    everything = np.arange(len(wanted))
    number = chosen_number(judged, everything, wanted)
    axes = learned_axes(judged, everything, wanted, number)
    say(f"in folds: {tau(rows, scores, 'kendall_c'):.4f}; penalties by fold: {dict(Counter(numbers))}, here {number}")
    say(f"seen ratings: {tau(rows, judged.score(axes, everything), 'kendall_c'):.4f}")
    say(f"factors of axes from {np.exp(axes.words.min()):.2f} to {np.exp(axes.words.max()):.2f}")
    target = arguments.run / f"axes_{arguments.encoder}.npz"
    np.savez(target, words=axes.words, gate=axes.gate, number=number, scores=scores)


if __name__ == "__main__":
    main()
