"""The encoder of captions in torch: words with context, their weights, and the parts of the score.

A word's vector is a projection of its treated GloVe vector plus an offset of its own; two convolutions of width 3 add
its context. The weighted mean of the words goes through two layers and becomes the scene, which imitates a teacher;
single words find their counterparts in references.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

BUCKETS = 4096
PIECES = 5
FLOOR = 1e-6


def pieces(word: str) -> list[int]:
    """Return the rows of a word's beginnings and ends, for words without a row of their own."""
    named = (f"={word}", f"<{word[:3]}", f"<{word[:5]}", f">{word[-3:]}", f">{word[-2:]}")
    return [zlib.crc32(piece.encode()) % BUCKETS for piece in named]


@dataclass(frozen=True)
class Size:
    """Sizes of the network."""

    words: int
    treated: int = 200
    width: int = 128
    inner: int = 128
    hidden: int = 256
    scene: int = 192


class Encoder(nn.Module):
    """Words in, vectors and weights of words out.

    Parameters
    ----------
    size : Size
        Sizes.
    treated : numpy.ndarray
        The treated GloVe vector of each word with a row; row 0 is no word.
    stop : numpy.ndarray of bool
        Which of them are stop words: their weights start low.
    rows : numpy.ndarray
        The rows of beginnings and ends of every word, also of those without a row.
    """

    def __init__(self, size: Size, treated: npt.NDArray[np.float32], stop: npt.NDArray[np.bool_], rows: Tensor) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("treated", torch.from_numpy(treated), persistent=False)
        self.register_buffer("rows", rows, persistent=False)
        start = torch.from_numpy(np.where(stop, -3.0, 1.0).astype(np.float32))[:, None]
        self.shift = nn.Embedding(*treated.shape)
        self.weight_shift = nn.Embedding.from_pretrained(start, freeze=False)
        self.affix = nn.Embedding(BUCKETS, treated.shape[1])
        self.gate = nn.Linear(treated.shape[1], 1)
        self.projection = nn.Linear(treated.shape[1], size.width, bias=False)
        self.first = nn.Linear(3 * size.width, size.inner)
        self.second = nn.Linear(3 * size.inner, size.width)
        self.match = nn.Linear(2 * size.width, size.width, bias=False)
        self.word_gate = nn.Linear(size.inner, 1)
        self.gist_gate = nn.Linear(size.inner, 1)
        self.scene_gate = nn.Linear(size.inner, 1)
        self.scene_first = nn.Linear(size.width + size.inner, size.hidden)
        self.scene_second = nn.Linear(size.hidden, size.scene)
        self.sharpness = nn.Parameter(torch.tensor([2.3, 2.3]))
        for part in (self.shift.weight, self.gate.weight, self.gate.bias, self.second.weight, self.second.bias):
            nn.init.zeros_(part)
        for gate in (self.gist_gate, self.scene_gate, self.word_gate):
            nn.init.zeros_(gate.weight)
            nn.init.zeros_(gate.bias)
        nn.init.normal_(self.affix.weight, std=0.05)

    def words(self, captions: Tensor, whole: float = 1.0) -> tuple[Tensor, Tensor]:
        """Return vectors of words without context, and their weights before the sigmoid."""
        known = captions < self.size.words
        if whole < 1:
            known &= torch.rand(captions.shape) < whole
        places = torch.where(known, captions, 0)
        vectors = self.treated[places] + self.shift(places)
        weights = self.weight_shift(places)[..., 0]
        if not bool(known.all()):
            vectors = vectors.index_put((~known,), self.affix(self.rows[captions[~known]]).sum(-2))
            weights = torch.where(known, weights, 1.0)
        return vectors, weights + self.gate(vectors)[..., 0]

    def forward(self, captions: Tensor, dropout: float = 0.0, whole: float = 1.0) -> Encoded:
        """Encode captions, given as numbers of words; 0 is no word."""
        mask = captions > 0
        treated, weights = self.words(captions, whole)
        if dropout:
            mask = mask & (torch.rand(captions.shape) >= dropout)
        real = mask[..., None].float()
        plain = self.projection(treated) * real
        inner = functional.gelu(self.first(_window(plain))) * real
        vectors = (plain + self.second(_window(inner))) * real
        gate = torch.sigmoid(weights + self.gist_gate(inner)[..., 0]) * real[..., 0]
        gist = functional.normalize((vectors * gate[..., None]).sum(1), dim=-1)
        whole_gate = torch.sigmoid(weights + self.scene_gate(inner)[..., 0]) * real[..., 0]
        own = torch.sigmoid(weights + self.word_gate(inner)[..., 0]) * real[..., 0]
        matched = functional.normalize(self.match(torch.cat([plain, vectors], -1)), dim=-1) * real
        return Encoded(matched, own, real[..., 0], gist, self.scene(torch.cat([vectors, inner], -1), whole_gate))

    def scene(self, states: Tensor, gate: Tensor) -> Tensor:
        """Return the directions of captions, from the weighted means of their words' states."""
        means = (states * gate[..., None]).sum(1) / gate.sum(1, keepdim=True).clamp_min(FLOOR)
        return functional.normalize(self.scene_second(functional.gelu(self.scene_first(means))), dim=-1)


