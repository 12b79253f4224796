"""A pair model: a caption and its references read together by the upper layers of all-MiniLM-L6-v2.

Its lower layers read captions alone, as they were pretrained, and are not trained: references are read once for all
candidates of a group. It is far too slow to ship: its use is to teach the encoder.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from caplens.arrays import Integers

sys.path.append(str(Path(__file__).resolve().parents[1] / "minilm"))
from minilm import pretrained

LAYERS, ALONE = 6, 3
LONGEST = 20  # pieces of a caption
SCORES = ("odds", "objects", "likeness")

Pieces = list[int]
Group = Sequence[int]
"""Numbers of captions: the candidate, then its references."""


class PairModel(nn.Module):
    """Captions with their references in, `SCORES` out.

    Parameters
    ----------
    words : sequence of str
        All words of the captions it is trained on; other words are spelt by their pieces.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self.encoder, self.tokenizer = pretrained(words, LAYERS)
        width = self.encoder.positions.shape[1]
        self.second = nn.Parameter(torch.zeros(width))  # tells references from the candidate
        self.hidden = nn.Linear(4 * width, width)
        self.out = nn.Linear(width, len(SCORES))
        self.cos = nn.Parameter(torch.full((len(SCORES),), 6.0))
        for layer in (self.hidden, self.out):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def pieces(self, words: Sequence[str]) -> Pieces:
        """Return the pieces of a caption, its begin and end included."""
        found = [piece for word in words for piece in self.tokenizer.pieces(word)]
        return [self.tokenizer.start, *found[:LONGEST], self.tokenizer.end]

    def trained(self) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
        """Return the parameters to train: pretrained ones and new ones."""
        new = [part for name, part in self.named_parameters() if not name.startswith("encoder")]
        return list(self.encoder.layers[ALONE:].parameters()), new

    @torch.no_grad()
    def alone(self, captions: Sequence[Pieces]) -> tuple[Tensor, Integers]:
        """Return the states of all captions' pieces after the lower layers, and where each caption begins."""
        ordered = _by_length([len(each) for each in captions])
        starts = np.zeros(len(captions), np.int64)
        sizes = [len(captions[place]) for place in chain(*ordered.values())]
        starts[list(chain(*ordered.values()))] = np.cumsum([0, *sizes[:-1]])
        shapes = [(len(places), length) for length, places in ordered.items()]
        numbers = torch.tensor([piece for place in chain(*ordered.values()) for piece in captions[place]])
        at = torch.cat([torch.arange(length).repeat(number) for number, length in shapes])
        states = self.encoder.norm(self.encoder.pieces(numbers) + self.encoder.positions[at])
        for layer in self.encoder.layers[:ALONE]:
            states = layer(states, shapes)
        return states, starts

    def forward(self, captions: Sequence[Pieces], groups: Sequence[Group]) -> Tensor:
        """Return the scores of groups, ``(groups, SCORES)``."""
        ordered = _by_length([sum(len(captions[place]) for place in group) for group in groups])
        order = list(chain(*ordered.values()))
        shapes = [(len(places), length) for length, places in ordered.items()]
        with torch.autocast("cpu", torch.bfloat16):
            states, starts = self.alone(captions)
            spans = [(place, number > 0) for row in order for number, place in enumerate(groups[row])]
            sizes = [len(captions[place]) for place, _ in spans]
            rows = [np.arange(starts[place], starts[place] + len(captions[place])) for place, _ in spans]
            behind = torch.from_numpy(np.repeat([other for _, other in spans], sizes))
            states = states[torch.from_numpy(np.concatenate(rows))] + behind[:, None] * self.second
            for layer in self.encoder.layers[ALONE:]:
                states = layer(states, shapes)
        lengths = torch.tensor([length for number, length in shapes for _ in range(number)])
        found = self._compare(states.float(), behind.float()[:, None], lengths)
        return found[torch.argsort(torch.tensor(order))]

    def _compare(self, states: Tensor, behind: Tensor, lengths: Tensor) -> Tensor:
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)

        def mean(shares: Tensor) -> Tensor:
            sums = torch.zeros(len(lengths), states.shape[1]).index_add(0, owner, states * shares)
            return sums / torch.zeros(len(lengths), 1).index_add(0, owner, shares)

        own, theirs = mean(1 - behind), mean(behind)
        one, other = functional.normalize(own, dim=-1), functional.normalize(theirs, dim=-1)
        begin = states[lengths.cumsum(0) - lengths]
        both = torch.cat([begin, one * other * 20, (one - other).abs() * 5, theirs - own], -1)
        near = (one * other).sum(-1, keepdim=True)
        return self.out(functional.gelu(self.hidden(both))) + self.cos * near


def _by_length(lengths: Sequence[int]) -> dict[int, list[int]]:
    """Return the places of each length, short ones first."""
    found: dict[int, list[int]] = defaultdict(list)
    for place in np.argsort(lengths, kind="stable").tolist():
        found[lengths[place]].append(place)
    return dict(found)
