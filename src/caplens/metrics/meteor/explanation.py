"""Where a METEOR score comes from: the alignment with the best reference, and what its matches are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.prepared import Prepared, PreparedCaptions
from caplens.errors import counted, name_some
from caplens.metrics.meteor.metric import COLUMNS, STAGES
from caplens.metrics.row_texts import RowTexts, row_texts
from caplens.metrics.sentences import share, stated
from caplens.output.explanation import Alignment, Cell, Explanation, Link, Table

if TYPE_CHECKING:
    from caplens.metrics.meteor.metric import Meteor

Match = tuple[int, int, int, int, int]


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


def explain_row(metric: Meteor, prepared: Prepared, row: int) -> Explanation:
    """Explain one row: only its own pairs are aligned."""
    texts = row_texts(prepared, metric.words, row)
    pairs, best = _pairs(metric, prepared, row, texts)
    if not pairs:
        return Explanation(
            metric=str(metric.request()),
            candidate=texts.candidate,
            references=(),
            scores={metric.result_keys[0]: 0.0},
            facts={"words": len(texts.words)},
            sections=(),
            summary=stated(metric.result_keys[0], 0.0, "the candidate has no references"),
        )
    pair = pairs[best]
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
        metric=str(metric.request()),
        candidate=texts.candidate,
        references=texts.references,
        scores={metric.result_keys[0]: pair.parts["score"]},
        facts=facts,
        sections=(
            Alignment(title, tuple(pair.ours.words), tuple(pair.theirs.words), tuple(pair.links)),
            _matches(metric, pair),
            _unmatched(pair),
            _account(metric, pair, "precision", "candidate", ""),
            _account(metric, pair, "recall", "reference", "reference_"),
            _by_reference(pairs),
        ),
        notes=_notes(metric, prepared, row, texts, pair, best),
        summary=stated(metric.result_keys[0], pair.parts["score"], _reason(pair, best)),
    )


def _reason(pair: _Pair, best: int) -> str:
    chunks, matched, _ = pair.counts
    if not pair.ours.words:
        return "the candidate has no words"
    if not matched:
        return "no word of the candidate matches a word of a reference"
    words = share(matched, len(pair.ours.words), "word")
    return f"{words} {'matches' if matched == 1 else 'match'} reference {best + 1}, in {counted(chunks, 'chunk')}"


def _pairs(metric: Meteor, prepared: Prepared, row: int, texts: RowTexts) -> tuple[list[_Pair], int]:
    """Align the row with each of its references; also return which of them the metric takes."""
    new_scorer = prepared.once((metric, "scorers"), lambda: metric.scorers(prepared))
    scorer = prepared.once((metric, "scorer"), new_scorer)
    reference_set = prepared.reference_set[row]
    first = int(prepared.references.offsets[reference_set])
    pairs: list[_Pair] = []
    table: list[Sequence[float]] = []
    for caption, reference in enumerate(texts.reference_words, first):
        matches, numbers = scorer.alignment(row, caption)
        matches = sorted(matches)
        ours = _side(metric, prepared.candidates, row, texts.words, [(match[0], match[1]) for match in matches])
        theirs = _side(metric, prepared.references, caption, reference, [(match[2], match[3]) for match in matches])
        pairs.append(_Pair(ours, theirs, _links(matches), dict(zip(COLUMNS, numbers, strict=True)), {}))
        table.append(numbers)
    if pairs:  # all at once: a formula on arrays costs the same for one row
        parts = {name: values.tolist() for name, values in metric.parts(np.array(table)).items()}
        pairs = [
            replace(pair, parts={name: values[place] for name, values in parts.items()})
            for place, pair in enumerate(pairs)
        ]
    # The kernel itself chooses, so that rounding cannot make the explanation prefer another one of two equals.
    best = prepared.once((metric, "best"), lambda: metric.best_pairs(prepared)[1])
    return pairs, max(int(best[row]) - first, 0)


def _side(
    metric: Meteor, captions: PreparedCaptions, caption: int, words: list[str], spans: list[tuple[int, int]]
) -> _Side:
    encoded = captions.get(metric.words)
    ids = encoded.ids[encoded.offsets[caption] : encoded.offsets[caption + 1]]
    is_function = captions.get(metric.facts_of_words).is_function[ids].astype(bool).tolist()
    return _Side(words, is_function, [range(start, start + length) for start, length in spans])


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


def _by_reference(pairs: list[_Pair]) -> Table:
    names = ("score", "precision", "recall", "F-mean", "penalty")
    rows = tuple((number, *(pair.parts[name] for name in names), *pair.counts) for number, pair in enumerate(pairs, 1))
    return Table("by reference", ("no.", *names, "chunks", "matched words", "matched reference words"), rows)


def _notes(metric: Meteor, prepared: Prepared, row: int, texts: RowTexts, pair: _Pair, best: int) -> tuple[str, ...]:
    notes = []
    given = row_texts(prepared, metric.words.given, row)
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
