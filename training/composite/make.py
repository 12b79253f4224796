"""Train composite metrics as Sharif et al. (2018) do, human against machine, with controls.

    python training/composite/make.py --run RUN [--parts] [--data ../shared/data]

It is ``caplens train composite``: negatives are captions of eleven newer systems on images of COCO val2014 outside the
Karpathy splits, FOIL and THumB; training is stopped by the cross entropy on Karpathy val, with four systems that were
not trained against. No human judgment is used. RUN gets a folder for each kind of labels: ``true``, ``shuffled`` and
``inverted``. None of these weights ships: docs/composite.md has the figures that speak against it. Rerun the same
command to resume.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sources import SHARED, captions_of_people, judged_images, newer_systems, say

from caplens.learned.settings import Labels
from caplens.train.composite.network import NetworkSettings
from caplens.train.composite.recipes import LETTERS
from caplens.train.composite.request import CompositeRequest, train_requested

LABELS: tuple[Labels, ...] = ("true", "shuffled", "inverted")
DATA_USE = {
    "fitted_on": "captions of people and of eleven newer systems; COCO val2014 without Karpathy splits, FOIL, THumB",
    "chosen_on": "Karpathy val with four other systems (stopping); Flickr8k-Expert (word vectors of WMD)",
    "reported_on": "Flickr8k, ABSTRACT-50S, THumB, FOIL",
}


def main() -> None:
    """Train and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for weights, figures and what can be resumed")
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with coco_val2014, foil, thumb and the rest")
    parser.add_argument("--images", type=int, default=10_000, help="images to draw; 0: all")
    parser.add_argument("--parts", action="store_true", help="read parts of METEOR and SPICE")
    parser.add_argument("--no-monotone", action="store_true", help="let inputs lower the score")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    splits = arguments.data / "coco_val2014" / "splits"
    trained, watched = newer_systems(arguments.run, arguments.data)
    judged = image_lists(judged_images(arguments.data), arguments.run)
    settings = NetworkSettings(epochs=arguments.epochs, monotone=not arguments.no_monotone)
    for labels in LABELS:
        request = CompositeRequest(
            references=captions_of_people(arguments.data),
            systems=trained,
            metrics=tuple(LETTERS),
            validation=splits / "karpathy_val.txt",
            validation_systems=watched,
            exclude=(splits / "karpathy_test.txt", *judged),
            images=arguments.images,
            seeds=arguments.seeds,
            parts=arguments.parts,
            labels=labels,
            data_use=DATA_USE,
        )
        name = f"{'parts-' if arguments.parts else ''}{'either-' if arguments.no_monotone else ''}{labels}"
        output = share_scores(arguments.run, name)
        say(f"{output.name}:")
        for key, found in train_requested(request, output, say, settings=settings).items():
            say(f"{key}: {json.dumps(found)}")


def share_scores(run: Path, name: str) -> Path:
    """Make a folder that shares the scores of captions, which do not depend on labels, with the others."""
    (run / "scores").mkdir(exist_ok=True)
    output = run / name
    output.mkdir(exist_ok=True)
    if not (output / "work").exists():
        (output / "work").symlink_to((run / "scores").resolve(), target_is_directory=True)
    return output


def image_lists(images: dict[str, frozenset[str]], run: Path) -> tuple[Path, ...]:
    """Write sets of images to files, one per line, and return those."""
    files = []
    for name, theirs in images.items():
        files.append(run / f"{name}.txt")
        files[-1].write_text("\n".join(sorted(theirs)) + "\n", encoding="utf-8")
    return tuple(files)


if __name__ == "__main__":
    main()
