"""METEOR 1.5, as the COCO tools run it, and for other languages than English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers
from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement
from caplens.errors import UsageError
from caplens.files.threads import BLOCK_ROWS, for_each_block
from caplens.metrics.meteor._matcher import Lexicon, Side
from caplens.metrics.meteor._meteor import Scorer
from caplens.metrics.meteor._related import WordRelater
from caplens.metrics.meteor.preparing import FactsOfWords, Forms, KnownPhrases, MeteorWords, Stems, WordGroups
from caplens.text.meteor import resources
from caplens.text.meteor.languages import LANGUAGES
from caplens.text.meteor.phrases import Relations, Spans

if TYPE_CHECKING:
    from caplens.output.explanation import Explanation

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

    where content words (:math:`c`) and function words (:math:`f`) that stage :math:`s` matched are counted
    separately, R is P on the reference's side, and a chunk is a run of matches that are adjacent on both sides. The
    best reference is used (the first, in case of ties). The corpus score applies the formula to the sums of all
    captions' statistics; it is not the mean of their scores. The maximum, 1, is reached by a candidate that equals a
    reference, if exact matches have weight 1 and it has a word of positive weight.

    References
    ----------
    M. Denkowski, A. Lavie: Meteor Universal: language specific translation evaluation for any target language,
    WMT 2014. Scores and the handling of ties are those of METEOR 1.5 with ``-l en -norm``; with ``language=de`` and
    ``tokenizer=none``, those of ``-l de -norm``, and so on.

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
    idea: ClassVar[str] = "words aligned by exact form, stem, synonym or paraphrase; precision, recall and word order"
    part_names: ClassVar[tuple[str, ...]] = ("precision", "recall", "order")
    needs: ClassVar[str] = 'data files: pip install "caplens[meteor]"'
    unread_statistics: ClassVar[frozenset[str]] = frozenset({"chunks"})

    # What is None is set by the language, see `caplens.text.meteor.languages`.
    language: Literal["en", "cs", "cz", "de", "es", "fr", "ru", "other"] = option(
        "en", "sets parameters, modules, weights, stemmer and normaliser (METEOR's option -l)"
    )
    alpha: float = option(None, "weight of recall relative to precision", least=0, most=1)
    beta: float = option(None, "steepness of the fragmentation penalty")
    gamma: float = option(None, "maximum fragmentation penalty", least=0, most=1)
    delta: float = option(None, "weight of content words relative to function words", least=0, most=1)
    exact: float = option(None, "weight of exact matches", least=0, most=1)
    stem: float = option(None, "weight of stem matches", least=0, most=1)
    synonym: float = option(None, "weight of synonym matches", least=0, most=1)
    paraphrase: float = option(None, "weight of paraphrase matches", least=0, most=1)
    modules: str = option(None, "matching stages, joined by +", names=any_text)
    function_words: Literal["english", "own"] = option(
        "english", "list of function words: English, as in METEOR 1.5, or the language's own"
    )
    normalize: bool = option(None, "apply METEOR's own normaliser after the tokenizer (METEOR's option -norm)")
    lowercase: bool = option(True, "lower-case words that are not normalised (METEOR's option -lower)")
    beam: int = option(40, "beam width of the alignment search", most=10_000)
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    def __post_init__(self) -> None:
        if self.language == "cs":  # today's code of Czech, which METEOR takes for another name
            object.__setattr__(self, "language", "cz")
        known = LANGUAGES[self.language]
        usual = {
            **dict(zip(("alpha", "beta", "gamma", "delta"), known.parameters, strict=True)),
            **dict.fromkeys(STAGES, 0.0),
            **known.weights,
            "modules": "+".join(known.weights),
            "normalize": known.apostrophe is not None,
        }
        for name, value in usual.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        super().__post_init__()
        if self.normalize and known.apostrophe is None:
            raise UsageError(f"METEOR has no normaliser for {known.title}: omit normalize=true.")
        object.__setattr__(self, "modules", self._checked_modules())

    def _checked_modules(self) -> str:
        """Return the stages in their order."""
        chosen = [module.strip() for module in self.modules.lower().split("+")]
        unknown = [module for module in chosen if module not in STAGES]
        if unknown or len(set(chosen)) < len(chosen):
            what = f"{unknown[0]!r} is not one of them" if unknown else "one of them is repeated"
            raise UsageError(f"meteor(modules=...) takes some of {', '.join(STAGES)}, joined by +: {what}.")
        known = LANGUAGES[self.language]
        absent = [module for module in chosen if module not in known.weights]
        if absent:
            raise UsageError(
                f"METEOR has no {absent[0]} stage for {known.title}: meteor(language={self.language}) matches by "
                f"{' and '.join(known.weights)}."
            )
        return "+".join(stage for stage in STAGES if stage in chosen)

    @classmethod
    def options_for(cls, language: str, tokenizer: str) -> dict[str, str]:
        """Return METEOR's setting: on raw captions where it has a normaliser, else on the words of the tokenizer."""
        code = language if language in LANGUAGES else "cz" if language == "cs" else "other"
        raw = code != "en" and LANGUAGES[code].apostrophe is not None
        return {"language": code, "tokenizer": "none" if raw else tokenizer}

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
        return MeteorWords(self.tokenizer, self.normalize, self.language, self.lowercase)

    @property
    def facts_of_words(self) -> FactsOfWords:
        """What is looked up about each of them."""
        own = self.language if self.function_words == "own" else "en"
        return FactsOfWords(self.words, own, "synonym" in self.stages)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that may match."""
        return tuple(self.modules.split("+"))

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the stages."""
        return (self.exact, self.stem, self.synonym, self.paraphrase)

    @property
    def rows_stand_alone(self) -> bool:
        """Each pair of captions is aligned by itself."""
        return True

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words, what is known about them, and as the stages need them stems and known phrases."""
        found: list[Requirement[Any]] = [Forms(self.words), self.facts_of_words]
        if "stem" in self.stages:
            found.append(Stems(self.words))
        if "paraphrase" in self.stages:
            found.append(KnownPhrases(self.words))
        return tuple(found)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Open the data files."""
        return State(notices=resources.load().notices) if self.language == "en" else State()

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
        candidates, references = prepared.candidates, prepared.references
        paraphrases = self._spans(candidates), self._spans(references)
        lexicon = Lexicon(
            candidates.get(self.facts_of_words).is_function,
            candidates.get(Forms(self.words)).of_word,
            self._related_words(prepared),
            paraphrases[0].lengths,
            self._related_phrases(prepared),
            len(references.get(self.words).table),
            len(paraphrases[1].nodes),
        )
        sides = self._side(candidates), self._side(references)
        stages = tuple(stage in self.stages for stage in STAGES)

        def new_scorer() -> Scorer:
            return Scorer(
                *sides, lexicon, stages, self.weights, self.alpha, self.beta, self.gamma, self.delta, self.beam
            )

        return new_scorer

    def _related_words(self, prepared: Prepared) -> tuple[ShortIntegers, ShortIntegers]:
        """Return which words of the references each word of the candidates matches."""
        candidates, references = prepared.candidates, prepared.references
        groups = references.get(WordGroups(self.facts_of_words, self.stages))
        forms, facts = candidates.get(Forms(self.words)).of_word, candidates.get(self.facts_of_words)
        stems = candidates.get(Stems(self.words)).of_word if "stem" in self.stages else forms
        relater = WordRelater(
            references.get(Forms(self.words)).of_word, *(groups.get(stage) for stage in STAGES if stage != "paraphrase")
        )
        ids = candidates.get(self.words).ids
        return relater.relate(ids, forms, stems, facts.meaning_offsets, facts.meanings)

    def _related_phrases(self, prepared: Prepared) -> Relations:
        """Return which phrases of the references each phrase of the candidates matches."""
        if "paraphrase" not in self.stages:
            return Relations.none()
        ours, theirs = self._spans(prepared.candidates), self._spans(prepared.references)
        key = (KnownPhrases(self.words), "relater")  # remembers what the batches of a loop have in common
        relater = prepared.references.once(key, lambda: resources.load().phrases.relater(theirs))
        return Relations(*relater.relate(ours.nodes, ours.numbers))

    def _spans(self, side: PreparedCaptions) -> Spans:
        return side.get(KnownPhrases(self.words)) if "paraphrase" in self.stages else Spans.none(len(side))

    def _side(self, side: PreparedCaptions) -> Side:
        words, spans = side.get(self.words), self._spans(side)
        return Side(words.offsets, words.ids, spans.offsets, spans.starts, spans.numbers)

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
        from caplens.metrics.meteor.explanation import Explainer

        return prepared.once((self, "explainer"), lambda: Explainer(self, prepared)).explain(row)
