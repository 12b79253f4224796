"""The settings of a critique: its network, its words and its training, in presets and small TOML files."""

from __future__ import annotations

import math
import zlib
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from caplens.errors import InputError, UsageError
from caplens.files.atomic import atomic_path
from caplens.learned.settings import Labels, changed_settings, read_toml

Fusion = Literal["linear", "mlp", "bilinear", "matching"]
Context = Literal["reference", "image", "both"]
Pool = Literal["last", "max"]


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes and kinds of the network's parts.

    Attributes
    ----------
    embedding, hidden : int
        Numbers of a word's vector, and of the LSTM's state in one direction.
    directions : int
        1, or 2 for an LSTM that also reads backwards.
    pool : {"last", "max"}
        What stands for a caption: the last state, or the largest value of each number over its words.
    fusion : {"linear", "mlp", "bilinear", "matching"}
        How context and candidate meet: the paper's three, and an MLP that also sees differences and products.
    fusion_size : int
        Hidden units of ``mlp`` and ``matching``.
    sketch : int
        Numbers of a count sketch, for ``bilinear``.
    context : {"reference", "image", "both"}
        What a candidate is judged by.
    image : int
        Width of the image features; 0 until they are known.
    """

    embedding: int = 300
    hidden: int = 512
    directions: int = 1
    pool: Pool = "last"
    fusion: Fusion = "mlp"
    fusion_size: int = 512
    sketch: int = 8192
    context: Context = "reference"
    image: int = 0

    @property
    def caption(self) -> int:
        """Numbers that stand for a caption."""
        return self.hidden * self.directions

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the context."""
        return {"reference": ("reference",), "image": ("image",), "both": ("image", "reference")}[self.context]


@dataclass(frozen=True)
class WordsConfig:
    """How captions become words.

    Attributes
    ----------
    tokenizer : str
        Tokenizer.
    longest : int
        Words of a caption that are read; padding has no effect, since states are taken at a caption's own end.
    minimum_count : int
        How often a word must occur in the human captions to get its own entry in the vocabulary.
    vectors : str
        The table of word vectors to begin with.
    """

    tokenizer: str = "ptb"
    longest: int = 15
    minimum_count: int = 5
    vectors: str = "raw"


@dataclass(frozen=True)
class TrainingConfig:
    """How the network learns.

    Attributes
    ----------
    epochs, batch, rate, decay
        Passes over the captions, examples of a batch (half of them human), the learning rate and its factor an epoch.
    dropout, word_dropout : float
        Shares of the numbers (of words, of the hidden layer) and of the words that are hidden while learning.
    weight_decay, clip : float
        Of AdamW, and the largest norm of a gradient (0: none).
    machine, rc, wp, rw, rp, samples, own : float
        Shares of the negatives: captioning systems, captions of other images, permuted words, random words, repeated
        words, and, where there are any, sampled captions and those that ``transformations`` make.
    transformations : str
        Transformations of the user's own, separated by commas: names that are registered, or (typed with
        ``--allow-code``) ``module:function``.
    nearness : float
        RC takes captions from a random share of the nearest images, a uniform draw to this power; above 1 near images
        are taken more often, at 0 all other images are alike likely.
    mildness : float
        WP, RW and RP have a random strength, a uniform draw to this power; above 1 few words are changed more often.
    references : int
        References that a candidate meets, each an example of its own.
    together : bool
        Whether the captions of an image stand in one batch, so that each is encoded once for all its examples.
    captions : int
        Human captions of an epoch; 0 for all.
    patience : int
        Epochs in a row without a better loss on the validation images that are put up with; one more ends the training.
    seed : int
        Of everything that is drawn.
    half : bool
        Whether weights are saved with 16 bits.
    labels : {"true", "shuffled", "inverted"}
        What counts as human. The others are controls: ``shuffled`` draws once for each human caption whether it or its
        negative counts as human; ``inverted`` says so of every negative.
    """

    epochs: int = 30
    batch: int = 100
    rate: float = 1e-3
    decay: float = 0.9
    dropout: float = 0.0
    word_dropout: float = 0.0
    weight_decay: float = 0.0
    clip: float = 0.0
    machine: float = 1.0
    rc: float = 1.0
    wp: float = 1.0
    rw: float = 1.0
    rp: float = 0.0
    samples: float = 1.0
    own: float = 1.0
    transformations: str = ""
    nearness: float = 1.0
    mildness: float = 1.0
    references: int = 1
    together: bool = False
    captions: int = 0
    patience: int = 5
    seed: int = 0
    half: bool = False
    labels: Labels = "true"

    @property
    def own_names(self) -> tuple[str, ...]:
        """The transformations of the user's own."""
        return tuple(name.strip() for name in self.transformations.split(",") if name.strip())


