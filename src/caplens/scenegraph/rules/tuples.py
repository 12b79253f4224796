"""The tuples that a caption proposes: objects, attributes of objects, and relations between objects.

The rules are those of SPICE 1.0 (Anderson, Fernando, Johnson and Gould: SPICE: Semantic Propositional Image Caption
Evaluation, 2016), found out from its outputs.
"""

from __future__ import annotations

from caplens.scenegraph.parse import Parse, Sentence
from caplens.scenegraph.rules.collapse import collapse
from caplens.scenegraph.rules.dependencies import NOUNS, PLURAL_NOUNS, Graph, Link
from caplens.scenegraph.rules.pronouns import resolve_pronouns
from caplens.scenegraph.rules.quantities import demote_quantities

Proposal = tuple[str] | tuple[str, str] | tuple[str, str, str]

OBJECTS = frozenset(("dobj", "iobj"))
# Modifiers that say nothing by a preposition.
UNNAMED = frozenset(("nmod:agent", "nmod:poss"))


def propose(parse: Parse) -> list[Proposal]:
    """Return the tuples of a parsed caption.

    Parameters
    ----------
    parse : Parse
        The sentences of the caption.

    Returns
    -------
    list of tuple of str
        ``(object,)``, ``(object, attribute)`` and ``(subject, object, relation)``, rule by rule; what is said twice may
        be there twice.

    Examples
    --------
    >>> sentence = Sentence(("brown", "dogs", "chase", "cats"), ("JJ", "NNS", "VBP", "NNS"),
    ...                     ("brown", "dog", "chase", "cat"), (2, 3, 0, 3), ("amod", "nsubj", "root", "dobj"))
    >>> propose((sentence,))
    [('dog', 'cat', 'chase'), ('dog', 'brown'), ('cat',), ('dog',)]
    """
    return [each for sentence in parse for each in propose_from_graph(collapse(sentence), sentence)]


def propose_from_graph(graph: Graph, sentence: Sentence) -> list[Proposal]:
    """Return the tuples of one sentence, given its collapsed dependencies.

    Parameters
    ----------
    graph : Graph
        Dependencies as `collapse` returns them. They are changed: quantities and pronouns give way to nouns.
    sentence : Sentence
        The words, tags and lemmas.

    Examples
    --------
    >>> sentence = Sentence(("dogs", "in", "parks"), ("NNS", "IN", "NNS"), ("dog", "in", "park"), (0, 3, 1),
    ...                     ("root", "case", "nmod"))
    >>> propose_from_graph(collapse(sentence), sentence)
    [('dog', 'park', 'in'), ('dog',), ('park',)]
    """
    demote_quantities(graph, sentence)
    resolve_pronouns(graph, sentence)
    return _Rules(graph, sentence).proposals()


