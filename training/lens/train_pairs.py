"""Train a pair model: ``python training/lens/train_pairs.py --run RUN --name NAME [--minutes 24]``.

A group is an image: up to four references, another caption of it, and six captions of other images from near to far
(groups.py). Three scores: the odds that a caption was written for this image rather than one of images unlike it;
which share of the objects that it names the image shows, and how many of the image's objects it names (COCO); how like
the two images are. Graded scores are fitted by differences, so that a near miss is above a complete one. Writes
RUN/NAME.pt and, for distil.py, the scores of the later steps: RUN/NAME_scores.npz.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from pairs import SCORES, PairModel
from torch import Tensor, nn
from torch.nn import functional

from caplens.arrays import Floats, Integers, Singles
from corpus import HELD_OUT, say
from train import load_words

REFERENCES = 4
NEGATIVES = 6
UNLIKE = 0.5  # images below this likeness are what the odds are against
STEEPNESS = 6.0  # of graded scores
PRECISION = 0.7  # of objects; the rest is recall
JOINED = 0.7  # of the steps have several references
BATCH = 8  # groups; twice as many with one reference
RATE, NEW_RATE = 3e-5, 2.4e-4
SETTLED = 0.4  # of the time, after which scores are kept
LATEST = 0.02  # least rate


@dataclass(frozen=True, eq=False)
class Batch:
    """Groups: rows of references (-1 where there is none) and of candidates, what is known about the candidates."""

    references: Integers
    candidates: Integers
    likeness: Singles
    shown: Singles
    known: Singles


class Groups:
    """Draws groups of the images that are trained on."""

    def __init__(self, run: Path) -> None:
        content = np.load(run / "groups.npz")
        self.others, self.likeness = content["others"], content["likeness"]
        self.objects, self.mentions = content["objects"], content["mentions"]
        examples = np.load(run / "examples.npz")
        self.first, self.table = examples["first"], examples["true"]
        places = np.arange(len(self.first) - 1)
        self.images = places[places % HELD_OUT != 0]

    def draw(self, step: int) -> Batch:
        """Return the groups of a step."""
        generator = np.random.default_rng([0, step])
        joined = generator.random() < JOINED
        number = BATCH if joined else 2 * BATCH
        references = np.full((number, REFERENCES), -1)
        candidates = np.zeros((number, 1 + NEGATIVES), np.int64)
        likeness = np.full((number, 1 + NEGATIVES), 0.95, np.float32)
        images = generator.choice(self.images, number, replace=False)
        for row, image in enumerate(images.tolist()):
            own = generator.permutation(np.arange(self.first[image], self.first[image + 1]))
            some = (4 if generator.random() < 0.6 else int(generator.integers(2, 5))) if joined else 1
            references[row, : len(own[1 : 1 + some])] = own[1 : 1 + some]
            drawn = generator.choice(self.others.shape[1], NEGATIVES, replace=False)
            others = self.others[image, drawn]
            candidates[row] = [own[0], *generator.integers(self.first[others], self.first[others + 1])]
            likeness[row, 1:] = self.likeness[image, drawn]
        objects, named = self.objects[images][:, None], self.mentions[candidates]
        true = (objects & named).sum(-1)
        shown = PRECISION * true / np.maximum(named.sum(-1), 1)
        shown += (1 - PRECISION) * true / np.maximum(objects.sum(-1), 1)
        known = named.any(-1) & objects.any(-1)
        return Batch(references, candidates, likeness, shown.astype(np.float32), known.astype(np.float32))


def losses(scores: Tensor, batch: Batch) -> dict[str, Tensor]:
    """Return the loss of each score."""
    odds, objects, likeness = scores.view(*batch.candidates.shape, len(SCORES)).unbind(-1)
    like = torch.from_numpy(batch.likeness)
    near = like > UNLIKE
    near[:, 0] = False
    return {
        "odds": functional.cross_entropy(odds.masked_fill(near, -1e4), torch.zeros(len(odds), dtype=torch.long)),
        "objects": _differences(objects, torch.from_numpy(batch.shown), torch.from_numpy(batch.known)),
        "likeness": _differences(likeness, like, torch.ones_like(like)),
    }


def _differences(scores: Tensor, wanted: Tensor, known: Tensor) -> Tensor:
    gap = scores - STEEPNESS * wanted
    both = known[:, :, None] * known[:, None]
    return ((gap[:, :, None] - gap[:, None]).square() * both).sum() / both.sum().clamp_min(1) / 4


def inputs_of(
    model: PairModel, words: list[str], table: Integers, batch: Batch
) -> tuple[list[list[int]], list[tuple[int, ...]]]:
    """Return the pieces of all captions of groups, and the groups as the model takes them."""
    rows, places = np.unique(np.concatenate([batch.references, batch.candidates], axis=1), return_inverse=True)
    places = places.reshape(len(batch.candidates), -1)
    captions = [
        model.pieces([words[place] for place in table[row] if place] if row >= 0 else []) for row in rows.tolist()
    ]
    groups = []
    for found, known in zip(places.tolist(), batch.references >= 0, strict=True):
        references = [place for place, there in zip(found[:REFERENCES], known.tolist(), strict=True) if there]
        groups += [(candidate, *references) for candidate in found[REFERENCES:]]
    return captions, groups


class Kept:
    """The groups of the later steps and their odds."""

    def __init__(self) -> None:
        self.arrays: dict[str, list[Integers | Floats]] = {"references": [], "candidates": [], "odds": []}

    def add(self, batch: Batch, scores: Tensor) -> None:
        """Add the groups of a step."""
        odds = scores.detach()[:, 0].view(batch.candidates.shape).numpy()
        for name, array in (("references", batch.references), ("candidates", batch.candidates), ("odds", odds)):
            self.arrays[name].append(array)

    def write(self, path: Path) -> None:
        """Write all of them."""
        np.savez(path, **{name: np.concatenate(found) for name, found in self.arrays.items()})


def main() -> None:
    """Train for some minutes and keep the model and its scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--minutes", type=float, default=24)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    words, _ = load_words(arguments.run)
    model, groups, kept = PairModel(words[1:]), Groups(arguments.run), Kept()
    old, new = model.trained()
    rates = [{"params": old, "lr": RATE}, {"params": new, "lr": NEW_RATE}]
    optimizer = torch.optim.AdamW(rates, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    started, step, sums = time.monotonic(), 0, dict.fromkeys(SCORES, 0.0)
    while (done := (time.monotonic() - started) / (60 * arguments.minutes)) < 1:
        for group, rate in zip(optimizer.param_groups, (RATE, NEW_RATE), strict=True):
            group["lr"] = rate * min(1, (step + 1) / 40) * max(LATEST, 1 - done)
        batch = groups.draw(step)
        scores = model(*inputs_of(model, words, groups.table, batch))
        found = losses(scores, batch)
        optimizer.zero_grad()
        sum(found.values()).backward()
        nn.utils.clip_grad_norm_([*old, *new], 1.0)
        optimizer.step()
        if done > SETTLED:
            kept.add(batch, scores)
        step += 1
        sums = {name: sums[name] + value.item() for name, value in found.items()}
        if step % 50 == 0:
            say(f"{step} ({done:.0%}): " + ", ".join(f"{name} {value / 50:.3f}" for name, value in sums.items()))
            sums = dict.fromkeys(SCORES, 0.0)
    torch.save({"network": model.state_dict(), "step": step}, arguments.run / f"{arguments.name}.pt")
    kept.write(arguments.run / f"{arguments.name}_scores.npz")


if __name__ == "__main__":
    main()
