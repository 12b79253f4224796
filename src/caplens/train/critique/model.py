"""The network of the critique in torch.

The same as `caplens.learned.critique.network`, which scores without torch; names of weights are shared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from caplens.learned.critique.bilinear import CountSketch
from caplens.learned.critique.config import NetworkConfig
from caplens.learned.critique.network import DIRECTIONS

CHUNKS = 4
"""Parts of a batch, by length: the words of a part are padded to its longest caption."""


class Sketch(nn.Module):
    """A count sketch whose places and signs are saved with the weights."""

    places: Tensor
    signs: Tensor

    def __init__(self, width: int, size: int, generator: np.random.Generator) -> None:
        super().__init__()
        drawn = CountSketch.draw(width, size, generator)
        self.size = size
        self.register_buffer("places", torch.from_numpy(drawn.places))
        self.register_buffer("signs", torch.from_numpy(drawn.signs))

    def forward(self, vectors: Tensor) -> Tensor:
        """Sketch rows."""
        sketched = vectors.new_zeros(len(vectors), self.size)
        return sketched.index_add(1, self.places, vectors * self.signs)


class Critique(nn.Module):
    """Scores of (machine, human) for pairs of a candidate and a context.

    Parameters
    ----------
    config : NetworkConfig
        Sizes and kinds.
    vectors : numpy.ndarray
        Word vectors to begin with, one row per word.
    dropout : float
        Share of the numbers of words and of the hidden layer that are hidden while learning.
    seed : int
        Of the count sketches.
    """

    def __init__(
        self, config: NetworkConfig, vectors: npt.NDArray[np.float32], dropout: float = 0.0, seed: int = 0
    ) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(vectors), freeze=False)
        self.lstm = nn.ModuleDict(
            {
                name: nn.LSTM(config.embedding, config.hidden, batch_first=True)
                for name in DIRECTIONS[: config.directions]
            }
        )
        self.dropout = nn.Dropout(dropout)
        if "image" in config.parts:
            self.image = nn.Linear(config.image, config.caption)
        parts, width = len(config.parts), config.caption
        if config.fusion == "bilinear":
            generator = np.random.default_rng(seed)
            self.sketch = nn.ModuleDict(
                {
                    "context": Sketch(parts * width, config.sketch, generator),
                    "candidate": Sketch(width, config.sketch, generator),
                }
            )
            self.output = nn.Linear(config.sketch, 2)
        elif config.fusion == "linear":
            self.output = nn.Linear((parts + 1) * width, 2)
        else:
            met = 2 * parts if config.fusion == "matching" else 0
            self.hidden = nn.Linear((parts + 1 + met) * width, config.fusion_size)
            self.output = nn.Linear(config.fusion_size, 2)

    def encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Turn captions (padded rows of words, the longest first) into vectors."""
        vectors = []
        for some, count in zip(words.chunk(CHUNKS), lengths.chunk(CHUNKS), strict=True):
            vectors.append(self._encode(some[:, : int(count.max())], count))
        # Nothing is hidden here: two captions hidden in different places would never be alike.
        return torch.cat(vectors)

    def _encode(self, words: Tensor, lengths: Tensor) -> Tensor:
        places = torch.arange(words.shape[1], device=words.device)
        inside = places < lengths[:, None]
        last = lengths - 1
        directions = []
        for name, lstm in self.lstm.items():
            order = words
            if name == "back":
                order = words.gather(1, (last[:, None] - places).clamp(min=0))
            states, _ = lstm(self.dropout(self.embedding(order)))
            if self.config.pool == "max":
                directions.append(states.masked_fill(~inside[..., None], -torch.inf).amax(dim=1))
            else:
                directions.append(states[torch.arange(len(words), device=words.device), last])
        return torch.cat(directions, dim=1)

    def fuse(self, candidates: Tensor, context: dict[str, Tensor]) -> Tensor:
        """Return two scores a pair: machine, human; ``context`` holds the vectors of the parts, row by row."""
        parts = [context[part] for part in self.config.parts]
        if self.config.fusion == "bilinear":
            return self.output(self._pooled(torch.cat(parts, dim=1), candidates))
        joined = torch.cat([*parts, candidates], dim=1)
        if self.config.fusion == "linear":
            return self.output(joined)
        if self.config.fusion == "matching":
            met = [value for part in parts for value in ((part - candidates).abs(), part * candidates)]
            joined = torch.cat([joined, *met], dim=1)
        return self.output(self.dropout(functional.relu(self.hidden(joined))))

    def _pooled(self, context: Tensor, candidates: Tensor) -> Tensor:
        """Return compact bilinear vectors: a product of spectra is the spectrum of a circular convolution."""
        spectrum = torch.fft.rfft(self.sketch["context"](context)) * torch.fft.rfft(
            self.sketch["candidate"](candidates)
        )
        return torch.fft.irfft(spectrum, n=self.config.sketch)
