"""The evaluator: the one place where references are prepared, metrics learn from them, and captions are scored.

References are tokenised, counted and weighed once; a batch of captions only adds its own words and n-grams, which are
thrown away with it, so a training loop of any length needs no more memory than its first batch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caplens.arrays import Integers
from caplens.core.compared import check_systems, compared_ids, notices_of, same_runs
from caplens.core.metric import Metric
from caplens.core.plan import check_candidates, fit, run, with_inputs
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.result import Result
from caplens.core.selection import MetricRequest, select
from caplens.core.settings import check_at_least, parses_folder
from caplens.core.several import by_image
from caplens.core.state import State
from caplens.corpus import (
    CaptionTable,
    Column,
    Corpus,
    KnownReferences,
    Missing,
    ReferenceSets,
    Runs,
    Several,
    batch_table,
    by_system,
    common_corpora,
    each_run,
    spread,
    without_references,
)
from caplens.corpus.inputs import Candidates, Caption, Identifier, References
from caplens.errors import InputError, Notice, UsageError
from caplens.files.telling import setting, warn_of
from caplens.files.threads import available_cpus
from caplens.output.progress import showing
from caplens.readers.objects import candidates_alone, plain_captions, plain_labels, plain_systems
from caplens.stats import SEED
from caplens.text import MAX_WORDS

if TYPE_CHECKING:
    from caplens.core.comparison import Comparison
    from caplens.output.explanation import Explanation


class Evaluator:
    """Metrics with their references, prepared once to score many systems or batches.

    Parameters
    ----------
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default.
    references : sequence or mapping of sequences of str, optional
        The reference captions of each item, by position or by id; None for metrics that need none.
    tokenizer : {"ptb", "none", "intl", "char"}
        Tokenizer of metrics that do not specify one.
    documents : mapping of id to int, optional
        How many documents each reference set counts for in the document frequencies of CIDEr, as its signature shows;
        by default each counts once. (`caplens.score` counts the rows that it scores.)
    jobs : int, optional
        Number of threads; by default, all CPUs available to the process.
    parses : path, optional
        Folder in which to keep SPICE's parses for later runs; it can be deleted at any time.
    max_words : int
        Maximum number of words per caption (tuples per scene graph); longer ones are truncated, with a warning and a
        note in the signature. 0: no limit.
    resamples, seed : int
        Number of bootstrap resamples for intervals, and random seed.
    progress : bool or None
        Whether to show progress on stderr; None: in terminals and notebooks, if it takes more than half a second.
    allow_code : bool
        Whether ``metrics`` may name code, such as a metric ``module:Class``, which is then imported and run.

    Attributes
    ----------
    metrics : tuple of Metric
        The requested metrics.
    warnings : tuple of Notice
        Metrics of a group that are unavailable, and warnings about the references.

    Notes
    -----
    An evaluator can be pickled. The pickle contains the metrics, the references and what the metrics learned from them;
    everything else is recomputed when needed.

    Examples
    --------
    >>> evaluator = Evaluator("rouge, cider", {1: ["a man on a horse"], 2: ["two dogs", "two dogs run"]})
    >>> evaluator.score({2: "two dogs"})["ROUGE_L"].item_scores.tolist()
    [1.0]
    >>> evaluator.compare({"a": {1: "a horse", 2: "two dogs"}, "b": {1: "a man", 2: "dogs"}})["b"].ids
    [1, 2]
    >>> [explanation.scores for explanation in evaluator.explain("two dogs", id=2)][0]
    {'ROUGE_L': 1.0}
    """

    def __init__(
        self,
        metrics: MetricRequest = None,
        references: References | ReferenceSets | None = None,
        *,
        tokenizer: str = "ptb",
        documents: Mapping[str, int] | Mapping[int, int] | Usage | None = None,
        jobs: int | None = None,
        parses: str | os.PathLike[str] | None = None,
        max_words: int = MAX_WORDS,
        resamples: int = 1000,
        seed: int = SEED,
        progress: bool | None = None,
        allow_code: bool = False,
    ) -> None:
        check_at_least(1, jobs=jobs, resamples=resamples)
        check_at_least(0, seed=seed, max_words=max_words)
        selection = select(metrics, allow_code=allow_code, tokenizer=tokenizer)
        self.metrics = selection.metrics
        self.jobs = jobs or available_cpus()
        self.parses = parses_folder(parses)
        self.max_words = max_words
        self.resamples = resamples
        self.seed = seed
        self.progress = progress
        self.allow_code = allow_code
        self._left_out = selection.left_out
        self._known = None if references is None else KnownReferences.of(plain_captions(references, "references"))
        if self._known is None:
            _check_without_references(self.metrics, documents)
            self._sets = ReferenceSets.empty()
        else:
            self._sets = self._known.sets
        if isinstance(documents, Usage):
            self._usage = documents
        elif documents is not None:
            self._usage = Usage.of_documents(documents, self._sets.ids)
        else:
            self._usage = Usage.once(len(self._sets))

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Metrics of a group that are unavailable, and warnings about the references."""
        return (*self._left_out, *(self._known.notices if self._known is not None else ()))

    @cached_property
    def references(self) -> PreparedReferences:
        """The references with everything that was derived from them so far."""
        return PreparedReferences(self._sets, self.jobs, self.parses, self.max_words)

    @cached_property
    def states(self) -> dict[Metric, State]:
        """What each metric, and each that it combines, learned from the references."""
        return fit(self.metrics, self.references, self._usage)

    def fitted(self) -> Evaluator:
        """Let the metrics learn from the references now, instead of when they are first used; return the evaluator."""
        with showing(self.progress):
            learned = self.states.values()
        warn_of((*self.warnings, *(notice for state in learned for notice in state.notices)))
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what everything follows from, and what the metrics learned."""
        _ = self.states
        return {key: value for key, value in self.__dict__.items() if key not in ("references", "_states_of_learners")}

    def score(
        self,
        candidates: Candidates | Corpus,
        *,
        ids: Sequence[Identifier] | None = None,
        groups: Sequence[Identifier] | None = None,
        columns: Mapping[str, Column] | None = None,
        missing: Missing = "error",
        several: Several | None = None,
    ) -> Result:
        """Score the captions of a system, or a batch of them.

        Parameters
        ----------
        candidates : sequence or mapping of str, or Corpus
            Captions by position, by ``ids``, or (a mapping) by id. A corpus is scored against its own references with
            what the metrics learned from those of the evaluator, so a shard gets the same scores as in the whole
            corpus.
        ids : sequence, optional
            The reference set of each caption of a list; a set may be used several times (samples of one image).
        groups : sequence, optional
            One label per caption (its image): intervals then resample images instead of rows.
        columns : mapping of str to sequence, optional
            Additional columns for metrics that request them (image paths, features, categories), one entry per
            caption.
        missing : {"error", "skip", "zero"}
            What to do with candidates that have no references.
        several : {"each", "mean", "best"}, optional
            What to do with several candidates per image, as for `caplens.score`.
        """
        with showing(self.progress):
            result = self._score(self._corpus(candidates, ids, missing, groups, columns, several))
        warn_of(result.warnings)
        return result

    def score_at(self, corpus: Corpus, places: Integers) -> Result:
        """Score a corpus whose references the evaluator has, if in other sets or in another order.

        Parameters
        ----------
        corpus : Corpus
            What is scored; the result is that of this corpus.
        places : numpy.ndarray of int64
            Where each of the corpus's reference sets is among those of the evaluator, with the same captions.
        """
        with showing(self.progress):
            result = self._score(corpus, places)
        warn_of(result.warnings)
        return result

    def score_batch(self, metric: Metric, candidates: object, ids: Sequence[Identifier] | None = None) -> Result:
        """Score a batch in a training loop; the parses of its captions are not kept."""
        if self.metrics != (metric,):
            prepared_for = ", ".join(str(each.request()) for each in self.metrics)
            raise UsageError(f"These references were prepared for {prepared_for}, not {metric.request()}.")
        return self._score(self._corpus(candidates, ids), keep_parses=False)

    def compare(
        self,
        systems: Mapping[str, Candidates | Corpus | Runs],
        *,
        baseline: str | None = None,
        several: Several | None = None,
    ) -> Comparison:
        """Compare systems on the items they have in common.

        Parameters
        ----------
        systems : mapping of str to candidates
            The captions of each system, as for `score`; `caplens.Runs` for several training runs of one.
        baseline : str, optional
            Test every system against this one only; by default all pairs are tested.
        several : {"each", "mean", "best"}, optional
            What to do with several candidates per image, as for `caplens.compare`.
        """
        from caplens.core.comparison import Comparison
        from caplens.core.replicates import result_of

        check_systems(systems, baseline)
        runs = plain_systems(each_run(systems))
        corpora = {name: corpus for name, corpus in runs.items() if isinstance(corpus, Corpus)}
        if len(corpora) < len(runs):
            corpora = common_corpora(runs, self._match, several)
        elif any(compared_ids(corpus) != compared_ids(next(iter(corpora.values()))) for corpus in corpora.values()):
            raise InputError("The corpora of the systems must have the same rows, in the same order.")
        with showing(self.progress):
            results = {name: self._score(replace(corpus, system=name)) for name, corpus in corpora.items()}
        compared = {name: result_of(found) for name, found in by_system(systems, results).items()}
        said = (*notices_of(corpora, results), *same_runs(by_system(systems, corpora)))
        found = Comparison(compared, baseline, self.seed, said, self.jobs, self.progress)
        warn_of(found.warnings)
        return found

    def explain(self, candidate: Caption, *, id: Identifier) -> list[Explanation]:  # noqa: A002 (as everywhere else)
        """Explain the scores of a caption, one explanation per metric.

        Parameters
        ----------
        candidate : str
            The caption.
        id : str or int
            Its reference set.
        """
        return self.explain_all([candidate], ids=[id])[0]

    def explain_all(
        self, candidates: Candidates | Corpus, *, ids: Sequence[Identifier] | None = None
    ) -> list[list[Explanation]]:
        """Explain many captions, given as for `score`: for each of them one explanation per metric."""
        corpus = self._corpus(candidates, ids)
        with showing(self.progress):
            return [self._explain(corpus.select([row])) for row in range(len(corpus))]

    def prepared(self, corpus: Corpus, places: Integers | None = None, *, keep_parses: bool = True) -> Prepared:
        """Return the view of a corpus that metrics read; references that the evaluator knows are shared.

        ``places`` are those of the corpus's reference sets among the evaluator's, if they are known to be there.
        """
        side = self.references
        reference_set = corpus.reference_set if places is None else places[corpus.reference_set]
        if places is None and not corpus.references.same_as(self._sets):
            side = PreparedReferences(corpus.references, self.jobs, self.parses, self.max_words)
        folder = self.parses if keep_parses else None
        candidates = PreparedCaptions(corpus.candidates, side, self.jobs, folder, corpus.candidate_graphs)
        return Prepared(
            candidates,
            side,
            reference_set,
            self.jobs,
            corpus.ids,
            corpus.columns,
            corpus.groups,
            corpus.system,
        )

    def _corpus(
        self,
        candidates: object,
        ids: Sequence[Identifier] | None = None,
        missing: Missing = "error",
        groups: Sequence[Identifier] | None = None,
        columns: Mapping[str, Column] | None = None,
        several: Several | None = None,
    ) -> Corpus:
        """Assign captions to the references that they are scored against."""
        if isinstance(candidates, Corpus):
            if ids is not None:
                raise UsageError("A corpus already contains its ids; do not pass others with it.")
            if several is not None:
                raise UsageError(f"Load the corpus with {setting('several', several)} instead.")
            return candidates.labelled(groups, columns)
        ids = plain_labels(ids)
        table = spread(batch_table(candidates_alone(candidates), ids).labelled(groups, columns), several)
        if self._known is None:
            return without_references(table, repeats=ids is not None)
        return self._known.assign(table, missing, repeats=ids is not None)

    def _match(self, systems: Sequence[CaptionTable], ids: list[str]) -> list[Corpus]:
        corpora = [self._corpus(system) for system in systems]
        return [replace(corpus, references=corpora[0].references) for corpus in corpora]

    def _score(self, corpus: Corpus, places: Integers | None = None, *, keep_parses: bool = True) -> Result:
        states = self.states
        prepared = self.prepared(corpus, places, keep_parses=keep_parses)
        runs = run(self.metrics, prepared, states)
        warnings = (*corpus.notices, *self._left_out, *prepared.notices)
        result = Result(
            corpus,
            runs,
            facts=prepared.facts,
            warnings=warnings,
            resamples=self.resamples,
            seed=self.seed,
            jobs=self.jobs,
        )
        return by_image(result)

    @cached_property
    def _states_of_learners(self) -> dict[Metric, State]:
        """What those metrics learned that must see all references."""
        learning = [metric for metric in self.metrics if metric.learns_from_corpus]
        if "states" in self.__dict__:
            return {metric: self.states[metric] for metric in with_inputs(learning)}
        return fit(learning, self.references, self._usage)

    def _explain(self, row: Corpus) -> list[Explanation]:
        """Explain the only row of a corpus."""
        prepared = self.prepared(row)
        # Most metrics need not see the other references, whose parses or vectors would take long.
        others = [metric for metric in self.metrics if not metric.learns_from_corpus]
        states = {**fit(others, prepared.references, Usage.of(row)), **self._states_of_learners}
        check_candidates(with_inputs(self.metrics), prepared)
        explanations = []
        for metric in self.metrics:
            found = metric.explain(prepared, states[metric], 0)
            notices = (*states[metric].notices, *self.references.notices, *prepared.notices)
            notes = (*found.notes, *(str(notice) for notice in dict.fromkeys(notices)))
            explanations.append(replace(found, notes=notes))
        return explanations


def _check_without_references(metrics: Sequence[Metric], documents: object) -> None:
    needing = [metric.name for metric in metrics if metric.needs_references]
    if needing:
        need = "needs" if len(needing) == 1 else "need"
        raise InputError(
            f"There are no references, which {', '.join(needing)} {need}: pass them as the second argument, or "
            "pass a corpus that contains them."
        )
    if documents is not None:
        raise UsageError("`documents` counts reference sets, but there are no references.")
