"""What can be derived from captions, computed once for all metrics that ask for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from caplens.text import ngrams, words
from caplens.text.scripts import uncut_captions
from caplens.text.tokenizers import get_tokenizer, split_ascii_spaces

if TYPE_CHECKING:
    from caplens.core.prepared import PreparedCaptions

Value = TypeVar("Value")


class Requirement(ABC, Generic[Value]):
    """Something derived from captions; instances are hashable and compare equal if they have the same meaning.

    They are looked up many times for each batch of a training loop, so a dataclass computes its hash once.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__hash__" not in vars(cls):  # `dataclass` leaves it where it is there
            cls.__hash__ = _hash_once  # type: ignore[assignment, method-assign]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the hash: those of texts differ between processes."""
        return {key: value for key, value in self.__dict__.items() if key != _HASH}

    @property
    def source(self) -> Requirement[Any] | None:
        """What it is derived from, if `compute` needs nothing else: then others are computed at the same time."""
        return None

    @abstractmethod
    def compute(self, side: PreparedCaptions) -> Value:
        """Derive it; ``side`` gives access to other requirements and to the base's value."""


_HASH = "_hash"


def _hash_once(requirement: Any) -> int:  # noqa: ANN401 (any subclass)
    """Return the hash of a dataclass, or of any other object."""
    try:
        found: int = requirement._hash
    except AttributeError:
        names = getattr(type(requirement), "__dataclass_fields__", None)
        values = None if names is None else (type(requirement), *(getattr(requirement, name) for name in names))
        found = vars(requirement)[_HASH] = object.__hash__(requirement) if values is None else hash(values)
    return found


@dataclass(frozen=True)
class WordIds(Requirement[words.Words]):
    """Captions as word ids.

    With ``split``, words are cut at white space inside them. PTB keeps ``1 1/2`` together with a no-break space; the
    COCO tools' ROUGE-L takes that as one word, their BLEU and CIDEr as two. With ``ascii_spaces``, for captions that
    are tokens already, only white space of ASCII parts words.
    """

    tokenizer: str = "ptb"
    split: bool = False
    stem: bool = False
    ascii_spaces: bool = False

    @cached_property
    def whole(self) -> WordIds:
        """The words before they are split, stemmed or told apart otherwise: one object, which is found at once."""
        return WordIds(self.tokenizer)

    def compute(self, side: PreparedCaptions) -> words.Words:
        """Tokenise, then split, then stem, as asked."""
        base = side.base_value(self)
        if self.stem:
            return words.stem_words(side.get(WordIds(self.tokenizer, self.split)), base)
        if self.split:
            return words.split_inner_spaces(_encoded(side.get(self.whole)))
        known = None if base is None else _encoded(base)
        if self.tokenizer == "ptb":
            side.note_uncut(*uncut_captions(side.captions))
        tokenizer = get_tokenizer(self.tokenizer)
        if self.ascii_spaces:
            if base is side.base_value(self.whole) and side.captions.is_ascii:
                return side.get(self.whole)
            tokenizer = replace(tokenizer, tokenize=split_ascii_spaces)
        found = words.encode_words(side.captions, tokenizer, known, side.jobs)
        if side.max_words:
            found, longer = words.cut_long(found, side.max_words)
            side.note_cut(longer)
        return found


def _encoded(found: words.Words) -> words.EncodedWords:
    if not isinstance(found, words.EncodedWords):
        raise TypeError("these words were not tokenised")
    return found


@dataclass(frozen=True)
class NgramCounts(Requirement[ngrams.Ngrams]):
    """N-gram counts of captions."""

    words: WordIds = WordIds(split=True)
    max_order: int = 4

    def compute(self, side: PreparedCaptions) -> ngrams.Ngrams:
        """Count."""
        base = side.base_value(self)
        return ngrams.count_ngrams(
            side.get(self.words), self.max_order, base.index if base is not None else None, side.jobs
        )
