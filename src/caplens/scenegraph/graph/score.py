"""Counts, precision, recall and F of matched tuples, in all and by category.

The categories are those of SPICE: all tuples, objects, attributes, relations, and attributes by word lists.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caplens.errors import UsageError
from caplens.scenegraph.graph.matching import Similar, pair, similar_tuples
from caplens.scenegraph.graph.scene_graph import GraphTuple, SceneGraph

WordLists = Mapping[str, frozenset[str]]

# A tuple of length n is of kind n; 0 stands for all.
KINDS = ("All", "Object", "Attribute", "Relation")
COUNTS = ("matched", "candidate", "reference")


def _entries(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The word lists of SPICE 1.0 (Anderson et al. 2016). Golden data confirms them as far as its captions use the words:
# every count of every category agrees.
COLORS = _entries(
    "black brown blue red yellow pink gray grey green dark light white cream orange purple maroon beige violet"
)
CARDINALS = _entries("one two three four five six seven eight nine ten")
SIZES = _entries(
    """
    baby beefy big bony boundless brawny broad bulky chunky colossal compact corpulent cosmic cubby curvy elfin
    emaciated endless enormous epic expansive extensive fat fleshy full-size gargantuan gaunt giant gigantic grand great
    heavy hefty huge hulking illimitable immeasurable immense infinitesimal lanky large lean life-size limitless little
    mammoth massive meager measly microscopic mini miniature minuscule minute narrow obese outsized oversize overweight
    paltry petite pint-size plump pocket-size portly pudgy puny rotund scanty scraggy scrawny short sizable skeletal
    skimpy skinny slender slim small squat stocky stout strapping sturdy tall teensy teeny teeny-tiny teeny-weeny thick
    thickset thin tiny titanic towering trifling trim tubby undersized underweight unlimited vast wee whopping wide
    """
)
WORD_LISTS: WordLists = {"Color": COLORS, "Cardinality": CARDINALS, "Size": SIZES}


def word_lists(categories: Mapping[str, Collection[str]] | None = None) -> dict[str, frozenset[str]]:
    """Return SPICE's word lists and the user's own.

    A tuple belongs to such a category if it is an attribute whose name is in the list. An attribute that was merged
    from several words (`big/large`) is in no list: so it is in SPICE 1.0, in every case of the golden data.

    Examples
    --------
    >>> lists = word_lists({"Material": ["wooden", "Metal"]})
    >>> list(lists), sorted(lists["Material"])
    (['Color', 'Cardinality', 'Size', 'Material'], ['metal', 'wooden'])
    """
    lists = dict(WORD_LISTS)
    for name, entries in (categories or {}).items():
        if name in lists or name in KINDS:
            raise UsageError(f"SPICE already has a category {name}: give your word list another name.")
        if isinstance(entries, str) or not entries:
            raise UsageError(f"the category {name} needs a list of words, such as ['wooden', 'metal'].")
        lists[name] = frozenset(" ".join(entry.lower().split()) for entry in entries)
    return lists


def count_tuples(graph: SceneGraph, lists: WordLists = WORD_LISTS) -> list[int]:
    """Return how many tuples a graph has in each category: `KINDS`, then the word lists."""
    attributes = [each.name for found in graph.attributes for each in found]
    kinds = [len(graph.nodes), len(attributes), sum(map(len, graph.relations.values()))]
    return [sum(kinds), *kinds, *(sum(map(entries.__contains__, attributes)) for entries in lists.values())]


def count_matches(similar: Similar, lists: WordLists = WORD_LISTS, once: bool = False) -> list[int]:
    """Return how many tuples of a candidate match in each category, where the partner has to be of the category too."""
    kinds = [0, 0, 0, 0]
    for each in pair(similar, once) if once else similar:
        kinds[len(each)] += 1
    kinds[0] = sum(kinds)
    if not kinds[2]:
        return kinds + [0] * len(lists)
    within = (_within(similar, entries) for entries in lists.values())
    return kinds + [len(pair(found, once) if once else found) for found in within]


def _within(similar: Similar, entries: frozenset[str]) -> Similar:
    """Leave only the tuples of a word list, on both sides."""
    found = {
        each: [partner for partner in partners if _is_listed(partner, entries)]
        for each, partners in similar.items()
        if _is_listed(each, entries)
    }
    return {each: partners for each, partners in found.items() if partners}


def _is_listed(each: GraphTuple, entries: frozenset[str]) -> bool:
    return len(each) == 2 and each[1].name in entries


def count_rows(
    candidates: Sequence[SceneGraph],
    references: Sequence[SceneGraph],
    reference_of: Sequence[int],
    lists: WordLists = WORD_LISTS,
    once: bool = False,
) -> npt.NDArray[np.int32]:
    """Count the tuples of many candidates against the scene graphs of their images.

    Parameters
    ----------
    candidates : sequence of SceneGraph
    references : sequence of SceneGraph
        One for each image, however many candidates it has.
    reference_of : sequence of int
        The place in ``references`` that each candidate is compared with.
    lists : mapping
        From `word_lists`.
    once : bool
        Each tuple of the references is matched at most once, see `caplens.scenegraph.graph.matching.match`.

    Returns
    -------
    numpy.ndarray
        For each candidate and each category, the `COUNTS`: matched tuples, tuples of the candidate, tuples of the
        references.

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> concepts = Concepts()
    >>> reference = build([("dog", "brown"), ("dog", "grass", "run on"), ("dog",), ("dog", "big")], concepts)
    >>> candidates = [build([("dog", "brown"), ("cat",)], concepts), build([("grass",)], concepts)]
    >>> counts = count_rows(candidates, [reference], [0, 0])
    >>> counts[0, :4].tolist()  # all, objects, attributes, relations
    [[2, 3, 5], [1, 2, 2], [1, 1, 2], [0, 0, 1]]
    """
    of_references = [count_tuples(graph, lists) for graph in references]
    # One flat list of columns, and one array at the end: an assignment to an array takes longer than a match.
    columns: list[list[int]] = []
    for candidate, place in zip(candidates, reference_of, strict=True):
        similar = similar_tuples(candidate, references[place])
        columns += (count_matches(similar, lists, once), count_tuples(candidate, lists), of_references[place])
    categories = len(KINDS) + len(lists)
    counts = np.array(columns, dtype=np.int32).reshape(len(candidates), len(COUNTS), categories)
    return counts.transpose(0, 2, 1)


def precision_recall_f(
    counts: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    r"""Return precision, recall and F of counts whose last axis is `COUNTS`.

    .. math:: P = m / c \quad R = m / r \quad F = 2 P R / (P + R)

    All three are NaN where the references have no tuple: nothing could be found, so an average leaves the image out.
    Without a match, or without a tuple of the candidate, they are 0.

    Examples
    --------
    >>> precision, recall, f = precision_recall_f(np.array([[2, 4, 8], [0, 0, 8], [0, 3, 0]], dtype=np.int32))
    >>> precision.tolist(), recall.tolist(), f.round(4).tolist()
    ([0.5, 0.0, nan], [0.25, 0.0, nan], [0.3333, 0.0, nan])
    """
    matched, candidate, reference = (counts[..., place].astype(np.float64) for place in range(len(COUNTS)))
    precision = matched / np.maximum(candidate, 1)
    recall = matched / np.maximum(reference, 1)
    total = precision + recall
    f = 2 * precision * recall / np.where(total > 0, total, 1)
    unknown = reference == 0
    for values in (precision, recall, f):
        values[unknown] = np.nan
    return precision, recall, f


def partners_by_category(
    similar: Similar, lists: WordLists = WORD_LISTS, once: bool = False
) -> dict[str, dict[GraphTuple, GraphTuple]]:
    """Return the partners of the candidate's tuples in all, in the order of the alphabet, and those in each word list.

    In a word list the partner has to be of the list too, so that it may be another one.

    Examples
    --------
    >>> from caplens.scenegraph.graph.concepts import Concepts
    >>> from caplens.scenegraph.graph.matching import names
    >>> from caplens.scenegraph.graph.scene_graph import build
    >>> concepts = Concepts()
    >>> graphs = [build(tuples, concepts) for tuples in ([("bicycle", "blue")], [("bike", "blue"), ("man",)])]
    >>> found = partners_by_category(similar_tuples(*graphs))
    >>> {key: [names(each) for each in partners.values()] for key, partners in found.items() if partners}
    {'All': [('bike',), ('bike', 'blue')], 'Color': [('bike', 'blue')]}
    """
    partners = {KINDS[0]: pair(similar, once)}
    has_attributes = any(len(each) == 2 for each in similar)
    partners |= {
        name: pair(_within(similar, entries), once) if has_attributes else {} for name, entries in lists.items()
    }
    return partners


def categories_of(each: GraphTuple, lists: WordLists = WORD_LISTS) -> tuple[str, ...]:
    """Return the names of the categories that a tuple counts in."""
    return (KINDS[0], KINDS[len(each)], *(name for name, entries in lists.items() if _is_listed(each, entries)))
