"""Read captions with the teacher of the encoder, a pretrained sentence encoder (all-MiniLM-L6-v2).

    python training/lens/teacher.py --run RUN [--captions 180000]

writes what train.py needs: the directions of captions of the training images (RUN/mini.npy, zeros for those that were
not read; started again, it goes on), the axes along which these differ most (RUN/mini_axes.npy), and the vectors of
single words (RUN/mini_words.npz).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from vocabulary import vocabulary_of

from caplens.arrays import Integers, Singles
from corpus import say
from train import KEPT_WORD_AXES, TEACHER, load_words

sys.path.append(str(Path(__file__).resolve().parents[1] / "minilm"))
from minilm import pretrained

LAYERS = 6
LONGEST = 40  # pieces
AT_ONCE = 4096  # pieces
CHUNK = 10_000  # captions between checkpoints
FOR_AXES = 60_000  # captions
SEED = 3


class Teacher:
    """The pretrained encoder, for given words.

    Parameters
    ----------
    words : sequence of str
        All words of the captions.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.encoder, tokenizer = pretrained(words, LAYERS)
        self._pieces = {word: tokenizer.pieces(word) for word in words}
        self._ends = tokenizer.start, tokenizer.end

    def pieces(self, caption: Sequence[str]) -> list[int]:
        """Return the pieces of a caption, its begin and end included."""
        found = [piece for word in caption for piece in self._pieces[word]]
        return [self._ends[0], *found[: LONGEST - 2], self._ends[1]]

    @torch.no_grad()
    def read(self, captions: Sequence[Sequence[str]]) -> Singles:
        """Return the directions of captions; those of one length are read together."""
        pieces = [self.pieces(caption) for caption in captions]
        order = np.argsort([len(each) for each in pieces], kind="stable")
        found = np.zeros((len(captions), self.encoder.positions.shape[1]), np.float32)
        start = 0
        while start < len(order):
            length = len(pieces[order[start]])
            rows = order[start : start + max(1, AT_ONCE // length)]
            rows = rows[[len(pieces[row]) == length for row in rows]]
            found[rows] = self._directions(torch.tensor([pieces[row] for row in rows])).numpy()
            start += len(rows)
        return found

    def _directions(self, group: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            (states,) = self.encoder([group])
        return functional.normalize(states.float().mean(1), dim=-1)


def read_captions(run: Path, teacher: Teacher, words: list[str], number: int) -> None:
    """Write the directions of captions, those of one image together, images in a random order."""
    content = np.load(run / "examples.npz")
    first, table = content["first"], content["true"]
    images = np.random.default_rng(SEED).permutation(len(first) - 1)
    rows: Integers = np.concatenate([np.arange(first[image], first[image + 1]) for image in images])[:number]
    kept = run / f"{TEACHER}.npy"
    shape = (len(table), teacher.encoder.positions.shape[1])
    found = np.lib.format.open_memmap(kept, "r+" if kept.is_file() else "w+", np.float16, shape)
    for start in range(0, len(rows), CHUNK):
        chosen = rows[start : start + CHUNK]
        if not found[chosen[-1]].any():
            found[chosen] = teacher.read([[words[place] for place in row if place] for row in table[chosen].tolist()])
            say(f"{start + len(chosen):,} of {len(rows):,} captions")
    read = found[np.sort(rows[:FOR_AXES])].astype(np.float32)
    mean = read.mean(axis=0)
    mean /= np.linalg.norm(mean)
    rest = read - np.outer(read @ mean, mean)
    _, axes = np.linalg.eigh(rest.T @ rest)
    np.save(run / f"{TEACHER}_axes.npy", np.column_stack([mean, axes[:, ::-1]])[:, :-1].astype(np.float32))


def read_words(run: Path, teacher: Teacher, words: list[str], known: set[str]) -> None:
    """Write the vectors of single words, along the axes on which those of the captions differ most."""
    vectors = teacher.read([[word] for word in words])
    common = vectors[[word in known for word in words]]
    mean = common.mean(axis=0)
    _, _, axes = np.linalg.svd(common - mean, full_matrices=False)
    kept = (vectors - mean) @ axes[:KEPT_WORD_AXES].T
    np.savez(run / f"{TEACHER}_words.npz", words=np.array(words), vectors=kept.astype(np.float16))


def main() -> None:
    """Read words and captions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--captions", type=int, default=180_000)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    words, known = load_words(arguments.run)
    vocabulary = vocabulary_of(words[:known])
    spelled = [vocabulary.word(place).decode() for place in range(len(vocabulary))]
    teacher = Teacher([*dict.fromkeys([*words[1:], *spelled])])
    read_words(arguments.run, teacher, spelled, set(words[:known]))
    read_captions(arguments.run, teacher, words, arguments.captions)


if __name__ == "__main__":
    main()
