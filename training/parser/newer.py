"""SPICE of newer systems' captions that were not trained on, by image: our parser against the reference.

    python training/parser/newer.py [--model captions.safetensors]

The captions of `coco_systems_newer` have image ids; those whose words are among the silver captions kept aside or for
development have the reference's tuples, too, and the human captions of their images have them in `spice/reference`. So
the reference's score can be computed without the reference tool. Measured are both sides by our parser, and the
candidate alone by our parser, as with reference packs.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from runs import SHARED, say

from caplens.files.arrays import read_arrays
from caplens.scenegraph.parser.caption_parser import MODEL, CaptionParser
from caplens.scenegraph.rules.tuples import Proposal
from caplens.text.ptb import tokenize
from report import Scenes, f_scores, read_json, read_lines, unseen_lines

FEWEST = 50
"""Captions a system must have to get a line of its own."""
REFERENCES = ("karpathy_val", "val2014_rest")

Pairs = list[tuple[str, list[str]]]


def tuples_of_references(folder: Path) -> dict[str, list[Proposal]]:
    """Read the reference's tuples of human captions."""
    return {
        line["text"]: [tuple(each) for each in line["tuples"]]
        for name in REFERENCES
        for line in read_lines(folder / f"{name}.jsonl.gz")
    }


def pairs_of_systems(data: Path, known: set[str]) -> dict[str, Pairs]:
    """Find the captions of systems that are known, each with the human captions of its image."""
    human = defaultdict(list)
    for annotation in read_json(data / "coco_val2014" / "captions_val2014.json.gz")["annotations"]:
        human[annotation["image_id"]].append(annotation["caption"])
    systems: dict[str, Pairs] = {}
    for path in sorted((data / "coco_systems_newer").glob("*.json.gz")):
        systems[path.name.removesuffix(".json.gz")] = [
            (text, [" ".join(tokenize(other)) for other in human[int(image)]])
            for image, captions in read_json(path)["captions"].items()
            for text in (" ".join(tokenize(caption)) for caption in captions)
            if text in known
        ]
    return systems


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=Path, default=MODEL, help="an exported parser")
    options.add_argument("--data", type=Path, default=SHARED, help="directory of the data")
    arguments = options.parse_args()
    parser, spice = CaptionParser(read_arrays(arguments.model)), arguments.data / "spice"
    candidates = {line["text"]: [tuple(each) for each in line["tuples"]] for _, line in unseen_lines(spice / "silver")}
    references = tuples_of_references(spice / "reference")
    systems = pairs_of_systems(arguments.data, set(candidates))
    systems = {
        name: [pair for pair in pairs if all(text in references for text in pair[1])] for name, pairs in systems.items()
    }
    everything = [pair for pairs in systems.values() for pair in pairs]
    scenes = Scenes(parser, (text for one, several in everything for text in (one, *several)))
    say(f"{'system':32} captions  both by us: Pearson  difference   candidate by us: Pearson  difference")
    for name, pairs in [*systems.items(), ("all", everything)]:
        if len(pairs) < FEWEST:
            continue
        texts, humans = [one for one, _ in pairs], [several for _, several in pairs]
        target = f_scores(candidates, references, texts, humans)[:, 0]
        ours = scenes.f_scores(texts, humans)[:, 0]
        half = f_scores(scenes.tuples, references, texts, humans)[:, 0]
        figures = [(np.corrcoef(each, target)[0, 1], each.mean() - target.mean()) for each in (ours, half)]
        say(
            f"{name:32} {len(pairs):8}  {figures[0][0]:18.3f}  {figures[0][1]:+10.4f}"
            f"   {figures[1][0]:23.3f}  {figures[1][1]:+10.4f}"
        )


if __name__ == "__main__":
    main()
