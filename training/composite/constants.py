"""Measure how large the scores of every metric are on COCO val2014, for normalised means.

    python training/composite/constants.py [--data ../shared/data/coco_val2014] [--images 4000]

The captions are one of people's five against its siblings, and one of each of twelve systems against four of the five.
Document frequencies of CIDEr, where it learns them, come from these captions.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from sources import COCO, say

from caplens.core.plan import fit, run
from caplens.core.prepared import Usage, prepare
from caplens.core.registry import metric_class, names
from caplens.corpus import PairedTable, from_pairs
from caplens.metrics.cider.metric import Cider
from caplens.metrics.combination.normalizing import FOLDER, SUFFIX, Constants, request_of
from caplens.train.composite.captions import CaptionSources, collect_rows

NAME = "coco-val2014"
# Combinations, and what takes hours: the encoder of WEmbSim-C.
LEFT_OUT = ("mean", "sum", "eval_", "critique", "wembsim_c")


def main() -> None:
    """Score, and write the constants that ship."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=COCO, help="folder with captions_val2014.json.gz and systems/")
    parser.add_argument("--images", type=int, default=4000, help="images to draw")
    arguments = parser.parse_args()
    rows = collect_rows(CaptionSources(arguments.data, (arguments.data / "systems",)), arguments.images, 2014, 1)
    wanted = [name for name in names() if not name.startswith(LEFT_OUT) and metric_class(name).obstacle() is None]
    metrics = [*(metric_class(name)() for name in wanted), Cider(df=NAME)]
    ids = [str(row) for row in range(len(rows))]
    corpus = from_pairs(PairedTable(ids, rows.candidates, rows.references, "COCO val2014", rows.images))
    prepared = prepare(corpus)
    states = fit(metrics, prepared.references, Usage.of(corpus))
    found = {}
    for done in run(metrics, prepared, states):
        items = done.metric.item_scores(done.statistics)
        found[request_of(done.metric)] = {
            key: asdict(Constants.of(items[:, place])) for place, key in enumerate(done.metric.keys)
        }
        say(f"{done.metric.name}: {found[request_of(done.metric)]}")
    what = f"{len(rows):,} captions of {arguments.images:,} images: one of a person and one of each of twelve systems"
    data = {"what": what, "rows": rows.fingerprint(), "metrics": found}
    (FOLDER / f"{NAME}{SUFFIX}").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
