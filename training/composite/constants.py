"""Measure how large the scores of every metric are on COCO val2014, for normalised means.

    python training/composite/constants.py [--data ../shared/data] [--images 4000]

The captions are one of people's five against its siblings, and one of each of twelve systems against four of the five.
Document frequencies of CIDEr, where it learns them, come from these captions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sources import SHARED, captions_of_people, older_systems, say

from caplens.api.constants import build_constants
from caplens.core.registry import attempt, names
from caplens.metrics.cider.metric import Cider
from caplens.metrics.combination.normalizing import FOLDER, SUFFIX, load
from caplens.train.composite.captions import CaptionSources, collect_rows

NAME = "coco-val2014"
# Combinations, and what takes hours: the encoder of WEmbSim-C.
LEFT_OUT = ("mean", "sum", "composite", "eval_", "critique", "wembsim_c", "wembsim_e", "chair", "diversity", "given")


def main() -> None:
    """Score, and write the constants that ship."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with coco_val2014")
    parser.add_argument("--images", type=int, default=4000, help="images to draw")
    arguments = parser.parse_args()
    sources = CaptionSources(captions_of_people(arguments.data), older_systems(data=arguments.data))
    rows = collect_rows(sources, arguments.images, 2014, 1, 0)
    # What is known of some captions beforehand would change the constants: SPICE parses all of them.
    found = [attempt(name, known="false") for name in names() if not name.startswith(LEFT_OUT)]
    usual = [metric for metric, lacking in found if metric is not None and lacking is None]
    metrics = [*usual, *(Cider(df=name, label=f"CIDEr_{name}") for name in (NAME, "coco-train2014"))]
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
