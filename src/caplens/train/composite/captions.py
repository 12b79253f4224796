"""The captions that composite metrics learn from: people's against their siblings, systems' against the people's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caplens.api.loading import load_candidates
from caplens.errors import InputError, name_some
from caplens.meta.captions.judged import equal_words
from caplens.meta.image_captions import captions_by_image, image_key

CAPTIONS = 5
"""Of an image: one is the candidate, or is left out, and four are the references."""
HUMAN = "human"


@dataclass(frozen=True)
class CaptionSources:
    """Where the captions come from and which images may not be used.

    Attributes
    ----------
    references : tuple of pathlib.Path
        Files of captions by people, by image.
    systems : mapping of str to pathlib.Path
        The caption file of each system.
    excluded : mapping of str to frozenset of str
        Images that must not be used, by the reason (such as ``Karpathy test``).
    overlap : tuple of str
        Captions of judged images: an image that has one of them, word for word, is not used.
    only : frozenset of str, optional
        The images that may be used; all by default.
    """

    references: tuple[Path, ...]
    systems: Mapping[str, Path]
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    overlap: tuple[str, ...] = ()
    only: frozenset[str] | None = None


@dataclass(frozen=True, eq=False)
class WrittenCaptions:
    """Candidates with four references each, image after image.

    Attributes
    ----------
    images, writers, candidates : list of str
        One entry per row; a writer is ``human`` or the name of a system.
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


def collect_rows(
    sources: CaptionSources, images: int, seed: int, positives: int = 3, negatives: int = 3
) -> WrittenCaptions:
    """Draw images, and for each some human captions and one of each of some systems.

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
    negatives : int
        Systems that are drawn among those that captioned the image; 0 for all of them. An image that fewer captioned
        has fewer human captions in proportion.
    """
    human = captions_by_image(sources.references)
    machine = {name: read_system(path) for name, path in sources.systems.items()}
    usable, removed = usable_images(human, machine, sources)
    generator = np.random.default_rng(seed)
    drawn = [usable[place] for place in generator.permutation(len(usable))[: images or len(usable)].tolist()]
    removed["not drawn"] = len(usable) - len(drawn)
    rows = WrittenCaptions([], [], [], [], removed)
    for image in drawn:
        five = human[image][:CAPTIONS]
        having = [name for name, captions in machine.items() if image in captions]
        if negatives and len(having) > negatives:
            having = [having[place] for place in sorted(generator.permutation(len(having))[:negatives].tolist())]
        share = positives if not negatives else max(1, round(positives * len(having) / negatives))
        for place in generator.permutation(CAPTIONS)[:share].tolist():
            _add(rows, image, HUMAN, five[place], five, place)
        for name in having:
            _add(rows, image, name, machine[name][image], five, int(generator.integers(CAPTIONS)))
    return rows


def _add(rows: WrittenCaptions, image: str, writer: str, candidate: str, five: tuple[str, ...], without: int) -> None:
    rows.images.append(image)
    rows.writers.append(writer)
    rows.candidates.append(candidate)
    rows.references.append((*five[:without], *five[without + 1 :]))


def read_system(path: Path) -> dict[str, str]:
    """Return the caption of a system for each image, the first where it has several."""
    table = load_candidates(path)
    found: dict[str, str] = {}
    for image, text in zip(table.ids, table.captions, strict=True):
        found.setdefault(image_key(str(image)), str(text))
    return found


def usable_images(
    human: Mapping[str, Sequence[str]], machine: Mapping[str, Mapping[str, str]], sources: CaptionSources
) -> tuple[list[str], dict[str, int]]:
    """Return the images that may be used, and how many may not, by the first reason that applies."""
    for name, listed in sources.excluded.items():
        if listed and listed.isdisjoint(human):
            raise InputError(
                f"None of the {len(listed):,} images of '{name}' has captions in "
                f"{name_some([path.name for path in sources.references])}: the list must contain ids such as "
                f"{next(iter(human))}, one per line."
            )
    words = equal_words()
    judged = {words(caption) for caption in sources.overlap}
    captioned = {image for captions in machine.values() for image in captions}
    reasons = ["fewer than five captions", "captioned by no system", "a caption of a judged image"]
    removed = dict.fromkeys([*sources.excluded, *reasons], 0)
    usable = []
    for image, captions in human.items():
        if sources.only is not None and image not in sources.only:
            continue
        reason = next((why for why, gone in sources.excluded.items() if image in gone), None)
        if reason is None and len(captions) < CAPTIONS:
            reason = "fewer than five captions"
        if reason is None and image not in captioned:
            reason = "captioned by no system"
        if reason is None and judged and any(words(caption) in judged for caption in captions):
            reason = "a caption of a judged image"
        if reason is None:
            usable.append(image)
        else:
            removed[reason] += 1
    if not usable:
        raise InputError(f"No images can be used: {removed_images(removed) or 'none has captions of both'}.")
    return usable, removed


def removed_images(removed: Mapping[str, int]) -> str:
    """Write how many images were not used, and why."""
    return ", ".join(f"{count:,} {reason}" for reason, count in removed.items() if count)
