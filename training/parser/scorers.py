"""Trained networks, each with its own way from captions to states."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from encoder import EncoderSize, Teacher
from model import NetworkSize, Parser
from pieces import FormPieces
from runs import load_network
from silver import Batch, Parses, Vocabulary, batches
from torch import Tensor

TOKENS_AT_ONCE = 4096


class Scorer(Protocol):
    """A network with its own way from captions to batches and states."""

    network: Parser
    vocabulary: Vocabulary

    def batches(self, parses: Parses) -> list[np.ndarray]:
        """Give the positions of captions that may go together."""

    def states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch."""


class PlainScorer:
    """The network that ships: a word is its rows of the table.

    Parameters
    ----------
    network, vocabulary
        The parser.
    forms
        The strings that the forms of batches point into.
    """

    def __init__(self, network: Parser, vocabulary: Vocabulary, forms: list[str]) -> None:
        self.network, self.vocabulary = network.eval(), vocabulary
        self._features = torch.from_numpy(vocabulary.features(forms))

    def batches(self, parses: Parses) -> list[np.ndarray]:
        """Give the positions of captions of one length."""
        return batches(parses, TOKENS_AT_ONCE)

    def states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch."""
        return self.network.encode(self._features[torch.from_numpy(batch.form.T.astype(np.int64))])


class TeacherScorer:
    """The teacher's way from captions to states.

    Parameters
    ----------
    network, vocabulary, pieces
        The teacher, its words, and the pieces of its encoder.
    forms
        The strings that the forms of batches point into.
    """

    def __init__(self, network: Teacher, vocabulary: Vocabulary, pieces: list[str], forms: list[str]) -> None:
        self.network, self.vocabulary = network.eval(), vocabulary
        self._features = torch.from_numpy(vocabulary.features(forms))
        self._pieces = FormPieces(pieces, forms)

    def batches(self, parses: Parses) -> list[np.ndarray]:
        """Give the positions of captions with as many words and pieces as each other."""
        return batches(parses, TOKENS_AT_ONCE, pieces=self._pieces.lengths(parses))

    @torch.no_grad()
    def states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch."""
        pieces, words = map(torch.from_numpy, self._pieces.of(batch))
        return self.network.encode_pieces(
            pieces, words, self._features[torch.from_numpy(batch.form.T.astype(np.int64))]
        )


def load_teacher(path: Path) -> tuple[Teacher, Vocabulary, list[str]]:
    """Read a teacher, its vocabulary and its pieces from the file that training wrote."""
    vocabulary, weights, facts = load_network(path)
    size = NetworkSize(vocabulary.rows, len(vocabulary.tags), len(vocabulary.labels), **facts["network"])
    network = Teacher(size, EncoderSize(**facts["encoder"]), dropout=0.0)
    network.load_state_dict(weights)
    return network, vocabulary, facts["pieces"]
