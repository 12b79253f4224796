"""Explanations of many images at once: which are worth it, and all of them packed."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.prepared import Prepared, PreparedReferences, prepare
from caplens.core.result import Result
from caplens.files.processes import map_parts
from caplens.files.progress import blocks
from caplens.output.explanation import Explanation
from caplens.report.packing import Packer, deflated, in_metric_order
from caplens.text import MAX_WORDS

CHUNK = 50
"""So many images share a piece of packed data: enough to find repetitions, few enough to be unpacked at once."""
PREPARED = 20 * CHUNK
"""So many images are prepared together."""
LEAST = 4 * CHUNK
"""So many images are worth a process."""


def most_interesting(scores: Floats, most: int) -> Integers:
    """Return the places of the images that people will want to see explained, in input order.

    Taken in turns: where systems differ most in a score, where scores disagree most about a caption (by rank), and the
    worst and the best captions.

    Parameters
    ----------
    scores : numpy.ndarray
        By score, system and image; NaN where there is none.
    most : int
        How many images.

    Examples
    --------
    >>> most_interesting(np.array([[[0.1, 0.5, 0.5], [0.9, 0.5, 0.4]]]), 2).tolist()
    [0, 2]
    """
    count = scores.shape[2]
    if most >= count:
        return np.arange(count)
    known = np.nan_to_num(scores)
    ranks = known.argsort(axis=2).argsort(axis=2)
    orders = [np.argsort(-np.ptp(ranks, axis=0).max(axis=0), kind="stable")] if len(scores) > 1 else []
    for score in known:
        if len(score) > 1:
            orders.append(np.argsort(-np.ptp(score, axis=0), kind="stable"))
        orders += [np.argsort(score.mean(axis=0), kind="stable"), np.argsort(-score.mean(axis=0), kind="stable")]
    in_turns = chain.from_iterable(zip_longest(*(order[:most].tolist() for order in orders)))
    return np.sort(np.fromiter(list(dict.fromkeys(in_turns))[:most], np.int64))


def packed_explanations(systems: Mapping[str, Result], rows: Integers) -> dict[str, Any]:
    """Explain the captions of all systems for some images, by every metric.

    Returns
    -------
    dict
        ``rows``; the size of a ``chunk`` in images; ``chunks``, each deflated with its own templates and its
        explanations by metric, image and system.
    """
    jobs = next(iter(systems.values())).intervals.jobs
    each = -(-len(rows) // (CHUNK * max(1, min(jobs, len(rows) // LEAST)))) * CHUNK
    parts = [rows[first : first + each] for first in range(0, len(rows), each)]
    chunks = map_parts(lambda part: _packed_chunks(systems, part), parts)
    return {"rows": rows.tolist(), "chunk": CHUNK, "chunks": [chunk for part in chunks for chunk in part]}


def _packed_chunks(systems: Mapping[str, Result], rows: Integers) -> list[str]:
    chunks: list[str] = []
    prepared: list[Prepared] = []
    with without_collecting():
        for first, last in blocks("explaining", len(rows), CHUNK):
            if first % PREPARED == 0:
                prepared = _prepared(systems, rows[first : first + PREPARED])
            packer = Packer()
            places = range(first % PREPARED, first % PREPARED + last - first)
            images = [
                [
                    [packer.pack(each) for each in explain_row(result, view, place)]
                    for result, view in zip(systems.values(), prepared, strict=True)
                ]
                for place in places
            ]
            chunks.append(deflated({"templates": packer.templates, "metrics": in_metric_order(images)}))
        prepared.clear()  # while nobody looks for cycles in it
    return chunks


@contextmanager
def without_collecting() -> Iterator[None]:
    """Stop looking for unused cycles inside the block, which has many objects and makes hardly any.

    The collector would look through all of them again and again, in a third of the time that the block takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def explain_row(result: Result, prepared: Prepared, row: int) -> list[Explanation]:
    """Explain a row by every metric of a result, with what the metrics learned from all rows."""
    return [run.metric.explain(prepared, run.state, row) for run in result.runs]


def _prepared(systems: Mapping[str, Result], rows: Integers) -> list[Prepared]:
    """Prepare some rows of every system, which share their references."""
    views: list[Prepared] = []
    for result in systems.values():
        corpus = result.corpus.select(rows)
        most = int(result.facts.get("max_words", MAX_WORDS))
        shared = views[0].references if views else PreparedReferences(corpus.references, 1, None, most)
        views.append(prepare(corpus, shared, 1))
    return views
