"""Caption files of systems, and the references of COCO that they are scored against."""

from __future__ import annotations

from pathlib import Path

from caplens.api.loading import load_candidates, load_references
from caplens.corpus import CaptionTable
from caplens.errors import InputError
from caplens.meta.files import find_file


def find_systems(data: Path, systems: Path | None) -> dict[str, Path]:
    """Return the caption files of a folder by the name of the system: the file's name without endings.

    Without a folder, ``systems`` inside ``data`` (or inside a folder in it) is taken.
    """
    if systems is None:
        found = [
            folder for pattern in ("systems", "*/systems") for folder in sorted(data.glob(pattern)) if folder.is_dir()
        ]
        if not found:
            raise InputError(
                f"There is no folder 'systems' in {data}: name the one with the caption files (--systems DIR)."
            )
        systems = found[0]
    if not systems.is_dir():
        raise InputError(f"{systems} is not a folder: name the one with the caption files (--systems DIR).")
    files = {path.name.split(".json")[0]: path for path in sorted(systems.glob("*.json*"))}
    if not files:
        raise InputError(f"{systems} holds no caption files (NAME.json or NAME.json.gz).")
    return files


def coco_references(captions: Path) -> CaptionTable:
    """Read the reference captions of COCO from a folder."""
    return load_references(
        find_file(captions, ["captions_val2014.json", "dataset_coco.json"], "the captions of COCO", "--captions")
    )


def load_systems(files: dict[str, Path]) -> dict[str, CaptionTable]:
    """Read the captions of every system."""
    return {name: load_candidates(path) for name, path in files.items()}
