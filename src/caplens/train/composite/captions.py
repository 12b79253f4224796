"""The captions that composite metrics learn from: people's against their siblings, systems' against the people's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError, name_some
from caplens.meta.captions.judged import equal_words
from caplens.meta.image_captions import captions_of, image_key
from caplens.meta.systems.files import find_systems, load_systems

CAPTIONS = 5
"""Of an image: one is the candidate, or is left out, and four are the references."""
HUMAN = "human"


@dataclass(frozen=True)
class CaptionSources:
    """Where the captions come from and which images may not be used.

    Attributes
    ----------
    captions : pathlib.Path
        Folder with the human captions of COCO.
    systems : tuple of pathlib.Path
        Folders with a caption file for each system.
    names : tuple of str
        The systems to use; those of other files are passed over. Empty: all.
    excluded : mapping of str to frozenset of str
        Images that must not be used, by the reason (such as ``Karpathy test``).
    overlap : tuple of str
        Captions of judged images: an image that has one of them, word for word, is not used.
    """

    captions: Path
    systems: tuple[Path, ...]
    names: tuple[str, ...] = ()
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    overlap: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class WrittenCaptions:
    """Candidates with four references each, image after image.

    Attributes
    ----------
    images, writers, candidates : list of str
        One entry a row; a writer is ``human`` or the name of a system.
    references : list of tuple of str
        Four of the image's human captions, without the candidate.
    removed : dict of str to int
        How many images were not used, by reason.
    """

    images: list[str]
    writers: list[str]
    candidates: list[str]
    references: list[tuple[str, ...]]
    removed: dict[str, int]

    def __len__(self) -> int:
        return len(self.images)

    @property
    def is_human(self) -> npt.NDArray[np.bool_]:
        """Which rows people wrote."""
        return np.array([writer == HUMAN for writer in self.writers], dtype=bool)

    def fingerprint(self) -> str:
        """Return a short hash of all rows, in order."""
        digest = hashlib.blake2b(digest_size=8)
        for row in zip(self.images, self.writers, self.candidates, self.references, strict=True):
            digest.update(repr(row).encode())
        return digest.hexdigest()


def collect_rows(sources: CaptionSources, images: int, seed: int, positives: int = 3) -> WrittenCaptions:
    """Draw images, and for each some human captions and one of each system.

    Parameters
    ----------
    sources : CaptionSources
        The captions.
    images : int
        How many images are drawn; 0 for all that can be used.
    seed : int
        Of the draws.
    positives : int
        Human captions of an image: each stands against its four siblings. A system's caption stands against four of the
        image's five.
    """
    human = captions_of("coco", sources.captions)
    machine = read_systems(sources)
    usable, removed = usable_images(human, machine, sources)
    generator = np.random.default_rng(seed)
    drawn = [usable[place] for place in generator.permutation(len(usable))[: images or len(usable)].tolist()]
    removed["not drawn"] = len(usable) - len(drawn)
    rows = WrittenCaptions([], [], [], [], removed)
    for image in drawn:
        five = human[image][:CAPTIONS]
        places = generator.permutation(CAPTIONS)[:positives].tolist()
        for place in places:
            _add(rows, image, HUMAN, five[place], five, place)
        for name, captions in machine.items():
            _add(rows, image, name, captions[image], five, int(generator.integers(CAPTIONS)))
    return rows


def _add(rows: WrittenCaptions, image: str, writer: str, candidate: str, five: tuple[str, ...], without: int) -> None:
    rows.images.append(image)
    rows.writers.append(writer)
    rows.candidates.append(candidate)
    rows.references.append((*five[:without], *five[without + 1 :]))


def read_systems(sources: CaptionSources) -> dict[str, dict[str, str]]:
    """Return the captions of the wanted systems, by system and image."""
    files: dict[str, Path] = {}
    for folder in sources.systems:
        files.update(find_systems(folder, folder))
    unknown = [name for name in sources.names if name not in files]
    if unknown:
        raise InputError(f"There is no caption file of {name_some(unknown)}: the systems are {', '.join(files)}.")
    wanted = {name: files[name] for name in (sources.names or files)}
    return {
        name: {image_key(str(image)): str(text) for image, text in zip(table.ids, table.captions, strict=True)}
        for name, table in load_systems(wanted).items()
    }


def usable_images(
    human: Mapping[str, Sequence[str]], machine: Mapping[str, Mapping[str, str]], sources: CaptionSources
) -> tuple[list[str], dict[str, int]]:
    """Return the images that may be used, and how many may not, by the first reason that applies."""
    for name, listed in sources.excluded.items():
        if listed and listed.isdisjoint(human):
            raise InputError(
                f"None of the {len(listed):,} images of '{name}' has captions in {sources.captions}: a list holds ids "
                f"such as {next(iter(human))}, one a line."
            )
    words = equal_words()
    judged = {words(caption) for caption in sources.overlap}
    removed = dict.fromkeys(
        [*sources.excluded, "fewer than five captions", "not captioned by every system", "a caption of a judged image"],
        0,
    )
    usable = []
    for image, captions in human.items():
        reason = next((why for why, gone in sources.excluded.items() if image in gone), None)
        if reason is None and len(captions) < CAPTIONS:
            reason = "fewer than five captions"
        if reason is None and not all(image in captioned for captioned in machine.values()):
            reason = "not captioned by every system"
        if reason is None and judged and any(words(caption) in judged for caption in captions):
            reason = "a caption of a judged image"
        if reason is None:
            usable.append(image)
        else:
            removed[reason] += 1
    if not usable:
        raise InputError(f"No image can be used: {removed_images(removed)}.")
    return usable, removed


def removed_images(removed: Mapping[str, int]) -> str:
    """Write how many images were not used, and why."""
    return ", ".join(f"{count:,} {reason}" for reason, count in removed.items() if count)
