"""Train the encoder: ``python training/lens/train.py --run RUN --name NAME [--passes 1]``.

Of 192 images at a time, half of them similar to the other half: a caption must find two others of its image, by the
whole caption and word by word; a caption must stand above itself with wrong facts and with broken form; and the form
alone must tell broken captions. Checkpoints RUN/NAME.pt every two minutes; started again, it goes on.
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

from caplens.arrays import Integers
from caplens.embeddings import shipped
from caplens.embeddings.stop_words import ENGLISH
from corpus import HELD_OUT, say

SAVED_EVERY = 120.0  # seconds
TAUGHT = ("taught", "taught_references")  # directions of captions and of their references, by the teacher


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
    context: bool = True
    matching: float = 1.0
    spoiled: float = 0.5
    spoiled_sharpness: float = 0.0  # of similarities, for spoiled captions; 0: the one that is learned
    form: float = 0.5
    references: int = 2
    matched: int = 96
    seed: int = 0
    start: str = ""  # a trained encoder to go on from, with steps of its own
    teacher: str = ""  # whose directions (teacher.py --embed) are imitated
    imitation: float = 0.7  # share of the teacher in what a caption should find
    teacher_sharpness: float = 20.0  # of the teacher's similarities


def load_words(run: Path) -> tuple[list[str], int]:
    """Return all words of the training captions, and how many of them have a row."""
    content = json.loads((run / "words.json").read_text())
    return content["words"], content["known"]


def make(run: Path, recipe: Recipe, further: list[str] | None = None) -> tuple[Encoder, list[str]]:
    """Make an untrained encoder; further words are numbered behind those of the training captions."""
    words, known = load_words(run)
    words = [*words, *(further or [])]
    table = shipped.load(shipped.CAPTIONS)
    found = [table.vector(word) if word else None for word in words[:known]]
    treated = np.array([np.zeros(table.dimensions, np.float32) if vector is None else vector for vector in found])
    stop = np.array([word.encode() in ENGLISH for word in words[:known]])
    rows = torch.tensor([pieces(word) for word in words]).view(-1, PIECES)
    torch.manual_seed(recipe.seed)
    size = Size(known, table.dimensions, recipe.width, recipe.inner, context=recipe.context)
    return Encoder(size, treated, stop, rows), words


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


def targets(batch: dict[str, Tensor], recipe: Recipe, rows: int = 0) -> tuple[Tensor, Tensor]:
    """Return what captions should find among the references, and references among captions.

    Each its own; with a teacher a share of it is what the teacher finds, which knows how alike two images are.
    """
    rows = rows or len(batch["true"])
    own = torch.eye(rows)
    if not recipe.teacher:
        return own, own
    near = batch["taught"] @ batch["taught_references"].T * recipe.teacher_sharpness
    one, other = ((1 - recipe.imitation) * own + recipe.imitation * each.softmax(-1) for each in (near, near.T))
    return one, other


def losses(network: Encoder, batch: dict[str, Tensor], recipe: Recipe) -> dict[str, Tensor]:
    """Return the parts of the loss; ``batch`` has the candidates, references, and spoiled candidates."""
    number, rows = recipe.references, len(batch["true"])
    everything = torch.cat([batch["true"], batch["references"], batch["fact"], batch["form"]])
    encoded = network(everything, recipe.dropout, recipe.whole)
    true = encoded.take(slice(0, rows))
    references = encoded.take(slice(rows, rows * (1 + number)))
    fact = encoded.take(slice(rows * (1 + number), rows * (2 + number)))
    form = encoded.take(slice(rows * (2 + number), None))
    sharpness = network.sharpness.exp()
    context = functional.normalize(references.caption.view(rows, number, -1).sum(1), dim=-1)
    scores = true.caption @ context.T * sharpness[0]
    wrong = torch.stack([(fact.caption * context).sum(-1), (form.caption * context).sum(-1)], 1) * sharpness[0]
    wanted = targets(batch, recipe)
    found = {
        "caption": functional.cross_entropy(scores, wanted[0]),
        "reference": functional.cross_entropy(scores.T, wanted[1]),
    }
    changed = batch["changed"]
    lead = scores.diagonal()[:, None] - wrong
    if recipe.spoiled_sharpness:
        lead = lead / sharpness[0] * recipe.spoiled_sharpness
    found["spoiled"] = recipe.spoiled * (functional.softplus(-lead) * changed).mean()
    if recipe.matching:
        some = recipe.matched
        near = similarity(true.take(slice(0, some)), references.take(slice(0, some * number)), number) * sharpness[1]
        wanted = targets({name: part[:some] for name, part in batch.items() if name in TAUGHT}, recipe, some)
        found["matching"] = recipe.matching * (
            functional.cross_entropy(near, wanted[0]) + functional.cross_entropy(near.T, wanted[1])
        )
        best = own_similarity(true, references, number)
        worse = torch.stack([own_similarity(fact, references, number), own_similarity(form, references, number)], 1)
        lead = (best[:, None] - worse) * (recipe.spoiled_sharpness or sharpness[1])
        found["matching spoiled"] = recipe.spoiled * (functional.softplus(-lead) * changed).mean()
    if recipe.form and recipe.context:
        good = torch.cat([true.form_score, references.form_score])
        found["form"] = recipe.form * (
            functional.softplus(-good).mean()
            + (functional.softplus(form.form_score) * changed[:, 1]).mean()
            + 0.3 * (functional.softplus(fact.form_score) * changed[:, 0]).mean()
        )
    return found


class Batches:
    """Draws images, captions and their spoiled versions."""

    def __init__(self, run: Path, recipe: Recipe) -> None:
        content = np.load(run / "examples.npz")
        self.recipe = recipe
        self.first = content["first"]
        self.tables = {name: content[name][:, : recipe.longest] for name in ("true", "fact", "form")}
        self.similar = np.load(run / "similar.npy")
        self.taught = np.load(run / f"{recipe.teacher}.npy", mmap_mode="r") if recipe.teacher else None
        places = np.arange(len(self.first) - 1)
        self.images = places[places % HELD_OUT != 0]
        self.steps = int(recipe.passes * len(self.images) / recipe.batch)

    def rows(self, step: int) -> tuple[Integers, Integers]:
        """Return the captions of a step, the same whenever they are asked for: candidates and their references."""
        recipe = self.recipe
        generator = np.random.default_rng([recipe.seed, step])
        chosen = generator.choice(self.images, recipe.batch // 2, replace=False)
        near = self.similar[chosen, generator.integers(self.similar.shape[1], size=len(chosen))]
        others = generator.choice(self.images, len(chosen), replace=False)
        second = np.where(near % HELD_OUT != 0, near, others) if recipe.similar else others
        # Neighbours in the list, so that those which are matched word by word are similar, too.
        images = np.stack([chosen, second], 1).ravel()
        sizes = self.first[images + 1] - self.first[images]
        drawn = np.argsort(generator.random((len(images), 5)), axis=1)[:, : 1 + recipe.references] % sizes[:, None]
        rows = self.first[images][:, None] + drawn
        return rows[:, 0], rows[:, 1:]

    def draw(self, step: int) -> dict[str, Tensor]:
        """Return the batch of a step."""
        candidates, references = self.rows(step)
        batch = {name: self.tables[name][candidates] for name in ("true", "fact", "form")}
        batch["references"] = self.tables["true"][references.ravel()]
        changed = [(batch[name] != batch["true"]).any(1) for name in ("fact", "form")]
        longest = int(max((table > 0).sum(1).max() for table in batch.values()))
        found = {name: torch.from_numpy(table[:, :longest].astype(np.int64)) for name, table in batch.items()}
        found["changed"] = torch.from_numpy(np.stack(changed, 1).astype(np.float32))
        if self.taught is not None:
            own, theirs = (torch.from_numpy(self.taught[rows].astype(np.float32)) for rows in (candidates, references))
            found["taught"] = own
            found["taught_references"] = functional.normalize(theirs.sum(1), dim=-1)
        return found


def train(run: Path, name: str, recipe: Recipe) -> Encoder:
    """Train, from the last checkpoint if there is one."""
    network, _ = make(run, recipe)
    if recipe.start:
        network.load_state_dict(torch.load(run / f"{recipe.start}.pt", weights_only=True)["network"], strict=False)
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
