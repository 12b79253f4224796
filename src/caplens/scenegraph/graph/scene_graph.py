"""Scene graphs: the tuples of a caption, or of all references of an image, merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caplens.scenegraph.graph.concepts import Concept, Concepts

if TYPE_CHECKING:
    from caplens.scenegraph.rules.tuples import Proposal

# An object; an object and its attribute; a subject, its relation and the object of it.
GraphTuple = tuple[Concept] | tuple[Concept, Concept] | tuple[Concept, Concept, Concept]

# Captions say `is on` and `on` of the same thing.
COPULA = "be "


@dataclass(frozen=True, slots=True, eq=False)
class SceneGraph:
    """Objects with attributes, and relations between them.

    Attributes
    ----------
    nodes : tuple of Concept
        The objects, in the order in which they were first named. No two share a word, though they may share a synset:
        a term that is similar to both has been merged into one of them.
    attributes : tuple of tuple of Concept
        Those of each node.
    relations : dict
        The relations from one node to another, by the places of the two.
    """

    nodes: tuple[Concept, ...]
    attributes: tuple[tuple[Concept, ...], ...]
    relations: dict[tuple[int, int], tuple[Concept, ...]]

    def tuples(self) -> Iterator[GraphTuple]:
        """Yield the objects, then the attributes, then the relations (subject, relation, object)."""
        nodes = self.nodes
        yield from ((node,) for node in nodes)
        yield from ((node, each) for node, found in zip(nodes, self.attributes, strict=True) for each in found)
        for (source, target), found in self.relations.items():
            yield from ((nodes[source], each, nodes[target]) for each in found)


def build(proposals: Iterable[Proposal], concepts: Concepts) -> SceneGraph:
    """Merge the tuples that captions propose into one scene graph.

    A term becomes part of the node that has the word; else of the most similar node, if one shares a synset; else a
    node of its own. Attributes of one node are merged likewise, and relations between the same two nodes, but into
    the first similar one, not the most similar. "First" is the order of the alphabet, which also decides between
    equally similar nodes. In SPICE 1.0 these last two are left to chance: it made two different graphs of the same
    five captions in the golden data. The alphabet is its own order for matches, and does not depend on that of the
    captions.

    Parameters
    ----------
    proposals : iterable of tuple of str
        ``(object,)``, ``(object, attribute)`` or ``(subject, object, relation)``: here the relation stands last, as
        in `caplens.scenegraph.rules.tuples.propose`. A leading `be` of a relation is dropped.
    concepts : Concepts
        What the terms mean, with synonyms or without.

    Returns
    -------
    SceneGraph

    Examples
    --------
    >>> graph = build([("bike", "red"), ("man", "bicycle", "be on"), ("bike",), ("man", "bike", "on")], Concepts())
    >>> [tuple(part.name for part in each) for each in graph.tuples()]
    [('bicycle/bike',), ('man',), ('bicycle/bike', 'red'), ('man', 'on', 'bicycle/bike')]
    """
    nodes = _Nodes()
    places = nodes.places
    attributes: dict[int, list[Concept]] = {}
    relations: dict[tuple[int, int], list[Concept]] = {}
    for each in proposals:
        source = places.get(each[0])
        if source is None:
            source = nodes.add(concepts[each[0]])
        if len(each) == 2:
            _merge_into(attributes.setdefault(source, []), concepts[each[1]])
        elif len(each) == 3:
            target = places.get(each[1])
            if target is None:
                target = nodes.add(concepts[each[1]])
            _merge_into(relations.setdefault((source, target), []), concepts[each[2].removeprefix(COPULA)])
    return SceneGraph(
        tuple(nodes.concepts),
        tuple([tuple(attributes.get(place, ())) for place in range(len(nodes.concepts))]),
        {between: tuple(found) for between, found in relations.items()},
    )


def build_all(sets: Sequence[Sequence[Proposal]], concepts: Concepts) -> list[SceneGraph]:
    """Build the scene graph of each of many sets of proposals; their terms are looked up together.

    Examples
    --------
    >>> graphs = build_all([[("dog",), ("dog", "brown")], []], Concepts())
    >>> [len(graph.nodes) for graph in graphs]
    [1, 0]
    """
    distinct = {each for proposals in sets for each in proposals}
    terms = (term.removeprefix(COPULA) if place == 2 else term for each in distinct for place, term in enumerate(each))
    concepts.add(terms)
    return [build(proposals, concepts) for proposals in sets]


@dataclass(slots=True)
class _Nodes:
    """The objects found so far, the place of each word among them, and all their words and synsets."""

    concepts: list[Concept] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    marks: set[str | int] = field(default_factory=set)

    def add(self, term: Concept) -> int:
        """Find or make a place for a term whose word no node has yet."""
        concepts = self.concepts
        # Most terms are new in every respect, which one look at the marks of all nodes tells.
        if term.marks.isdisjoint(self.marks):
            place = len(concepts)
            concepts.append(term)
        else:
            similar = (place for place, concept in enumerate(concepts) if concept.is_similar(term))
            place = min(similar, key=lambda place: (-concepts[place].similarity(term), concepts[place].words))
            concepts[place] = concepts[place].merged(term)
        self.places[term.name] = place
        self.marks.update(term.marks)
        return place


def _merge_into(found: list[Concept], term: Concept) -> None:
    """Add an attribute to those of the same node, or a relation to those between the same two nodes."""
    similar = [place for place, concept in enumerate(found) if concept.is_similar(term)]
    if not similar:
        found.append(term)
    elif not any(term.name in found[place].words for place in similar):
        place = min(similar, key=lambda place: found[place].words)
        found[place] = found[place].merged(term)
