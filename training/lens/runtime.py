"""The encoder in torch as it runs: the arrays that ship, to be trained further, and the parts of the score's content.

`model.py` has the network before export.py multiplies its layers; here the products themselves are trained, so that an
encoder can be trained further when only its file exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from export import eight_bits, layer_arrays
from parts import FLOOR
from torch import Tensor, nn
from torch.nn import functional

from caplens.files.arrays import read_arrays
from caplens.learned.lens.encoder import CaptionEncoder
from caplens.metrics.lens._lens import (
    LEAST_AGREEMENT,
    LEAST_LIKENESS,
    MORE_REFERENCES,
    SHARPNESS,
    SUPPORTED_WORD,
)
from caplens.metrics.lens.states import NOUNS, scene_vectors
from caplens.text._tables import BytesTable

LAYERS = ("first", "match_words", "match_context", "scene_first", "scene_second", "word_gate", "scene_gate")


@dataclass
class Encoded:
    """Captions: of words, directions, odds that they count, shares of nouns, what is usual, which are real, states."""

    matched: Tensor
    odds: Tensor
    nouns: Tensor
    usual: Tensor
    real: Tensor
    states: Tensor
    views: Tensor  # of captions as a whole, both
    scenes: Tensor

    @property
    def weights(self) -> Tensor:
        """How much words count in references."""
        return torch.sigmoid(self.odds) * self.real

    @property
    def claims(self) -> Tensor:
        """How much words count in candidates."""
        return self.weights * (1 + float(NOUNS) * self.nouns)

    def stretched(self, words: Tensor, gate: Tensor) -> Encoded:
        """Return the captions with other lengths of the axes of words, and another gate of their weights.

        This is what `caplens.learned.lens.encoder.supervised` does to the layers before.
        """
        matched = functional.normalize(self.matched * words.exp(), dim=-1) * self.real[..., None]
        return replace(self, matched=matched, odds=self.odds + self.states @ gate)


class RunTime(nn.Module):
    """An encoder as it ships.

    Parameters
    ----------
    words : sequence of str
        All words of the captions by number; the first is no word.
    start : Path
        The file of an encoder.
    """

    def __init__(self, words: Sequence[str], start: Path) -> None:
        super().__init__()
        stored = read_arrays(start)
        self.stored = {name: np.array(stored[name]) for name in stored}
        table = BytesTable()
        for word in words[1:]:
            table.insert(word.encode())
        model = CaptionEncoder(stored)
        coded = model.words(table, scene_vectors(table))
        self.places = model.vocabulary.find(table, 0)
        width = model.width
        self.rows = nn.Embedding.from_pretrained(_behind_zero(coded.own[:, :width]), freeze=False)
        self.odds = nn.Embedding.from_pretrained(_behind_zero(coded.own[:, -1:]), freeze=False)
        self.register_buffer("summed", _behind_zero(coded.summed), persistent=False)
        self.register_buffer("nouns", _behind_zero(coded.nouns[:, None])[:, 0], persistent=False)
        self.register_buffer("usual", _behind_zero(coded.usual), persistent=False)
        for name in LAYERS:
            weight = torch.from_numpy(self.stored[f"{name}.weight"].astype(np.float32).T.copy())
            layer = nn.Linear(weight.shape[1], weight.shape[0], bias=f"{name}.bias" in self.stored)
            layer.weight = nn.Parameter(weight)
            if layer.bias is not None:
                layer.bias = nn.Parameter(torch.from_numpy(self.stored[f"{name}.bias"].copy()))
            setattr(self, name, layer)

    def forward(self, captions: Tensor) -> Encoded:
        """Encode captions, given as numbers of words; 0 is no word."""
        real = (captions > 0).float()
        plain = self.rows(captions) * real[..., None]
        inner = functional.gelu(self.first(_window(plain))) * real[..., None]
        around = _window(inner)
        matched = functional.normalize(self.match_words(plain) + self.match_context(around), dim=-1)
        odds = self.odds(captions)[..., 0]
        gate = torch.sigmoid(odds + self.scene_gate(inner)[..., 0]) * real
        sums = (torch.cat([plain, around], -1) * gate[..., None]).sum(1)
        means = sums / gate.sum(1, keepdim=True).clamp_min(FLOOR)
        scenes = functional.normalize(self.scene_second(functional.gelu(self.scene_first(means))), dim=-1)
        second = functional.normalize(self.summed[captions].sum(1), dim=-1)
        views = torch.cat([scenes, second], -1) * 0.5**0.5
        counted = odds + self.word_gate(inner)[..., 0]
        nouns, usual = self.nouns[captions], self.usual[captions]
        return Encoded(matched * real[..., None], counted, nouns, usual, real, inner, views, scenes)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything of the file that ships, with what was trained."""
        found = dict(self.stored)
        rows = found["rows"].astype(np.float32) * found["row_scales"].astype(np.float32)[:, np.newaxis]
        odds = found["row_weights"].astype(np.float32)
        known = self.places >= 0
        rows[self.places[known]] = self.rows.weight.detach().numpy()[1:][known]
        odds[self.places[known]] = self.odds.weight.detach().numpy()[1:, 0][known]
        found["rows"], found["row_scales"] = eight_bits(rows)
        found["row_weights"] = odds.astype(np.float16)
        for name in LAYERS:
            found |= layer_arrays(name, getattr(self, name))
        return found


