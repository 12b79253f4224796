"""Judgments made up from the example captions, in the formats of the real sets: every study can be run on them.

The ratings follow from the words that a caption shares with the references, plus noise from a fixed seed, so they agree
with metrics a little. They say nothing about people.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

SYSTEMS = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
DATE = "2015-05-29"


class Example:
    """The example captions: references and two systems, by image."""

    def __init__(self, folder: Path, images: int) -> None:
        annotations = json.loads((folder / "references.json").read_text())["annotations"]
        self.references: dict[int, list[str]] = {}
        for annotation in annotations:
            self.references.setdefault(annotation["image_id"], []).append(annotation["caption"])
        self.references = dict(list(self.references.items())[:images])
        self.images = list(self.references)
        self.human, self.degraded = (
            {row["image_id"]: row["caption"] for row in json.loads((folder / name).read_text())}
            for name in ("human.json", "degraded.json")
        )
        self.random = random.Random(7)

    def agreement(self, image: int, caption: str) -> float:
        """Return the share of the caption's words that the references have, with noise."""
        known = {word for reference in self.references[image] for word in reference.lower().split()}
        words = caption.lower().split()
        return sum(word in known for word in words) / max(len(words), 1) + self.random.uniform(-0.2, 0.2)

    def rating(self, image: int, caption: str, largest: int) -> int:
        """Return a rating from 1 to ``largest``."""
        return 1 + round(min(max(self.agreement(image, caption), 0), 1) * (largest - 1))


