"""CHAIR: how many of the objects that captions name are not in the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.errors import SHOWN_IDS, Notice, counted
from caplens.metrics.chair import objects as known_objects
from caplens.metrics.chair.words import Mention, Mentions, load
from caplens.metrics.row_texts import row_texts
from caplens.output.explanation import Explanation, Mark, MarkedText, Table

_COLUMNS = ("known", "mentions", "hallucinated", "hallucinating", "recalled", "objects")


@dataclass(frozen=True)
class Chair(Metric):
    r"""CHAIR: the share of hallucinated object mentions, and of captions with at least one; lower is better.

    .. math:: \mathrm{CHAIR}_i = \frac{|\text{mentions of objects that the image does not have}|}
              {|\text{mentions of objects}|},\quad
              \mathrm{CHAIR}_s = \frac{|\text{captions with such a mention}|}{|\text{captions}|}

    Objects are COCO's 80 categories, each with a list of words; every mention counts. ``CHAIR_Recall`` is the share
    of the images' objects that their captions mention. No references are needed: the objects
    of the 40,504 images of COCO val2014 ship with caplens (from the instance annotations and the images' own captions,
    as in the paper), and the id of a caption is its image (``391895``, or a file name such as
    ``COCO_val2014_000000391895.jpg``). Captions of other images get no score. The minimum of the first two, 0, is
    reached if every mentioned object is in the image.

    References
    ----------
    A. Rohrbach, L. A. Hendricks, K. Burns, T. Darrell, K. Saenko: Object hallucination in image captioning, EMNLP 2018.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score({391895: "a man and his dog on a motorcycle"}, metrics="chair")
    >>> {key: round(score.score, 3) for key, score in result.items()}
    {'CHAIRi': 0.333, 'CHAIRs': 1.0, 'CHAIR_Recall': 0.667}
    """

    name: ClassVar[str] = "chair"
    title: ClassVar[str] = "CHAIR"
    english_because: ClassVar[str] = "it knows English words for objects"
    origin: ClassVar[str] = "Rohrbach et al. 2018"
    idea: ClassVar[str] = "objects that captions mention but the image does not contain"
    needs: ClassVar[str] = "no extra data for images of COCO val2014; no references"
    key_stem: ClassVar[str] = "CHAIR"
    higher_is_better: ClassVar[bool] = False

    objects: str = option(known_objects.COCO, "objects in the images: `coco-val2014` (shipped) or a file")
    references: Literal["ignore", "add"] = option(
        "ignore", "`add`: also count objects named in the references as present"
    )
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``CHAIRi``, ``CHAIRs`` and ``CHAIR_Recall``."""
        return ("CHAIRi", "CHAIRs", "CHAIR_Recall")

    @property
    def falling_keys(self) -> frozenset[str]:
        """All but the recall."""
        return frozenset(self.result_keys[:2])

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def needs_references(self) -> bool:
        """Only if their objects count."""
        return self.references == "add"

    @property
    def mentions(self) -> Mentions:
        """What captions name."""
        return Mentions(WordIds(self.tokenizer, split=True))

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words."""
        return (self.mentions.words,)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the objects."""
        found = known_objects.load_objects(self.objects)
        return NamedState(found.notices, (("image_objects", found.fingerprint),))

    def _image_objects(self, prepared: Prepared) -> list[frozenset[int] | None]:
        """Return the objects of each row's image; None where they are not known."""
        known = known_objects.load_objects(self.objects)
        sets = prepared.reference_set.tolist()
        names = prepared.references.ids
        found = [known.of(names[number]) for number in sets]
        if prepared.groups is not None:  # rows that carry their references have sets of their own
            found = [
                known.of(group) if objects is None else objects
                for objects, group in zip(found, prepared.groups, strict=True)
            ]
        if self.references == "ignore":
            return found
        named = prepared.references.get(self.mentions)
        offsets = prepared.references.offsets.tolist()
        added = {
            number: {each.category for mentions in named[offsets[number] : offsets[number + 1]] for each in mentions}
            for number in set(sets)
        }
        return [
            None if objects is None else objects | added[number] for objects, number in zip(found, sets, strict=True)
        ]

    def notices(self, prepared: Prepared) -> tuple[Notice, ...]:
        """Count the candidates of images whose objects are not known."""
        without = [row for row, objects in enumerate(self._image_objects(prepared)) if objects is None]
        if not without:
            return ()
        ids = tuple(str(row) if prepared.ids is None else prepared.ids[row] for row in without[:SHOWN_IDS])
        message = (
            f"{counted(len(without), 'candidate')} without a CHAIR score: {self.objects} does not list the objects of "
            "the image; a candidate's id must be that of its image, or specify a file: chair(objects=FILE)"
        )
        return (Notice("image-without-objects", message, len(without), ids),)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Count mentions, hallucinated ones, and objects that are named; zeros where an image is not known."""
        table = np.zeros((len(prepared), len(_COLUMNS)))
        named = prepared.candidates.get(self.mentions)
        for row, (mentions, objects) in enumerate(zip(named, self._image_objects(prepared), strict=True)):
            if objects is None:
                continue
            categories = [mention.category for mention in mentions]
            hallucinated = sum(category not in objects for category in categories)
            recalled = len(objects.intersection(categories))
            table[row] = 1, len(categories), hallucinated, hallucinated > 0, recalled, len(objects)
        return Statistics(_COLUMNS, table)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the three shares; one without any mention is 0, without any known image it does not exist."""
        known, mentions, hallucinated, hallucinating, recalled, objects = np.moveaxis(np.asarray(sums), -1, 0)
        numerators = np.stack([hallucinated, hallucinating, recalled], axis=-1)
        denominators = np.stack([np.where(known > 0, np.maximum(mentions, 1), 0), known, objects], axis=-1)
        shares: Floats = np.full(numerators.shape, np.nan)
        np.divide(numerators, denominators, out=shares, where=denominators > 0)
        return shares

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Mark the words that name objects, and list those that the image does not have."""
        texts = row_texts(prepared, self.mentions.words, row)
        scores = self.item_scores(self.known_statistics(prepared, state))[row].tolist()
        objects = self._image_objects(prepared)[row]
        mentions = prepared.candidates.get(self.mentions)[row]
        names = load().categories
        listed = tuple(
            (
                " ".join(texts.words[each.first : each.first + each.length]),
                names[each.category],
                _verdict(each, objects),
            )
            for each in mentions
        )
        hallucinated = [word for word, _, verdict in listed if verdict == "hallucinated"]
        named = {mention.category for mention in mentions}
        others = ", ".join(names[number] for number in sorted(objects or ()) if number not in named)
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores=dict(zip(self.result_keys, scores, strict=True)),
            facts={
                "hallucinated": ", ".join(hallucinated) or "none",
                "in the image, not named": others or "none",
                "objects": self.objects,
            },
            sections=(
                MarkedText("candidate ([in the image], hallucinated)", _marked(texts.words, mentions, objects)),
                Table("mentions", ("words", "object", "verdict"), listed),
            ),
        )


def _verdict(mention: Mention, objects: frozenset[int] | None) -> str:
    if objects is None:
        return "not known"
    return "in the image" if mention.category in objects else "hallucinated"


def _marked(
    words: Sequence[str], mentions: Sequence[Mention], objects: frozenset[int] | None
) -> tuple[tuple[str, Mark], ...]:
    marks: list[Mark] = ["plain"] * len(words)
    for mention in mentions if objects is not None else ():
        mark: Mark = "match" if mention.category in (objects or ()) else "miss"
        marks[mention.first : mention.first + mention.length] = [mark] * mention.length
    return tuple(zip(words, marks, strict=True))
