"""Where the training captions lie, and what recipes share."""

from __future__ import annotations

import sys
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
COCO = SHARED / "coco_val2014"


def say(line: str) -> None:
    """Print a line at once, so that a log file can be followed."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
