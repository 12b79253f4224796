"""Which captions the shipped critique learns from, and which it has never seen."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from caplens.meta.image_captions import image_key
from caplens.readers import read_references

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COCO = DATA / "coco_val2014"
REFERENCES = COCO / "captions_val2014.json.gz"
VALIDATION, TEST = COCO / "splits" / "karpathy_val.txt", COCO / "splits" / "karpathy_test.txt"
NEWER = DATA / "coco_systems_newer"

HELD_OUT = ("shetty2017", "vinyals2017", "wu2016")
"""Systems on all of val2014 that nothing is trained or chosen on; those of the Karpathy test split are not either."""
WATCHED = ("minigpt4_vicuna13b_coco", "blip2_opt27b_coco", "instructblip_vicuna7b_coco", "smallcap_karpathy_val")
"""Newer systems with captions of Karpathy val only: they help to choose the epoch, and are not trained on."""
COCO_TRAIN, FLICKR = 40_000, 12_000
"""Images of COCO train2014 and of Flickr30k that are drawn; all images of val2014 outside the splits are taken."""
SEED = 7
DATA_USE = {
    "fitted_on": "captions of COCO train2014, Flickr30k without kept_apart.txt, and COCO val2014 outside the Karpathy "
    "splits, FOIL and THumB, with captions of 20 systems on the latter",
    "chosen_on": "Karpathy val (epoch); R on 1,000 Karpathy test images (stages; FOIL and Flickr8k-Expert in view)",
    "reported_on": "Karpathy test, FOIL, THumB, ABSTRACT-50S, Flickr8k",
}


def name(path: Path) -> str:
    """Return what a system is called."""
    return path.name.split(".")[0]


def trained_systems() -> list[Path]:
    """Return the files of the older systems whose captions are negatives."""
    return [path for path in sorted((COCO / "systems").glob("*.json.gz")) if name(path) not in HELD_OUT]


def unseen_systems() -> list[Path]:
    """Return the files of the others."""
    held_out = [path for path in sorted((COCO / "systems").glob("*.json.gz")) if name(path) in HELD_OUT]
    return held_out + sorted((COCO / "systems_karpathy_test").glob("*.json.gz"))


def judged_images() -> set[str]:
    """Return the images of FOIL and THumB."""
    foil = json.loads((DATA / "foil" / "foil-it.json").read_text(encoding="utf-8")).values()
    judged = {image_key(entry["image_file"]) for entry in foil}
    thumb = (DATA / "thumb" / "mscoco_mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    return judged | {image_key(json.loads(line)["image"]) for line in thumb}


def human_captions() -> dict[str, list[str]]:
    """Return captions by people: of val2014 without judged images, and of some of train2014 and Flickr30k."""
    generator = np.random.default_rng(SEED)
    flickr = read_json(DATA / "flickr30k" / "captions.json.gz")
    apart = set((DATA / "flickr30k" / "kept_apart.txt").read_text().split())
    sources = [
        ({image: texts for image, texts in flickr.items() if image not in apart}, FLICKR),
        (by_image(DATA / "coco_train2014" / "captions_train2014.json.gz"), COCO_TRAIN),
    ]
    found: dict[str, list[str]] = {}
    for captions, number in sources:
        names = sorted(captions)
        found |= {names[place]: captions[names[place]] for place in generator.choice(len(names), number, replace=False)}
    judged = judged_images()
    return found | {image: texts for image, texts in by_image(REFERENCES).items() if image not in judged}


def by_image(path: Path) -> dict[str, list[str]]:
    """Read captions by image."""
    table = read_references([path])
    found: dict[str, list[str]] = {}
    for image, caption in zip(table.ids, table.captions, strict=True):
        found.setdefault(str(image), []).append(caption)
    return found


def read_json(path: Path) -> dict[str, Any]:
    """Read a packed JSON file."""
    with gzip.open(path) as file:
        content: dict[str, Any] = json.load(file)
    return content


def newer_captions(path: Path) -> dict[str, list[str]]:
    """Read the captions of a newer system, without words that stand before every one."""
    content = read_json(path)
    captions: dict[str, list[str]] = content.get("captions_lead_in_cut") or content["captions"]
    return captions


def write_inputs(folder: Path) -> tuple[Path, list[Path]]:
    """Write the human captions and those of newer systems as plain files; return these and all files of systems."""
    folder.mkdir(parents=True, exist_ok=True)
    references = folder / "human.json"
    if not references.exists():
        references.write_text(json.dumps(human_captions()))
    systems = []
    for path in sorted(NEWER.glob("*.json.gz")):
        systems.append(folder / f"{name(path)}.json")
        systems[-1].write_text(json.dumps(newer_captions(path)))
    return references, [*trained_systems(), *systems]
