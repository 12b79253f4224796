"""What a metric is: options, what it learns from references, statistics of each row, and functions of their sums.

Everything else (item scores, the corpus score, intervals, paired tests, shards) is derived here or above, once for all
metrics.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from caplens._version import __version__
from caplens.arrays import Floats
from caplens.core.grammar import Request
from caplens.core.options import any_text, as_written, check_ranges, option
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.requirement import Requirement
from caplens.core.state import State
from caplens.core.statistics import Share, Statistics
from caplens.errors import Notice, UsageError
from caplens.files.plugins import names_code
from caplens.files.telling import warn_of
from caplens.text import MAX_WORDS
from caplens.text.tokenizers import get_tokenizer

if TYPE_CHECKING:
    from caplens.core.evaluator import Evaluator
    from caplens.core.result import Result
    from caplens.corpus.inputs import Candidates, References
    from caplens.output.explanation import Explanation

# What the module of a metric needs besides the class.
__all__ = ["Floats", "Metric", "State", "Statistics", "any_text", "option"]


@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its options; instances are immutable and compare equal if name and options are equal.

    A subclass is a frozen dataclass whose fields (made with `option`) are the options of the metric grammar. It
    says what it `requires`, may learn a `State` in `fit`, and produces `statistics`; `aggregate` turns sums of
    statistics into scores.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    origin: ClassVar[str] = ""
    idea: ClassVar[str] = ""
    needs: ClassVar[str] = "no extra data"
    # Of a metric whose requests may name what it combines, as in mean(wmd, spice): what it combines where none are
    # named. The class takes them as the tuple `metrics`.
    usual_inputs: ClassVar[tuple[str, ...]] = ()
    # What the names of several scores begin with: a label replaces it.
    key_stem: ClassVar[str] = ""
    # What every score consists of, such as precision and recall: other metrics can read it as `KEY.part`.
    part_names: ClassVar[tuple[str, ...]] = ()
    # The parts that files show beside the score.
    shown_parts: ClassVar[tuple[str, ...]] = ()
    # Whether the better of two captions has the higher score.
    higher_is_better: ClassVar[bool] = True
    # Whether scene graphs may stand in the place of captions.
    reads_graphs: ClassVar[bool] = False
    # Why it is for English captions only, such as "its parser is English"; empty for metrics of any language.
    english_because: ClassVar[str] = ""
    # Whether it compares the candidates of an image with each other.
    compares_candidates: ClassVar[bool] = False
    # Statistics that `aggregate` does not read: intervals need no sums of them.
    unread_statistics: ClassVar[frozenset[str]] = frozenset()
    # Columns beside the captions that it asks for by `Prepared.column`; files are read for them.
    reads_columns: ClassVar[tuple[str, ...]] = ()

    label: str | None = field(
        default=None, kw_only=True, metadata={"help": "name in results instead of the default key", "names": any_text}
    )

    def __post_init__(self) -> None:
        check_ranges(self)

    @classmethod
    def options_for(cls, language: str, tokenizer: str) -> dict[str, str]:
        """Return the options that ``--language`` sets for this metric by default."""
        return {"tokenizer": tokenizer}

    @property
    def only_english(self) -> str | None:
        """Why it is for English captions only, or None."""
        return self.english_because or next((one.only_english for one in self.inputs if one.only_english), None)

    def missing_data(self) -> str | None:
        """Return what is missing on this machine and how to install it, or None if nothing is missing."""
        return None

    def about(self) -> tuple[str, str, str]:
        """Return the origin, the idea and the requirements, for display."""
        return self.origin, self.idea, self.needs

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """The default names of the scores in results."""

    @property
    def main_key(self) -> str | None:
        """The key of the main score, of which the others are details; None if there is none, as for BLEU."""
        return self.keys[0] if len(self.keys) == 1 else None

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """The minimum and maximum of each score by key, up to rounding; infinite if unbounded."""
        return dict.fromkeys(self.keys, (-math.inf, math.inf))

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """Metrics whose statistics this one combines."""
        return ()

    @property
    def written_inputs(self) -> tuple[Metric, ...]:
        """Those of `inputs` that requests and signatures write out."""
        return self.inputs

    @property
    def learns_from_corpus(self) -> bool:
        """Whether a row's score depends on the references of other rows."""
        return any(metric.learns_from_corpus for metric in self.inputs)

    @property
    def rows_stand_alone(self) -> bool:
        """Whether a row has the same statistics, to the last bit, whatever other references are prepared with its own.

        It also means that `fit` learns nothing from references and says nothing about them. References that come
        again in later batches of a stream are then prepared only once.
        """
        return False

    @property
    def hindrance_to_parts(self) -> str | None:
        """Why rows cannot be scored in parts, and what to do about it; None if they can."""
        hindrances = [metric.hindrance_to_parts for metric in self.inputs]
        if self.inputs or not self.learns_from_corpus:
            return next((hindrance for hindrance in hindrances if hindrance), None)
        return f"{self.name} needs all rows at once and cannot score them in parts"

    @property
    def needs_references(self) -> bool:
        """Whether captions can be scored only against references."""
        return any(metric.needs_references for metric in self.inputs) if self.inputs else True

    @property
    def result_keys(self) -> tuple[str, ...]:
        """The names of the scores; a label replaces the default name or, if there are several, their common prefix."""
        if self.label is None:
            return self.keys
        if len(self.keys) == 1:
            return (self.label,)
        stem = self.key_stem
        return tuple(f"{self.label}{key.removeprefix(stem)}" if stem else f"{self.label}_{key}" for key in self.keys)

    @property
    def falling_keys(self) -> frozenset[str]:
        """The result keys of scores for which lower is better."""
        return frozenset() if self.higher_is_better else frozenset(self.result_keys)

    @property
    def percent_keys(self) -> frozenset[str]:
        """The result keys of scores that are percentages already, from 0 to 100."""
        ranges = zip(self.result_keys, (self.range[key] for key in self.keys), strict=True)
        return frozenset(key for key, found in ranges if found == (0, 100))

    @property
    def details(self) -> dict[str, str]:
        """The result keys of scores that are details, each with the key of the main score."""
        if self.main_key is None:
            return {}
        names = dict(zip(self.keys, self.result_keys, strict=True))
        return {name: names[self.main_key] for key, name in names.items() if key != self.main_key}

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Return what both sides must have before `fit` and `statistics`."""
        return ()

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Learn from references, given how often each set is used; ``inputs`` is what those in `inputs` learned."""
        return State()

    @abstractmethod
    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return one row of statistics per item; ``inputs`` are those of the metrics in `inputs`."""

    def notices(self, prepared: Prepared) -> tuple[Notice, ...]:
        """Return notices about the candidates, such as how many the metric cannot score."""
        return ()

    def coverage(self, prepared: Prepared) -> Mapping[str, Share | float]:
        """Return the shares of captions that files show with the main score, such as those with known scene graphs."""
        return {}

    @abstractmethod
    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Turn sums of statistics into scores.

        Parameters
        ----------
        sums : numpy.ndarray, shape (..., columns)
            Sums of statistics over rows; a single row for the score of an item.
        rows : numpy.ndarray, shape (...)
            The number of rows in each sum.

        Returns
        -------
        numpy.ndarray, shape (..., keys)
        """

    def parts_of(self, sums: Floats, rows: Floats) -> Floats:
        """Turn sums of statistics into the parts of scores, as `aggregate` does, shape (..., keys, parts)."""
        return np.empty((*np.shape(sums)[:-1], len(self.keys), 0))

    def preference(self, first: Floats, second: Floats) -> Floats | None:
        """Return the probability that a person prefers the first of two captions, by main scores; None if unknown."""
        return None

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Explain the score of a row; by default, the explanation shows the statistics."""
        if self.inputs:
            raise UsageError(f"{self.name} combines other metrics and has no explanation of its own.")
        from caplens.output.explanation import Explanation, Table

        found = self.known_statistics(prepared, state)
        first, last = prepared.references.offsets[prepared.reference_set[row] :][:2].tolist()
        numbers = zip(found.columns, found.table[row].tolist(), strict=True)
        return Explanation(
            metric=str(self.request()),
            candidate=prepared.candidates.captions[row],
            references=tuple(prepared.references.captions[caption] for caption in range(first, last)),
            scores=dict(zip(self.result_keys, self.known_item_scores(prepared, state)[row].tolist(), strict=True)),
            facts={},
            sections=(Table("statistics", ("statistic", "value"), tuple(numbers)),),
        )

    def known_statistics(self, prepared: Prepared, state: State) -> Statistics:
        """Return `statistics` without inputs, computed once no matter how many rows of a corpus are explained."""
        return prepared.once((self, state), lambda: self.statistics(prepared, state))

    def known_item_scores(self, prepared: Prepared, state: State) -> Floats:
        """Return `item_scores` of the known statistics, computed once as well."""
        return prepared.once((self, state, "items"), lambda: self.item_scores(self.known_statistics(prepared, state)))

    def alone(self) -> tuple[Metric, str]:
        """Return the metric that explains a caption without a corpus, and a note if it differs from this one."""
        return self, ""

    def item_scores(self, statistics: Statistics) -> Floats:
        """Return the scores of every item, shape (items, keys)."""
        return self.aggregate(statistics.table, np.ones(len(statistics)))

    def corpus_scores(self, statistics: Statistics) -> Floats:
        """Return the corpus scores, shape (keys,)."""
        return self.aggregate(statistics.sums(), np.asarray(float(len(statistics))))

    def prepare(
        self,
        references: References,
        *,
        jobs: int | None = None,
        parses: str | os.PathLike[str] | None = None,
        max_words: int = MAX_WORDS,
    ) -> Evaluator:
        """Prepare references once for many batches of candidates (a training loop).

        Parameters
        ----------
        references : sequence or mapping of sequences of str
            Captions by position or by id.
        jobs : int, optional
            Number of threads; by default, all CPUs available to the process.
        parses : path, optional
            Folder in which to keep SPICE's parses of the references for later runs.
        max_words : int
            Maximum number of words per caption; longer captions are truncated. 0: no limit.
        """
        from caplens.core.evaluator import Evaluator

        return Evaluator(self, references, jobs=jobs, parses=parses, max_words=max_words).fitted()

    def __call__(
        self,
        candidates: Candidates,
        references: References | Evaluator | None = None,
        *,
        ids: Sequence[str | int] | None = None,
    ) -> Result:
        """Score a batch.

        Parameters
        ----------
        candidates : sequence or mapping of str
            Captions by position, by ``ids``, or (a mapping) by id.
        references : Evaluator, or sequence or mapping of sequences of str
            What `prepare` returned; references as such are prepared for this batch alone.
        ids : sequence, optional
            The reference set of each caption; a set may be used several times (samples of one image).

        Examples
        --------
        >>> import caplens
        >>> rouge = caplens.metric("rouge")
        >>> rouge(["two dogs"], [["two dogs", "a dog"]])["ROUGE_L"].score
        1.0
        """
        from caplens.core.evaluator import Evaluator

        if isinstance(references, Evaluator):
            return references.score_batch(self, candidates, ids)
        result = Evaluator(self, references).score_batch(self, candidates, ids)
        warn_of(result.warnings)
        return result

    def request(self) -> Request:
        """Return the metric in the grammar with all options, and with its inputs unless options determine them."""
        options = []
        for declared in fields(self):
            value = getattr(self, declared.name)
            if value is not None and not isinstance(value, Metric | tuple):
                options.append((declared.name, as_written(value)))
        options.sort(key=lambda pair: pair[0] == "label")  # what names the result stands last
        return Request(request_name(self), tuple(options), tuple(metric.request() for metric in self.written_inputs))

    def tokenizer_facts(self) -> dict[str, str]:
        """Return the library and dictionary versions of the tokenizer, or of that of an input, if any."""
        found: dict[str, str] = {}
        for metric in self.inputs:
            found |= metric.tokenizer_facts()
        name = getattr(self, "tokenizer", None)
        return found | get_tokenizer(name).facts() if isinstance(name, str) else found

    def signature(self, state: State, facts: Mapping[str, str]) -> str:
        """Return everything needed to repeat a score, in the metric grammar.

        ``facts`` describe the captions: the number of rows, of references per row and of truncated captions.
        """
        shown = {**facts, **self.tokenizer_facts(), **state.facts, "caplens": __version__}
        request = self.request()
        return str(Request(request.name, request.options, request.inputs, tuple(shown.items())))


def request_name(metric: Metric) -> str:
    """Return how a metric is asked for: its name if that is known, else where its class is, ``module:Class``."""
    from caplens.core.registry import metric_class

    kind = type(metric)
    if kind.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return metric.name
    try:
        known = metric_class(metric.name) is kind
    except UsageError:
        known = False
    place = f"{kind.__module__}:{kind.__qualname__}"
    return metric.name if known or not names_code(place) else place
