"""Where a SPICE score comes from: the tuples of both scene graphs, what they share, and the graphs themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.metric import State
from caplens.core.prepared import Prepared
from caplens.errors import name_some
from caplens.metrics.sentences import share, stated
from caplens.metrics.spice.preparing import CaptionGraphs, ReferenceGraphs
from caplens.metrics.spice.sides import GraphSide
from caplens.output.explanation import Cell, Explanation, SceneGraphs, Section, Table, Tuples
from caplens.scenegraph.graph.matching import names, similar_tuples
from caplens.scenegraph.graph.scene_graph import GraphTuple, SceneGraph
from caplens.scenegraph.graph.score import (
    KINDS,
    WORD_LISTS,
    WordLists,
    count_rows,
    partners_by_category,
    precision_recall_f,
)
from caplens.scenegraph.parser.caption_parser import AGREEMENT
from caplens.scenegraph.parser.registry import OWN

if TYPE_CHECKING:
    from caplens.metrics.spice.metric import Spice

ALL = KINDS[0]
FACTS = ("precision", "recall", "F", "matched tuples", "candidate tuples", "reference tuples")


@dataclass(frozen=True)
class _References:
    """The references of a row: as given, their scene graph, and how many there are and how many of them packs know."""

    texts: tuple[str, ...]
    side: GraphSide
    origin: tuple[int, int]


class Explainer:
    """Explains rows of a corpus; what they have in common is computed once."""

    def __init__(self, metric: Spice, prepared: Prepared, state: State) -> None:
        # Not the corpus itself, which keeps this: the two would outlive their use together.
        self._metric, self._sets = metric, prepared.reference_set
        self._captions, self._texts = prepared.candidates.captions, prepared.references.captions
        self._offsets = prepared.references.offsets
        self._ours, self._theirs = (side.get(metric.proposed) for side in (prepared.candidates, prepared.references))
        self._graphs = prepared.candidates.get(CaptionGraphs(metric.proposed, metric.synonyms))
        self._graphs_of_sets = prepared.references.get(ReferenceGraphs(metric.proposed, metric.synonyms))
        self._request, self._keys = str(metric.request()), metric.result_keys
        self._scores = metric.known_item_scores(prepared, state)
        self._counts = metric.known_counts(prepared)
        self._shares = np.stack(precision_recall_f(self._counts), axis=-1)
        self._agreement = (AGREEMENT,) if metric.parser == OWN else ()
        # Other systems have the same references, and explain their rows beside these.
        self._known: dict[int, _References]
        self._known = prepared.references.once((metric, "sides"), dict)

    def explain(self, row: int) -> Explanation:
        """Explain one row from its two scene graphs."""
        metric, number = self._metric, int(self._ours.numbers[row])
        references = self._references(int(self._sets[row]))
        categories = _by_category(self._counts[row].tolist(), self._shares[row].tolist(), metric.lists)
        origins = (1, int(self._ours.known[number])), references.origin
        sides = GraphSide(self._graphs[number], metric.lists), references.side
        sections, notes = _compared(sides, categories, metric.lists, metric.once, origins)
        facts = dict(zip(FACTS, categories.rows[0][1:], strict=True))
        scores = self._scores[row].tolist()
        return Explanation(
            metric=self._request,
            candidate=self._captions[row],
            references=references.texts,
            scores=dict(zip(self._keys, scores, strict=True)),
            facts=facts,
            sections=sections,
            notes=(*notes, *self._agreement),
            summary=stated(self._keys[0], scores[0], _reason(facts)),
        )

    def _references(self, number: int) -> _References:
        found = self._known.get(number)
        if found is None:
            first, last = self._offsets[number : number + 2].tolist()
            known = int(self._theirs.known[self._theirs.numbers[first:last]].sum())
            found = self._known[number] = _References(
                tuple(self._texts[each] for each in range(first, last)),
                GraphSide(self._graphs_of_sets.get([number])[0], self._metric.lists),
                (last - first, known),
            )
        return found


def _reason(facts: dict[str, Cell]) -> str:
    matched, ours, theirs = (int(facts[name] or 0) for name in FACTS[3:])
    if not ours or not theirs:
        return f"no object was found in the {'references' if ours else 'candidate'}"
    if not matched:
        return "no object, attribute or relation of the candidate is in the references"
    tuples = share(matched, ours, "tuple")
    return f"{tuples} of the candidate {'is' if matched == 1 else 'are'} in the references, which have {theirs}"


def explain_graphs(
    candidate: SceneGraph,
    references: SceneGraph,
    lists: WordLists = WORD_LISTS,
    once: bool = False,
    origins: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0)),
) -> tuple[dict[str, Cell], tuple[Section, ...], tuple[str, ...]]:
    """Return the facts, the sections and the notes of an explanation.

    ``origins`` has for both graphs how many captions they were made from, and how many of these a pack knew.

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> concepts = Concepts()
    >>> reference = build([("bike", "red"), ("man", "bike", "ride")], concepts)
    >>> facts, sections, _ = explain_graphs(build([("bicycle", "blue")], concepts), reference)
    >>> facts["matched tuples"], facts["candidate tuples"], facts["reference tuples"]
    (1, 2, 4)
    >>> [(row.outcome, row.parts) for row in sections[1].rows][:3]
    [('matched', ('bicycle',)), ('wrong', ('bicycle', 'blue')), ('missed', ('bike', 'red'))]
    """
    counts = count_rows([candidate], [references], [0], lists, once)[0]
    categories = _by_category(counts.tolist(), np.stack(precision_recall_f(counts), axis=-1).tolist(), lists)
    facts = dict(zip(FACTS, categories.rows[0][1:], strict=True))
    sides = GraphSide(candidate, lists), GraphSide(references, lists)
    return facts, *_compared(sides, categories, lists, once, origins)


def _by_category(counts: list[list[int]], shares: list[list[float]], lists: WordLists) -> Table:
    columns = ("category", "precision", "recall", "F", "matched", "candidate", "references")
    rows: list[tuple[Cell, ...]] = [
        (name, *values, *numbers) for name, values, numbers in zip((*KINDS, *lists), shares, counts, strict=True)
    ]
    return Table("by category, with numbers of tuples", columns, tuple(rows))


def _compared(
    sides: tuple[GraphSide, GraphSide],
    categories: Table,
    lists: WordLists,
    once: bool,
    origins: tuple[tuple[int, int], tuple[int, int]],
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Return the sections and the notes of the explanation of two graphs."""
    candidate, references = sides
    partners = partners_by_category(similar_tuples(candidate.graph, references.graph), lists, once)
    matches = partners[ALL]
    taken = set(matches.values())
    listed = {name: partners[name].keys() for name in lists}
    listed_there = {name: set(partners[name].values()) for name in lists}
    sections = (
        categories,
        Tuples(
            "tuples",
            (
                *(candidate.matched(each, partner, listed) for each, partner in matches.items()),
                *candidate.unmatched("wrong", matches, listed),
                *references.unmatched("missed", taken, listed_there),
            ),
        ),
        SceneGraphs("scene graphs", candidate.scene(matches, origins[0]), references.scene(taken, origins[1])),
    )
    return sections, tuple(_notes(candidate, matches))


def _notes(candidate: GraphSide, matches: dict[GraphTuple, GraphTuple]) -> Iterator[str]:
    if not candidate.names:
        yield "No tuple was found in the candidate."
    if len(set(matches.values())) < len(matches):
        several = [" - ".join(names(each)) for each, count in Counter(matches.values()).items() if count > 1]
        yield (
            f"Several tuples of the candidate match the same one of the references ({name_some(several)}), and each "
            "counts; with repeat=once only one does."
        )