class _Rules:
    """The tuple rules over one graph, with a list for what each rule finds."""

    def __init__(self, graph: Graph, sentence: Sentence) -> None:
        origins = graph.origins
        tags = ("", *sentence.tags)
        lemmas = ("", *sentence.lemmas)
        self.graph = graph
        self.words = sentence.words
        self.tags = [tags[origin] for origin in origins]
        self.nouns = [tag in NOUNS for tag in self.tags]
        # The reference lower-cases nouns and attributes, but not predicates: a lemma may have a tag in it.
        self.predicates = [lemmas[origin] for origin in origins]
        self.lemmas = [lemma.lower() for lemma in self.predicates]
        self.clauses: list[tuple[int, int]] = []
        self.relations: dict[int, list[tuple[str, str]]] = {}
        self.subject_relations: list[Proposal] = []
        self.predicatives: list[Proposal] = []
        self.adjectives: list[Proposal] = []
        self.adjective_subjects: list[Proposal] = []
        self.modifiers: list[Proposal] = []
        self.owners: list[Proposal] = []
        self.agents: list[Proposal] = []
        self.numerals: list[Proposal] = []
        self.compounds: list[Proposal] = []
        self.objects: list[Proposal] = []

    def proposals(self) -> list[Proposal]:
        """Return all tuples, in the order in which the reference applies its rules."""
        nouns = self.nouns
        for node in _in_order(self.graph):
            links = self.graph.children[node]
            if links:
                self._read_predicate(node, links)
            if nouns[node]:
                self._read_noun(node, links)
        clause_relations: list[Proposal] = [
            (self.lemmas[node], target, relation)
            for node, verb in self.clauses
            for target, relation in self.relations.get(verb, ())
        ]
        return [
            *self.subject_relations,
            *clause_relations,
            *self.predicatives,
            *self.adjectives,
            *self.adjective_subjects,
            *self.modifiers,
            *self.owners,
            *self.agents,
            *self.numerals,
            *self.compounds,
            *self.objects,
        ]

    def _read_predicate(self, node: int, links: list[Link]) -> None:
        """Apply the rules about words of any kind that govern others."""
        nouns, lemmas = self.nouns, self.lemmas
        subjects, patients, targets = [], [], []
        particle = ""
        copula = False
        for child, label in links:
            if label == "amod":
                self.adjectives.append((lemmas[node], lemmas[child]))
            elif label == "nsubj":
                subjects.append(child)
            elif label == "nsubjpass":
                patients.append(child)
            elif label == "cop":
                copula = True
            elif label == "acl":
                self.clauses.append((node, child))
            elif label == "compound:prt":
                particle = particle or f" {lemmas[child]}"
            elif nouns[child] and (label in OBJECTS or label.startswith("nmod:")):
                targets.append((child, label))
        relations = []
        if targets and not copula:
            verb = self.predicates[node] + particle
            relations = [(lemmas[target], verb + _preposition(label)) for target, label in targets]
            if self.tags[node].startswith("V"):
                self.relations[node] = relations
                self._read_passive(patients, targets, verb)
        if subjects:
            self._read_subjects(node, subjects, relations)

    def _read_passive(self, patients: list[int], targets: list[Link], verb: str) -> None:
        """Relate the agent of a passive verb to its subject."""
        agents = [target for target, label in targets if label == "nmod:agent"]
        for agent in agents:
            for patient in patients:
                if self.nouns[patient]:
                    self.agents.append((self.lemmas[agent], self.lemmas[patient], verb))

    def _read_subjects(self, node: int, subjects: list[int], relations: list[tuple[str, str]]) -> None:
        """Relate subjects to what their predicate has for objects; without any, it is an attribute or a place."""
        lemmas = self.lemmas
        case = next((child for child, label in self.graph.children[node] if label == "case"), 0)
        for subject in subjects:
            name = lemmas[subject]
            if self.tags[node].startswith("JJ"):
                self.adjective_subjects.append((name, lemmas[node]))
            if not self.nouns[subject]:
                continue
            if relations:
                self.subject_relations += [(name, target, relation) for target, relation in relations]
            elif case:
                parts = [child for child, label in self.graph.children[case] if label == "mwe"]
                preposition = " ".join([self.words[part - 1] for part in (case, *parts)])
                self.predicatives.append((name, lemmas[node], preposition))
            elif lemmas[node] != "be":
                self.predicatives.append((name, lemmas[node]))

    def _read_noun(self, node: int, links: list[Link]) -> None:
        """Apply the rules about nouns."""
        nouns, lemmas = self.nouns, self.lemmas
        name = lemmas[node]
        alone = True
        for child, label in links:
            if label.startswith("nmod:"):
                if label not in UNNAMED:
                    self.modifiers.append((name, lemmas[child], _preposition(label)[1:]))
                elif nouns[child] and label == "nmod:poss":
                    self.owners.append((lemmas[child], name, "have"))
            elif label == "compound" and nouns[child]:
                self.compounds.append((name, lemmas[child]))
                alone = False
        if links and self.tags[node] in PLURAL_NOUNS:
            numeral = self._numeral(node, links)
            if numeral:
                self.numerals.append((name, lemmas[numeral]))
        if alone and not any(label == "compound" and nouns[governor] for governor, label in self.graph.parents[node]):
            self.objects.append((name,))

    def _numeral(self, node: int, links: list[Link]) -> int:
        """Return the word that counts a plural noun, 0 if none does."""
        origins = self.graph.origins
        position = origins[node]
        counts = [child for child, label in links if label == "nummod" and origins[child] < position]
        quantities = [child for child, label in links if label == "qmod"]
        if not counts and not quantities:
            return 0
        for governor, label in self.graph.parents[node]:
            numbered, quantified = self._is_counted(governor, node, label)
            if not numbered:
                return 0
            if not quantified:
                quantities = []
        return next(iter(counts or quantities), 0)

    def _is_counted(self, governor: int, node: int, label: str) -> tuple[bool, bool]:
        """Say whether an edge lets a plural noun have a number, and a quantity.

        Where a predicate has plural subjects and plural objects, the reference looks at the first of either only, and
        not at modifiers that are conjuncts or have quantities: `two men ride horses past two cars` does not count the
        cars.
        """
        if label != "nsubj" and label not in OBJECTS and not label.startswith("nmod:"):
            return True, True
        plurals = [link for link in self.graph.children[governor] if self.tags[link[0]] in PLURAL_NOUNS]
        subjects = [child for child, each in plurals if each == "nsubj"]
        modifiers = [child for child, each in plurals if each.startswith("nmod:")]
        targets = [child for child, each in plurals if each in OBJECTS] or modifiers
        if not subjects or not targets:
            return True, True
        if node in subjects:
            return node == subjects[0], True
        conjunct = any(each.startswith("conj") for _, each in self.graph.parents[node])
        return node == targets[0] and (label in OBJECTS or not conjunct), label in OBJECTS


def _preposition(label: str) -> str:
    """Return the preposition that a label carries, after a space; nothing if it carries none."""
    if label in OBJECTS or label in UNNAMED:
        return ""
    return f" {label[5:].replace('_', ' ')}"


def _in_order(graph: Graph) -> list[int]:
    """Return the nodes as the reference visits them: governors first, or by position where a loop forbids that."""
    children = graph.children
    seen = [False] * len(children)
    on_path = [False] * len(children)
    finished = []
    pending = [(0, iter(children[0]))]
    while pending:
        node, links = pending[-1]
        for child, _ in links:
            if on_path[child]:
                return sorted(range(1, len(children)), key=graph.origins.__getitem__)
            if not seen[child]:
                seen[child] = on_path[child] = True
                pending.append((child, iter(children[child])))
                break
        else:
            pending.pop()
            on_path[node] = False
            finished.append(node)
    finished.reverse()
    return finished[1:]