@dataclass(frozen=True)
class CritiqueConfig:
    """Everything that makes a critique, apart from the captions.

    Examples
    --------
    >>> config = preset("quick").changed({"network": {"fusion": "bilinear"}})
    >>> config.network.fusion, config.network.hidden
    ('bilinear', 128)
    """

    network: NetworkConfig = field(default_factory=NetworkConfig)
    words: WordsConfig = field(default_factory=WordsConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def changed(self, tables: dict[str, Any], source: str = "the configuration") -> Self:
        """Return the configuration with some settings changed; ``source`` names them in messages."""
        parts: dict[str, Any] = {}
        for name, entries in tables.items():
            if name not in _PARTS or not isinstance(entries, dict):
                raise InputError(
                    f"{source} has an unknown section {name!r}: choose from "
                    f"{', '.join(f'[{part}]' for part in _PARTS)}."
                )
            parts[name] = changed_settings(getattr(self, name), entries, source, f" in [{name}]", _RANGES)
        return replace(self, **parts)

    def to_toml(self) -> str:
        """Return the configuration as TOML."""
        lines = []
        for name in _PARTS:
            lines.append(f"[{name}]")
            settings = asdict(getattr(self, name))
            if settings.get("labels") == "true":
                # Not said, so that weights trained before there were controls keep the checksum of their settings.
                del settings["labels"]
            lines += [f"{key} = {_as_toml(value)}" for key, value in settings.items()]
            lines.append("")
        return "\n".join(lines)

    @property
    def checksum(self) -> str:
        """What weights keep of the settings they were trained with."""
        return f"{zlib.crc32(self.to_toml().encode()):08x}"

    def write(self, path: Path) -> None:
        """Write the configuration."""
        with atomic_path(path) as temporary:
            temporary.write_text(self.to_toml(), encoding="utf-8")


_PARTS = ("network", "words", "training")
_RANGES = {
    **dict.fromkeys(("embedding", "hidden", "fusion_size", "sketch", "longest", "minimum_count"), (1, math.inf)),
    **dict.fromkeys(("epochs", "references"), (1, math.inf)),
    "batch": (2, math.inf),
    "directions": (1, 2),
    **dict.fromkeys(("dropout", "word_dropout"), (0, 0.99)),
}
"""The smallest and the largest value of settings that cannot be any number from 0 on."""

PAPER = CritiqueConfig()
QUICK = CritiqueConfig(
    NetworkConfig(embedding=100, hidden=128, fusion_size=256, fusion="matching", pool="max"),
    WordsConfig(longest=24),
    TrainingConfig(
        epochs=6, batch=1024, decay=0.8, dropout=0.2, clip=5.0, rp=0.5, references=2, together=True, patience=2
    ),
)
CAPTION_LEVEL = CritiqueConfig(
    QUICK.network,
    replace(QUICK.words, minimum_count=3),
    replace(QUICK.training, machine=0.0, wp=0.0, rw=0.0, rp=0.0, samples=0.0, epochs=12, patience=3, nearness=0.0),
)
PRESETS = {"paper": PAPER, "quick": QUICK, "caption-level": CAPTION_LEVEL}


def preset(name: str) -> CritiqueConfig:
    """Return a preset by name."""
    if name not in PRESETS:
        raise UsageError(f"There is no preset {name!r} of the critique: choose from {', '.join(PRESETS)}.")
    return PRESETS[name]


def read_config(path: Path, base: CritiqueConfig) -> CritiqueConfig:
    """Read a TOML file with some settings on top of others."""
    return base.changed(read_toml(path), str(path))


def _as_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)
