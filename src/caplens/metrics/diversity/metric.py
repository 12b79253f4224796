"""How different several captions of an image are, and how many captions are new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from caplens.core.evaluator import Evaluator
from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.corpus import number_labels
from caplens.errors import InputError, reason_of
from caplens.files.telling import silently
from caplens.metrics.bleu.metric import Bleu
from caplens.metrics.row_texts import row_texts
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words
from caplens.readers import ReadOptions, read_references
from caplens.text.captions import Captions

_BLEU = Bleu(n=4, tokenizer="none")
_IMAGE = ("images", "distinct_1", "distinct_2")
_MUTUAL = (*(f"matches_{n}" for n in range(1, 5)), *(f"ngrams_{n}" for n in range(1, 5)), "length", "other_length")
_COLUMNS = (*_IMAGE, "compared", *_MUTUAL, "new")


@dataclass(frozen=True)
class Diversity(Metric):
    r"""Diversity of the captions that a system produces for one image, averaged over images.

    .. math:: \mathrm{Div}_n = \frac{|\text{distinct n-grams of the image's captions}|}
              {|\text{words of the image's captions}|}

    ``mBLEU_4`` is BLEU-4 of each caption against the other captions of its image, computed from sums over all captions
    as BLEU is; lower means more diverse. With ``training=FILE``, ``Novelty`` is the share of captions that do not
    occur in the file. Files show the number of distinct words as ``vocabulary``. Captions of one image
    are rows that share an ``image``, a group or an id. The maximum of Div is 1: no word occurs twice. No references are
    needed.

    References
    ----------
    R. Shetty, M. Rohrbach, L. A. Hendricks, M. Fritz, B. Schiele: Speaking the same language: matching machine to human
    captions by adversarial training, ICCV 2017.

    Examples
    --------
    >>> import caplens
    >>> captions = ["a dog runs", "a dog sits", "two cats", "two cats"]
    >>> result = caplens.score(captions, metrics="diversity", groups=[1, 1, 2, 2])
    >>> {key: round(score.score, 3) for key, score in result.items()}
    {'Div_1': 0.583, 'Div_2': 0.375, 'mBLEU_4': 0.0}
    """

    name: ClassVar[str] = "diversity"
    title: ClassVar[str] = "Diversity"
    origin: ClassVar[str] = "Shetty et al. 2017"
    idea: ClassVar[str] = "distinct words and word pairs among several captions of the same image"
    needs: ClassVar[str] = "several captions per image; no references"
    compares_candidates: ClassVar[bool] = True

    training: str | None = option(None, "a file of training captions, for `Novelty`")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def keys(self) -> tuple[str, ...]:
        """``Div_1``, ``Div_2``, ``mBLEU_4`` and, with training captions, ``Novelty``."""
        return ("Div_1", "Div_2", "mBLEU_4", *(("Novelty",) if self.training else ()))

    @property
    def falling_keys(self) -> frozenset[str]:
        """Captions that repeat each other have the higher mutual BLEU."""
        return frozenset(self.result_keys[2:3])

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def needs_references(self) -> bool:
        """Captions are compared with each other."""
        return False

    @property
    def learns_from_corpus(self) -> bool:
        """A caption's scores depend on the other captions of its image."""
        return True

    @property
    def words(self) -> WordIds:
        """The words that are counted."""
        return WordIds(self.tokenizer, split=True)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words."""
        return (self.words,)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Name the training captions by their number."""
        if self.training is None:
            return State()
        return NamedState(data=(("training_captions", str(len(_training(self.training, self.words)))),))

    def coverage(self, prepared: Prepared) -> Mapping[str, float]:
        """Return the number of distinct words of the candidates."""
        return {"vocabulary": float(len(prepared.candidates.get(self.words).used))}

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return for each caption its share of the image's diversity, its matches with the others, and if it is new."""
        words = prepared.candidates.get(self.words)
        captions = [words[row] for row in range(len(prepared))]
        images = _rows_by_image(prepared)
        table = np.zeros((len(prepared), len(_COLUMNS)))
        for rows in images:
            own = [captions[row] for row in rows]
            table[rows, : len(_IMAGE)] = np.array([1.0, _distinct(own, 1), _distinct(own, 2)]) / len(rows)
        several = [rows for rows in images if len(rows) > 1]
        places = [row for rows in several for row in rows]
        if places:
            table[places, 3] = 1
            table[places, 4:-1] = _mutual([[" ".join(captions[row]) for row in rows] for rows in several])
        if self.training is not None:
            known = _training(self.training, self.words)
            table[:, -1] = [" ".join(caption) not in known for caption in captions]
        return Statistics(_COLUMNS, table)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return means over images, BLEU from sums, and the share of new captions."""
        images, compared = sums[..., :1], sums[..., 3]
        bleu = _BLEU.aggregate(sums[..., 4:-1], rows)[..., 3]
        mutual = np.where(compared > 0, bleu, np.nan)[..., np.newaxis]
        scores: Floats = np.concatenate([sums[..., 1:3] / images, mutual], axis=-1)
        if self.training is not None:
            scores = np.concatenate([scores, sums[..., -1:] / np.asarray(rows)[..., np.newaxis]], axis=-1)
        return scores

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Mark the words that only this caption of the image has, and list the other captions."""
        texts = row_texts(prepared, self.words, row)
        words = prepared.candidates.get(self.words)
        rows = next(rows for rows in _rows_by_image(prepared) if row in rows)
        others = [words[other] for other in rows if other != row]
        shared = {word for other in others for word in other}
        alone = {place for place, word in enumerate(texts.words) if word not in shared}
        scores = self.item_scores(self.known_statistics(prepared, state))[row].tolist()
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate,
            references=texts.references,
            scores=dict(zip(self.result_keys, scores, strict=True)),
            facts={"captions of the image": len(rows)},
            sections=(
                MarkedText("candidate ([words in this caption only], shared)", mark_words(texts.words, alone)),
                Table("other captions of the image", ("caption",), tuple((" ".join(other),) for other in others)),
            ),
        )


def _rows_by_image(prepared: Prepared) -> list[list[int]]:
    """Return the rows of each image: of each group, or of each reference set."""
    numbers = prepared.reference_set if prepared.groups is None else number_labels(prepared.groups)
    found: dict[int, list[int]] = {}
    for row, number in enumerate(numbers.tolist()):
        found.setdefault(number, []).append(row)
    return list(found.values())


def _distinct(captions: Sequence[Sequence[str]], order: int) -> float:
    """Return the distinct n-grams of captions relative to their words."""
    ngrams = {tuple(words[place : place + order]) for words in captions for place in range(len(words) - order + 1)}
    return len(ngrams) / max(sum(map(len, captions)), 1)


def _mutual(sets: Sequence[Sequence[str]]) -> Floats:
    """Return BLEU's statistics of each caption of some sets against the other captions of its set."""
    candidates = [text for texts in sets for text in texts]
    references = [[*texts[:place], *texts[place + 1 :]] for texts in sets for place in range(len(texts))]
    with silently():
        result = Evaluator(_BLEU, references, progress=False).score(candidates)
    return result.runs[0].statistics.table


def _training(path: str, words: WordIds) -> frozenset[str]:
    """Return the words of each training caption."""
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError as error:
        raise InputError(f"The training captions {path} cannot be read: {reason_of(error)}.") from error
    return _read(path, words, changed)


@lru_cache(maxsize=2)
def _read(path: str, words: WordIds, changed: int) -> frozenset[str]:
    """Read a file once; ``changed`` tells a file that was written again."""
    table = read_references([path], ReadOptions())
    found = PreparedCaptions(Captions.from_texts(table.captions)[0]).get(words)
    return frozenset(found.text(caption) for caption in range(len(found)))
