"""Where the training captions lie, and what recipes share."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from caplens.meta.image_captions import image_key

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
COCO = SHARED / "coco_val2014"


def judged_images(data: Path = SHARED) -> dict[str, frozenset[str]]:
    """Return the images of FOIL and of THumB, which are reported on and never learned from."""
    foil = json.loads((data / "foil" / "foil-it.json").read_text(encoding="utf-8"))
    thumb = (data / "thumb" / "mscoco_mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        "foil": frozenset(image_key(entry["image_file"]) for entry in foil.values()),
        "thumb": frozenset(image_key(json.loads(line)["image"]) for line in thumb),
    }


def say(line: str) -> None:
    """Print a line at once, so that a log file can be followed."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
