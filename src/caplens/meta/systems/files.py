"""Caption files of systems, and the references of COCO that they are scored against."""

from __future__ import annotations

import os
from pathlib import Path

from caplens.api.loading import load_candidates, load_references
from caplens.corpus import CaptionTable
from caplens.errors import InputError, name_some
from caplens.files.telling import setting
from caplens.meta.files import find_file
from caplens.meta.outcome import LeftOut
from caplens.meta.systems.judged import JudgedSystems

PathLike = str | os.PathLike[str]


def find_systems(data: Path, systems: PathLike | None) -> dict[str, Path]:
    """Return the caption files of a folder by the name of the system: the file's name without endings.

    Without a folder, ``systems`` inside ``data`` (or inside a folder in it) is taken.
    """
    if systems is None:
        found = [
            folder for pattern in ("systems", "*/systems") for folder in sorted(data.glob(pattern)) if folder.is_dir()
        ]
        if not found:
            raise InputError(
                f"There is no folder 'systems' in {data}: specify the one with the caption files "
                f"({setting('systems', 'DIR')})."
            )
        systems = found[0]
    folder = Path(systems)
    if not folder.is_dir():
        named = setting("systems", "DIR")
        raise InputError(f"{folder} is not a folder: specify the one with the caption files ({named}).")
    files = {path.name.split(".json")[0]: path for path in sorted(folder.glob("*.json*"))}
    if not files:
        raise InputError(f"{folder} contains no caption files (NAME.json or NAME.json.gz).")
    return files


def coco_references(captions: Path) -> CaptionTable:
    """Read the reference captions of COCO from a folder."""
    return load_references(
        find_file(captions, ["captions_val2014.json", "dataset_coco.json"], "the captions of COCO", "--captions")
    )


def load_systems(files: dict[str, Path]) -> dict[str, CaptionTable]:
    """Read the captions of every system."""
    return {name: load_candidates(path) for name, path in files.items()}


def team_files(systems: JudgedSystems, folder: Path) -> tuple[JudgedSystems, dict[str, Path]]:
    """Find the caption file of each judged system: its name without endings is the team's, whatever the punctuation."""
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder: specify the one that contains a caption file for each team "
            f"({setting('systems', 'DIR')})."
        )

    def spelled(name: str) -> str:
        return "".join(filter(str.isalnum, name.lower()))

    files = {spelled(path.name.split(".json")[0]): path for path in sorted(folder.glob("*.json*"))}
    found = {name: files[spelled(name)] for name in systems.names if spelled(name) in files}
    if len(found) < 3:
        raise InputError(
            f"{folder} has captions of {len(found)} of the {len(systems.names)} judged teams "
            f"({name_some(systems.names)}): files are named by team, such as NeuralTalk.json."
        )
    missing = tuple(name for name in systems.names if name not in found)
    left_out = [LeftOut("no-captions", f"no caption file for the team in {folder.name}", missing)] if missing else []
    return systems.keep(list(found), left_out), found
