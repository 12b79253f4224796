"""Where the training captions lie, and what recipes share."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from caplens.meta.image_captions import image_key

WATCHED = ("minigpt4_vicuna13b_coco", "blip2_opt27b_coco", "instructblip_vicuna7b_coco", "smallcap_karpathy_val")
"""Newer systems with captions of Karpathy val only: training is stopped by them, and never sees them."""
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
COCO = SHARED / "coco_val2014"


def judged_images(data: Path = SHARED) -> dict[str, frozenset[str]]:
    """Return the images of FOIL and of THumB, which are reported on and never learned from."""
    foil = json.loads((data / "foil" / "foil-it.json").read_text(encoding="utf-8"))
    thumb = (data / "thumb" / "mscoco_mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        "foil": frozenset(image_key(entry["image_file"]) for entry in foil.values()),
        "thumb": frozenset(image_key(json.loads(line)["image"]) for line in thumb),
    }


def captions_of_people(data: Path = SHARED) -> tuple[Path, ...]:
    """Return the file of human captions of COCO val2014."""
    return (data / "coco_val2014" / "captions_val2014.json.gz",)


def older_systems(names: Sequence[str] = (), data: Path = SHARED) -> dict[str, Path]:
    """Return the caption files of the twelve systems on val2014, or of some of them."""
    files = {path.name.split(".")[0]: path for path in sorted((data / "coco_val2014" / "systems").glob("*.json.gz"))}
    return {name: files[name] for name in names or files}


def newer_systems(run: Path, data: Path = SHARED) -> tuple[dict[str, Path], dict[str, Path]]:
    """Write the captions of newer systems as plain files; return those to train against, and those to stop by."""
    (run / "inputs").mkdir(parents=True, exist_ok=True)
    found: dict[str, Path] = {}
    for path in sorted((data / "coco_systems_newer").glob("*.json.gz")):
        with gzip.open(path) as file:
            content = json.load(file)
        # Three systems begin every caption alike ("The image features ..."): their captions have that cut.
        captions = content.get("captions_lead_in_cut") or content["captions"]
        name = path.name.split(".")[0]
        found[name] = run / "inputs" / f"{name}.json"
        found[name].write_text(json.dumps({image: texts[0] for image, texts in captions.items()}))
    return {name: path for name, path in found.items() if name not in WATCHED}, {name: found[name] for name in WATCHED}


def say(line: str) -> None:
    """Print a line at once, so that a log file can be followed."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
