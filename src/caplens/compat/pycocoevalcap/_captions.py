"""What the scorers are given: captions by image, checked as the original checks them, and their exact words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from caplens.api.scoring import score
from caplens.core.metric import Metric
from caplens.core.result import Result
from caplens.files.telling import silently
from caplens.text.tokenizers import split_single_spaces, split_words

TokenisedCaptions: TypeAlias = Mapping[Any, list[str]]
"""Captions by image, each a string of words."""

# A private-use character: nothing that caplens changes when it takes captions in, and never part of a printable word.
_MARK = "\ue000"


def rows(gts: Mapping[Hashable, Any], res: Mapping[Hashable, Any]) -> tuple[list[str], list[list[str]]]:
    """Return candidates and their references in the order of ``gts``.

    Raises
    ------
    AssertionError
        Where the original's assertions fail: the ids differ, an image has not exactly one candidate or no reference.
    """
    require(gts.keys() == res.keys(), "gts and res must have the same ids")
    for identifier, references in gts.items():
        hypothesis = res[identifier]
        require(type(hypothesis) is list, f"the candidate of {identifier!r} must be in a list")
        require(len(hypothesis) == 1, f"{identifier!r} must have exactly one candidate, not {len(hypothesis)}")
        require(type(references) is list, f"the references of {identifier!r} must be a list")
        require(len(references) >= 1, f"{identifier!r} has no references")
    return [res[identifier][0] for identifier in gts], list(gts.values())


def require(condition: bool, message: str) -> None:
    """Fail as an assertion does, also under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def score_words(metric: Metric, candidates: list[str], references: list[list[str]]) -> Result:
    """Score captions by the words between white space, as the original's BLEU and CIDEr do."""
    return _score_exactly(metric, candidates, references, _printable, split_words)


def score_single_spaces(metric: Metric, candidates: list[str], references: list[list[str]]) -> Result:
    """Score captions by what stands between single spaces, empty words included, as the original's ROUGE-L does."""
    return _score_exactly(metric, candidates, references, _single_spaced, split_single_spaces)


def _printable(caption: str) -> bool:
    return caption.isprintable()


def _single_spaced(caption: str) -> bool:
    return (
        caption.isprintable()
        and "  " not in caption
        and caption != ""
        and not caption.startswith(" ")
        and not caption.endswith(" ")
    )


def _score_exactly(
    metric: Metric,
    candidates: list[str],
    references: list[list[str]],
    plain: Callable[[str], bool],
    split: Callable[[str], list[str]],
) -> Result:
    """Score captions whose words are what ``split`` gives.

    Metrics with ``tokenizer=none`` cut at white space, and captions lose control characters when they are taken in. A
    caption for which that makes no difference is ``plain``; in the others, every word that would not survive is
    replaced by another that stands for it and for nothing else.
    """

    def exact(captions: Iterable[str]) -> list[str]:
        return [
            caption if plain(caption) else " ".join(stand_in(word) for word in split(caption)) for caption in captions
        ]

    with silently():  # the original says nothing
        return score(exact(candidates), [exact(texts) for texts in references], metrics=metric, progress=False)


def stand_in(word: str) -> str:
    r"""Return a word that survives being taken in, different for different words; printable words stay.

    The mark stands at the end, where it keeps stemmers from taking letters for a suffix.

    Examples
    --------
    >>> stand_in("dog"), stand_in(""), stand_in("1\xa01/2") == stand_in("11/2")
    ('dog', '\ue000', False)
    """
    # A space is printable, but no splitting leaves one inside a word.
    return word if word and word.isprintable() else word.encode("utf-32-be", "surrogatepass").hex() + _MARK
