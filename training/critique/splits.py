"""Which captions the shipped critique learns from, and which it has never seen."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COCO = DATA / "coco_val2014"
REFERENCES = COCO / "captions_val2014.json.gz"
VALIDATION, TEST = COCO / "splits" / "karpathy_val.txt", COCO / "splits" / "karpathy_test.txt"

HELD_OUT = ("shetty2017", "vinyals2017", "wu2016")
"""Systems on all of val2014 that nothing is trained or chosen on; those of the Karpathy test split are not either."""


def name(path: Path) -> str:
    """Return what a system is called."""
    return path.name.split(".")[0]


def trained_systems() -> list[Path]:
    """Return the files of the systems whose captions are negatives."""
    return [path for path in sorted((COCO / "systems").glob("*.json.gz")) if name(path) not in HELD_OUT]


def unseen_systems() -> list[Path]:
    """Return the files of the others."""
    held_out = [path for path in sorted((COCO / "systems").glob("*.json.gz")) if name(path) in HELD_OUT]
    return held_out + sorted((COCO / "systems_karpathy_test").glob("*.json.gz"))
