"""Train the encoder: ``python training/lens/train.py --run RUN --name NAME [--passes 1]``.

Of 192 images at a time, half of them similar to the other half: a caption must find two others of its image, by the
sum of its words and word by word, and stand above itself with wrong facts and with broken form. The scenes of other
captions imitate the teacher's (teacher.py). Checkpoints RUN/NAME.pt every two minutes; started again, it goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from model import PIECES, Encoded, Encoder, Size, pieces
from torch import Tensor
from torch.nn import functional

from caplens.arrays import Integers, Singles
from caplens.embeddings import shipped
from caplens.embeddings.stop_words import ENGLISH
from corpus import HELD_OUT, say

SAVED_EVERY = 120.0  # seconds
TEACHER = "mini"
KEPT_WORD_AXES = 128  # of the teacher's vectors of single words
WORD_SCALE = 1.100574  # of these, whose largest is then as long as the others' largest


@dataclass(frozen=True)
class Recipe:
    """Everything that can be chosen; README.md says what was tried."""

    passes: float = 1.0
    batch: int = 192
    rate: float = 1e-3
    word_rate: float = 3e-3
    dropout: float = 0.1
    whole: float = 0.98
    longest: int = 18
    similar: bool = True
    width: int = 128
    inner: int = 128
    hidden: int = 256
    scene: int = 192
    imitated: int = 256  # images, three captions of each
    imitation: float = 10.0
    relations: float = 1.0  # between captions of a batch, as the teacher has them
    teacher_sharpness: float = 20.0  # of these
    contrast: float = 1.0  # of sums of words: own references against others, true against spoiled
    matching: float = 1.0
    spoiled: float = 0.5
    references: int = 2
    matched: int = 96
    seed: int = 0
    start: str = ""  # a trained encoder to go on from, with steps of its own


def load_words(run: Path) -> tuple[list[str], int]:
    """Return all words of the training captions, and how many of them have a row."""
    content = json.loads((run / "words.json").read_text())
    return content["words"], content["known"]


def make(run: Path, recipe: Recipe, further: list[str] | None = None) -> tuple[Encoder, list[str]]:
    """Make an untrained encoder; further words are numbered behind those of the training captions."""
    words, known = load_words(run)
    words = [*words, *(further or [])]
    treated = word_vectors(run, words[:known])
    stop = np.array([word.encode() in ENGLISH for word in words[:known]])
    rows = torch.tensor([pieces(word) for word in words]).view(-1, PIECES)
    torch.manual_seed(recipe.seed)
    size = Size(known, treated.shape[1], recipe.width, recipe.inner, recipe.hidden, recipe.scene)
    return Encoder(size, treated, stop, rows), words


def word_vectors(run: Path, words: list[str]) -> Singles:
    """Return what words start from: treated GloVe vectors beside those that the teacher has of single words."""
    table = shipped.load(shipped.CAPTIONS)
    found = [table.vector(word) if word else None for word in words]
    treated = np.array([np.zeros(table.dimensions, np.float32) if vector is None else vector for vector in found])
    content = dict(np.load(run / f"{TEACHER}_words.npz"))
    known = dict(zip(content["words"].tolist(), content["vectors"], strict=True))
    taught = np.array([known[word] if word else np.zeros(KEPT_WORD_AXES) for word in words], np.float32)
    return np.concatenate([treated, taught * WORD_SCALE], axis=1).astype(np.float32)


def pooled(best: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted mean over the last axis."""
    return (best * weights).sum(-1) / weights.sum(-1).clamp_min(1e-6)


def similarity(candidates: Encoded, references: Encoded, number: int) -> Tensor:
    """Return all candidates against all sets of references, word by word: the mean of support and coverage."""
    rows, words, width = candidates.matched.shape
    sets, behind = len(references.matched) // number, references.matched.shape[1]
    near = candidates.matched.reshape(-1, width) @ references.matched.reshape(-1, width).T
    near = near.view(rows, words, sets, number, behind)
    support = pooled(near.amax(-1).mean(-1).permute(0, 2, 1), candidates.own[:, None, :])
    best = near.masked_fill(candidates.real[:, :, None, None, None] == 0, -1.0).amax(1)
    coverage = pooled(best.reshape(rows, sets, -1), references.own.view(1, sets, -1))
    return (support + coverage) / 2


