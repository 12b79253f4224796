"""One batch of rows: what a `Task` makes of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from caplens.api.loading import load_references
from caplens.core.evaluator import Evaluator
from caplens.core.plan import with_inputs
from caplens.core.prepared import Usage
from caplens.core.result import Result
from caplens.core.selection import Selection
from caplens.corpus import (
    CaptionTable,
    Corpus,
    PairedTable,
    ReferenceSets,
    from_pairs,
    normalise_ids,
    pair,
    without_references,
)
from caplens.errors import InputError, Notice
from caplens.files.telling import silently
from caplens.readers.base import Table
from caplens.scale.kept import KeptReferences, keys_of
from caplens.scale.task import Task

SHARED = (
    "{0:row} {0:has|have} the references of another row in the same batch; rows of one image that are in different "
    "batches are resampled separately unless a column `image` identifies it"
)


class BatchScorer:
    """Scores batches, one after the other; what they share is loaded once.

    Parameters
    ----------
    task : Task
        What is computed, and how.

    Examples
    --------
    >>> from caplens.corpus import PairedTable
    >>> scorer = BatchScorer(Task.of("rouge"))
    >>> result = scorer.score(PairedTable([0, 1], ["a dog", "cats"], [["a dog"], ["a cat"]], "", by_position=True), "f")
    >>> result.ids, result["ROUGE_L"].item_scores.tolist()
    (['f:1', 'f:2'], [1.0, 0.0])
    """

    def __init__(self, task: Task) -> None:
        self.task = task

    def score(self, table: Table, name: str, first: int = 0) -> Result:
        """Score a batch: the rows of the file ``name`` before which ``first`` others come."""
        corpus = self._corpus(table, name, first)
        said = [notice for notice in corpus.notices if notice.code != "unused-references"]
        if isinstance(table, PairedTable) and table.images is None and corpus.groups is not None:
            alike = len(corpus) - len(corpus.references)
            said.append(Notice.worded("shared-references", SHARED, [alike], level="note"))
        corpus = replace(corpus, notices=tuple(said))
        with silently():  # what is said of a batch is added up and said once
            if all(metric.rows_stand_alone for metric in with_inputs(self.task.metrics)):
                return self._score_with_kept(corpus)
            return self._evaluator(corpus.references, Usage.of(corpus)).score(corpus)

    def _score_with_kept(self, corpus: Corpus) -> Result:
        """Score a batch against references that earlier batches had, or keep its own for later ones."""
        keys = keys_of(corpus.references)
        places = self._kept.find(corpus.references, keys)
        if places is not None and self._kept.evaluator is not None:
            return self._kept.evaluator.score_at(corpus, places)
        evaluator = self._evaluator(corpus.references, Usage.of(corpus))
        result = evaluator.score(corpus)
        self._kept.add(corpus.references, keys, evaluator.references)
        return result

    @cached_property
    def _kept(self) -> KeptReferences:
        return KeptReferences(lambda sets: self._evaluator(sets, Usage.once(len(sets))))

    def _evaluator(self, references: ReferenceSets, usage: Usage) -> Evaluator:
        task = self.task
        return Evaluator(
            Selection(task.metrics, task.left_out),
            references,
            # Twice as many rows as there are: BLEU (length=coco) must not take the last row of a file for all of it.
            documents=Usage(2 * usage.rows, usage.images),
            jobs=task.jobs,
            parses=task.parses,
            max_words=task.max_words,
            resamples=task.resamples,
            seed=task.seed,
        )

    def _corpus(self, table: Table, name: str, first: int) -> Corpus:
        numbered = [f"{name}:{first + row}" for row in range(1, len(table.ids) + 1)] if table.by_position else []
        if self.task.references:
            candidates = table.captions() if isinstance(table, PairedTable) else table
            candidates = replace(candidates, positions=None)
            corpus = pair(candidates, self._references.of(candidates, first), self.task.missing)
            return replace(corpus, ids=numbered) if numbered else corpus
        if numbered:
            table = replace(table, ids=numbered, by_position=False)
        if isinstance(table, PairedTable):
            return from_pairs(table, self.task.missing)
        if not any(metric.needs_references for metric in self.task.metrics):
            return without_references(replace(table, positions=None))
        raise InputError(f"{table.source} contains no references; specify a reference file (-r REFERENCES).")

    @cached_property
    def _references(self) -> _References:
        return _References(load_references(self.task.references, self.task.reading))


class _References:
    """References from files of their own, looked up for each batch."""

    def __init__(self, table: CaptionTable) -> None:
        self._table = table
        self._places: dict[str, list[int]] = {}
        for ids in (table.ids, *table.other_ids.values()):
            for place, identifier in enumerate(normalise_ids(ids)):
                self._places.setdefault(identifier, []).append(place)

    def of(self, candidates: CaptionTable, first: int) -> CaptionTable:
        """Return the references of some candidates, which come after ``first`` others."""
        wanted: list[Any] = [*candidates.ids, *(candidates.images or ())]
        if candidates.by_position and self._table.by_position:
            wanted = list(range(first, first + len(candidates.ids)))
        keys = dict.fromkeys(normalise_ids(wanted))
        places = sorted({place for key in keys for place in self._places.get(key, ())})
        table = replace(self._table.take(places), positions=None)
        if candidates.by_position and table.by_position:
            return replace(table, ids=[int(own) - first for own in table.ids], positions=len(candidates.ids))
        return table
