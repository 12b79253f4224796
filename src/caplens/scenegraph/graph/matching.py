"""Which tuples of a candidate's scene graph are in the references' graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caplens.scenegraph.graph.concepts import Concept
from caplens.scenegraph.graph.scene_graph import GraphTuple, SceneGraph

# Tuples of a candidate, each with the tuples of the references that it may match: one or more.
Similar = dict[GraphTuple, list[GraphTuple]]


@dataclass(frozen=True, slots=True)
class Matching:
    """The tuples of two graphs: found in both, or in one only. Each list is in the order of the alphabet.

    Attributes
    ----------
    matched : list of (GraphTuple, GraphTuple)
        Tuples of the candidate, each with the tuple of the references that it matches.
    wrong : list of GraphTuple
        Tuples of the candidate that no tuple of the references is similar to, or none that is free.
    missed : list of GraphTuple
        Tuples of the references that are in no pair of ``matched``.
    """

    matched: list[tuple[GraphTuple, GraphTuple]]
    wrong: list[GraphTuple]
    missed: list[GraphTuple]


def match(candidate: SceneGraph, reference: SceneGraph, once: bool = False) -> Matching:
    """Match the tuples of a candidate with those of its references.

    Two tuples are similar if they have the same length and each part of one shares a word or a synset with the same
    part of the other. A candidate tuple matches the first similar tuple of the references in the order of the
    alphabet, as in SPICE 1.0, so that several may match the same one.

    Parameters
    ----------
    candidate, reference : SceneGraph
    once : bool
        Each tuple of the references is matched at most once: a maximum matching. Where not all candidate tuples can
        have a partner, those that come first in the alphabet are served; whichever augmenting paths are followed,
        this order settles who is (they are the first basis of a transversal matroid), so the result is well defined.

    Returns
    -------
    Matching

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> concepts = Concepts()
    >>> candidate = build([("bicycle",), ("motorcycle",), ("bicycle", "old")], concepts)
    >>> reference = build([("bike", "red"), ("man",)], concepts)
    >>> [(names(one), names(other)) for one, other in match(candidate, reference).matched]
    [(('bicycle',), ('bike',)), (('motorcycle',), ('bike',))]
    >>> result = match(candidate, reference, once=True)
    >>> [names(one) for one, _ in result.matched], [names(one) for one in result.wrong]
    ([('bicycle',)], [('bicycle', 'old'), ('motorcycle',)])
    """
    partner = pair(similar_tuples(candidate, reference), once)
    taken = set(partner.values())
    return Matching(
        list(partner.items()),
        sorted((each for each in candidate.tuples() if each not in partner), key=words),
        sorted((each for each in reference.tuples() if each not in taken), key=words),
    )


def pair(similar: Similar, once: bool = False) -> dict[GraphTuple, GraphTuple]:
    """Choose the partners of the candidate's tuples, see `match`; in the order of the alphabet."""
    ordered = {each: sorted(similar[each], key=words) for each in sorted(similar, key=words)}
    if once:
        return _maximum_matching(ordered)
    return {each: partners[0] for each, partners in ordered.items()}


def similar_tuples(candidate: SceneGraph, reference: SceneGraph) -> Similar:
    """Return the tuples of the candidate that some tuple of the references is similar to, with all those tuples."""
    nodes, others = candidate.nodes, reference.nodes
    # The nodes that matter, found by one look at each: most are similar to none of the candidate's.
    marks = frozenset().union(*(node.marks for node in nodes))
    within = [(place, other.marks) for place, other in enumerate(others) if not marks.isdisjoint(other.marks)]
    similar = [[place for place, found in within if not found.isdisjoint(node.marks)] for node in nodes]
    result: Similar = {}
    for node, places, attributes in zip(nodes, similar, candidate.attributes, strict=True):
        if places:
            result[node,] = [(others[place],) for place in places]
            for attribute in attributes:
                found: list[GraphTuple] = [
                    (others[place], other)
                    for place in places
                    for other in reference.attributes[place]
                    if attribute.is_similar(other)
                ]
                if found:
                    result[node, attribute] = found
    for (source, target), relations in candidate.relations.items():
        pairs = [(one, two) for one in similar[source] for two in similar[target] if (one, two) in reference.relations]
        for relation in relations if pairs else ():
            found = [
                (others[one], other, others[two])
                for one, two in pairs
                for other in reference.relations[one, two]
                if relation.is_similar(other)
            ]
            if found:
                result[nodes[source], relation, nodes[target]] = found
    return result


def names(each: GraphTuple) -> tuple[str, ...]:
    """Return a tuple as text: the names of its concepts."""
    return tuple(part.name for part in each)


def words(each: Sequence[Concept]) -> tuple[tuple[str, ...], ...]:
    """Return what tuples are sorted by: their words, part by part, as in SPICE 1.0."""
    return tuple(part.words for part in each)


def _maximum_matching(similar: Similar) -> dict[GraphTuple, GraphTuple]:
    """Give partners to as many tuples as possible, the first ones first (Kuhn's algorithm).

    A tuple that has a partner keeps one when others are served, though perhaps another one.
    """
    owner: dict[GraphTuple, GraphTuple] = {}

    def serve(each: GraphTuple, tried: set[GraphTuple]) -> bool:
        for other in similar[each]:
            if other not in tried:
                tried.add(other)
                if other not in owner or serve(owner[other], tried):
                    owner[other] = each
                    return True
        return False

    for each in similar:
        serve(each, set())
    partner = {each: other for other, each in owner.items()}
    return {each: partner[each] for each in similar if each in partner}
