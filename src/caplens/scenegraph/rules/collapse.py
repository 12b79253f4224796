"""From a basic dependency tree to the collapsed graph whose conjuncts share what they have in common.

Labels carry prepositions and conjunctions (``nmod:on``, ``conj:and``), a conjunct has the edges of the first one too,
and a predicate that is joined to another has its subject. `He sits on the bed and under the lamp` says two things of
one verb, so the verb is copied: a node with a number beyond the words.
"""

from __future__ import annotations

from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.rules.dependencies import Graph, Link, Tree, bucket
from caplens.scenegraph.rules.prepositions import PREPOSITIONAL, fold_prepositions, label_prepositions

# Conjunctions of several words that go by another name.
CONJUNCTIONS = {("as", "well"): "and", ("rather", "than"): "negcc", ("instead", "of"): "negcc", ("not", "but"): "negcc"}
SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj"))
# Verb forms that stay passive when they share a passive subject.
MAYBE_PASSIVE = frozenset(("VBN", "VBD", "VBG"))


def collapse(sentence: Sentence) -> Graph:
    """Return the collapsed, conjunction-propagated dependencies of a sentence.

    Parameters
    ----------
    sentence : Sentence
        A basic tree.

    Returns
    -------
    Graph
        Its nodes are the words, then copies of words.

    Examples
    --------
    >>> sentence = Sentence(
    ...     ("cats", "and", "dogs", "on", "beds"), ("NNS", "CC", "NNS", "IN", "NNS"),
    ...     ("cat", "and", "dog", "on", "bed"), (0, 1, 1, 5, 1), ("root", "cc", "conj", "case", "nmod"))
    >>> sorted(collapse(sentence).edges())
    [(0, 1, 'root'), (1, 2, 'cc'), (1, 3, 'conj:and'), (1, 5, 'nmod:on'), (5, 4, 'case')]
    """
    tree = Tree(sentence)
    fold_prepositions(tree)
    label_prepositions(tree)
    if "conj" in tree.labels:
        return _Conjunctions(tree).graph()
    links = zip(tree.heads, tree.labels, strict=True)
    parents: list[list[Link]] = [[link] for link in links]
    parents[0] = []
    return Graph.from_parents(list(range(len(parents))), parents)


class _Conjunctions:
    """The graph of a tree that has conjuncts, in the making."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.origins = list(range(len(tree.words)))
        self.parents: list[list[Link]] = [[link] for link in zip(tree.heads, tree.labels, strict=True)]
        self.parents[0] = []
        self.joined: list[tuple[int, int]] = []

    def graph(self) -> Graph:
        """Return the finished graph."""
        labels = self.tree.labels
        conjuncts = [position for position, label in enumerate(labels) if label == "conj"]
        split = {self.tree.heads[each] for each in conjuncts if self._splits(each)}
        for conjunct in sorted(conjuncts, key=bucket):
            self._join(conjunct, split)
        self._share_governors()
        for first, conjunct in self.joined:
            self._share_subject(first, conjunct)
        return Graph.from_parents(self.origins, self.parents)

    def _splits(self, conjunct: int) -> bool:
        """Say whether two phrases with prepositions are joined: `on the bed and under the lamp`."""
        tree = self.tree
        first = tree.heads[conjunct]
        base = tree.labels[first].partition(":")[0]
        return bool(
            tree.prepositions[conjunct]
            and tree.prepositions[first]
            and tree.heads[first]
            and base in PREPOSITIONAL
            and self._conjunction(conjunct)
        )

    def _conjunction(self, conjunct: int) -> str | None:
        """Return the conjunction before a conjunct, else the first one after it, or None."""
        tree = self.tree
        conjunctions = tree.below(tree.heads[conjunct], "cc")
        if not conjunctions:
            return None
        before = [each for each in conjunctions if each < conjunct]
        position = max(before, key=bucket) if before else conjunctions[0]
        word = tree.words[position]
        for child in tree.children[position]:
            word = CONJUNCTIONS.get((word, tree.words[child]), word)
        return word

    def _join(self, conjunct: int, split: set[int]) -> None:
        tree = self.tree
        first = tree.heads[conjunct]
        name = self._conjunction(conjunct)
        if name is None:
            return
        label = f"conj:{name}"
        phrase = tree.heads[first]
        if first in split:
            if tree.prepositions[conjunct]:
                self._join_phrases(first, conjunct, label)
        elif tree.labels[first] == "case":
            self.parents[conjunct] = [(first, label)]
            self._join_prepositions(phrase, tree.words[conjunct], label)
        else:
            self.parents[conjunct] = [(first, label)]
            self.joined.append((first, conjunct))

    def _join_phrases(self, first: int, conjunct: int, label: str) -> None:
        """Hang the second phrase on a copy of the word that the first one modifies."""
        tree = self.tree
        governor = tree.heads[first]
        conjunctions = tree.below(first, "cc")
        # The reference makes a copy for each preposition and each conjunction, and uses the first.
        copies = [self._copy(governor, label) for _ in range(len(conjunctions) * len(tree.below(first, "case")))]
        base = tree.labels[first].partition(":")[0]
        self.parents[conjunct] = [(copies[0], f"{base}:{tree.prepositions[conjunct]}")]
        for each in conjunctions:
            self.parents[each] = [(governor, "cc")]

    def _join_prepositions(self, noun: int, preposition: str, label: str) -> None:
        """Hang the noun of `in and around it` on a copy of its governor too."""
        tree = self.tree
        if tree.heads[noun] == 0:
            return
        base = tree.labels[noun].partition(":")[0]
        edge = f"{base}:{preposition}" if base in PREPOSITIONAL else tree.labels[noun]
        self.parents[noun].append((self._copy(tree.heads[noun], label), edge))

    def _copy(self, node: int, label: str) -> int:
        copy = len(self.origins)
        self.origins.append(node)
        self.parents.append([(node, label)])
        self.joined.append((node, copy))
        return copy

    def _share_governors(self) -> None:
        """Give each conjunct the edges into the first one; what that has itself been given does not count."""
        parents = self.parents
        own = [tuple(links) for links in parents]
        for first, conjunct in self.joined:
            for link in own[first]:
                if link[0] != 0 and link not in parents[conjunct]:
                    parents[conjunct].append(link)

    def _share_subject(self, first: int, conjunct: int) -> None:
        """Give a predicate the subject of the one it is joined to, if it has none."""
        tree = self.tree
        labels = tree.labels
        tag = tree.tags[self.origins[conjunct]]
        if not tag.startswith(("VB", "JJ")):
            return
        own = tree.children[conjunct] if conjunct < len(tree.words) else []
        if any(labels[child] in SUBJECTS for child in own):
            return
        subjects = [child for child in tree.children[first] if labels[child] in ("nsubj", "nsubjpass")]
        if not subjects:
            return
        subject = min(subjects, key=bucket)
        label = labels[subject]
        if any(labels[child] == "auxpass" for child in own):
            label = "nsubjpass"
        elif tag not in MAYBE_PASSIVE:
            label = "nsubj"
        self.parents[subject].append((conjunct, label))
