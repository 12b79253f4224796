"""Where a METEOR score comes from: the alignment with the best reference, and what its matches are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.prepared import Prepared
from caplens.errors import counted, name_some
from caplens.metrics.meteor.metric import COLUMNS, STAGES
from caplens.metrics.row_texts import RowTexts, texts_of_rows
from caplens.metrics.sentences import share, stated
from caplens.output.explanation import Alignment, Cell, Explanation, Link, Table

if TYPE_CHECKING:
    from caplens.metrics.meteor.metric import Meteor

Match = tuple[int, int, int, int, int]
BLOCK_ROWS = 256
_COUNTS = [COLUMNS.index(name) for name in ("chunks", "matched", "reference_matched")]


@dataclass(frozen=True)
class _Side:
    """One side of a pair: its words, which of them are function words, and the spans that matched."""

    words: list[str]
    is_function: list[bool]
    spans: list[range]

    def worth(self, places: Sequence[int], delta: float) -> float:
        """Return what words count before the stage's weight."""
        return sum(1 - delta if self.is_function[place] else delta for place in places)

    def of_kind(self, places: Sequence[int], *, function: bool) -> list[int]:
        """Return the places of content words, or of function words."""
        return [place for place in places if self.is_function[place] == function]

    @property
    def places(self) -> range:
        """All places."""
        return range(len(self.words))

    @property
    def unmatched(self) -> list[int]:
        """Places that no match covers."""
        matched = {place for span in self.spans for place in span}
        return [place for place in self.places if place not in matched]


