"""Where a Word Mover's Distance comes from: the plan that carries one caption to another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.metric import State
from caplens.core.prepared import Prepared
from caplens.metrics.embedding.rows import EmbeddedCaption, EmbeddedRow, embedded_row
from caplens.metrics.sentences import nothing_counts, stated
from caplens.metrics.wmd import _transport
from caplens.output.explanation import Cell, Explanation, Table

if TYPE_CHECKING:
    from caplens.metrics.wmd.metric import WordMoversDistance


def explain_row(metric: WordMoversDistance, prepared: Prepared, state: State, row: int) -> Explanation:
    """Explain one row."""
    texts = embedded_row(prepared, metric.words, row)
    similarity, distance, known = metric.known_statistics(prepared, state).table[row].tolist()
    distances = metric.row_distances(prepared, row).tolist()
    by_reference = tuple(
        (number, " ".join(reference.counting), value if math.isfinite(value) else None, math.exp(-value))
        for number, (reference, value) in enumerate(zip(texts.references, distances, strict=True), 1)
    )
    facts: dict[str, Cell] = {"vectors": metric.vectors, "words that count": len(texts.candidate.counting)}
    plan: tuple[tuple[Cell, ...], ...] = ()
    if known:
        nearest = min(range(len(distances)), key=distances.__getitem__)
        facts |= {"nearest reference": nearest + 1, "distance": distance}
        plan = transport_plan(texts.candidate, texts.references[nearest])
    return Explanation(
        metric=str(metric.request()),
        candidate=texts.candidate.text,
        references=texts.reference_texts,
        scores={metric.result_keys[0]: similarity},
        facts=facts,
        sections=(
            texts.candidate.marked("candidate (words that count)"),
            Table("transport to the nearest reference", ("word", "goes to", "mass", "distance", "cost"), plan),
            Table("by reference", ("reference", "words that count", "distance", "similarity"), by_reference),
        ),
        summary=stated(metric.result_keys[0], similarity, _reason(texts, distances, plan)),
    )


def _reason(texts: EmbeddedRow, distances: list[float], plan: tuple[tuple[Cell, ...], ...]) -> str:
    if not texts.candidate.counting:
        return nothing_counts("candidate")
    if not plan:
        return nothing_counts("references")
    nearest = min(range(len(distances)), key=distances.__getitem__)
    if distances[nearest] == 0:
        return f"the candidate and reference {nearest + 1} have the same words"
    word, target, cost = max(((row[0], row[1], float(row[-1] or 0)) for row in plan), key=lambda row: row[2])
    return (
        f"reference {nearest + 1} is nearest, at a distance of {distances[nearest]:.4f}, to which "
        f'moving "{word}" to "{target}" adds most ({cost:.4f})'
    )


def transport_plan(ours: EmbeddedCaption, theirs: EmbeddedCaption) -> tuple[tuple[Cell, ...], ...]:
    """Return who goes where: word, word of the reference, share of the caption, distance, and their product."""
    words, counts, vectors = ours.bag()
    their_words, their_counts, their_vectors = theirs.bag()
    costs = np.sqrt(((vectors[:, np.newaxis] - their_vectors[np.newaxis]) ** 2).sum(axis=-1))
    total, their_total = int(counts.sum()), int(their_counts.sum())
    _, flows = _transport.transport(costs, counts * their_total, their_counts * total)
    rows: list[tuple[Cell, ...]] = []
    for place, other in zip(*np.nonzero(flows), strict=True):
        mass, distance = float(flows[place, other]) / (total * their_total), float(costs[place, other])
        rows.append((words[place], their_words[other], mass, distance, mass * distance))
    return tuple(rows)