def own_similarity(candidates: Encoded, references: Encoded, number: int) -> Tensor:
    """Return each candidate against the references of the same place."""
    rows, _, width = candidates.matched.shape
    theirs = references.matched.view(rows, number, -1, width)
    near = torch.einsum("bwd,bnvd->bwnv", candidates.matched, theirs)
    support = pooled(near.amax(-1).mean(-1), candidates.own)
    best = near.masked_fill(candidates.real[:, :, None, None] == 0, -1.0).amax(1)
    coverage = pooled(best.reshape(rows, -1), references.own.view(rows, -1))
    return (support + coverage) / 2


def imitation(found: Tensor, taught: Tensor, recipe: Recipe) -> dict[str, Tensor]:
    """Return how far scenes are from the teacher's, one by one and in how captions are related to each other."""
    rows = len(found)
    hidden = torch.eye(rows, dtype=torch.bool)
    wanted = (taught @ taught.T * recipe.teacher_sharpness).masked_fill(hidden, -1e4)
    near = (found @ found.T * recipe.teacher_sharpness).masked_fill(hidden, -1e4)
    between = functional.kl_div(near.log_softmax(-1), wanted.softmax(-1), reduction="batchmean")
    return {
        "imitation": recipe.imitation * (1 - (found * taught).sum(-1)).mean(),
        "relations": recipe.relations * between,
    }


def losses(network: Encoder, batch: dict[str, Tensor], recipe: Recipe) -> dict[str, Tensor]:
    """Return the parts of the loss; ``batch`` has the candidates, references, and spoiled candidates."""
    number, rows = recipe.references, len(batch["true"])
    everything = torch.cat([batch["true"], batch["references"], batch["fact"], batch["form"]])
    encoded = network(everything, recipe.dropout, recipe.whole)
    true = encoded.take(slice(0, rows))
    references = encoded.take(slice(rows, rows * (1 + number)))
    fact = encoded.take(slice(rows * (1 + number), rows * (2 + number)))
    form = encoded.take(slice(rows * (2 + number), None))
    found = imitation(network(batch["read"]).caption, batch["taught"], recipe)
    sharpness = network.sharpness.exp()
    answers, changed = torch.arange(rows), batch["changed"]
    context = functional.normalize(references.gist.view(rows, number, -1).sum(1), dim=-1)
    scores = true.gist @ context.T * sharpness[0]
    wrong = torch.stack([(each.gist * context).sum(-1) for each in (fact, form)], 1) * sharpness[0]
    lead = scores.diagonal()[:, None] - wrong
    both = functional.cross_entropy(scores, answers) + functional.cross_entropy(scores.T, answers)
    found["contrast"] = recipe.contrast * (both + (functional.softplus(-lead) * changed).mean() * recipe.spoiled)
    some = recipe.matched
    near = similarity(true.take(slice(0, some)), references.take(slice(0, some * number)), number) * sharpness[1]
    found["matching"] = recipe.matching * (
        functional.cross_entropy(near, answers[:some]) + functional.cross_entropy(near.T, answers[:some])
    )
    best = own_similarity(true, references, number)
    worse = torch.stack([own_similarity(each, references, number) for each in (fact, form)], 1)
    lead = (best[:, None] - worse) * sharpness[1]
    found["matching spoiled"] = recipe.spoiled * (functional.softplus(-lead) * changed).mean()
    return found


