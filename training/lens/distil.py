"""Train the encoder that ships further, to imitate a pair model and the teacher together.

    python training/lens/distil.py --run RUN --name NAME --pairs PAIRS [--passes 3]

The content of captions (scene, support and coverage, standardised, equal weights) learns a sum of itself as it was, the
teacher's scene (all-MiniLM-L6-v2) and the odds of a pair model, over the groups that train_pairs.py kept. Captions stay
related to each other as the teacher relates them, and spoiled captions as far below as they were. Writes
RUN/NAME.safetensors, an encoder as it runs; `--encoder NAME` of parts.py, fit.py, report.py and export.py take it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from runtime import Encoded, RunTime, content
from teacher import Teacher
from torch import Tensor

from caplens.arrays import Floats, Integers, Singles
from caplens.files.arrays import read_arrays, write_arrays
from caplens.learned.lens.encoder import PATH
from corpus import say
from train import load_words

BATCH = 64  # groups
RATE = 1e-4
AS_IT_WAS = 0.3  # weight of the content beside the teacher and the pair model, one each
RELATIONS = 50.0
SPOILED = 1.0
VALIDATED = 600  # groups
SHOWN = 50  # steps
LEARNED = (
    "odds of a pair model on all-MiniLM-L6-v2 that was trained on captions of COCO train2014 and Flickr30k without "
    "kept_apart.txt and on the objects of COCO train2014 (CC BY 4.0)"
)


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of captions: places of candidates and references (-1 where there is none) among the captions used."""

    rows: Integers  # of the training captions
    candidates: Integers
    references: Integers
    odds: Floats
    taught: Singles  # directions of captions, by the teacher

    @classmethod
    def read(cls, run: Path, pairs: str, words: list[str], table: Integers) -> Groups:
        """Read the groups of a pair model, and their captions with the teacher; the latter are kept."""
        scores = np.load(run / f"{pairs}_scores.npz")
        used = np.concatenate([scores["references"], scores["candidates"]], axis=1)
        rows = np.unique(used[used >= 0])
        places = np.where(used >= 0, np.searchsorted(rows, used), -1)
        references, candidates = np.split(places, [scores["references"].shape[1]], axis=1)
        kept = run / f"{pairs}_taught.npy"
        if not kept.is_file():
            np.save(
                kept, Teacher(words[1:]).read([[words[word] for word in row if word] for row in table[rows].tolist()])
            )
        return cls(rows, candidates, references, scores["odds"].astype(np.float64), np.load(kept))

    def single(self) -> Integers:
        """Tell which groups have one reference: their scores are spread differently."""
        return ((self.references >= 0).sum(axis=1) == 1).astype(np.int64)

    def teacher(self) -> Floats:
        """Return the scenes of all candidates as the teacher sees them."""
        known = (self.references >= 0)[..., np.newaxis]
        means = (self.taught[self.references] * known).sum(axis=1) / known.sum(axis=1)
        return np.array(np.einsum("gcd,gd->gc", self.taught[self.candidates], means), np.float64)


class Standard:
    """Standardises by means and deviations of groups with one reference and with several."""

    def __init__(self, values: Floats, single: Integers) -> None:
        parts = [values[single == kind].reshape(-1, values.shape[-1]) for kind in (0, 1)]
        self.mean, self.deviation = (
            np.array([getattr(part, name)(axis=0) for part in parts]) for name in ("mean", "std")
        )
        self.single = single

    def __call__(self, values: Tensor, groups: Integers) -> Tensor:
        """Return the sum of standardised parts of some groups."""
        mean, deviation = (torch.from_numpy(each[self.single[groups]]).float() for each in (self.mean, self.deviation))
        return ((values - mean[:, None]) / deviation[:, None]).sum(-1)


