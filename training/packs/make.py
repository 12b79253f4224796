"""Make the pack of scene graphs that ships: ``python training/packs/make.py [--reference DIR]``.

The reference tool's tuples for the captions of COCO val2014 and of nocaps validation become one pack. Of a caption that
is in several sets, the first one's tuples count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from caplens.scenegraph.packs.library import SHIPPED
from caplens.scenegraph.packs.pack import SUFFIX, Pack
from caplens.scenegraph.packs.reading import Captions, read_parses

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared" / "data" / "spice" / "reference"
SETS = ("karpathy_test", "karpathy_val", "nocaps_val", "val2014_rest")
ABOUT = "COCO val2014 (CC BY 4.0) and nocaps validation (CC BY 2.0), tuples by SPICE 1.0"


def main() -> None:
    """Read all sets and write the pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="folder with SET.jsonl.gz")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "src/caplens/data/packs" / f"{SHIPPED}{SUFFIX}")
    arguments = parser.parse_args()
    captions: Captions = {}
    for name in SETS:
        captions = {**read_parses(arguments.reference / f"{name}.jsonl.gz"), **captions}
    Pack.build(captions, ABOUT).write(arguments.output)


if __name__ == "__main__":
    main()
