"""What is scored: candidate rows over reference sets.

Readers and callers hand over a `CaptionTable` for each side, or a `PairedTable`; `pair` and `from_pairs` turn them into
a `Corpus` or say in one sentence why not.
"""

from caplens.corpus.core import Corpus, ReferenceSets, caption_columns, number_labels
from caplens.corpus.graphs import GivenTuples, SceneTuples, TupleGraph, is_scene_graph
from caplens.corpus.known import KnownReferences, batch_table, without_references
from caplens.corpus.matching import (
    Missing,
    collect,
    from_pairs,
    pair,
    pair_systems,
    refuse_swapped,
    take_candidates,
    unique_ids,
)
from caplens.corpus.runs import Runs, by_system, each_run
from caplens.corpus.several import Several, spread
from caplens.corpus.systems import common_corpora, notices_of_systems
from caplens.corpus.tables import (
    CaptionTable,
    Column,
    Numbers,
    PairedTable,
    normalise_id,
    normalise_ids,
    reference_table,
    table_of,
    take_columns,
)

__all__ = [
    "CaptionTable",
    "Column",
    "Corpus",
    "GivenTuples",
    "KnownReferences",
    "Missing",
    "Numbers",
    "PairedTable",
    "ReferenceSets",
    "Runs",
    "SceneTuples",
    "Several",
    "TupleGraph",
    "batch_table",
    "by_system",
    "caption_columns",
    "collect",
    "common_corpora",
    "each_run",
    "from_pairs",
    "is_scene_graph",
    "normalise_id",
    "normalise_ids",
    "notices_of_systems",
    "number_labels",
    "pair",
    "pair_systems",
    "reference_table",
    "refuse_swapped",
    "spread",
    "table_of",
    "take_candidates",
    "take_columns",
    "unique_ids",
    "without_references",
]