@dataclass(frozen=True)
class _Pair:
    """A candidate with one of its references: the links between them (in the candidate's order) and its numbers."""

    ours: _Side
    theirs: _Side
    links: list[Link]
    numbers: dict[str, float]
    parts: dict[str, float]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Chunks, matched words, matched words of the reference."""
        return (
            int(self.numbers["chunks"]),
            int(self.numbers["matched"]),
            int(self.numbers["reference_matched"]),
        )


@dataclass(frozen=True)
class _Block:
    """The alignments of some rows with all their references, one after the other.

    Attributes
    ----------
    first : list of int
        The place of the first reference of each row.
    matches, numbers : list
        Of each reference.
    parts : dict
        What scores are made of, see `Meteor.parts`, for all references.
    """

    first: list[int]
    matches: list[list[Match]]
    numbers: list[list[float]]
    parts: dict[str, list[float]]


class Explainer:
    """Explains rows of a corpus: rows are aligned in blocks, since a formula on arrays costs the same for one."""

    def __init__(self, metric: Meteor, prepared: Prepared) -> None:
        # Not the corpus itself, which keeps this: the two would outlive their use together.
        self._metric, self._sets, self._offsets = metric, prepared.reference_set, prepared.references.offsets
        self._request, self._key = str(metric.request()), metric.result_keys[0]
        self._texts = texts_of_rows(prepared, metric.words)
        self._given = texts_of_rows(prepared, metric.words.given)
        self._scorer = metric.scorers(prepared)()
        # The kernel itself chooses, so that rounding cannot make the explanation prefer another one of two equals.
        self._best = metric.best_pairs(prepared)[1]
        self._words = [side.get(metric.words) for side in (prepared.candidates, prepared.references)]
        self._is_function = [
            side.get(metric.facts_of_words).is_function for side in (prepared.candidates, prepared.references)
        ]
        self._blocks: dict[int, _Block] = {}

    def explain(self, row: int) -> Explanation:
        """Explain one row."""
        metric, texts = self._metric, self._texts[row]
        if not texts.references:
            return Explanation(
                metric=self._request,
                candidate=texts.candidate,
                references=(),
                scores={self._key: 0.0},
                facts={"words": len(texts.words)},
                sections=(),
                summary=stated(self._key, 0.0, "the candidate has no references"),
            )
        first = int(self._offsets[self._sets[row]])
        best = max(int(self._best[row]) - first, 0)
        block = self._block(row)
        start = block.first[row % BLOCK_ROWS]
        pair = self._pair(block, start + best, row, first + best, texts)
        chunks, matched, reference_matched = pair.counts
        facts: dict[str, Cell] = {
            "precision": pair.parts["precision"],
            "recall": pair.parts["recall"],
            "F-mean": pair.parts["F-mean"],
            "chunks": chunks,
            "fragmentation": pair.parts["fragmentation"],
            "penalty": pair.parts["penalty"],
            "best reference": best + 1,
            "words": len(pair.ours.words),
            "matched words": matched,
            "reference words": len(pair.theirs.words),
            "matched reference words": reference_matched,
        }
        title = f"alignment with reference {best + 1}"
        return Explanation(
            metric=self._request,
            candidate=texts.candidate,
            references=texts.references,
            scores={self._key: pair.parts["score"]},
            facts=facts,
            sections=(
                Alignment(title, tuple(pair.ours.words), tuple(pair.theirs.words), tuple(pair.links)),
                _matches(metric, pair),
                _unmatched(pair),
                _account(metric, pair, "precision", "candidate", ""),
                _account(metric, pair, "recall", "reference", "reference_"),
                _by_reference(block, range(start, start + len(texts.references))),
            ),
            notes=_notes(metric, self._given[row], texts, pair, best),
            summary=stated(self._key, pair.parts["score"], _reason(pair, best)),
        )

    def _block(self, row: int) -> _Block:
        """Return the block that has a row."""
        number = row // BLOCK_ROWS
        found = self._blocks.get(number)
        if found is None:
            rows = range(number * BLOCK_ROWS, min((number + 1) * BLOCK_ROWS, len(self._sets)))
            found = self._blocks[number] = self._aligned(rows)
        return found

    def _aligned(self, rows: range) -> _Block:
        sets, offsets = self._sets, self._offsets
        block = _Block([], [], [], {})
        for row in rows:
            block.first.append(len(block.matches))
            for caption in range(*offsets[sets[row] :][:2].tolist()):
                matches, numbers = self._scorer.alignment(row, caption)
                block.matches.append(matches)
                block.numbers.append(numbers)
        table = np.array(block.numbers).reshape(-1, len(COLUMNS))
        block.parts.update({name: values.tolist() for name, values in self._metric.parts(table).items()})
        return block

    def _pair(self, block: _Block, place: int, row: int, caption: int, texts: RowTexts) -> _Pair:
        """Return what is known about a row and one of its references, ``place`` among those of the block."""
        matches = sorted(block.matches[place])
        reference = texts.reference_words[place - block.first[row % BLOCK_ROWS]]
        return _Pair(
            self._side(0, row, texts.words, [range(start, start + length) for start, length, *_ in matches]),
            self._side(1, caption, reference, [range(match[2], match[2] + match[3]) for match in matches]),
            _links(matches),
            dict(zip(COLUMNS, block.numbers[place], strict=True)),
            {name: values[place] for name, values in block.parts.items()},
        )

    def _side(self, which: int, caption: int, words: list[str], spans: list[range]) -> _Side:
        encoded = self._words[which]
        ids = encoded.ids[encoded.offsets[caption] : encoded.offsets[caption + 1]]
        return _Side(words, self._is_function[which][ids].astype(bool).tolist(), spans)


def _reason(pair: _Pair, best: int) -> str:
    chunks, matched, _ = pair.counts
    if not pair.ours.words:
        return "the candidate has no words"
    if not matched:
        return "no word of the candidate matches a word of a reference"
    words = share(matched, len(pair.ours.words), "word")
    return f"{words} {'matches' if matched == 1 else 'match'} reference {best + 1}, in {counted(chunks, 'chunk')}"


def _links(matches: list[Match]) -> list[Link]:
    """Return matches, which are in the candidate's order, with their chunks.

    Examples
    --------
    >>> [link.chunk for link in _links([(0, 1, 0, 1, 0), (1, 1, 1, 2, 3), (2, 1, 5, 1, 0)])]
    [1, 1, 2]
    """
    links: list[Link] = []
    chunk, end, reference_end = 0, -1, -1
    for start, length, reference_start, reference_length, stage in matches:
        if (start, reference_start) != (end, reference_end):
            chunk += 1
        links.append(Link(start, length, reference_start, reference_length, STAGES[stage], chunk))
        end, reference_end = start + length, reference_start + reference_length
    return links


def _matches(metric: Meteor, pair: _Pair) -> Table:
    """List the matches; the last two columns add up to precision and recall."""
    weights = dict(zip(STAGES, metric.weights, strict=True))
    wholes = [side.worth(side.places, metric.delta) for side in (pair.ours, pair.theirs)]
    rows: list[tuple[Cell, ...]] = []
    for link, ours, theirs in zip(pair.links, pair.ours.spans, pair.theirs.spans, strict=True):
        weight = weights[link.stage]
        shares = [
            weight * side.worth(span, metric.delta) / whole if whole else 0.0
            for side, span, whole in zip((pair.ours, pair.theirs), (ours, theirs), wholes, strict=True)
        ]
        words = (_joined(pair.ours.words, ours), _joined(pair.theirs.words, theirs))
        rows.append((*words, link.stage, link.chunk, weight, *shares))
    columns = ("candidate", "reference", "stage", "chunk", "weight", "adds to precision", "adds to recall")
    return Table("matches", columns, tuple(rows))


def _unmatched(pair: _Pair) -> Table:
    rows = []
    for caption, side in (("candidate", pair.ours), ("reference", pair.theirs)):
        places = side.unmatched
        if places:
            content, function = (side.of_kind(places, function=function) for function in (False, True))
            rows.append((caption, _joined(side.words, content), _joined(side.words, function)))
    return Table("words without a match", ("caption", "content words", "function words"), tuple(rows))


def _account(metric: Meteor, pair: _Pair, name: str, caption: str, side: str) -> Table:
    """Count a caption's matched words by stage and what they are worth, so that P or R can be computed by hand.

    ``side`` is the prefix of the caption's numbers in the statistics.
    """

    def entry(title: str, content: float, function: float, weight: float = 1.0) -> tuple[Cell, ...]:
        worth = weight * (metric.delta * content + (1 - metric.delta) * function)
        return (title, weight, int(content), int(function), worth)

    stages = [
        entry(stage, pair.numbers[f"{stage}_{side}content"], pair.numbers[f"{stage}_{side}function"], weight)
        for stage, weight in zip(STAGES, metric.weights, strict=True)
    ]
    functions = pair.numbers[f"{side}function_words"]
    rows = [row for row in stages if row[2] or row[3]]
    rows.append(entry("all words", pair.numbers[f"{side}length"] - functions, functions))
    columns = (
        "stage",
        "weight",
        f"content ({metric.delta:g})",
        f"function ({1 - metric.delta:g})",
        "weighted sum",
    )
    return Table(f"{name}: the {caption}'s matched words / all its words, weighted", columns, tuple(rows))


def _by_reference(block: _Block, places: range) -> Table:
    names = ("score", "precision", "recall", "F-mean", "penalty")
    rows = tuple(
        (
            number,
            *(block.parts[name][place] for name in names),
            *(int(block.numbers[place][column]) for column in _COUNTS),
        )
        for number, place in enumerate(places, 1)
    )
    return Table("by reference", ("no.", *names, "chunks", "matched words", "matched reference words"), rows)


def _notes(metric: Meteor, given: RowTexts, texts: RowTexts, pair: _Pair, best: int) -> tuple[str, ...]:
    notes = []
    changes = dict.fromkeys(
        [*_changes(given.words, texts.words), *_changes(given.reference_words[best], texts.reference_words[best])]
    )
    if changes and metric.normalize:
        notes.append(f"METEOR's own normaliser rewrites words before they are compared: {name_some(list(changes))}.")
    if pair.numbers["chunks"] != pair.numbers["penalized_chunks"]:
        notes.append("The captions match from end to end in one chunk; METEOR counts that as no fragmentation at all.")
    taken = [
        f"{ours} = {theirs}"
        for link in pair.links
        if link.stage == "exact"
        and (ours := pair.ours.words[link.start]) != (theirs := pair.theirs.words[link.reference_start])
    ]
    if taken:
        notes.append(f"METEOR compares words by a 32-bit hash, which some words share: {name_some(taken)}.")
    return tuple(notes)


def _changes(before: list[str], after: list[str]) -> list[str]:
    """Say which words became others, but for lower case.

    Examples
    --------
    >>> _changes(["a", "t-shirt", "here"], ["a", "t", "shirt", "here"])
    ['t-shirt -> t shirt']
    """
    before = [word.lower() for word in before]
    if before == after:
        return []
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        f"{' '.join(before[first:last])} -> {' '.join(after[other:end]) or 'nothing'}"
        for what, first, last, other, end in changes
        if what != "equal"
    ]


def _joined(words: list[str], places: Sequence[int]) -> str:
    return " ".join(words[place] for place in places)
