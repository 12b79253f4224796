"""Reference captions of the image sets that judgments are about, from the files as people have them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from caplens.errors import InputError
from caplens.meta.files import find_file, matching_files
from caplens.readers import read_references
from caplens.readers.records import read_lines

# Names of files that hold the captions of a set, the preferred one first.
_FILES = {
    "flickr8k": ("Flickr8k.token.txt", "dataset_flickr8k.json"),
    "flickr30k": ("results_20130124.token", "dataset_flickr30k.json", "flickr30k/captions.json", "captions.json"),
    "coco": ("captions_val2014.json", "dataset_coco.json"),
}
_FURTHER = {"coco": ("captions_train2014.json",)}


def captions_of(source: str, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the captions of an image set by image: the file's name without its ending, or COCO's number.

    Parameters
    ----------
    source : {"flickr8k", "flickr30k", "coco"}
        The image set.
    folder : pathlib.Path
        Where its captions lie, directly or in a folder inside.
    """
    if source not in _FILES:
        raise InputError(f"There are no captions of {source!r} to look for: the sets are {', '.join(_FILES)}.")
    found = _read(find_file(folder, _FILES[source], f"the captions of {source}", "--captions"))
    for name in _FURTHER.get(source, ()):
        further = matching_files(folder, name)
        if further:
            found = {**_read(further[0]), **found}
    return found


def flickr_captions(path: Path) -> dict[str, dict[str, str]]:
    """Read a file of lines ``IMAGE#NUMBER<tab>caption``; return the captions by image and by caption id."""
    captions: dict[str, dict[str, str]] = {}
    for key, caption in read_lines(path, 2):
        captions.setdefault(key.rpartition("#")[0], {})[key] = caption
    return captions


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    if ".token" in path.name:
        return {image_key(image): tuple(theirs.values()) for image, theirs in flickr_captions(path).items()}
    return captions_by_image([path])


def captions_by_image(paths: Sequence[str | os.PathLike[str]]) -> dict[str, tuple[str, ...]]:
    """Read files of references of any shape; return the captions of each image."""
    table = read_references(paths)
    captions: dict[str, list[str]] = {}
    for image, caption in zip(table.other_ids.get("filename", table.ids), table.captions, strict=True):
        captions.setdefault(image_key(str(image)), []).append(str(caption))
    return {image: tuple(theirs) for image, theirs in captions.items()}


def image_key(name: str) -> str:
    """Return what an image is known by: the number of a COCO image, else its name without the ending.

    Examples
    --------
    >>> image_key("COCO_val2014_000000391895.jpg"), image_key("1000092795.jpg"), image_key("391895")
    ('391895', '1000092795', '391895')
    """
    coco = re.fullmatch(r"COCO_\w+?_0*(\d+)(\.jpg)?", name)
    return coco[1] if coco else name.removesuffix(".jpg")
