"""Measure how large the scores of every metric are on COCO val2014, for normalised means.

    python training/composite/constants.py [--data ../shared/data/coco_val2014] [--images 4000]

The captions are one of people's five against its siblings, and one of each of twelve systems against four of the five.
Document frequencies of CIDEr, where it learns them, come from these captions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sources import COCO, say

from caplens.api.constants import build_constants
from caplens.core.registry import attempt, names
from caplens.metrics.cider.metric import Cider
from caplens.metrics.combination.normalizing import FOLDER, SUFFIX, load
from caplens.train.composite.captions import CaptionSources, collect_rows

NAME = "coco-val2014"
# Combinations, and what takes hours: the encoder of WEmbSim-C.
LEFT_OUT = ("mean", "sum", "composite", "eval_", "critique", "wembsim_c")


def main() -> None:
    """Score, and write the constants that ship."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=COCO, help="folder with captions_val2014.json.gz and systems/")
    parser.add_argument("--images", type=int, default=4000, help="images to draw")
    arguments = parser.parse_args()
    rows = collect_rows(CaptionSources(arguments.data, (arguments.data / "systems",)), arguments.images, 2014, 1)
    found = [attempt(name) for name in names() if not name.startswith(LEFT_OUT)]
    usual = [metric for metric, lacking in found if metric is not None and lacking is None]
    metrics = [*usual, Cider(df=NAME, label="CIDEr_val2014")]
    what = (
        f"{len(rows):,} captions of {arguments.images:,} images of COCO val2014, one of a person and one of each of "
        f"twelve systems (rows {rows.fingerprint()})"
    )
    path = FOLDER / f"{NAME}{SUFFIX}"
    build_constants(rows.candidates, rows.references, metrics, path, what=what)
    for request, measured in load(NAME).metrics.items():
        say(f"{request}: {measured}")


if __name__ == "__main__":
    main()
