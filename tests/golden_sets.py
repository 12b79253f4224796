"""The golden sets in one shape: rows to score, how to score them, and what must come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NAMES = ("coco2000_human", "coco2000_knn", "fakecap1000", "flickr8k_expert")


@dataclass(frozen=True)
class GoldenSet:
    ids: list[str]
    candidates: list[str]
    references: list[list[str]]
    tokenizer: str
    items: list[dict[str, float]]
    corpus: dict[str, float]

    def rows(self) -> list[dict[str, Any]]:
        """Rows as a file that carries candidate and references holds them."""
        return [
            {"id": identifier, "candidate": candidate, "references": references}
            for identifier, candidate, references in zip(self.ids, self.candidates, self.references, strict=True)
        ]


def load(name: str, golden: Callable[[str], Any]) -> GoldenSet:
    scores = golden(f"{name}_golden")
    if name.startswith("coco2000"):
        inputs = golden(f"{name}_inputs")["images"]
        ids = list(inputs)
        return GoldenSet(
            ids,
            [inputs[image]["candidate"] for image in ids],
            [inputs[image]["references"] for image in ids],
            "ptb",
            [scores["images"][image] for image in ids],
            scores["corpus"],
        )
    if name == "fakecap1000":  # its references are stored as tokens already
        images = scores["images"]
        return GoldenSet(
            list(images),
            [entry["candidate_ptb"] for entry in images.values()],
            [entry["references_ptb"] for entry in images.values()],
            "none",
            list(images.values()),
            scores["corpus"],
        )
    # Flickr8k-Expert: every caption three times, once for each judgment, in documents too.
    pairs = [pair for pair in scores["pairs"] for _ in range(3)]
    return GoldenSet(
        [str(number) for number in range(len(pairs))],
        [pair["candidate"] for pair in pairs],
        [scores["references"][pair["image"]] for pair in pairs],
        "ptb",
        pairs,
        scores["corpus"],
    )
