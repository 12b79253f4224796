"""Reference captions of the image sets that judgments are about, from the files as people have them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from caplens.errors import InputError
from caplens.meta.files import find_file, matching_files
from caplens.readers import ReadOptions, read_references
from caplens.readers.records import read_lines

# Names of files that hold the captions of a set, the preferred one first.
_FILES = {
    "flickr8k": ("Flickr8k.token.txt", "dataset_flickr8k.json"),
    "flickr30k": ("results_20130124.token", "dataset_flickr30k.json", "flickr30k/captions.json", "captions.json"),
    "coco": ("captions_val2014.json", "dataset_coco.json"),
}
# Files with captions of further images of a set, for judgments that may be about any of them.
_FURTHER = {"coco": ("captions_train2014.json",)}
# Lists of images that lie beside the captions of a set: those that nothing in caplens was trained on.
_UNSEEN = {"flickr30k": ("kept_apart.txt",), "coco": ("splits/karpathy_test.txt", "karpathy_test.txt")}


class ChosenCaptions(NamedTuple):
    """The captions of each image that a study uses, and which images these are, in words."""

    captions: dict[str, tuple[str, ...]]
    images: str


def captions_of(source: str, folder: Path, *, further: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the captions of an image set by image: the file's name without its ending, or COCO's number.

    Parameters
    ----------
    source : {"flickr8k", "flickr30k", "coco"}
        The image set.
    folder : pathlib.Path
        The folder of its captions, or one above it.
    further : bool
        Whether to add the captions of the set's training images, where the folder has them.
    """
    found = _read(_file_of(source, folder))
    for name in _FURTHER.get(source, ()) if further else ():
        more = matching_files(folder, name)
        if more:
            found = {**_read(more[0]), **found}
    return found


def unseen_captions(source: str, folder: Path) -> ChosenCaptions:
    """Return the captions of the images of a set that nothing in caplens was trained on.

    Of COCO these are the images of the Karpathy test split, of Flickr30k those that are judged somewhere. A list of
    them lies beside the captions (``karpathy_test.txt``, ``kept_apart.txt``), or the file itself has the split; where
    there is no list, all images are taken and the answer says so.
    """
    path = _file_of(source, folder)
    if path.name.startswith("dataset_"):
        captions = captions_by_image([path], split="test")
        return ChosenCaptions(captions, f"{len(captions):,} images of the test split of {path.name}")
    captions = _read(path)
    names = _UNSEEN.get(source, ())
    for name in names:
        if (path.parent / name).is_file():
            return listed_captions(captions, path.parent / name, path.name)
    without = f" (there is no {Path(names[0]).name} beside it)" if names else ""
    return ChosenCaptions(captions, f"all {len(captions):,} images of {path.name}{without}")


def listed_captions(captions: dict[str, tuple[str, ...]], listed: Path, source: str) -> ChosenCaptions:
    """Keep the images that a file lists, one per line.

    Parameters
    ----------
    captions : dict of str to tuple of str
        The captions of each image.
    listed : pathlib.Path
        The list: ids or file names of images.
    source : str
        What the file of the captions is called.
    """
    wanted = {image_key(image) for (image,) in read_lines(listed, 1)}
    kept = {image: theirs for image, theirs in captions.items() if image in wanted}
    if not kept:
        raise InputError(f"None of the {len(wanted):,} images of {listed} is in {source}.")
    return ChosenCaptions(kept, f"{len(kept):,} images of {source} that {listed.name} lists")


def _file_of(source: str, folder: Path) -> Path:
    if source not in _FILES:
        raise InputError(f"There is no caption set {source!r}: choose from {', '.join(_FILES)}.")
    return find_file(folder, _FILES[source], f"the captions of {source}", "--captions")


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


def captions_by_image(paths: Sequence[str | os.PathLike[str]], split: str | None = None) -> dict[str, tuple[str, ...]]:
    """Read files of references of any shape; return the captions of each image (of a Karpathy file: of a split)."""
    table = read_references(paths, ReadOptions(split=split))
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
