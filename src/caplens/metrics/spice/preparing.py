"""What SPICE derives from captions: the tuples that each distinct caption proposes, and scene graphs of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt

from caplens.core.prepared import PreparedCaptions, PreparedReferences
from caplens.core.requirement import Requirement, WordIds
from caplens.corpus import SceneTuples, TupleGraph
from caplens.files.threads import map_blocks
from caplens.scenegraph.graph.concepts import Concepts
from caplens.scenegraph.graph.scene_graph import SceneGraph, build_all
from caplens.scenegraph.packs.library import known_graphs
from caplens.scenegraph.parse import Parser
from caplens.scenegraph.parser.cache import CachedParser
from caplens.scenegraph.parser.registry import get_parser
from caplens.scenegraph.rules.tuples import Proposal, propose
from caplens.text.words import Words

BLOCK_CAPTIONS = 1024  # enough for a parser to sort by length, few enough for several threads to share 2,000 captions
BLOCK_GRAPHS = 4096

Proposals = tuple[Proposal, ...]
# What makes a caption the same as another: its word ids, or the scene graph in its place.
Key = bytes | TupleGraph


@dataclass(frozen=True, eq=False)
class ProposedCaptions:
    """The tuples of captions; equal captions share them.

    Attributes
    ----------
    distinct : list of tuple
        The proposals of each distinct caption.
    numbers : numpy.ndarray of int64
        The place of each caption among the distinct ones.
    by_key : dict
        The place of a distinct caption by its words.
    known : numpy.ndarray of bool
        Whether the proposals of each distinct caption come from a pack.
    """

    distinct: list[Proposals]
    numbers: npt.NDArray[np.int64]
    by_key: dict[Key, int]
    known: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ProposedTuples(Requirement[ProposedCaptions]):
    """What captions propose: each distinct caption is looked up or parsed once, and not at all if the base has it."""

    tokenizer: str = "ptb"
    parser: str = "caplens"
    packs: bool = True

    def compute(self, side: PreparedCaptions) -> ProposedCaptions:
        """Look up what packs know, and parse the rest of what is new."""
        words = side.get(WordIds(self.tokenizer))
        by_key: dict[Key, int] = {}
        numbers = [by_key.setdefault(key, len(by_key)) for key in _keys(words, side.graphs)]
        base = side.base_value(self)
        distinct: list[Proposals] = [()] * len(by_key)
        known = np.zeros(len(by_key), dtype=bool)
        new: list[bytes] = []
        for key, place in by_key.items():
            shared = base.by_key.get(key) if base is not None else None
            if shared is not None and base is not None:
                distinct[place], known[place] = base.distinct[shared], base.known[shared]
            elif isinstance(key, tuple):
                distinct[place] = _given(key)
            elif key:  # a caption without words has no tuples, and no parser has to know what to do with it
                new.append(key)
        captions = _texts(new, words)
        found: list[Proposals | None] = [None] * len(new)
        if self.packs and new:
            found = known_graphs().find(captions)
        unknown = [place for place, proposals in enumerate(found) if proposals is None]
        for place, proposals in zip(unknown, self._parsed([captions[place] for place in unknown], side), strict=True):
            found[place] = proposals
        places = [by_key[key] for key in new]
        known[places] = True
        known[[places[place] for place in unknown]] = False
        for place, known_or_parsed in zip(places, found, strict=True):
            distinct[place] = known_or_parsed or ()
        return ProposedCaptions(distinct, np.array(numbers, dtype=np.int64), by_key, known)

    def _parsed(self, captions: Sequence[list[str]], side: PreparedCaptions) -> list[Proposals]:
        """Parse captions, given as words, in blocks on several threads."""
        if not captions:
            return []
        parser = _kept(get_parser(self.parser), side)
        # The same few tuples come again and again: they are kept once.
        shared: dict[Proposal, Proposal] = {}

        def work(first: int, last: int) -> list[Proposals]:
            # Parsing and proposing in one block, so that the kernels of one block run beside the Python of another.
            parses = parser.parse(captions[first:last])
            return [tuple([shared.setdefault(each, each) for each in propose(parse)]) for parse in parses]

        found = map_blocks(work, len(captions), side.jobs, "SPICE: parsing", BLOCK_CAPTIONS)
        if isinstance(parser, CachedParser):
            side.note(parser.notices)
        return [proposals for block in found for proposals in block]


def _texts(keys: Sequence[bytes], words: Words) -> list[list[str]]:
    """Return the words of captions given as word ids."""
    ids = np.frombuffer(b"".join(keys), np.int32)
    ends = np.cumsum([len(key) // ids.itemsize for key in keys]).tolist()
    used = np.unique(ids).astype(np.int64)
    texts = dict(zip(used.tolist(), [word.decode() for word in words.table.keys(used)], strict=True))
    tokens = [texts[word] for word in ids.tolist()]
    return [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _kept(parser: Parser, side: PreparedCaptions) -> Parser:
    """Let a parser keep its parses on disk, where that is wanted and it can say what it is."""
    signature: str | None = getattr(parser, "signature", None)
    return parser if side.parses is None or signature is None else CachedParser(parser, signature, side.parses)


def _given(graph: TupleGraph) -> Proposals:
    """Return the tuples of a scene graph as the rules for parsed captions do: with the relation last.

    Examples
    --------
    >>> _given((("man", "tall"), ("man", "ride", "horse")))
    (('man', 'tall'), ('man', 'horse', 'ride'))
    """
    return cast(Proposals, tuple((entry[0], entry[2], entry[1]) if len(entry) == 3 else entry for entry in graph))


def _keys(words: Words, graphs: SceneTuples | None) -> list[Key]:
    """Return what tells captions apart."""
    ids = words.ids.tobytes()
    bounds = (words.offsets * words.ids.itemsize).tolist()
    keys: list[Key] = [ids[start:end] for start, end in pairwise(bounds)]
    for place, graph in enumerate(graphs or ()):
        if graph is not None:
            keys[place] = graph
    return keys


@dataclass(frozen=True)
class SharedConcepts(Requirement[Concepts]):
    """What terms mean, looked up once for both sides; those of candidates are gone when they are."""

    synonyms: bool = True

    def compute(self, side: PreparedCaptions) -> Concepts:
        """Begin with what the base knows."""
        concepts = Concepts(synonyms=self.synonyms)
        concepts.update(side.base_value(self) or {})
        return concepts


@dataclass(frozen=True)
class CaptionGraphs(Requirement[list[SceneGraph]]):
    """The scene graph of each distinct caption, in the order of `ProposedCaptions.distinct`."""

    proposed: ProposedTuples
    synonyms: bool = True

    def compute(self, side: PreparedCaptions) -> list[SceneGraph]:
        """Build them."""
        distinct = side.get(self.proposed).distinct
        return build_graphs(distinct.__getitem__, len(distinct), side.get(SharedConcepts(self.synonyms)))


class SetGraphs:
    """The scene graphs of reference sets, each built when it is first asked for: a batch uses few of many sets."""

    def __init__(self, side: PreparedReferences, proposed: ProposedCaptions, concepts: Concepts) -> None:
        self._proposed = proposed
        self._offsets = side.offsets
        self._concepts = concepts
        self._graphs: dict[int, SceneGraph] = {}
        self._lock = threading.Lock()

    def proposals(self, number: int) -> list[Proposal]:
        """Return the tuples of all references of a set, in their order."""
        first, last = self._offsets[number : number + 2].tolist()
        distinct = self._proposed.distinct
        return [each for place in self._proposed.numbers[first:last].tolist() for each in distinct[place]]

    def get(self, numbers: Sequence[int]) -> list[SceneGraph]:
        """Return the graphs of some sets."""
        with self._lock:
            new = [number for number in dict.fromkeys(numbers) if number not in self._graphs]
            built = build_graphs(lambda place: self.proposals(new[place]), len(new), self._concepts)
            self._graphs.update(zip(new, built, strict=True))
            return [self._graphs[number] for number in numbers]


@dataclass(frozen=True)
class ReferenceGraphs(Requirement[SetGraphs]):
    """One scene graph for each reference set."""

    proposed: ProposedTuples
    synonyms: bool = True

    def compute(self, side: PreparedCaptions) -> SetGraphs:
        """Prepare to build them."""
        if not isinstance(side, PreparedReferences):
            raise TypeError("only references come in sets")
        return SetGraphs(side, side.get(self.proposed), side.get(SharedConcepts(self.synonyms)))


def build_graphs(proposals: Callable[[int], Sequence[Proposal]], count: int, concepts: Concepts) -> list[SceneGraph]:
    """Build many graphs with progress; ``proposals`` gives those of one of them by number."""

    def work(first: int, last: int) -> list[SceneGraph]:
        return build_all([proposals(place) for place in range(first, last)], concepts)

    # On one thread: it is all Python.
    return [graph for block in map_blocks(work, count, 1, "SPICE: graphs", BLOCK_GRAPHS) for graph in block]
