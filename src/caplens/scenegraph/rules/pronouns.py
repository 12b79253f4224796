"""Pronouns stand for the first noun that they can stand for: `a man holds his hat` says that the man has a hat."""

from __future__ import annotations

from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.dependencies import NOUNS, Graph, phrases

PRONOUNS = frozenset(("PRP", "PRP$"))
SINGULAR_NOUNS = frozenset(("NN", "NNP"))
# All others may stand for any noun: a team and their boat.
SINGULAR_PRONOUNS = phrases("he|him|his|himself|she|her|hers|herself|it|its|itself|one|i|me|my|mine|myself")


def resolve_pronouns(graph: Graph, sentence: Sentence) -> None:
    """Give the edges of each pronoun to its noun, if there is one and it stands before the pronoun.

    The noun is the first below the root, level by level, that agrees in number. The first word is never resolved, nor
    is a pronoun that is the root.

    Parameters
    ----------
    graph : Graph
        Collapsed dependencies; changed.
    sentence : Sentence
        The words and tags.

    Examples
    --------
    >>> from caplens.scenegraph.rules.collapse import collapse
    >>> sentence = Sentence(("men", "hold", "their", "hats"), ("NNS", "VBP", "PRP$", "NNS"),
    ...                     ("man", "hold", "they", "hat"), (2, 0, 4, 2), ("nsubj", "root", "nmod:poss", "dobj"))
    >>> graph = collapse(sentence)
    >>> resolve_pronouns(graph, sentence)
    >>> graph.children[4]
    [(1, 'nmod:poss')]
    """
    tags = sentence.tags
    antecedents = []
    for position in range(2, len(tags) + 1):
        if tags[position - 1] not in PRONOUNS or any(governor == 0 for governor, _ in graph.parents[position]):
            continue
        singular = sentence.words[position - 1] in SINGULAR_PRONOUNS
        noun = _first_noun(graph, tags, SINGULAR_NOUNS if singular else NOUNS)
        if noun is not None and graph.origins[noun] < position:
            antecedents.append((position, noun))
    for pronoun, noun in antecedents:
        _replace(graph, pronoun, noun)


def _first_noun(graph: Graph, tags: tuple[str, ...], wanted: frozenset[str]) -> int | None:
    """Return the first node with one of these tags, breadth first from the root."""
    level = [0]
    seen = {0}
    while level:
        below = []
        for node in level:
            for child, _ in sorted(graph.children[node]):
                if child not in seen:
                    seen.add(child)
                    below.append(child)
                    if tags[graph.origins[child] - 1] in wanted:
                        return child
        level = below
    return None


def _replace(graph: Graph, pronoun: int, noun: int) -> None:
    for governor, label in list(graph.parents[pronoun]):
        graph.remove(governor, pronoun, label)
        graph.add(governor, noun, label)
    for child, label in list(graph.children[pronoun]):
        graph.remove(pronoun, child, label)
        graph.add(noun, child, label)
