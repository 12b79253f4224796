"""The languages of METEOR 1.5: what each runs with, and its lists in the jar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from caplens.errors import MissingDataError
from caplens.text.meteor import resources
from caplens.text.meteor.normalizer import Apostrophe, Normalizer


@dataclass(frozen=True)
class Language:
    """A language of METEOR 1.5 and what its option ``-l`` sets.

    Attributes
    ----------
    title : str
        Its name in sentences.
    lists : str
        What its files in the jar are called.
    weights : mapping of str to float
        The stages there are, and their weights in the score.
    parameters : tuple of float
        Alpha, beta, gamma and delta.
    stemmer : str, optional
        A Snowball algorithm, see `caplens.text.meteor.stems`.
    apostrophe : {"right", "left", "alone"}, optional
        Of the normaliser; None where there is no normaliser (``-norm`` is an error there).
    """

    title: str
    lists: str
    weights: Mapping[str, float] = field(hash=False)
    parameters: tuple[float, float, float, float]
    stemmer: str | None = None
    apostrophe: Apostrophe | None = None


# METEOR 1.5 prints these when it runs (ranking task); stages without data are left out.
LANGUAGES: dict[str, Language] = {
    "en": Language(
        "English",
        "english",
        {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6},
        (0.85, 0.2, 0.6, 0.75),
        "english",
        "right",
    ),
    "cz": Language("Czech", "czech", {"exact": 1.0}, (0.95, 0.2, 0.6, 0.8), None, "alone"),
    "de": Language("German", "german", {"exact": 1.0, "stem": 0.8}, (0.95, 1.0, 0.55, 0.55), "german", "alone"),
    "es": Language("Spanish", "spanish", {"exact": 1.0, "stem": 0.8}, (0.65, 1.3, 0.5, 0.8), "spanish", "alone"),
    "fr": Language("French", "french", {"exact": 1.0, "stem": 0.2}, (0.9, 1.4, 0.6, 0.65), "french", "left"),
    "ru": Language("Russian", "russian", {"exact": 1.0, "stem": 0.5}, (0.75, 1.4, 0.7, 0.5), "russian", "alone"),
    "other": Language("another language", "other", {"exact": 1.0}, (0.75, 1.4, 0.7, 0.5)),
}


@cache
def normalizer(language: str) -> Normalizer:
    """Return METEOR's normaliser for a language."""
    if language == "en":
        return resources.load().normalizer
    known = LANGUAGES[language]
    if known.apostrophe is None:
        raise ValueError(f"METEOR has no normaliser for {known.title}")
    prefixes, numeric = resources.read_prefixes(_text(f"nonbreaking/{known.lists}.prefixes"))
    return Normalizer(prefixes, numeric, known.apostrophe)


@cache
def function_words(language: str) -> frozenset[bytes]:
    """Return a language's own function words; there are none for ``other``.

    METEOR 1.5 uses those of English whatever the language is.
    """
    return frozenset(_text(f"function/{LANGUAGES[language].lists}.words").encode("utf-8").split())


def _text(member: str) -> str:
    sources = resources.Sources.find()
    if sources is None:
        raise MissingDataError(f"meteor cannot run here: {resources.OBSTACLE}")
    return sources.text(member).tobytes().decode("utf-8")
