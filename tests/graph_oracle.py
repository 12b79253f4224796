"""Two scene graphs side by side, tuple by tuple: the slow, clear version of what explanations of SPICE are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from caplens.scenegraph.graph.matching import names, pair, similar_tuples, words
from caplens.scenegraph.graph.scene_graph import GraphTuple, SceneGraph
from caplens.scenegraph.graph.score import KINDS, WORD_LISTS, WordLists, categories_of


@dataclass(frozen=True)
class ComparedTuple:
    """A tuple of one scene graph beside another.

    Attributes
    ----------
    parts : tuple of str
        Its names: object; object, attribute; subject, relation, object.
    partner : tuple of str or None
        The tuple of the other graph that it matches (for a tuple of the references: the first that matches it).
    categories : dict
        Whether it is matched, in each category that it belongs to. In `All` it is if it has a partner; in a word list
        the partner has to be of the list too.
    """

    parts: tuple[str, ...]
    partner: tuple[str, ...] | None
    categories: dict[str, bool]


@dataclass(frozen=True)
class MatchedGraphs:
    """Two scene graphs and what they share, as plain data.

    Attributes
    ----------
    candidate_nodes, reference_nodes : tuple of str
        The names of the objects, in the order in which the captions bring them.
    candidate_tuples, reference_tuples : tuple of ComparedTuple
        Matched ones first, then the others, each in the order of the alphabet.
    """

    candidate_nodes: tuple[str, ...]
    reference_nodes: tuple[str, ...]
    candidate_tuples: tuple[ComparedTuple, ...]
    reference_tuples: tuple[ComparedTuple, ...]

    def matched(self, category: str = "All") -> list[ComparedTuple]:
        """Return the tuples of the candidate that are in the references."""
        return [each for each in self.candidate_tuples if each.categories.get(category) is True]

    def wrong(self, category: str = "All") -> list[ComparedTuple]:
        """Return the tuples of the candidate that are not in the references."""
        return [each for each in self.candidate_tuples if each.categories.get(category) is False]

    def missed(self, category: str = "All") -> list[ComparedTuple]:
        """Return the tuples of the references that no tuple of the candidate matches."""
        return [each for each in self.reference_tuples if each.categories.get(category) is False]


def compare_graphs(
    candidate: SceneGraph, reference: SceneGraph, lists: WordLists = WORD_LISTS, once: bool = False
) -> MatchedGraphs:
    """Say which tuples of two graphs match, which are wrong and which are missed, in all and by category.

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> concepts = Concepts()
    >>> reference = build([("bike", "red"), ("man", "bike", "ride")], concepts)
    >>> comparison = compare_graphs(build([("bicycle", "blue"), ("bicycle",)], concepts), reference)
    >>> comparison.matched()
    [ComparedTuple(parts=('bicycle',), partner=('bike',), categories={'All': True, 'Object': True})]
    >>> [each.parts for each in comparison.wrong("Color")], [each.parts for each in comparison.missed()]
    ([('bicycle', 'blue')], [('bike', 'red'), ('man',), ('man', 'ride', 'bike')])
    """
    similar = similar_tuples(candidate, reference)
    everywhere = pair(similar, once)
    partners = dict.fromkeys(KINDS, everywhere)
    partners |= {name: pair(_within(similar, entries), once) for name, entries in lists.items()}
    inverse = {name: {two: one for one, two in reversed(found.items())} for name, found in partners.items()}
    return MatchedGraphs(
        tuple(node.name for node in candidate.nodes),
        tuple(node.name for node in reference.nodes),
        _compared(candidate, partners, lists),
        _compared(reference, inverse, lists),
    )


def _compared(
    graph: SceneGraph, partners: Mapping[str, Mapping[GraphTuple, GraphTuple]], lists: WordLists
) -> tuple[ComparedTuple, ...]:
    matched = partners["All"]
    return tuple(
        ComparedTuple(
            names(each),
            names(matched[each]) if each in matched else None,
            {name: each in partners[name] for name in categories_of(each, lists)},
        )
        for each in sorted(graph.tuples(), key=lambda each: (each not in matched, words(each)))
    )


def _within(similar, entries: frozenset[str]):
    """Leave only the tuples of a word list, on both sides."""

    def is_listed(each):
        return len(each) == 2 and each[1].name in entries

    found = {each: [other for other in partners if is_listed(other)] for each, partners in similar.items()}
    return {each: partners for each, partners in found.items() if partners and is_listed(each)}