@dataclass
class Encoded:
    """Captions: matched words (rows, words, width), their weights, which are real; gists, to train with; scenes."""

    matched: Tensor
    own: Tensor
    real: Tensor
    gist: Tensor
    caption: Tensor

    def take(self, rows: Tensor | slice) -> Encoded:
        """Return some of the captions."""
        return Encoded(*(part[rows] for part in vars(self).values()))


def _window(states: Tensor) -> Tensor:
    """Return each place with its two neighbours; zeros beyond the ends."""
    padded = functional.pad(states, (0, 0, 1, 1))
    return torch.cat([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], -1)


FORM_WIDTH = 32
FLAGS = 3


class Form(nn.Module):
    """Tells well-formed captions from broken ones, without references: three convolutions over words of its own.

    Parameters
    ----------
    words : int
        How many words have a row; row 0 stands for all others.
    """

    def __init__(self, words: int, inner: int = 96) -> None:
        super().__init__()
        self.rows = nn.Embedding(words, FORM_WIDTH)
        nn.init.normal_(self.rows.weight, std=0.3)
        self.first = nn.Linear(3 * (FORM_WIDTH + FLAGS), inner)
        self.second = nn.Linear(3 * inner, inner)
        self.third = nn.Linear(3 * inner, inner)
        self.last = nn.Linear(inner, 1)

    def forward(self, captions: Tensor, numbers: Tensor) -> Tensor:
        """Return log odds that captions are well-formed.

        Parameters
        ----------
        captions : torch.Tensor
            Numbers of words, for repetitions; 0 is no word.
        numbers : torch.Tensor
            The rows of the words here.
        """
        real = (captions > 0).float()[..., None]
        states = torch.cat([self.rows(numbers), repetitions(captions)], -1) * real
        for layer in (self.first, self.second, self.third):
            states = functional.gelu(layer(_window(states))) * real
        odds = self.last(states)[..., 0]
        return -torch.logsumexp(torch.where(real[..., 0] > 0, -odds, -1e4), dim=1)


def repetitions(captions: Tensor) -> Tensor:
    """Return for each place whether its word, its pair with the one before and its triple occurred before: (.., 3)."""
    length = captions.shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool).tril(-1)
    same = (captions[:, :, None] == captions[:, None, :]) & earlier
    found = [same.any(-1)]
    for _ in range(FLAGS - 1):
        shifted = functional.pad(same, (1, 0, 1, 0))[:, :length, :length]
        first = same[:, :1] & False
        same = torch.cat([first, (same & shifted)[:, 1:]], 1) & earlier
        found.append(same.any(-1))
    return torch.stack(found, -1).float()
