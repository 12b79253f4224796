"""Normalisation constants of metrics on some captions, kept in a file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from caplens.api.scoring import score
from caplens.core.selection import MetricRequest, select
from caplens.corpus import Corpus
from caplens.corpus.inputs import Candidates, References
from caplens.errors import Notice
from caplens.metrics.combination.normalizing import ConstantsTable
from caplens.output.writing import check_file


@dataclass(frozen=True)
class BuiltConstants:
    """What was measured: the scores by key, on how many captions, and what was odd."""

    keys: tuple[str, ...]
    captions: int
    warnings: tuple[Notice, ...]


def build_constants(
    candidates: Candidates | Corpus,
    references: References | None,
    metrics: MetricRequest,
    path: str | os.PathLike[str],
    *,
    what: str | None = None,
    tokenizer: str = "ptb",
    jobs: int | None = None,
    parses: str | os.PathLike[str] | None = None,
) -> BuiltConstants:
    """Measure how large the scores of metrics are on some captions, and write that to a JSON file.

    The file is for ``mean(..., normalize_on=FILE)``. It also holds the hashes of the data that metrics used (word
    vectors, a parser): where they differ later, it is refused.

    Parameters
    ----------
    candidates, references, metrics
        As for `caplens.score`; a metric that learns from the corpus (CIDEr without ``df``) learns from this one.
    path : path
        The file, ``.json``.
    what : str, optional
        What the captions are, for people who read the file.
    tokenizer, jobs, parses
        As for `caplens.score`.

    Examples
    --------
    >>> import tempfile
    >>> import caplens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/mine.json"
    ...     built = build_constants(["a dog", "a cat"], [["a dog"], ["a dog runs"]], "rouge, wmd", path)
    ...     score = caplens.score(["a dog"], [["a dog"]], f"mean(rouge, wmd, normalize_on={path})")
    >>> built.keys, score["Mean_ROUGE_L_WMD"].score
    (('ROUGE_L', 'WMD'), 1.0)
    """
    check_file(path, (".json",))
    # As in combinations, every caption is parsed: what packs know of some would change the constants with each pack.
    chosen = select(metrics, tokenizer=tokenizer, known="false")
    result = score(candidates, references, list(chosen.metrics), jobs=jobs, parses=parses)
    table = ConstantsTable.measured(result.runs, what or f"{len(result.ids):,} captions")
    table.save(path)
    return BuiltConstants(tuple(result), len(result.ids), (*chosen.left_out, *result.warnings))
