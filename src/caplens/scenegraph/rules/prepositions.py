"""Prepositions in dependency trees: multi-word ones become one, then labels carry them.

``a man standing in front of a house`` has the basic edges standing -nmod-> front -nmod-> house; folded, ``in`` is the
preposition of the house, ``front`` and ``of`` are parts of it, and the label is ``nmod:in_front_of``.
"""

from __future__ import annotations

from caplens.scenegraph.rules.dependencies import Tree, bucket, phrases

# Multi-word prepositions of the Stanford Dependencies manual (de Marneffe and Manning, 2008). Which two-word ones are
# folded, and in which of the two shapes, was observed on parses of CoreNLP 3.6.0.
THREE_WORDS = phrases(
    "by means of|in accordance with|in addition to|in case of|in front of|in lieu of|in place of|in spite of|"
    "on account of|on behalf of|on top of|with regard to|with respect to"
)
# The noun hangs on the first word: standing -advmod-> next -nmod-> house.
NESTED = phrases("next to|close to|close by|away from|apart from|far from|outside of|out of|together with")
# Both words hang on the noun: house -advmod-> inside, house -case-> of.
FLAT = phrases(
    "across from|along with|compared to|compared with|except for|far from|followed by|inside of|near to|next to|"
    "off of|out of|outside of|together with"
)
SECOND_WORDS = frozenset(pair.split()[1] for pair in NESTED | FLAT)
MIDDLE_WORDS = frozenset(triple.split()[1] for triple in THREE_WORDS)

PREPOSITIONAL = frozenset(("nmod", "acl", "advcl"))
# Edges that go on as they are when the noun takes the place of a multi-word preposition; all others become `nmod`.
KEPT_BY_THREE = frozenset(("root", "acl:relcl", "ccomp", "conj", "advcl", "acl", "dep", "xcomp"))


def fold_prepositions(tree: Tree) -> None:
    """Make one preposition of the words of each multi-word one.

    Examples
    --------
    >>> from caplens.scenegraph.parse import Sentence
    >>> words = ("dogs", "next", "to", "cats")
    >>> tree = Tree(Sentence(words, ("NNS", "JJ", "TO", "NNS"), words, (0, 1, 4, 2), ("root", "dep", "case", "nmod")))
    >>> fold_prepositions(tree)
    >>> tree.heads, tree.labels
    ([0, 0, 4, 2, 1], ['', 'root', 'case', 'mwe', 'nmod:next_to'])
    """
    words = tree.words
    last = len(words) - 1
    for position in range(2, last):
        if words[position] in MIDDLE_WORDS and " ".join(words[position - 1 : position + 2]) in THREE_WORDS:
            _fold_three(tree, position)
    for position in range(2, last + 1):
        if words[position] in SECOND_WORDS:
            pair = f"{words[position - 1]} {words[position]}"
            if pair in NESTED or pair in FLAT:
                _fold_two(tree, position - 1, pair)


def _fold_three(tree: Tree, middle: int) -> None:
    """Fold `in front of`, where the noun hangs on `front`."""
    heads, labels = tree.heads, tree.labels
    first, third = middle - 1, middle + 1
    noun = heads[third]
    if heads[first] != middle or labels[first] != "case" or heads[noun] != middle:
        return
    if labels[noun] not in ("nmod", "acl") or labels[third] not in ("case", "mark"):
        return
    clause = labels[noun] == "acl" and labels[middle] == "nmod"
    kept = labels[middle] in KEPT_BY_THREE
    tree.move(noun, heads[middle], "acl" if clause else labels[middle] if kept else "nmod")
    tree.move(first, noun, "mark" if clause else "case")
    _take_over(tree, middle, noun)
    tree.move(middle, first, "mwe")
    tree.move(third, first, "mwe")
    if not clause:
        _name(tree, noun, "_".join(tree.words[first : third + 1]))


def _fold_two(tree: Tree, first: int, pair: str) -> None:
    """Fold `next to`, where the noun hangs on `next`, or `inside of`, where both words hang on the noun."""
    heads, labels = tree.heads, tree.labels
    second = first + 1
    noun = heads[second]
    if labels[second] != "case" or tree.children[second]:
        return
    if heads[first] == noun:
        if pair not in FLAT or tree.children[first] or labels[first] not in ("advmod", "case"):
            return
        labels[first] = "case"
    elif heads[noun] == first and labels[noun] == "nmod" and pair in NESTED:
        # `who is next to a house` is a predicate and keeps its edge; elsewhere `next to` is but a preposition.
        clause = labels[first] != "dep" and tree.has(first, "cop")
        kept = clause or labels[first] == "root" or bool(tree.prepositions[first])
        tree.move(noun, heads[first], labels[first] if kept else "nmod")
        tree.prepositions[noun] = tree.prepositions[first]
        _take_over(tree, first, noun)
        tree.move(first, noun, "case")
    else:
        return
    tree.move(second, first, "mwe")
    _name(tree, noun, pair.replace(" ", "_"))


def _take_over(tree: Tree, word: int, noun: int) -> None:
    """Give a noun all that hangs on a word of its preposition."""
    for child in list(tree.children[word]):
        tree.move(child, noun, tree.labels[child])


def _name(tree: Tree, noun: int, preposition: str) -> None:
    """Note the preposition of a noun, in its label too if that may carry one."""
    if not tree.prepositions[noun]:
        tree.prepositions[noun] = preposition
        if tree.labels[noun] in PREPOSITIONAL:
            tree.labels[noun] += f":{preposition}"


def label_prepositions(tree: Tree) -> None:
    """Write prepositions into the labels of the words that they stand before: ``nmod:on``, ``advcl:with``.

    Of several, the last one counts. A `by` below a passive verb is the ``agent``.

    Examples
    --------
    >>> from caplens.scenegraph.parse import Sentence
    >>> words = ("dogs", "in", "parks")
    >>> tree = Tree(Sentence(words, ("NNS", "IN", "NNS"), words, (0, 3, 1), ("root", "case", "nmod")))
    >>> label_prepositions(tree)
    >>> tree.labels[3]
    'nmod:in'
    """
    words, heads, labels, prepositions = tree.words, tree.heads, tree.labels, tree.prepositions
    chosen: dict[int, int] = {}
    agents = set()
    for position, label in enumerate(labels):
        if label != "case":
            continue
        noun = heads[position]
        # A conjunct needs its preposition too: `on the bed and under the table`.
        if prepositions[noun] or not (labels[noun] in PREPOSITIONAL or labels[noun] == "conj"):
            continue
        if noun not in chosen or bucket(position) >= bucket(chosen[noun]):
            chosen[noun] = position
        if words[position] == "by" and labels[noun] == "nmod" and tree.has(heads[noun], "auxpass"):
            agents.add(noun)
    for noun, position in chosen.items():
        parts = [position, *tree.below(position, "mwe")] if tree.children[position] else [position]
        _name(tree, noun, "agent" if noun in agents else "_".join([words[part] for part in parts]))
