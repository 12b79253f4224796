"""Write a trained parser as the file that ships with caplens: 16-bit weights, words, tags, labels, lemmas.

python training/parser/export.py --run RUN [--output captions.safetensors]

The grammar is added by train_grammar.py.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
from lemmas import entries_of, learn
from runs import CACHE, SILVER, load_network, say
from silver import load_parses
from split import split

from caplens.files.arrays import write_arrays
from caplens.files.atomic import replacing
from caplens.scenegraph.parser.caption_parser import MODEL

FORMAT = "caption-parser-1"
DATA_USE = {
    "fitted_on": "parses by the reference of captions of COCO train2014, Flickr30k without Flickr8k, captioning "
    "systems and vision-language models; captions without parses (word vectors)",
    "chosen_on": "development captions of all sources (pass, grammar)",
    "reported_on": "golden parses, seventeen systems, sources kept aside",
}
"""What the file says about the data, besides the card."""


def main() -> None:
    """Read the best weights of a run, learn the lemmas, write both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="directory of the run")
    parser.add_argument("--output", type=Path, default=MODEL, help="file to write")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    arguments = parser.parse_args()
    parses = load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache)
    lemmatiser = learn(entries_of(split(parses).training))
    vocabulary, weights, _ = load_network(arguments.run / "best.safetensors")
    arrays = {name: tensor.numpy().astype(np.float16) for name, tensor in weights.items()}
    for name in ("words", "tags", "labels"):
        arrays[name] = _bytes("\n".join(getattr(vocabulary, name)).encode())
    arrays["lemmas"] = _bytes(msgspec.json.encode({"rules": lemmatiser.rules, "exceptions": lemmatiser.exceptions}))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    write_parser(arguments.output, arrays, {"buckets": str(vocabulary.buckets)})


def write_parser(path: Path, arrays: dict[str, np.ndarray], facts: Mapping[str, str]) -> None:
    """Write the file of a parser, signed by everything in it."""
    digest = hashlib.sha256(b"".join(name.encode() + arrays[name].tobytes() for name in sorted(arrays)))
    signature = digest.hexdigest()[:12]
    with replacing(path) as unfinished:
        write_arrays(unfinished, arrays, {**facts, "format": FORMAT, "signature": signature, **DATA_USE})
    say(f"{path}: {path.stat().st_size / 1e6:.2f} MB, signature {signature}")


def _bytes(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


if __name__ == "__main__":
    main()
