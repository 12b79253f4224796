"""How often systems use words, against people."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Integers
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.corpus import CaptionTable, normalise_ids
from caplens.errors import InputError
from caplens.meta.drawing import Figure, line_style, panels, plain_frame, shared_legend
from caplens.meta.outcome import INLINED, LeftOut, Outcome
from caplens.meta.published import cui2018
from caplens.meta.scoring import OwnScores, ScoreFacts
from caplens.meta.study import PathLike, Preset, WithCaptions
from caplens.meta.systems.files import coco_references, find_systems, load_systems
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, Value
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import EncodedWords, encode_words

BANDS = (10, 100, 1000, 10_000)
"""Words are grouped by their rank among people: the ten most frequent, the next ninety, and so on."""
SHOWN_WORDS = 20
PEOPLE = "people"
"""What the captions of people are called among those of systems."""
EDGES_A_DECADE = 4
"""How finely the curve over ranks is drawn."""


@dataclass(frozen=True)
class Band:
    """The share of words in a band of ranks, and the logarithm of its ratio to people's."""

    share: float
    log10_ratio: float | None


@dataclass(frozen=True)
class WordFigures:
    """How often words are used, against people.

    Attributes
    ----------
    words, vocabulary : int
        How many words, and how many different ones.
    bands : list of Band
        The share of each of the `BANDS`.
    frequencies : list of float
        The mean relative frequencies of the words between two `rank_edges`.
    less_than_people, more_than_people : list of str
        The words that differ most.
    """

    words: int
    vocabulary: int
    bands: list[Band]
    frequencies: list[float]
    less_than_people: list[str]
    more_than_people: list[str]


@dataclass(frozen=True)
class SystemWords:
    """The words in the captions of a system, or of people."""

    captions: int
    figures: WordFigures = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FrequencyOutcome(Outcome):
    """How often systems use words, against people, on the same images."""

    preset: Preset
    n: int
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    bands: list[str]
    ranks: list[int]
    systems: dict[str, SystemWords]
    metrics: dict[str, ScoreFacts] = field(default_factory=dict)

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per system."""
        columns = [Column("captions by"), Column("captions"), Column("words"), Column("vocabulary")]
        columns += [Column(f"log10, {band}", "+.2f") for band in self.bands]
        rows: list[tuple[Value, ...]] = [
            (
                *(name, entry.captions, entry.figures.words, entry.figures.vocabulary),
                *(band.log10_ratio for band in entry.figures.bands),
            )
            for name, entry in self.systems.items()
        ]
        note = (
            f"log10 of how often words are used, relative to people on the same {self.n:,} images, by the words' "
            f"frequency rank among people; the last band also includes words that people never use. More captions "
            f"have a larger vocabulary."
        )
        return (NumberTable("frequencies: words of systems against people", tuple(columns), tuple(rows), (note,)),)

    def figure(self) -> Figure:
        """Draw the relative frequency of words by their rank among people, and its ratio to theirs."""
        middles = [math.sqrt((low + 1) * high) for low, high in pairwise(self.ranks)]
        people = np.array(self.systems[PEOPLE].figures.frequencies)
        figure, (left, right) = panels(2, 2, (4.6, 4.2))
        for place, (name, entry) in enumerate(self.systems.items()):
            style = {"color": "black", "linewidth": 2.5} if name == PEOPLE else line_style(place - 1)
            used = np.array([value if value > 0 else math.nan for value in entry.figures.frequencies])
            left.plot(middles, used, label=name, **style)
            right.plot(middles, np.log10(used / people), label=name, **style)
        left.set_yscale("log")
        left.set_ylabel("relative frequency, mean of words")
        right.set_ylabel("logarithm (base 10), minus that of people")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("rank of the word among people")
            plain_frame(axes)
        figure.suptitle(f"words of systems and of people on {self.n:,} images", fontsize="medium")
        shared_legend(figure, left)
        return figure


@dataclass(frozen=True)
class Frequencies(WithCaptions):
    """Relative frequencies of words in systems' captions against those of people, on the same images."""

    name: ClassVar[str] = "frequencies"
    data_help: ClassVar[str] = "folder with COCO's captions and caption files of systems (in a subfolder 'systems')"
    takes_metrics: ClassVar[bool] = False
    takes_scores: ClassVar[bool] = False
    published: ClassVar[Preset] = Preset(cui2018.NAME, f"{cui2018.SOURCE}, figure 4")

    systems: PathLike | None = option(
        None, "folder with one caption file per system, if it is not in the data folder", metavar="DIR"
    )
    tokenizer: str = option("ptb", "tokenizer: ptb, none, intl or char", metavar="NAME")

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> FrequencyOutcome:
        """Count the words of systems and of people."""
        systems = load_systems(find_systems(data, self.systems))
        common = set.intersection(*(_ids(table) for table in systems.values()))
        people = _of_images(coco_references(self.captions_in(data)), common)
        base = encode_words(Captions.from_texts(people.captions)[0], get_tokenizer(self.tokenizer))
        human = np.bincount(base.ids, minlength=len(base.table))
        figures = {PEOPLE: SystemWords(len(people.captions), word_figures(human, human, _spell(base)))}
        for name, table in systems.items():
            theirs = _of_images(table, common)
            words = encode_words(Captions.from_texts(theirs.captions)[0], get_tokenizer(self.tokenizer), base)
            counts = np.bincount(words.ids, minlength=len(words.table))
            padded = np.pad(human, (0, len(counts) - len(human)))
            figures[name] = SystemWords(len(theirs.captions), word_figures(counts, padded, _spell(words)))
        return FrequencyOutcome(
            study=self.name,
            preset=self.published,
            n=len(set(people.ids)),
            bands=[_label(place) for place in range(len(BANDS) + 1)],
            ranks=rank_edges(int((human > 0).sum())),
            systems=figures,
        )


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


def word_figures(counts: Integers, human: Integers, words: list[str]) -> WordFigures:
    """Return how often words are used, given how often people use them.

    Examples
    --------
    >>> figures = word_figures(np.array([8, 2, 0]), np.array([5, 3, 2]), ["a", "dog", "cat"])
    >>> figures.vocabulary, figures.bands[0].share
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
        figures.append(Band(share, number(ratio)))
    edges = rank_edges(int((human > 0).sum()))
    spread = [float(ours[(ranks >= low) & (ranks < high)].mean()) for low, high in pairwise(edges)]
    both = np.flatnonzero((counts > 0) & (human > 0))
    logs = np.log10(ours[both] / theirs[both])
    order = both[np.argsort(logs * np.sqrt(theirs[both]))]
    return WordFigures(
        int(counts.sum()),
        int((counts > 0).sum()),
        figures,
        spread,
        less_than_people=[words[word] for word in order[:SHOWN_WORDS].tolist()],
        more_than_people=[words[word] for word in order[::-1][:SHOWN_WORDS].tolist()],
    )


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
