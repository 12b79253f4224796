"""Dependencies of a sentence while rules rewrite them: a tree of words first, then a graph of nodes.

Positions count from 1; 0 is the root. A node is a word, or a copy of one that has a number beyond the last word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caplens.scenegraph.parse import Sentence

Edge = tuple[int, int, str]
Link = tuple[int, str]

# Tags of the Penn Treebank.
NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
PLURAL_NOUNS = frozenset(("NNS", "NNPS"))


def phrases(text: str) -> frozenset[str]:
    """Return the words or phrases of a list that is written with bars.

    Examples
    --------
    >>> sorted(phrases("next to|near"))
    ['near', 'next to']
    """
    return frozenset(text.split("|"))


def bucket(position: int) -> int:
    """Return the place of a word among its siblings.

    The reference keeps dependents in small hash tables and lets the first or the last of them win, so that in long
    captions the word at 16 comes before the word at 1.

    Examples
    --------
    >>> sorted([1, 9, 15, 16, 18], key=bucket)
    [16, 1, 18, 9, 15]
    """
    return position & 15


class Tree:
    """A dependency tree that can be rewritten.

    Parameters
    ----------
    sentence : Sentence
        The parse that it starts from.

    Attributes
    ----------
    words, tags : tuple of str
        As in the sentence, with an empty one for the root at 0.
    heads : list of int
        The head of each word.
    labels : list of str
        The label of each word.
    children : list of list of int
        The words below each word, ascending.
    prepositions : list of str
        The preposition of each word that has one, such as ``in_front_of``; otherwise empty.
    """

    __slots__ = ("children", "heads", "labels", "prepositions", "tags", "words")

    def __init__(self, sentence: Sentence) -> None:
        self.words = ("", *sentence.words)
        self.tags = ("", *sentence.tags)
        self.heads = [0, *sentence.heads]
        self.labels = ["", *sentence.labels]
        self.prepositions = [""] * len(self.words)
        self.children: list[list[int]] = [[] for _ in self.words]
        for position, head in enumerate(sentence.heads, 1):
            self.children[head].append(position)

    def move(self, position: int, head: int, label: str) -> None:
        """Hang a word below another head."""
        self.children[self.heads[position]].remove(position)
        self.children[head].append(position)
        self.children[head].sort()
        self.heads[position] = head
        self.labels[position] = label

    def has(self, position: int, label: str) -> bool:
        """Say whether a word has a child with this label."""
        labels = self.labels
        return any(labels[child] == label for child in self.children[position])

    def below(self, position: int, label: str) -> list[int]:
        """Return the children of a word that have this label, ascending."""
        labels = self.labels
        return [child for child in self.children[position] if labels[child] == label]


@dataclass(slots=True)
class Graph:
    """Dependencies between nodes, as seen from either side.

    Attributes
    ----------
    origins : list of int
        The position of each node's word; the root is at 0, copies follow the words.
    parents : list of list of (int, str)
        The governor and the label of each edge into a node.
    children : list of list of (int, str)
        The dependent and the label of each edge out of a node, in the order of `bucket`.
    """

    origins: list[int]
    parents: list[list[Link]]
    children: list[list[Link]]

    @classmethod
    def from_parents(cls, origins: list[int], parents: list[list[Link]]) -> Graph:
        """Return the graph with these edges into its nodes.

        Examples
        --------
        >>> graph = Graph.from_parents([0, 1, 2], [[], [(2, "nsubj")], [(0, "root")]])
        >>> graph.children[2]
        [(1, 'nsubj')]
        """
        nodes: list[int] | range = range(1, len(origins))
        if len(nodes) > 15:
            nodes = sorted(nodes, key=lambda node: origins[node] & 15)
        children: list[list[Link]] = [[] for _ in origins]
        for node in nodes:
            for governor, label in parents[node]:
                children[governor].append((node, label))
        return cls(origins, parents, children)

    def edges(self) -> Iterator[Edge]:
        """Yield governor, dependent and label of all edges."""
        for node, links in enumerate(self.parents):
            for governor, label in links:
                yield governor, node, label

    def add(self, governor: int, dependent: int, label: str) -> None:
        """Add an edge that is not there yet."""
        if (governor, label) in self.parents[dependent]:
            return
        self.parents[dependent].append((governor, label))
        self.children[governor].append((dependent, label))
        self.children[governor].sort(key=lambda link: self.origins[link[0]] & 15)

    def remove(self, governor: int, dependent: int, label: str) -> None:
        """Remove an edge."""
        self.parents[dependent].remove((governor, label))
        self.children[governor].remove((dependent, label))