def content(encoded: Encoded, candidates: Tensor, references: Tensor) -> Tensor:
    """Return scene, support and coverage, ``(groups, candidates, 3)``, as `parts.content` has them.

    Parameters
    ----------
    encoded : Encoded
        The captions.
    candidates, references : torch.Tensor
        Their rows, group by group; a reference of -1 is none.
    """
    there = references >= 0
    known, number = there.float(), there.sum(1).float()
    theirs = references.clamp_min(0)
    views = encoded.views[theirs] * known[..., None]
    scene = (encoded.views[candidates] @ views.sum(1)[..., None])[..., 0] / number[:, None]
    near = torch.einsum("gcwd,gkvd->gcwkv", encoded.matched[candidates], encoded.matched[theirs])
    real = encoded.real[theirs] * known[..., None]
    best = near.masked_fill(real[:, None, None] == 0, -1.0).amax(-1)
    joined = torch.logsumexp((SHARPNESS * best).masked_fill(~there[:, None, None], -1e4), -1)
    alike = _likeness((joined - number.log()[:, None, None]) / SHARPNESS)
    single, many = encoded.usual[candidates].unbind(-1)
    usual = many - (many - single) * (number**-MORE_REFERENCES)[:, None, None]
    claims = encoded.claims[candidates]
    lacking = (claims * (usual - alike).clamp_min(0)).sum(-1)
    support = 1 - lacking / ((claims * usual).sum(-1) + SUPPORTED_WORD)
    found = near.masked_fill(encoded.real[candidates][..., None, None] == 0, -1.0).amax(2)
    covered = _pooled(_likeness(found), (encoded.weights[theirs] * known[..., None])[:, None])
    among = (views @ views.sum(1)[..., None])[..., 0] - known
    agreement = (among / (number[:, None] - 1).clamp_min(1)).clamp_min(LEAST_AGREEMENT)
    agreement = torch.where(number[:, None] > 1, agreement, 1.0) * known
    return torch.stack([scene, support, _pooled(covered, agreement[:, None])], -1)


def _pooled(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum(-1) / weights.sum(-1).clamp_min(FLOOR)


def _likeness(cosines: Tensor) -> Tensor:
    return (cosines - LEAST_LIKENESS).clamp_min(0) / (1 - LEAST_LIKENESS)


def _window(states: Tensor) -> Tensor:
    padded = functional.pad(states, (0, 0, 1, 1))
    return torch.cat([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], -1)


def _behind_zero(rows: npt.NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(np.concatenate([np.zeros_like(rows[:1]), rows]).astype(np.float32))
