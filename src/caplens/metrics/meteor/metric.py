"""METEOR 1.5 for English, as the COCO tools run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, Metric, State, Statistics, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement
from caplens.errors import UsageError
from caplens.files.threads import BLOCK_ROWS, for_each_block
from caplens.metrics.meteor._matcher import Lexicon, Side
from caplens.metrics.meteor._meteor import Scorer
from caplens.metrics.meteor.preparing import FactsOfWords, KnownPhrases, MeteorWords, Stems
from caplens.output.explanation import Explanation
from caplens.text import wordnet
from caplens.text.meteor import resources
from caplens.text.ragged import take_rows

USUAL_WORDS = 20  # more than most captions have
STAGES = ("exact", "stem", "synonym", "paraphrase")
COLUMNS = (
    "length",
    "reference_length",
    "function_words",
    "reference_function_words",
    *(
        f"{stage}_{kind}"
        for stage in STAGES
        for kind in ("content", "reference_content", "function", "reference_function")
    ),
    "chunks",
    "matched",
    "reference_matched",
    # As chunks, but 0 for a pair that matches from end to end: METEOR 1.5 counts it so in the sums of a corpus.
    "penalized_chunks",
)


@dataclass(frozen=True)
class Meteor(Metric):
    r"""METEOR: words aligned by form, stem, meaning or paraphrase; then precision, recall and order.

    .. math:: P = \frac{\sum_s w_s (\delta m^c_s + (1 - \delta) m^f_s)}{\delta n^c + (1 - \delta) n^f},\quad
              F = \frac{1}{(1 - \alpha) / P + \alpha / R},\quad
              \mathrm{METEOR} = F \left(1 - \gamma \left(\frac{\mathrm{chunks}}{\mathrm{matches}}\right)^\beta\right)

    where content words (:math:`c`) and function words (:math:`f`) that stage :math:`s` matched are counted apart, R is
    P on the reference's side, and a chunk is a run of matches that are neighbours on both sides. The best reference
    counts, the first of equals. The corpus score is the formula on the sums of all captions' statistics, not the mean
    of their scores. The maximum, 1, is reached by a candidate that equals a reference, as long as exact matches weigh 1
    and it has a word that weighs anything.

    References
    ----------
    M. Denkowski, A. Lavie: Meteor Universal: language specific translation evaluation for any target language,
    WMT 2014. The numbers, and what decides ties, are those of METEOR 1.5 with ``-l en -norm``.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a man rides a horse"], [["a person is riding a horse"]], metrics=["meteor"])
    >>> round(result["METEOR"].score, 4)
    0.3632
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    origin: ClassVar[str] = "Denkowski & Lavie 2014"
    idea: ClassVar[str] = "words aligned by form, stem, synonym or paraphrase; recall, precision and word order"
    part_names: ClassVar[tuple[str, ...]] = ("precision", "recall", "order")
    needs: ClassVar[str] = 'data files: pip install "caplens[meteor]"'

    # METEOR 1.5, English, ranking task.
    alpha: float = option(0.85, "weight of recall against precision", least=0, most=1)
    beta: float = option(0.2, "how steeply the penalty rises with fragmentation")
    gamma: float = option(0.6, "the largest penalty for fragmentation", least=0, most=1)
    delta: float = option(0.75, "weight of content words against function words", least=0, most=1)
    exact: float = option(1.0, "weight of words matched by form", least=0, most=1)
    stem: float = option(0.6, "weight of words matched by stem", least=0, most=1)
    synonym: float = option(0.8, "weight of words matched by meaning", least=0, most=1)
    paraphrase: float = option(0.6, "weight of words matched by paraphrase", least=0, most=1)
    modules: str = option("+".join(STAGES), "stages that may match, joined by +")
    normalize: bool = option(True, "use METEOR's own normaliser after the tokenizer (its option -norm)")
    beam: int = option(40, "width of the search for the alignment", most=10_000)
    tokenizer: str = option("ptb", "how captions are cut into words")

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = [module.strip() for module in self.modules.lower().split("+")]
        unknown = [module for module in chosen if module not in STAGES]
        if unknown or len(set(chosen)) < len(chosen):
            what = f"{unknown[0]!r} is none of them" if unknown else "one stands there twice"
            raise UsageError(f"meteor(modules=...) joins some of {', '.join(STAGES)} by +: {what}.")
        object.__setattr__(self, "modules", "+".join(stage for stage in STAGES if stage in chosen))

    def missing_data(self) -> str | None:
        """Return what is missing for METEOR's data."""
        return resources.missing_data()

    @property
    def keys(self) -> tuple[str, ...]:
        """``METEOR``."""
        return ("METEOR",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def words(self) -> MeteorWords:
        """The words that are compared."""
        return MeteorWords(self.tokenizer, self.normalize)

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the stages."""
        return (self.exact, self.stem, self.synonym, self.paraphrase)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words, their stems and synsets, and known phrases."""
        words = self.words
        return (words, Stems(words), FactsOfWords(words), KnownPhrases(words))

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Open the data files."""
        return State(notices=resources.load().notices)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the 23 numbers that METEOR 1.5 prints, and one more, of each row with its best reference."""
        return Statistics(COLUMNS, self.best_pairs(prepared)[0])

    def best_pairs(self, prepared: Prepared) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the statistics of each row, and its best reference as a place among all reference captions."""
        table = np.zeros((len(prepared), len(COLUMNS)))
        best = np.full(len(prepared), -1, np.int64)
        new_scorer = self.scorers(prepared)

        def fill(first: int, last: int) -> None:
            new_scorer().score_captions(prepared.references.offsets, prepared.reference_set, table, best, first, last)

        for_each_block(fill, len(prepared), prepared.jobs, "METEOR", self._rows_of_a_block(prepared))
        return table, best

    def _rows_of_a_block(self, prepared: Prepared) -> int:
        """Fewer for paragraphs: the search takes about the square of the words."""
        words = len(prepared.candidates.get(self.words).ids) + len(prepared.references.get(self.words).ids)
        mean = words / max(1, len(prepared.candidates) + len(prepared.references))
        return int(np.clip(BLOCK_ROWS * (USUAL_WORDS / max(1.0, mean)) ** 2, 1, BLOCK_ROWS))

    def scorers(self, prepared: Prepared) -> Callable[[], Scorer]:
        """Return a function that makes scorers for this corpus, one for each thread."""
        words = self.words
        candidates, references = prepared.candidates, prepared.references
        phrases, reference_phrases = candidates.get(KnownPhrases(words)), references.get(KnownPhrases(words))
        # A batch of a training loop uses few of the sets.
        used = np.flatnonzero(np.bincount(prepared.reference_set, minlength=references.sets))
        captions, _ = take_rows(references.offsets, np.arange(references.offsets[-1]), used)
        facts = candidates.get(FactsOfWords(words)).shared()
        lexicon = Lexicon(
            facts.is_function,
            facts.meaning_offsets,
            facts.meanings,
            resources.load().phrases.relate(phrases.nodes, reference_phrases.nodes_of(captions)),
            len(candidates.get(Stems(words)).table),
            len(wordnet.load().numbers),
        )
        chosen = self.modules.split("+")
        sides = self._side(candidates), self._side(references)
        stages = tuple(stage in chosen for stage in STAGES)

        def new_scorer() -> Scorer:
            return Scorer(
                *sides, lexicon, stages, self.weights, self.alpha, self.beta, self.gamma, self.delta, self.beam
            )

        return new_scorer

    def _side(self, side: PreparedCaptions) -> Side:
        words, spans = side.get(self.words), side.get(KnownPhrases(self.words))
        stems = side.get(Stems(self.words))
        return Side(words.offsets, words.ids, stems.ids, spans.offsets, spans.starts, spans.lengths, spans.nodes)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Apply the formula to sums of statistics."""
        return self.parts(sums)["score"][..., np.newaxis]

    def parts_of(self, sums: Floats, rows: Floats) -> Floats:
        """Return precision, recall, and the order of matched words: 1 less the fragmentation, 0 without a match."""
        found = self.parts(sums)
        order = np.where(found["precision"] > 0, 1 - found["fragmentation"], 0.0)
        return np.stack([found["precision"], found["recall"], order], axis=-1)[..., np.newaxis, :]

    def parts(self, sums: Floats) -> dict[str, Floats]:
        """Return the score and what it is made of: precision, recall, F-mean, fragmentation and penalty."""
        length, reference_length, function, reference_function = (sums[..., place] for place in range(4))
        matched, reference_matched, penalized_chunks = (sums[..., place] for place in range(21, 24))
        weights = np.array(self.weights)
        matches = self.delta * sums[..., 4:20:4] + (1 - self.delta) * sums[..., 6:20:4]
        reference_matches = self.delta * sums[..., 5:20:4] + (1 - self.delta) * sums[..., 7:20:4]
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = (matches @ weights) / (self.delta * (length - function) + (1 - self.delta) * function)
            recall = (reference_matches @ weights) / (
                self.delta * (reference_length - reference_function) + (1 - self.delta) * reference_function
            )
            mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
            fragmentation = penalized_chunks / ((matched + reference_matched) / 2)
            penalty = self.gamma * fragmentation**self.beta
            score = mean * (1 - penalty)
        found = {
            "score": np.maximum(score, 0.0),
            "precision": precision,
            "recall": recall,
            "F-mean": mean,
            "fragmentation": fragmentation,
            "penalty": penalty,
        }
        return {name: np.where(np.isfinite(score), values, 0.0) for name, values in found.items()}

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the alignment with the best reference and the score of each."""
        from caplens.metrics.meteor.explanation import explain_row

        return explain_row(self, prepared, row)
