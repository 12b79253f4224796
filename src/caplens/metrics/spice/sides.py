"""One scene graph of a comparison, as explanations show it: that of the references is made once for all candidates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from caplens.output.explanation import ExplainedTuple, Outcome, Scene, SceneAttribute, SceneObject, SceneRelation
from caplens.scenegraph.graph.matching import names, words
from caplens.scenegraph.graph.scene_graph import GraphTuple, SceneGraph
from caplens.scenegraph.graph.score import WordLists, categories_of

Matched = Collection[GraphTuple]
"""The tuples of a graph that have a partner."""


class GraphSide:
    """A scene graph and what becomes of its tuples.

    Parameters
    ----------
    graph : SceneGraph
        The graph.
    lists : mapping
        The word lists of categories.

    Attributes
    ----------
    graph : SceneGraph
        The graph.
    names : dict
        The tuples, in the order of the alphabet, as text.

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> side = GraphSide(build([("dog", "brown")], Concepts()), {})
    >>> [each.parts for each in side.unmatched("wrong", {}, {})]
    [('dog',), ('dog', 'brown')]
    >>> side.scene({}, (1, 0)).objects[0].matched
    False
    """

    def __init__(self, graph: SceneGraph, lists: WordLists) -> None:
        self.graph = graph
        self.names = {each: names(each) for each in sorted(graph.tuples(), key=words)}
        # The first category is that of all tuples, which the outcome says.
        self._categories = {each: categories_of(each, lists)[1:] for each in self.names}
        self._plain: dict[GraphTuple, ExplainedTuple] = {}
        nodes = graph.nodes
        self._objects = [
            (
                (node,),
                [(node, each) for each in found],
                SceneObject(node.name, False, tuple([SceneAttribute(each.name, False) for each in found])),
            )
            for node, found in zip(nodes, graph.attributes, strict=True)
        ]
        self._relations = [
            ((nodes[source], each, nodes[target]), SceneRelation(source, target, each.name, False))
            for (source, target), found in graph.relations.items()
            for each in found
        ]

    def matched(self, each: GraphTuple, partner: GraphTuple, listed: Mapping[str, Matched]) -> ExplainedTuple:
        """Return a tuple that has a partner; ``listed`` has the tuples that match in each word list."""
        kind, *others = self._categories[each]
        categories = {kind: True, **{name: each in listed[name] for name in others}}
        return ExplainedTuple("matched", self.names[each], names(partner), categories)

    def unmatched(self, outcome: Outcome, matched: Matched, listed: Mapping[str, Matched]) -> Iterator[ExplainedTuple]:
        """Yield the tuples without a partner, which may have one in a word list."""
        plain = self._plain
        for each, parts in self.names.items():
            if each in matched:
                continue
            categories = self._categories[each]
            if len(categories) > 1 and any(each in listed[name] for name in categories[1:]):
                within = {name: each in listed.get(name, ()) for name in categories}
                yield ExplainedTuple(outcome, parts, None, within)
                continue
            found = plain.get(each)
            if found is None or found.outcome != outcome:
                found = plain[each] = ExplainedTuple(outcome, parts, None, dict.fromkeys(categories, False))
            yield found

    def scene(self, matched: Matched, origin: tuple[int, int]) -> Scene:
        """Return the graph with its parts marked by whether they have a partner.

        ``origin`` says how many captions it was made from, and how many of these a pack knew.
        """
        objects = tuple(
            [
                SceneObject(
                    plain.name,
                    node in matched,
                    tuple([SceneAttribute(each[1].name, each in matched) for each in attributes]),
                )
                if node in matched or any(each in matched for each in attributes)
                else plain
                for node, attributes, plain in self._objects
            ]
        )
        relations = tuple(
            [
                SceneRelation(plain.source, plain.target, plain.name, True) if each in matched else plain
                for each, plain in self._relations
            ]
        )
        return Scene(objects, relations, *origin)
