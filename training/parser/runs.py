"""What trainer and evaluation share: where things lie, and the file of a trained network."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from safetensors import safe_open
from safetensors.torch import save_file
from silver import Vocabulary
from torch import Tensor

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SILVER = SHARED / "spice" / "silver"
UNLABELLED = SHARED / "spice" / "unlabelled.txt.gz"
CACHE = Path(tempfile.gettempdir()) / "parser" / "silver.npz"


def save_network(
    path: Path, vocabulary: Vocabulary, weights: dict[str, Tensor], facts: dict[str, Any] | None = None
) -> None:
    """Write weights, vocabulary and further facts into one safetensors file, so that no reader ever sees half of it."""
    told = {"words": vocabulary.words, "tags": vocabulary.tags, "labels": vocabulary.labels, "facts": facts or {}}
    metadata = {name: msgspec.json.encode(each).decode() for name, each in told.items()}
    metadata["buckets"] = str(vocabulary.buckets)
    unfinished = path.with_suffix(".unfinished")
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, unfinished, metadata)
    unfinished.replace(path)


def load_network(path: Path) -> tuple[Vocabulary, dict[str, Tensor], dict[str, Any]]:
    """Read what `save_network` wrote; weights are given in single precision."""
    with safe_open(path, "pt") as stored:
        metadata = stored.metadata()
        strings = [msgspec.json.decode(metadata[name]) for name in ("words", "tags", "labels")]
        weights = {name: stored.get_tensor(name).float() for name in stored.offset_keys()}
        return Vocabulary(*strings, int(metadata["buckets"])), weights, msgspec.json.decode(metadata["facts"])


def say(line: str) -> None:
    """Print a line at once, so that a log file can be followed."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
