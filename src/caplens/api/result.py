"""Results as people see them: printable, writable."""

from __future__ import annotations

import os

from caplens.core.scores import Scores


class Result(Scores):
    """The scores of one system; prints as a table and writes itself to a file."""

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file; the suffix says how: .json, .jsonl, .csv or .parquet."""
        from caplens.writers.files import write_scores

        write_scores(self, path)

    def __str__(self) -> str:
        from caplens.writers.terminal import as_text, score_table

        return as_text(score_table(self))

    __repr__ = __str__
