"""Where a SPICE score comes from: the tuples of both scene graphs, what they share, and the graphs themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.metric import State
from caplens.core.prepared import Prepared
from caplens.errors import name_some
from caplens.metrics.sentences import share, stated
from caplens.output.explanation import (
    Cell,
    ExplainedTuple,
    Explanation,
    Outcome,
    Scene,
    SceneAttribute,
    SceneGraphs,
    SceneObject,
    SceneRelation,
    Section,
    Table,
    Tuples,
)
from caplens.scenegraph.graph.scene_graph import SceneGraph
from caplens.scenegraph.graph.score import (
    KINDS,
    WORD_LISTS,
    ComparedTuple,
    MatchedGraphs,
    WordLists,
    compare_graphs,
    count_rows,
    precision_recall_f,
)
from caplens.scenegraph.parser.caption_parser import AGREEMENT
from caplens.scenegraph.parser.registry import OWN

if TYPE_CHECKING:
    from caplens.metrics.spice.metric import Spice

ALL = KINDS[0]
FACTS = ("precision", "recall", "F", "matched tuples", "candidate tuples", "reference tuples")


def explain_row(metric: Spice, prepared: Prepared, state: State, row: int) -> Explanation:
    """Explain one row from its two scene graphs."""
    candidate, references = metric.graphs(prepared, row)
    origins = metric.known_of_row(prepared, row)
    facts, sections, notes = explain_graphs(candidate, references, metric.lists, metric.once, origins)
    scores = metric.known_item_scores(prepared, state)[row]
    first, last = prepared.references.offsets[prepared.reference_set[row] :][:2].tolist()
    return Explanation(
        metric=str(metric.request()),
        candidate=prepared.candidates.captions[row],
        references=tuple(prepared.references.captions[caption] for caption in range(first, last)),
        scores=dict(zip(metric.result_keys, scores.tolist(), strict=True)),
        facts=facts,
        sections=sections,
        notes=(*notes, AGREEMENT) if metric.parser == OWN else notes,
        summary=stated(metric.result_keys[0], float(scores[0]), _reason(facts)),
    )


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
    categories = _by_category(candidate, references, lists, once)
    facts = dict(zip(FACTS, categories.rows[0][1:], strict=True))
    comparison = compare_graphs(candidate, references, lists, once)
    sections = (
        categories,
        Tuples("tuples", tuple(_explained_tuples(comparison))),
        SceneGraphs(
            "scene graphs",
            _scene(candidate, comparison.candidate_tuples, origins[0]),
            _scene(references, comparison.reference_tuples, origins[1]),
        ),
    )
    return facts, sections, tuple(_notes(comparison))


def _by_category(candidate: SceneGraph, references: SceneGraph, lists: WordLists, once: bool) -> Table:
    counts = count_rows([candidate], [references], [0], lists, once)[0]
    shares = np.stack(precision_recall_f(counts), axis=-1)
    columns = ("category", "precision", "recall", "F", "matched", "candidate", "references")
    rows: list[tuple[Cell, ...]] = [
        (name, *values, *numbers)
        for name, values, numbers in zip((*KINDS, *lists), shares.tolist(), counts.tolist(), strict=True)
    ]
    return Table("by category, with numbers of tuples", columns, tuple(rows))


def _explained_tuples(comparison: MatchedGraphs) -> Iterator[ExplainedTuple]:
    found: tuple[tuple[Outcome, list[ComparedTuple]], ...] = (
        ("matched", comparison.matched()),
        ("wrong", comparison.wrong()),
        ("missed", comparison.missed()),
    )
    for outcome, compared in found:
        for each in compared:
            categories = {name: matched for name, matched in each.categories.items() if name != ALL}
            yield ExplainedTuple(outcome, each.parts, each.partner, categories)


def _scene(graph: SceneGraph, compared: tuple[ComparedTuple, ...], origin: tuple[int, int]) -> Scene:
    """Mark the parts of a graph, in which no two tuples have the same names."""
    matched = {each.parts: each.categories[ALL] for each in compared}
    names = [node.name for node in graph.nodes]
    objects = tuple(
        SceneObject(
            name, matched[name,], tuple(SceneAttribute(each.name, matched[name, each.name]) for each in attributes)
        )
        for name, attributes in zip(names, graph.attributes, strict=True)
    )
    relations = tuple(
        SceneRelation(source, target, each.name, matched[names[source], each.name, names[target]])
        for (source, target), found in graph.relations.items()
        for each in found
    )
    return Scene(objects, relations, *origin)


def _notes(comparison: MatchedGraphs) -> Iterator[str]:
    if not comparison.candidate_tuples:
        yield "No tuple was found in the candidate."
    partners = Counter(each.partner for each in comparison.matched())
    several = [" - ".join(partner) for partner, count in partners.items() if partner is not None and count > 1]
    if several:
        yield (
            f"Several tuples of the candidate match the same one of the references ({name_some(several)}), and each "
            "counts; with repeat=once only one does."
        )
