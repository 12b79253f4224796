"""What is scored: candidate rows over reference sets.

Readers and callers hand over a `CaptionTable` for each side, or a `PairedTable`; `pair` and `from_pairs` turn them into
a `Corpus` or say in one sentence why not.
"""

from caplens.corpus.core import Corpus, ReferenceSets
from caplens.corpus.graphs import GivenTuples, SceneTuples, TupleGraph, is_scene_graph
from caplens.corpus.matching import (
    Missing,
    collect,
    from_pairs,
    number_labels,
    pair,
    pair_systems,
    take_candidates,
    unique_ids,
)
from caplens.corpus.tables import (
    CaptionTable,
    PairedTable,
    normalise_id,
    normalise_ids,
    reference_table,
    table_of,
)

__all__ = [
    "CaptionTable",
    "Corpus",
    "GivenTuples",
    "Missing",
    "PairedTable",
    "ReferenceSets",
    "SceneTuples",
    "TupleGraph",
    "collect",
    "from_pairs",
    "is_scene_graph",
    "normalise_id",
    "normalise_ids",
    "number_labels",
    "pair",
    "pair_systems",
    "reference_table",
    "table_of",
    "take_candidates",
    "unique_ids",
]
