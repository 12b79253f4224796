"""Scores of many captions by several metrics, computed once and kept: a run that was killed goes on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from caplens.api.scoring import score
from caplens.arrays import Floats
from caplens.core.evaluator import Evaluator
from caplens.core.metric import Metric
from caplens.corpus import PairedTable, from_pairs
from caplens.errors import InputError
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.files.checks import DamagedFileError
from caplens.files.progress import blocks
from caplens.metrics.combination.normalizing import request_of
from caplens.train.composite.captions import WrittenCaptions

SHARD_ROWS = 6000


def facts_of(metrics: Sequence[Metric]) -> dict[str, dict[str, str]]:
    """Return, by metric in the grammar, the facts of the data that it uses (vectors, parser, frequencies)."""
    evaluator = Evaluator(list(metrics), [["a dog"]])
    return {
        request_of(metric): {} if metric.learns_from_corpus else evaluator.states[metric].facts
        for metric in evaluator.metrics
    }


def scored_captions(
    rows: WrittenCaptions, metrics: Sequence[Metric], folder: Path, jobs: int | None = None
) -> dict[str, Floats]:
    """Return all scores of the rows and their parts by name; what is in ``folder`` already is not computed again.

    Parameters
    ----------
    rows : WrittenCaptions
        The captions.
    metrics : sequence of Metric
        None of them may learn from the corpus: shards would differ.
    folder : pathlib.Path
        Where shards are kept, each under a name that tells rows and metrics apart.
    jobs : int, optional
        Threads.
    """
    learning = [metric for metric in metrics if metric.learns_from_corpus]
    if learning:
        what = learning[0].request()
        raise InputError(f"{what} depends on the captions that are scored: use fixed data (df=coco-train2014).")
    folder.mkdir(parents=True, exist_ok=True)
    identity = hashlib.blake2b(digest_size=8)
    identity.update(repr((rows.fingerprint(), sorted(facts_of(metrics).items()), SHARD_ROWS)).encode())
    found = []
    for first, last in blocks("scores of the inputs", len(rows), SHARD_ROWS):
        path = folder / f"{identity.hexdigest()}-{first:07d}.safetensors"
        shard = _read(path)
        if shard is None:
            shard = _scored(rows, metrics, first, last, jobs)
            with atomic_path(path) as temporary:
                write_arrays(temporary, shard, {})
        found.append(shard)
    return {key: np.concatenate([shard[key] for shard in found]) for key in found[0]}


def _read(path: Path) -> dict[str, Floats] | None:
    try:
        return {key: np.array(column) for key, column in read_arrays(path).items()}
    except (OSError, DamagedFileError):
        return None


def _scored(
    rows: WrittenCaptions, metrics: Sequence[Metric], first: int, last: int, jobs: int | None
) -> dict[str, Floats]:
    chosen = slice(first, last)
    return features_of(rows.candidates[chosen], rows.references[chosen], metrics, jobs)


def features_of(
    candidates: Sequence[str], references: Sequence[Sequence[str]], metrics: Sequence[Metric], jobs: int | None = None
) -> dict[str, Floats]:
    """Return the scores of captions (``KEY``) and the parts of scores (``KEY.part``)."""
    ids = [str(row) for row in range(len(candidates))]
    table = PairedTable(ids, list(candidates), [tuple(texts) for texts in references], "the training captions")
    found: dict[str, Floats] = {}
    for run in score(from_pairs(table), metrics=list(metrics), jobs=jobs).runs:
        scores = run.metric.item_scores(run.statistics)
        parts = run.metric.parts_of(run.statistics.table, np.ones(len(run.statistics)))
        for place, key in enumerate(run.metric.keys):
            found[key] = scores[:, place].copy()
            for part, name in enumerate(run.metric.part_names):
                found[f"{key}.{name}"] = parts[:, place, part].copy()
    return found
