"""Which objects are in an image: those of COCO val2014, which ship, or a file of the user's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

import caplens.data
from caplens.errors import InputError, Notice, counted, name_some, reason_of
from caplens.files.arrays import read_arrays
from caplens.files.opening import opened
from caplens.metrics.chair import words
from caplens.readers.decoding import decode
from caplens.text.ragged import offsets_of

COCO = "coco-val2014"
_SHIPPED = Path(caplens.data.__file__).parent / "chair" / "objects.safetensors"
# 391895, 000000391895.jpg, COCO_val2014_000000391895.jpg
_NUMBERED = re.compile(r"(?:.*/)?(?:COCO_\w+?_)?0*(\d+)(?:\.\w+)?")
_EXPECTED = (
    'a file of objects: COCO instances, a mapping {"391895": ["person", "bicycle"]} from image to names, or rows '
    '{"image_id": 391895, "objects": ["person", "bicycle"]}'
)


@dataclass(frozen=True, eq=False)
class ImageObjects:
    """The categories that each image has.

    Attributes
    ----------
    source : str
        Where they come from, for messages.
    by_image : dict of str to frozenset of int
        The numbers of the categories.
    fingerprint : str
        A short hash of the content, for signatures.
    unknown : tuple of str
        Names that are none of the 80 categories, nor a word for one.
    """

    source: str
    by_image: dict[str, frozenset[int]]
    fingerprint: str
    unknown: tuple[str, ...] = ()

    def of(self, image: str) -> frozenset[int] | None:
        """Return the objects of an image, by its id or by a file name that ends in it; None if it is not known."""
        found = self.by_image.get(image)
        if found is not None:
            return found
        numbered = _NUMBERED.fullmatch(image)
        return self.by_image.get(numbered[1]) if numbered else None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to say about names that CHAIR does not know."""
        if not self.unknown:
            return ()
        message = (
            f"{counted(len(self.unknown), 'name')} of objects in {self.source} "
            f"{'is' if len(self.unknown) == 1 else 'are'} not among COCO's 80 categories and ignored "
            f"({name_some(self.unknown)})"
        )
        return (Notice("unknown-objects", message, len(self.unknown)),)


def load_objects(name: str) -> ImageObjects:
    """Return the objects that ship with caplens, or those of a file.

    Examples
    --------
    >>> found = load_objects("coco-val2014").of("COCO_val2014_000000391895.jpg")
    >>> sorted(words.load().categories[number] for number in found)
    ['bicycle', 'motorcycle', 'person']
    """
    if name == COCO:
        return _shipped()
    path = Path(name)
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise InputError(
            f"There are no objects {name!r}: chair(objects=...) must be {COCO} or a file ({reason_of(error)})."
        ) from error
    return _read(path, changed)


@cache
def _shipped() -> ImageObjects:
    arrays = read_arrays(_SHIPPED)
    offsets = offsets_of(arrays["counts"]).tolist()
    numbers = arrays["objects"].tolist()
    by_image = {
        str(image): frozenset(numbers[offsets[place] : offsets[place + 1]])
        for place, image in enumerate(arrays["images"].tolist())
    }
    return ImageObjects(COCO, by_image, _fingerprint(by_image))


def _fingerprint(by_image: dict[str, frozenset[int]]) -> str:
    lines = "\n".join(f"{image} {sorted(numbers)}" for image, numbers in sorted(by_image.items()))
    return hashlib.blake2b(lines.encode(), digest_size=6).hexdigest()


class _Category(msgspec.Struct):
    id: int
    name: str


class _Annotation(msgspec.Struct):
    image_id: int | str
    category_id: int


class _Image(msgspec.Struct):
    id: int | str


class _Instances(msgspec.Struct):
    annotations: list[_Annotation]
    categories: list[_Category]
    images: list[_Image] = []


class _Row(msgspec.Struct):
    objects: list[str]
    image_id: int | str | None = None
    id: int | str | None = None


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> ImageObjects:
    """Read a file once for all that is scored with it; ``changed`` tells a file that was written again."""
    with opened(path) as content:
        data = content.read()
        named = _named_objects(data, content.name)
    vocabulary = words.load()
    number_of = {name: vocabulary.category(name) for name in {name for names in named.values() for name in names}}
    by_image = {
        image: frozenset(number for name in names if (number := number_of[name]) is not None)
        for image, names in named.items()
    }
    unknown = tuple(sorted(name for name, number in number_of.items() if number is None))
    return ImageObjects(str(path), by_image, _fingerprint(by_image), unknown)


def _named_objects(data: bytes, name: str) -> dict[str, set[str]]:
    """Return the names of each image's objects, whatever shape the file has."""
    if data.lstrip()[:1] == b"[":
        return _of_rows(decode(data, list[_Row], name, _EXPECTED), name)
    lines = data.splitlines()
    if len(lines) > 1 and _is_object(lines[0]):
        rows = [decode(line, _Row, name, _EXPECTED, number) for number, line in enumerate(lines, 1) if line.strip()]
        return _of_rows(rows, name)
    keys = decode(data, dict[str, msgspec.Raw], name, _EXPECTED)
    if {"annotations", "categories"} <= keys.keys():
        return _of_instances(decode(data, _Instances, name, _EXPECTED), name)
    if keys.keys() <= {"image_id", "id", "objects"}:
        return _of_rows([decode(data, _Row, name, _EXPECTED)], name)
    return {image: set(names) for image, names in decode(data, dict[str, list[str]], name, _EXPECTED).items()}


def _is_object(line: bytes) -> bool:
    try:
        found: Any = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def _of_rows(rows: Iterable[_Row], name: str) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for number, row in enumerate(rows, 1):
        image = row.id if row.image_id is None else row.image_id
        if image is None:
            raise InputError(f"Row {number:,} of {name} does not identify its image: it needs an image_id.")
        named.setdefault(str(image), set()).update(row.objects)
    return named


def _of_instances(file: _Instances, name: str) -> dict[str, set[str]]:
    names = {category.id: category.name for category in file.categories}
    named: dict[str, set[str]] = {str(image.id): set() for image in file.images}
    for annotation in file.annotations:
        if annotation.category_id not in names:
            raise InputError(f"{name} has no category {annotation.category_id}, which one of its annotations has.")
        named.setdefault(str(annotation.image_id), set()).add(names[annotation.category_id])
    return named
