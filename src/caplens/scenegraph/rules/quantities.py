"""Quantities that look like things: `a couple of men` is about men, and so are `lots of men` and `two of the men`."""

from __future__ import annotations

from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.dependencies import NOUNS, Graph, phrases

# Observed on the tuples of SPICE 1.0. With the determiner `a` or `an`, maybe adjectives, and `of`:
COLLECTIVES = phrases(
    "lot|assortment|number|couple|bunch|handful|litany|sheaf|slew|dozen|series|variety|multitude|wad|clutch|wave|"
    "mountain|array|spate|string|ton|range|plethora|heap|sort|form|kind|type|version|bit|pair|triple|total"
)
# With `of`:
PLURALS = phrases("lots|dozens|hundreds|thousands|tens|pairs|tons|loads|mountains|plenty|several|many")
# With `of` and a determiner or pronoun:
PARTS = phrases("some|all|both|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve")
DETERMINED = frozenset(("the", "these", "those", "a", "an", "them", "it", "us"))

# What may take the place of its quantity: not the adjective of `lots of green`.
COUNTABLE = NOUNS | {"PRP"}


def demote_quantities(graph: Graph, sentence: Sentence) -> None:
    """Let the noun of a quantity take its place; the first word of the quantity becomes the noun's ``qmod``.

    The noun takes over one edge only, and none of the words that the quantity governs.

    Parameters
    ----------
    graph : Graph
        Collapsed dependencies; changed.
    sentence : Sentence
        The words and tags.

    Examples
    --------
    >>> from caplens.scenegraph.rules.collapse import collapse
    >>> sentence = Sentence(("lots", "of", "men"), ("NNS", "IN", "NNS"), ("lot", "of", "man"), (0, 3, 1),
    ...                     ("root", "case", "nmod"))
    >>> graph = collapse(sentence)
    >>> demote_quantities(graph, sentence)
    >>> sorted(graph.edges())
    [(0, 3, 'root'), (1, 2, 'mwe'), (3, 1, 'qmod')]
    """
    words = sentence.words
    if "of" not in words:
        return
    for of in range(2, len(words)):
        if words[of - 1] != "of":
            continue
        quantity = of - 1
        noun = next((governor for governor, label in graph.parents[of] if label == "case"), 0)
        edge = next((label for governor, label in graph.parents[noun] if governor == quantity), "")
        if edge.startswith("nmod:") and sentence.tags[graph.origins[noun] - 1] in COUNTABLE:
            phrase = _phrase(graph, sentence, quantity, noun)
            if phrase:
                graph.remove(quantity, noun, edge)
                _demote(graph, quantity, noun, [*phrase, of])


def _phrase(graph: Graph, sentence: Sentence, quantity: int, noun: int) -> list[int]:
    """Return the words of a quantity up to the one that names it; none if it is no quantity."""
    words = sentence.words
    word = words[quantity - 1]
    before = [(child, label) for child, label in graph.children[quantity] if child < quantity]
    if word in COLLECTIVES:
        determiner = max((child for child, label in before if label == "det"), default=0)
        if determiner == 0 or words[determiner - 1] not in ("a", "an"):
            return []
        return [*(child for child, label in before if label in ("det", "amod")), quantity]
    if word in PLURALS or (word[:1].isdigit() and word.endswith("s")):
        return [*(child for child, _ in before), quantity]
    follower = quantity + 2
    part = (word in PARTS or word.isdigit()) and words[follower - 1] in DETERMINED
    # But `one of the men's hats` is about the hats of some men.
    if part and (follower == noun or (noun, "det") in graph.parents[follower]):
        return [*(child for child, _ in before), quantity]
    return []


def _demote(graph: Graph, quantity: int, noun: int, phrase: list[int]) -> None:
    """Put a noun into the place of its quantity and the phrase below the noun."""
    if graph.parents[quantity]:
        governor, label = min(graph.parents[quantity])
        graph.add(governor, noun, label)
    for word in phrase:
        for governor, label in list(graph.parents[word]):
            graph.remove(governor, word, label)
    first, *others = phrase
    graph.add(noun, first, "qmod")
    for word in others:
        graph.add(first, word, "mwe")
