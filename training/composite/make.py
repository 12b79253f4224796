"""Train the composite metrics that ship with caplens.

    python training/composite/make.py --run RUN [--data ../shared/data] [--install]

It is ``caplens train composite`` with the settings of the shipped weights: images of the Karpathy splits, of FOIL and
of THumB are not learned from, and the test split tells whether style was learned. Killed, it goes on where it was.
With ``--install`` the weights replace those in src/caplens/data/composite.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from sources import SHARED, judged_images, say

from caplens.metrics.combination.normalizing import FOLDER
from caplens.train.composite.recipes import LETTERS
from caplens.train.composite.request import CompositeRequest, train_requested

# The three whose captions made the best negatives, by tau on Flickr8k-Expert: README.md has the others.
NEGATIVES = ("shetty2017", "showandtell", "showattendtell_b")


def main() -> None:
    """Train, print the figures, and install if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for weights, figures and what can be resumed")
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with coco_val2014, flickr8k, foil and thumb")
    parser.add_argument("--negatives", default=",".join(NEGATIVES), help="three systems")
    parser.add_argument("--images", type=int, default=12_000, help="images to draw; 0: all")
    parser.add_argument("--no-monotone", action="store_true", help="let inputs lower the score")
    parser.add_argument("--install", action="store_true", help="copy the weights to where they ship from")
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    splits = arguments.data / "coco_val2014" / "splits"
    request = CompositeRequest(
        data=arguments.data / "coco_val2014",
        validation=arguments.data / "flickr8k",
        negatives=tuple(arguments.negatives.split(",")),
        metrics=tuple(LETTERS),
        exclude=(splits / "karpathy_val.txt", *image_lists(judged_images(arguments.data), arguments.run)),
        held_out=splits / "karpathy_test.txt",
        images=arguments.images,
        monotone=not arguments.no_monotone,
    )
    figures = train_requested(request, arguments.run, say)
    for key, found in figures.items():
        say(f"{key}: {json.dumps(found)}")
        if arguments.install:
            for suffix in (".safetensors", ".json"):
                shutil.copyfile(arguments.run / f"{key}{suffix}", FOLDER / f"{key}{suffix}")


def image_lists(images: dict[str, frozenset[str]], run: Path) -> tuple[Path, ...]:
    """Write sets of images to files, one a line, and return those."""
    files = []
    for name, theirs in images.items():
        files.append(run / f"{name}.txt")
        files[-1].write_text("\n".join(sorted(theirs)) + "\n", encoding="utf-8")
    return tuple(files)


if __name__ == "__main__":
    main()
