"""Evaluate with the calls of pycocoevalcap: ``coco_tools.py PACKAGE CANDIDATES REFERENCES OUT METRICS``.

PACKAGE is pycocoevalcap or its drop-in, METRICS are names joined by commas. OUT holds scores, the images' scores, and
the seconds of every part. As in COCOEvalCap, the scorers are made when the tokens are there.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

SCORERS = {
    "bleu": ("BLEU", "bleu.bleu", "Bleu", ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"]),
    "meteor": ("METEOR", "meteor.meteor", "Meteor", ["METEOR"]),
    "rouge": ("ROUGE-L", "rouge.rouge", "Rouge", ["ROUGE_L"]),
    "cider": ("CIDEr", "cider.cider", "Cider", ["CIDEr"]),
}


def main(package: str, candidates: str, references: str, output: str, metrics: str) -> None:
    """Score and write."""
    tokenizer = import_module(f"{package}.tokenizer.ptbtokenizer").PTBTokenizer()
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    res: dict[Any, Any] = {row["image_id"]: [row] for row in _load(candidates)}
    gts: dict[Any, Any] = {image: [] for image in res}
    for row in _load(references)["annotations"]:
        if row["image_id"] in gts:
            gts[row["image_id"]].append(row)
    seconds["read"] = time.perf_counter() - start
    start = time.perf_counter()
    gts, res = tokenizer.tokenize(gts), tokenizer.tokenize(res)
    seconds["tokens"] = time.perf_counter() - start
    corpus: dict[str, float] = {}
    images: dict[str, list[float]] = {}
    for metric in metrics.split(","):
        name, module, scorer, keys = SCORERS[metric]
        start = time.perf_counter()
        score, scores = getattr(import_module(f"{package}.{module}"), scorer)().compute_score(gts, res)
        seconds[name] = time.perf_counter() - start
        for key, value, values in zip(
            keys, score if len(keys) > 1 else [score], scores if len(keys) > 1 else [scores], strict=True
        ):
            corpus[key], images[key] = float(value), [float(item) for item in values]
    Path(output).write_text(json.dumps({"scores": corpus, "images": images, "seconds": seconds}))


def _load(path: str) -> Any:  # noqa: ANN401 (JSON)
    return json.loads(gzip.decompress(Path(path).read_bytes()))


if __name__ == "__main__":
    main(*sys.argv[1:])
