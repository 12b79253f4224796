"""Make the table of word vectors `scene`: ``python training/vectors/make_scene_table.py`` (torch; three minutes).

A caption is the sum of its words' vectors. They are trained so that a caption lies closer to two other captions of its
image than to those of the other images in the batch (the contrastive loss of A. van den Oord, Y. Li, O. Vinyals:
Representation learning with contrastive predictive coding, 2018). No human judgment and no machine caption is used.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sources import DATA_USE, training_captions
from torch import Tensor, nn
from torch.nn import functional

from caplens.arrays import Integers, Singles
from caplens.embeddings import shipped
from caplens.embeddings.stop_words import ENGLISH
from caplens.files.arrays import write_arrays
from caplens.text.vocabulary import Vocabulary

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Recipe:
    """Everything that was chosen; `training/vectors/README.md` says how."""

    dimensions: int = 128
    batch: int = 512
    passes: int = 1
    rate: float = 1e-3
    word_rate: float = 3e-3
    dropout: float = 0.2  # of words
    least_count: int = 10  # words that are rarer have nothing of their own
    longest: int = 20  # words
    seed: int = 0


class SceneVectors(nn.Module):
    """Vectors of words: a weight between 0 and 1 times a projection of the treated GloVe vector.

    Frequent words have an offset of their own in both.
    """

    def __init__(
        self, treated: Singles, frequent: npt.NDArray[np.bool_], stop: npt.NDArray[np.bool_], size: int
    ) -> None:
        super().__init__()
        self.register_buffer("treated", torch.from_numpy(treated))
        self.register_buffer("frequent", torch.from_numpy(frequent.astype(np.float32))[:, None])
        self.register_buffer("start", torch.from_numpy(np.where(stop, -3.0, 1.0).astype(np.float32))[:, None])
        self.shift = nn.Embedding(*treated.shape)
        self.weight_shift = nn.Embedding(len(treated), 1)
        self.gate = nn.Linear(treated.shape[1], 1)
        self.projection = nn.Linear(treated.shape[1], size, bias=False)
        self.sharpness = nn.Parameter(torch.tensor(2.3))
        for part in (self.shift.weight, self.weight_shift.weight, self.gate.weight, self.gate.bias):
            nn.init.zeros_(part)

    def of_words(self, words: Tensor) -> Tensor:
        """Return the vectors of words; number 0 is no word."""
        own = self.frequent[words]
        vectors = self.treated[words] + self.shift(words) * own
        weights = torch.sigmoid(self.gate(vectors) + self.weight_shift(words) * own + self.start[words])
        return self.projection(weights * vectors) * (words > 0)[..., None]

    def forward(self, captions: Tensor, dropout: float) -> Tensor:
        """Return the directions of captions."""
        vectors = self.of_words(captions)
        kept = torch.rand(captions.shape) >= dropout
        return functional.normalize((vectors * kept[..., None]).sum(1), dim=-1)


def main() -> None:
    """Train and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", type=Path, default=shipped.SCENE_PATH)
    target = parser.parse_args().target
    recipe = Recipe()
    captions = training_captions(stop_words=True)
    counts = captions.counts()
    say(f"{len(captions.words):,} captions of {captions.images[-1] + 1:,} images")
    table = shipped.load(shipped.CAPTIONS)
    known = {table.vocabulary.word(place).decode() for place in range(len(table))}
    frequent = {word for word, count in counts.items() if count >= recipe.least_count}
    words = ["", *sorted(frequent | (set(counts) & known) | {word.decode() for word in ENGLISH})]
    number = {word: place for place, word in enumerate(words)}
    found = [table.vector(word) for word in words]
    treated = np.array([np.zeros(table.dimensions, np.float32) if vector is None else vector for vector in found])
    network = SceneVectors(
        treated,
        np.array([word in frequent for word in words]),
        np.array([word.encode() in ENGLISH for word in words]),
        recipe.dimensions,
    )
    numbered = np.zeros((len(captions.words), recipe.longest), np.int64)
    for row, caption in enumerate(captions.words):
        places = [number[word] for word in caption if word in number][: recipe.longest]
        numbered[row, : len(places)] = places
    train(network, torch.from_numpy(numbered), captions.images, recipe)
    write(target, network, words, frequent, known, recipe)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def train(network: SceneVectors, captions: Tensor, images: Integers, recipe: Recipe) -> None:
    """Go over all images some times; each time, one caption and two others of the same image are drawn."""
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    first = np.searchsorted(images, np.arange(images[-1] + 1))
    sizes = np.diff(np.append(first, len(images)))
    own = [network.shift.weight, network.weight_shift.weight]
    shared = [*network.gate.parameters(), *network.projection.parameters(), network.sharpness]
    optimizer = torch.optim.Adam([{"params": own, "lr": recipe.word_rate}, {"params": shared, "lr": recipe.rate}])
    batches = len(first) // recipe.batch
    steps = recipe.passes * batches
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / steps))
    answers = torch.arange(recipe.batch)
    for number in range(recipe.passes):
        order = generator.permutation(len(first))
        total = 0.0
        for batch in range(batches):
            chosen = order[batch * recipe.batch : (batch + 1) * recipe.batch]
            drawn = np.argsort(generator.random((len(chosen), 5)), axis=1)[:, :3] % sizes[chosen, None]
            sides = [network(captions[first[chosen] + drawn[:, place]], recipe.dropout) for place in range(3)]
            context = functional.normalize(sides[1] + sides[2], dim=-1)
            scores = sides[0] @ context.T * network.sharpness.exp()
            loss = (functional.cross_entropy(scores, answers) + functional.cross_entropy(scores.T, answers)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        say(f"pass {number + 1} of {recipe.passes}: loss {total / batches:.3f}")


def write(
    target: Path, network: SceneVectors, words: list[str], frequent: set[str], known: set[str], recipe: Recipe
) -> None:
    """Store the vectors of words that have something of their own, and how the others' are made."""
    own = [place for place, word in enumerate(words) if word and (word in frequent or word.encode() in ENGLISH)]
    with torch.no_grad():
        vectors = network.of_words(torch.tensor(own)).numpy()
    vocabulary = Vocabulary.from_words([word.encode() for word in known | {words[place] for place in own}])
    placed = {words[place]: row for row, place in enumerate(own)}
    rows = np.array(
        [placed.get(vocabulary.word(place).decode(), -1) for place in range(len(vocabulary))], dtype=np.int32
    )
    arrays = {
        "words": vocabulary.blob,
        "word_lengths": np.diff(vocabulary.offsets).astype(np.uint8),
        "rows": rows,
        "vectors": vectors.astype(np.float16),
        "gate": network.gate.weight.detach().numpy()[0].astype(np.float32),
        "gate_offset": (network.gate.bias.detach().numpy() + 1).astype(np.float32),
        "projection": network.projection.weight.detach().numpy().T.astype(np.float32),
    }
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(arrays):
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    facts = {
        "origin": "captions of COCO train2014 and Flickr30k; treated GloVe vectors",
        "licence": "adapted from COCO captions, CC BY 4.0, and Flickr30k captions; GloVe, PDDL 1.0",
        **DATA_USE,
        "recipe": str(asdict(recipe)),
        "treated": shipped.load(shipped.CAPTIONS).fingerprint,
        "fingerprint": digest.hexdigest(),
        "version": "1",
    }
    write_arrays(target, arrays, facts)
    say(f"{target}: {len(vocabulary):,} words, {len(own):,} with vectors of their own")


if __name__ == "__main__":
    main()
