"""Captions made worse on purpose: permuted words (WP), random words (RW), repeated words (RP), and the user's own.

References
----------
Y. Cui, G. Yang, A. Veit, X. Huang, S. Belongie: Learning to evaluate image captioning, CVPR 2018, eq. 6-9.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from caplens.errors import InputError, UsageError
from caplens.files.plugins import imported, installed, loaded, names_code

LEAST_WORDS = 2
"""A transformation concerns at least this many words."""
ATTEMPTS = 50
"""A draw that changes nothing is repeated; a caption of equal words cannot be changed by permuting them."""


def concerned_words(words: int, strength: float) -> int:
    """Return how many of some words a transformation of a strength from 0 to 1 concerns.

    Examples
    --------
    >>> [concerned_words(10, strength) for strength in (0, 0.1, 0.55, 1)]
    [0, 2, 6, 10]
    """
    if strength <= 0:
        return 0
    return min(words, max(LEAST_WORDS, int(np.floor(strength * words + 0.5))))


def permute_words(words: Sequence[str], strength: float, generator: np.random.Generator) -> list[str]:
    """Permute some of the words, so that the caption changes.

    Examples
    --------
    >>> sorted(permute_words(["a", "red", "dog"], 1.0, np.random.default_rng(0)))
    ['a', 'dog', 'red']
    """
    original = list(words)
    number = concerned_words(len(original), strength)
    if len(set(original)) < 2 or number < 2:
        return original
    for _ in range(ATTEMPTS):
        places = generator.choice(len(original), number, replace=False)
        changed = list(original)
        for place, source in zip(places.tolist(), generator.permutation(places).tolist(), strict=True):
            changed[place] = original[source]
        if changed != original:
            return changed
    return original


def replace_words(
    words: Sequence[str], strength: float, vocabulary: Sequence[str], generator: np.random.Generator
) -> list[str]:
    """Replace some of the words by random words of a vocabulary, each by another than itself.

    Examples
    --------
    >>> replace_words(["a", "dog"], 1.0, ["cat"], np.random.default_rng(0))
    ['cat', 'cat']
    """
    changed = list(words)
    if not set(vocabulary) - set(changed) and len(set(vocabulary)) < 2:
        return changed
    for place in generator.choice(len(changed), concerned_words(len(changed), strength), replace=False).tolist():
        for _ in range(ATTEMPTS):
            chosen = vocabulary[int(generator.integers(len(vocabulary)))]
            if chosen != words[place]:
                changed[place] = chosen
                break
    return changed


def repeat_words(words: Sequence[str], strength: float) -> list[str]:
    """Say the last words again after "and"; at strength 1 the whole caption is repeated.

    Examples
    --------
    >>> " ".join(repeat_words(["a", "dog", "on", "grass"], 0.5)), " ".join(repeat_words(["a", "dog"], 1.0))
    ('a dog on grass and on grass', 'a dog and a dog')
    """
    number = concerned_words(len(words), strength)
    return [*words, "and", *words[len(words) - number :]] if number else list(words)


GROUP = "caplens.transformations"
"""The group of entry points in which other packages offer transformations: ``name = "module:function"``."""
OWN = ("RC", "WP", "RW", "RP")
"""Names of the transformations that come with caplens."""
_NAME = re.compile(r"[A-Za-z][\w\-]*")
_registered: dict[str, Transformation] = {}


@dataclass(frozen=True)
class Transformation:
    """A user's way to make a caption worse.

    Attributes
    ----------
    name : str
        What it is called.
    function : callable
        Gets a caption and returns a bad one.
    wants : frozenset of str
        Which of ``strength`` and ``generator`` it takes besides.
    """

    name: str
    function: Callable[..., str]
    wants: frozenset[str]

    @property
    def title(self) -> str:
        """The first line of the function's docstring, or its name."""
        return (inspect.getdoc(self.function) or self.name).splitlines()[0].rstrip(".")

    def __call__(self, caption: str, strength: float, generator: np.random.Generator) -> str:
        """Make a caption worse."""
        given = {"strength": strength, "generator": generator}
        changed = self.function(caption, **{name: given[name] for name in self.wants})
        if not isinstance(changed, str):
            raise InputError(
                f"The transformation {self.name!r} must return a caption, but for {caption!r} it returned {changed!r}."
            )
        return changed


def register_transformation(name: str, function: Callable[..., str]) -> None:
    """Register a transformation, for ``transformation=NAME`` in ``robustness`` and in training.

    Parameters
    ----------
    name : str
        Name made of letters, digits, - and _; registering a name again replaces the function. RC, WP, RW and RP
        cannot be used.
    function : callable
        Function that takes a caption and returns a degraded one. It may also have parameters named ``strength``
        (above 0, at most 1) and ``generator`` (a `numpy.random.Generator`).

    Examples
    --------
    >>> register_transformation("negated", lambda caption: f"there is no {caption}")
    >>> get_transformation("negated")("red dog", 1.0, np.random.default_rng(0))
    'there is no red dog'
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.upper() in OWN:
        raise UsageError(
            f"A transformation cannot be named {name!r}: choose another name, made of letters, digits, - and _."
        )
    _registered[name] = _checked(name, function)


def get_transformation(name: str) -> Transformation:
    """Return a transformation that was registered or imported, or that an installed package offers."""
    if name not in _registered:
        offered = installed(GROUP)
        if name.lower() not in offered:
            known = ", ".join(dict.fromkeys([*_registered, *offered])) or "none is registered"
            raise UsageError(
                f"There is no transformation {name!r} ({known}): register it, or specify a function as "
                f"module:function with --allow-code."
            )
        _registered[name] = _checked(name, loaded(offered[name.lower()], "transformation"))
    return _registered[name]


def import_transformation(text: str) -> None:
    """Import what ``module:function`` names, as a transformation of that name; the caller has made sure that it may."""
    if names_code(text):
        _registered[text] = _checked(text, imported(text, "transformation"))


def _checked(name: str, function: object) -> Transformation:
    if not callable(function):
        raise UsageError(f"The transformation {name!r} must be a function from a caption to a caption.")
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # of a few built-in functions, which take a caption only
        return Transformation(name, function, frozenset())
    return Transformation(name, function, frozenset({"strength", "generator"} & parameters.keys()))
