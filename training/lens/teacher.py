"""Train the teacher of the encoder: a pretrained sentence encoder that learns what captions of one image share.

    python training/lens/teacher.py --run RUN --name teacher [--passes 1] [--minutes 120]
    python training/lens/teacher.py --run RUN --name teacher --embed [--student-passes 1.5]

The first command trains: of 128 images at a time, half of them similar to the other half, a caption must find two
others of its image. Checkpoints RUN/NAME.pt every four minutes; the same command resumes. The second writes the
directions of the training captions that train.py will draw, for it to imitate (RUN/NAME.npy).
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench import Bench
from caplens.arrays import Integers, Singles
from caplens.embeddings.minilm import WordPieces
from corpus import say
from train import Batches, Recipe, load_words

sys.path.append(str(Path(__file__).resolve().parents[1] / "minilm"))
from minilm import Encoder, EncoderSize, pieces_in_use, read_package

SAVED_EVERY = 240.0  # seconds
LONGEST = 40  # pieces
AT_ONCE = 4096  # pieces, where nothing is learned


@dataclass(frozen=True)
class Plan:
    """What can be chosen."""

    passes: float = 1.0
    batch: int = 128
    rate: float = 6e-5
    layers: int = 6
    seed: int = 0


class Pieces:
    """The word pieces of captions that are numbers of words.

    Parameters
    ----------
    vocabulary : list of str
        Pieces, in the order of the encoder's table.
    words : list of str
        What the numbers stand for; the first is no word.
    """

    def __init__(self, vocabulary: list[str], words: list[str]) -> None:
        tokenizer = WordPieces(vocabulary)
        self._of = [tokenizer.pieces(word) if word else () for word in words]
        self._start, self._end = tokenizer.start, tokenizer.end

    def __call__(self, numbers: Integers) -> list[int]:
        """Return the pieces of a caption, its begin and end included."""
        found = [piece for number in numbers for piece in self._of[number]]
        return [self._start, *found[: LONGEST - 2], self._end]


def directions(encoder: Encoder, captions: list[list[int]]) -> Tensor:
    """Return the mean states of captions as directions; those of one length are read together."""
    by_length: dict[int, list[int]] = {}
    for place, pieces in enumerate(captions):
        by_length.setdefault(len(pieces), []).append(place)
    groups = [torch.tensor([captions[place] for place in places]) for places in by_length.values()]
    with torch.autocast("cpu", torch.bfloat16):
        states = encoder(groups)
    means = torch.cat([part.float().mean(1) for part in states])
    order = torch.tensor([place for places in by_length.values() for place in places])
    return functional.normalize(means, dim=-1)[torch.argsort(order)]


class Teaching:
    """The teacher and its training.

    Parameters
    ----------
    run : Path
        The folder with the examples of make_examples.py.
    name : str
        Of its checkpoints.
    plan : Plan
        What was chosen.
    """

    def __init__(self, run: Path, name: str, plan: Plan) -> None:
        self.plan, self.kept = plan, run / f"{name}.pt"
        self.words = load_words(run)[0]
        weights, vocabulary, heads = read_package()
        further = [word for caption in Bench.read(run).captions for word in caption]
        kept = torch.tensor(pieces_in_use(vocabulary, {*self.words[1:], *further}))
        self.vocabulary = [vocabulary[number] for number in kept.tolist()]
        inner, width = weights["encoder.layer.0.intermediate.dense.weight"].shape
        torch.manual_seed(plan.seed)
        self.encoder = Encoder(EncoderSize(len(kept), width, plan.layers, heads, inner))
        self.encoder.read_pretrained(weights, kept)
        self.sharpness = nn.Parameter(torch.tensor(3.0))
        self.batches = Batches(run, Recipe(passes=plan.passes, batch=plan.batch, longest=24, seed=plan.seed))
        self.pieces = Pieces(self.vocabulary, self.words)
        groups = [
            {"params": [self.sharpness], "lr": 1e-2, "weight_decay": 0.0},
            {"params": [part for part in self.encoder.parameters() if part.dim() > 1], "weight_decay": 0.01},
            {"params": [part for part in self.encoder.parameters() if part.dim() == 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), fused=True)
        steps = self.batches.steps
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / 60) * max(0.02, 1 - step / steps)
        )
        self.step = 0
        if self.kept.is_file():
            self._resume()

    def _resume(self) -> None:
        state = torch.load(self.kept, weights_only=True)
        self.encoder.load_state_dict(state["encoder"])
        self.sharpness.data = state["sharpness"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step = state["step"]

    def save(self) -> None:
        """Write a checkpoint; an interruption leaves the one before intact."""
        state = {"encoder": self.encoder.state_dict(), "sharpness": self.sharpness.data, "step": self.step}
        state |= {"optimizer": self.optimizer.state_dict(), "schedule": self.schedule.state_dict()}
        unfinished = self.kept.with_suffix(".unfinished")
        torch.save({**state, "plan": vars(self.plan)}, unfinished)
        unfinished.replace(self.kept)

    def learn(self) -> float:
        """Learn from one batch; return its loss."""
        batch = self.batches.draw(self.step)
        rows = len(batch["true"])
        captions = [self.pieces(row) for row in torch.cat([batch["true"], batch["references"]]).tolist()]
        found = directions(self.encoder, captions)
        context = functional.normalize(found[rows:].view(rows, -1, found.shape[1]).sum(1), dim=-1)
        scores = found[:rows] @ context.T * self.sharpness.exp()
        answers = torch.arange(rows)
        loss = functional.cross_entropy(scores, answers) + functional.cross_entropy(scores.T, answers)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return loss.item()

    def go(self, minutes: float) -> None:
        """Train until all steps are done or the time is up."""
        start = saved = time.monotonic()
        losses: list[float] = []
        while self.step < self.batches.steps:
            losses.append(self.learn())
            now = time.monotonic()
            if self.step % 25 == 0:
                said = f"{np.mean(losses):.4f}, sharpness {self.sharpness.exp().item():.1f}"
                say(f"{self.step} of {self.batches.steps} ({time.process_time():.0f} s): {said}")
                losses = []
            if now - saved > SAVED_EVERY:
                self.save()
                saved = now
            if minutes and now - start > 60 * minutes:
                break
        self.save()

    @torch.no_grad()
    def embed(self, captions: list[list[int]]) -> Singles:
        """Return the directions of captions."""
        order = np.argsort([len(pieces) for pieces in captions], kind="stable")
        found = np.zeros((len(captions), self.encoder.positions.shape[1]), np.float16)
        start = 0
        said = time.monotonic()
        while start < len(order):
            length = len(captions[order[start]])
            rows = order[start : start + max(1, AT_ONCE // length)]
            rows = rows[[len(captions[row]) == length for row in rows]]
            found[rows] = directions(self.encoder, [captions[row] for row in rows]).numpy()
            start += len(rows)
            if time.monotonic() - said > 60:
                said = time.monotonic()
                say(f"{start:,} of {len(order):,} captions")
        return found

    def embed_words(self, captions: list[list[str]]) -> Singles:
        """Return the directions of captions that are lists of words."""
        words = sorted({word for caption in captions for word in caption})
        number = {word: 1 + place for place, word in enumerate(words)}
        pieces = Pieces(self.vocabulary, ["", *words])
        return self.embed([pieces([number[word] for word in caption]) for caption in captions])


def main() -> None:
    """Train, or write the directions of all training captions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--embed", action="store_true")
    parser.add_argument("--student-passes", type=float, default=1.5)
    for name, value in vars(Plan()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    arguments = vars(parser.parse_args())
    run, name, minutes, embed = (arguments.pop(each) for each in ("run", "name", "minutes", "embed"))
    student_passes = arguments.pop("student_passes")
    torch.set_num_threads(1)
    teaching = Teaching(run, name, Plan(**arguments))
    if not embed:
        teaching.go(minutes)
        return
    # Only what the student will draw.
    batches = Batches(run, Recipe(passes=student_passes))
    drawn = np.unique(np.concatenate([np.append(*batches.rows(step)) for step in range(batches.steps)]))
    table = np.load(run / "examples.npz")["true"]
    found = np.zeros((len(table), teaching.encoder.positions.shape[1]), np.float16)
    found[drawn] = teaching.embed([teaching.pieces(row) for row in table[drawn].tolist()])
    np.save(run / f"{name}.npy", found)


if __name__ == "__main__":
    main()