def write_judgments(example: Example, folder: Path) -> None:
    """Write all sets into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for write in (_coco, _flickr8k, _composite, _thumb, _table, _foil, _abstract50s, _pascal50s, _coco2015, _scores):
        write(example, folder)


def _dump(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))


def _coco(example: Example, folder: Path) -> None:
    rows = [(image, text) for image, texts in example.references.items() for text in texts]
    annotations = [{"id": place, "image_id": image, "caption": text} for place, (image, text) in enumerate(rows)]
    images = [{"id": image} for image in example.images]
    _dump(folder / "captions_val2014.json", {"images": images, "annotations": annotations})
    for place, system in enumerate(SYSTEMS):
        captions = [(image, _spoiled(example, image, place)) for image in example.images]
        _dump(folder / "systems" / f"{system}.json", [{"image_id": image, "caption": text} for image, text in captions])


def _spoiled(example: Example, image: int, amount: int) -> str:
    """Return a human caption without some of its words."""
    words = example.human[image].split()
    for _ in range(min(amount, len(words) - 1)):
        words.pop(example.random.randrange(len(words)))
    return " ".join(words)


def _flickr8k(example: Example, folder: Path) -> None:
    lines, expert, crowd = [], [], []
    for place, image in enumerate(example.images):
        lines += [f"{image}.jpg#{index}\t{text}" for index, text in enumerate(example.references[image])]
        other = example.images[(place * 7 + 3) % len(example.images)]
        for source in (image, other):
            texts = example.references[source]
            number = place % len(texts)
            caption = texts[number]
            ratings = [example.rating(image, caption, 4) for _ in range(3)]
            expert.append("\t".join([f"{image}.jpg", f"{source}.jpg#{number}", *map(str, ratings)]))
            yes = max(ratings) - 1
            crowd.append(f"{image}.jpg\t{source}.jpg#{number}\t{yes / 3}\t{yes}\t{3 - yes}")
    for name, rows in (
        ("Flickr8k.token.txt", lines),
        ("ExpertAnnotations.txt", expert),
        ("CrowdFlowerAnnotations.txt", crowd),
    ):
        (folder / name).write_text("".join(f"{row}\n" for row in rows))


def _write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _composite(example: Example, folder: Path) -> None:
    rows = []
    for image in example.images:
        for position, caption in enumerate((example.human[image], example.degraded[image])):
            rows.append(
                {
                    "source": "coco",
                    "image_id": image,
                    "position": position,
                    "caption": caption,
                    "correctness": example.rating(image, caption, 5),
                    "thoroughness": example.rating(image, caption, 5),
                }
            )
    _write_csv(folder / "composite.csv", rows)


def _thumb(example: Example, folder: Path) -> None:
    place = folder / "thumb"
    place.mkdir(exist_ok=True)
    rows = []
    for image in example.images:
        for system, caption in (("Human", example.human[image]), ("Machine", example.degraded[image])):
            scores = {name: example.rating(image, caption, 5) for name in ("human_score", "P", "R")}
            rows.append({"SYS": system, "seg_id": str(image), "hyp": caption, **scores})
    (place / "mscoco_mscoco_THumB-1.0.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _dump(
        place / "mscoco_mscoco_references.json",
        [{"seg_id": str(image), "refs": texts} for image, texts in example.references.items()],
    )


def _table(example: Example, folder: Path) -> None:
    rows = [
        {
            "id": image,
            "candidate": example.degraded[image],
            "references": texts,
            "human": example.rating(image, example.degraded[image], 5),
        }
        for image, texts in example.references.items()
    ]
    (folder / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _foil(example: Example, folder: Path) -> None:
    _dump(
        folder / "foil-it.json",
        {
            str(place): {
                "image_file": f"COCO_val2014_{image:012}.jpg",
                "caption": texts[0],
                "foil": example.degraded[image],
                "mturk": {"caption": 2, "foil": 1},
            }
            for place, (image, texts) in enumerate(example.references.items())
        },
    )


def _abstract50s(example: Example, folder: Path) -> None:
    rows = []
    for place, image in enumerate(example.images):
        other = example.images[(place * 11 + 5) % len(example.images)]
        for first, second in ((image, image), (image, other)):
            better, worse = example.human[first], example.degraded[second]
            for reference in example.references[image]:
                vote = 1 if example.agreement(image, better) > example.agreement(image, worse) else -1
                rows.append({"ref": reference, "b": better, "c": worse, "vote": vote})
    _dump(folder / "abstract50s" / "triplets.json", rows)


def _pascal50s(example: Example, folder: Path) -> None:
    rows = []
    for place, image in enumerate(example.images):
        other = example.images[(place * 13 + 1) % len(example.images)]
        pairs = {
            "HC": (example.references[image][0], example.references[image][1]),
            "HI": (example.references[image][0], example.references[other][0]),
            "HM": (example.human[image], example.degraded[image]),
            "MM": (example.degraded[image], example.degraded[other]),
        }
        for category, (a, b) in pairs.items():
            votes = 24 + round(20 * (example.agreement(image, a) - example.agreement(image, b)))
            votes = min(max(votes, 0), 48)
            rows.append(
                {"image": str(image), "a": a, "b": b, "category": category, "votes_a": votes, "votes_b": 48 - votes}
            )
    _dump(folder / "pascal50s" / "pairs.json", rows)
    _dump(folder / "pascal50s" / "refs50.json", {str(image): texts[2:] for image, texts in example.references.items()})


def _coco2015(example: Example, folder: Path) -> None:
    judged, boards = [], []
    for place, system in enumerate(("Human", *SYSTEMS)):
        quality = 1 / (place + 2)
        questions = {f"q{number}": quality + example.random.uniform(-0.03, 0.03) for number in range(1, 6)}
        judged.append({"team": {"name": system}, "date": DATE, "results": questions})
        keys = ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "SPICE")
        scores = {key: quality * (1 + example.random.uniform(-0.2, 0.2)) for key in keys}
        boards.append({"team": {"name": system}, "date": DATE, "results": scores})
    place = folder / "coco2015"
    _dump(place / "cap_challenge2015.json", judged)
    for board in ("cap_c5.json", "cap_c40.json"):
        _dump(place / board, boards)


def _scores(example: Example, folder: Path) -> None:
    rows = [{"id": image, "Mine": example.agreement(image, example.degraded[image])} for image in example.images]
    _write_csv(folder / "scores.csv", rows)
