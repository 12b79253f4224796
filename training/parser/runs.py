"""What trainer and evaluation share: where things lie, the split, and the file of a trained network."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson
from safetensors import safe_open
from safetensors.torch import save_file
from silver import Parses, Vocabulary
from torch import Tensor

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SILVER = SHARED / "spice" / "silver"
CACHE = Path(tempfile.gettempdir()) / "parser" / "silver.npz"


def held_out(parses: Parses, development: int) -> Parses:
    """Give the captions that are never trained on: the last ones."""
    return parses.take(len(parses) - development, len(parses))


def trained_on(parses: Parses, development: int, captions: int) -> Parses:
    """Give the first `captions` of the rest, or the whole rest for 0."""
    available = len(parses) - development
    return parses.take(0, min(captions or available, available))


def save_network(path: Path, vocabulary: Vocabulary, weights: dict[str, Tensor]) -> None:
    """Write weights and vocabulary into one safetensors file, so that no reader ever sees half of it."""
    facts = {"words": vocabulary.words, "tags": vocabulary.tags, "labels": vocabulary.labels}
    metadata = {name: orjson.dumps(strings).decode() for name, strings in facts.items()}
    metadata["buckets"] = str(vocabulary.buckets)
    unfinished = path.with_suffix(".unfinished")
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, unfinished, metadata)
    unfinished.replace(path)


def load_network(path: Path) -> tuple[Vocabulary, dict[str, Tensor]]:
    """Read what `save_network` wrote."""
    with safe_open(path, "pt") as stored:
        metadata = stored.metadata()
        strings = [orjson.loads(metadata[name]) for name in ("words", "tags", "labels")]
        return Vocabulary(*strings, int(metadata["buckets"])), {
            name: stored.get_tensor(name) for name in stored.offset_keys()
        }


def say(line: str) -> None:
    """Print a line at once, so that a log file can be followed."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