class Distillation:
    """The encoder, what it was, and what it learns."""

    def __init__(self, run: Path, pairs: str, start: Path) -> None:
        words, _ = load_words(run)
        examples = np.load(run / "examples.npz")
        self.groups = Groups.read(run, pairs, words, examples["true"])
        self.tables = {name: examples[name][self.groups.rows].astype(np.int64) for name in ("true", "fact", "form")}
        self.network, self.before = RunTime(words, start), RunTime(words, start).eval()
        single = self.groups.single()
        everything = np.arange(len(single))
        with torch.no_grad():
            blocks = [self.parts(self.before, part) for part in np.array_split(everything, len(single) // BATCH)]
        parts = torch.cat(blocks)
        self.standard = Standard(parts.numpy().astype(np.float64), single)
        wanted = AS_IT_WAS * self.standard(parts, everything)
        for scores in (self.groups.teacher(), self.groups.odds):
            wanted += Standard(scores[..., np.newaxis], single)(torch.from_numpy(scores)[..., None].float(), everything)
        spread = self.standard(parts, everything)
        for kind in (0, 1):
            there = torch.from_numpy(single == kind)
            wanted[there] = (wanted[there] - wanted[there].mean()) / wanted[there].std() * spread[there].std()
        self.wanted = wanted

    def parts(self, network: RunTime, groups: Integers) -> Tensor:
        """Return scene, support and coverage of the candidates of groups."""
        encoded, candidates, references = self.encode(network, groups)[:3]
        return content(encoded, candidates, references)

    def encode(self, network: RunTime, groups: Integers) -> tuple[Encoded, Tensor, Tensor, Integers]:
        """Encode the captions of groups: these, the rows of candidates and references, and which captions."""
        candidates, references = self.groups.candidates[groups], self.groups.references[groups]
        both = np.concatenate([candidates, references], axis=1)
        used = np.unique(both[both >= 0])
        places = torch.from_numpy(np.where(both >= 0, np.searchsorted(used, both), -1))
        numbers = candidates.shape[1]
        return network(_cut(self.tables["true"][used])), places[:, :numbers], places[:, numbers:], used

    def spoiled(self, network: RunTime, groups: Integers) -> Tensor:
        """Return by how much the content of true captions is above that of spoiled ones."""
        true, references = self.groups.candidates[groups][:, 0], self.groups.references[groups]
        used = np.unique(references[references >= 0])
        captions = [self.tables["true"][used], *(self.tables[name][true] for name in ("true", "fact", "form"))]
        encoded = network(_cut(np.concatenate(captions)))
        candidates = len(used) + torch.arange(3 * len(true)).view(3, -1).T
        places = torch.from_numpy(np.where(references >= 0, np.searchsorted(used, references), -1))
        found = self.standard(content(encoded, candidates, places), groups)
        return found[:, :1] - found[:, 1:]

    def losses(self, groups: Integers) -> dict[str, Tensor]:
        """Return the parts of the loss."""
        encoded, candidates, references, used = self.encode(self.network, groups)
        error = self.standard(content(encoded, candidates, references), groups) - self.wanted[groups]
        within = error - error.mean(1, keepdim=True)
        taught = torch.from_numpy(self.groups.taught[used])
        relations = encoded.scenes @ encoded.scenes.T - taught @ taught.T
        with torch.no_grad():
            lead = self.spoiled(self.before, groups)
        return {
            "content": error.square().mean() + within.square().mean(),
            "relations": RELATIONS * relations.square().mean(),
            "spoiled": SPOILED * (self.spoiled(self.network, groups) - lead).square().mean(),
        }

    @torch.no_grad()
    def unexplained(self, groups: Integers) -> float:
        """Return which share of what is wanted the content of groups does not explain."""
        found = self.standard(self.parts(self.network, groups), groups)
        return float((found - self.wanted[groups]).square().mean() / self.wanted.var())


def _cut(table: Integers) -> Tensor:
    return torch.from_numpy(table[:, : max(1, int((table > 0).sum(axis=1).max()))])


def main() -> None:
    """Train and write the encoder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--start", type=Path, default=PATH, help="an encoder's file")
    parser.add_argument("--passes", type=float, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = Distillation(arguments.run, arguments.pairs, arguments.start)
    order = np.random.default_rng(0).permutation(len(made.wanted))
    validated, learned = order[:VALIDATED], order[VALIDATED:]
    optimizer = torch.optim.Adam(made.network.parameters(), lr=RATE, betas=(0.9, 0.99), fused=True)
    steps = int(arguments.passes * len(learned) / BATCH)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 20) * max(0.02, 1 - step / steps)
        found = made.losses(np.random.default_rng([1, step]).choice(learned, BATCH, replace=False))
        optimizer.zero_grad()
        sum(found.values()).backward()
        optimizer.step()
        if step % SHOWN == 0 or step + 1 == steps:
            shown = ", ".join(f"{part} {value.item():.3f}" for part, value in found.items())
            say(f"{step + 1} of {steps}: {shown}; unexplained {made.unexplained(validated):.4f}")
    facts = {**read_arrays(arguments.start).facts, "distilled": LEARNED}
    arrays = {name: np.array(array, order="C") for name, array in made.network.arrays().items()}
    write_arrays(arguments.run / f"{arguments.name}.safetensors", arrays, facts)


if __name__ == "__main__":
    main()
