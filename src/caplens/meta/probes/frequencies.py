"""How often systems use words, against people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus import CaptionTable, normalise_ids
from caplens.errors import InputError
from caplens.meta.correlations import plain
from caplens.meta.study import Study
from caplens.meta.systems.files import coco_references, load_systems
from caplens.output.tables import Column, NumberTable, Value
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import EncodedWords, encode_words

Integers = npt.NDArray[np.int64]

BANDS = (10, 100, 1000, 10_000)
"""Words are grouped by their rank among people: the ten most frequent, the next ninety, and so on."""
SHOWN_WORDS = 20
PEOPLE = "people"
"""What the captions of people are called among those of systems."""
EDGES_A_DECADE = 4
"""How finely the curve over ranks is drawn."""


def frequency_study(files: dict[str, Path], captions: Path, tokenizer: str = "ptb") -> Study:
    """Compare the relative frequencies of words in systems' captions with those of people, on the same images."""
    systems = load_systems(files)
    common = set.intersection(*(_ids(table) for table in systems.values()))
    people = _of_images(coco_references(captions), common)
    base = encode_words(Captions.from_texts(people.captions)[0], get_tokenizer(tokenizer))
    human = np.bincount(base.ids, minlength=len(base.table))
    figures = {PEOPLE: {"captions": len(people.captions), **word_figures(human, human, _spell(base))}}
    for name, table in systems.items():
        theirs = _of_images(table, common)
        words = encode_words(Captions.from_texts(theirs.captions)[0], get_tokenizer(tokenizer), base)
        counts = np.bincount(words.ids, minlength=len(words.table))
        padded = np.pad(human, (0, len(counts) - len(human)))
        figures[name] = {"captions": len(theirs.captions), **word_figures(counts, padded, _spell(words))}
    data: dict[str, Any] = {
        "preset": {"name": "001", "source": "Learning to evaluate image captioning (Cui et al., CVPR 2018), figure 4"},
        "n": len(set(people.ids)),
        "left_out": {},
        "bands": [_label(place) for place in range(len(BANDS) + 1)],
        "ranks": rank_edges(int((human > 0).sum())),
        "systems": figures,
        "metrics": {},
    }
    return Study("frequencies", data, (_table(data),))


def _ids(table: CaptionTable) -> set[str]:
    return set(normalise_ids(table.ids))


def _of_images(references: CaptionTable, images: set[str]) -> CaptionTable:
    ids = normalise_ids(references.ids)
    kept = [place for place, image in enumerate(ids) if image in images]
    if not kept:
        raise InputError("The systems and the reference captions have no images in common.")
    return CaptionTable(
        [ids[place] for place in kept], [references.captions[place] for place in kept], references.source
    )


def _spell(words: EncodedWords) -> list[str]:
    return [words.table.key(word).decode("utf-8") for word in range(len(words.table))]


def word_figures(counts: Integers, human: Integers, words: list[str]) -> dict[str, Any]:
    """Return vocabulary, words, and the share of each band of words with the logarithm of its ratio to people's.

    ``frequencies`` are the mean relative frequencies of the words between two `rank_edges`.

    Examples
    --------
    >>> figures = word_figures(np.array([8, 2, 0]), np.array([5, 3, 2]), ["a", "dog", "cat"])
    >>> figures["vocabulary"], figures["bands"][0]["share"]
    (2, 1.0)
    """
    ranks = np.empty(len(human), dtype=np.int64)
    ranks[np.argsort(-human, kind="stable")] = np.arange(len(human))
    bands = np.searchsorted(BANDS, ranks, side="right")
    bands[human == 0] = len(BANDS)  # what people never say is rarer than anything that they do
    ours, theirs = counts / max(counts.sum(), 1), human / max(human.sum(), 1)
    figures = []
    for band in range(len(BANDS) + 1):
        share, base = float(ours[bands == band].sum()), float(theirs[bands == band].sum())
        ratio = float(np.log10(share / base)) if share > 0 and base > 0 else float("nan")
        figures.append({"share": share, "log10_ratio": plain(ratio)})
    edges = rank_edges(int((human > 0).sum()))
    spread = [float(ours[(ranks >= low) & (ranks < high)].mean()) for low, high in pairwise(edges)]
    both = np.flatnonzero((counts > 0) & (human > 0))
    logs = np.log10(ours[both] / theirs[both])
    order = both[np.argsort(logs * np.sqrt(theirs[both]))]
    return {
        "words": int(counts.sum()),
        "vocabulary": int((counts > 0).sum()),
        "bands": figures,
        "frequencies": spread,
        "less_than_people": [words[word] for word in order[:SHOWN_WORDS].tolist()],
        "more_than_people": [words[word] for word in order[::-1][:SHOWN_WORDS].tolist()],
    }


def rank_edges(words: int) -> list[int]:
    """Return ranks (from 0) that cut the words of people into ever wider pieces.

    Examples
    --------
    >>> rank_edges(30)
    [0, 1, 3, 5, 10, 17, 30]
    """
    decades = math.log10(max(words, 1))
    edges = [int(10 ** (step / EDGES_A_DECADE)) for step in range(1 + int(decades * EDGES_A_DECADE))]
    return sorted({0, *edges, words})


def _label(place: int) -> str:
    low = 1 if place == 0 else BANDS[place - 1] + 1
    return f"{low:,}-{BANDS[place]:,}" if place < len(BANDS) else f"from {low:,}"


def _table(data: Mapping[str, Any]) -> NumberTable:
    columns = [Column("captions by"), Column("captions"), Column("words"), Column("vocabulary")]
    columns += [Column(f"log10, {band}", "+.2f") for band in data["bands"]]
    rows = []
    for name, figures in data["systems"].items():
        cells: list[Value] = [name, figures["captions"], figures["words"], figures["vocabulary"]]
        rows.append((*cells, *(band["log10_ratio"] for band in figures["bands"])))
    note = (
        f"logarithm of the share of words against that of people on the same {data['n']:,} images, by the words' rank "
        "of frequency among people; the last band also holds words that people never use. More captions have a larger "
        "vocabulary."
    )
    return NumberTable("frequencies: words of systems against people", tuple(columns), tuple(rows), (note,))