class Batches:
    """Draws images, captions and their spoiled versions."""

    def __init__(self, run: Path, recipe: Recipe) -> None:
        content = np.load(run / "examples.npz")
        self.recipe = recipe
        self.first = content["first"]
        self.tables = {name: content[name][:, : recipe.longest] for name in ("true", "fact", "form")}
        self.whole = content["true"]
        self.similar = np.load(run / "similar.npy")
        self.taught = np.load(run / f"{TEACHER}.npy", mmap_mode="r")
        self.axes = np.load(run / f"{TEACHER}_axes.npy")[:, : recipe.scene]
        places = np.arange(len(self.first) - 1)
        self.images = places[places % HELD_OUT != 0]
        self.read = self.taught[self.first[:-1], 0] != 0  # by the teacher: images, with all of their captions
        self.steps = int(recipe.passes * len(self.images) / recipe.batch)

    def pairs(self, images: Integers, number: int, generator: np.random.Generator) -> Integers:
        """Return images, each followed by one that is similar to it, or by any other."""
        chosen = generator.choice(images, number // 2, replace=False)
        near = self.similar[chosen, generator.integers(self.similar.shape[1], size=len(chosen))]
        others = generator.choice(images, len(chosen), replace=False)
        second = np.where(np.isin(near, images), near, others) if self.recipe.similar else others
        # Neighbours in the list, so that those which are matched word by word are similar, too.
        return np.stack([chosen, second], 1).ravel()

    def captions_of(self, images: Integers, number: int, generator: np.random.Generator) -> Integers:
        """Return some captions of each image."""
        sizes = self.first[images + 1] - self.first[images]
        drawn = np.argsort(generator.random((len(images), 5)), axis=1)[:, :number] % sizes[:, None]
        found: Integers = self.first[images][:, None] + drawn
        return found

    def draw(self, step: int) -> dict[str, Tensor]:
        """Return the batch of a step."""
        recipe = self.recipe
        generator = np.random.default_rng([recipe.seed, step])
        rows = self.captions_of(self.pairs(self.images, recipe.batch, generator), 1 + recipe.references, generator)
        candidates, references = rows[:, 0], rows[:, 1:]
        batch = {name: self.tables[name][candidates] for name in ("true", "fact", "form")}
        batch["references"] = self.tables["true"][references.ravel()]
        changed = [(batch[name] != batch["true"]).any(1) for name in ("fact", "form")]
        longest = int(max((table > 0).sum(1).max() for table in batch.values()))
        found = {name: torch.from_numpy(table[:, :longest].astype(np.int64)) for name, table in batch.items()}
        found["changed"] = torch.from_numpy(np.stack(changed, 1).astype(np.float32))
        known = self.images[self.read[self.images]]
        read = self.captions_of(self.pairs(known, recipe.imitated, generator), 3, generator).ravel()
        table = self.whole[read]
        found["read"] = torch.from_numpy(table[:, : int((table > 0).sum(1).max())].astype(np.int64))
        taught = torch.from_numpy(self.taught[read].astype(np.float32) @ self.axes)
        found["taught"] = functional.normalize(taught, dim=-1)
        return found


def train(run: Path, name: str, recipe: Recipe) -> Encoder:
    """Train, from the last checkpoint if there is one."""
    network, _ = make(run, recipe)
    if recipe.start:
        network.load_state_dict(torch.load(run / f"{recipe.start}.pt", weights_only=True)["network"])
    own = [network.shift.weight, network.weight_shift.weight, network.affix.weight]
    known = {id(part) for part in own}
    shared = [part for part in network.parameters() if id(part) not in known]
    groups = [{"params": own, "lr": recipe.word_rate}, {"params": shared, "lr": recipe.rate}]
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.99), fused=True)
    batches = Batches(run, recipe)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 50) * max(0.02, 1 - step / batches.steps)
    )
    kept, begin = run / f"{name}.pt", 0
    if kept.is_file():
        state = torch.load(kept, weights_only=True)
        begin = state["step"]
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
    sums: dict[str, float] = {}
    saved = time.monotonic()
    for step in range(begin, batches.steps):
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        found = losses(network, batches.draw(step), recipe)
        optimizer.zero_grad()
        sum(found.values()).backward()
        optimizer.step()
        schedule.step()
        for part, value in found.items():
            sums[part] = sums.get(part, 0.0) + value.item()
        if (step + 1) % 50 == 0:
            shown = ", ".join(f"{part} {value / 50:.3f}" for part, value in sums.items())
            say(f"{step + 1} of {batches.steps} ({time.process_time():.0f} s): {shown}")
            sums = {}
        if time.monotonic() - saved > SAVED_EVERY or step + 1 == batches.steps:
            saved = time.monotonic()
            state = {"step": step + 1, "network": network.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "schedule": schedule.state_dict(), "recipe": vars(recipe)}, kept)
    return network


def main() -> None:
    """Train with settings of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    for name, value in vars(Recipe()).items():
        kind = (lambda text: text == "True") if isinstance(value, bool) else type(value)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    arguments = vars(parser.parse_args())
    run, name = arguments.pop("run"), arguments.pop("name")
    torch.set_num_threads(1)
    train(run, name, Recipe(**arguments))


if __name__ == "__main__":
    main()
