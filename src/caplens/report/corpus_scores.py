"""The page of a result without items, such as that of merged shards: corpus scores, warnings, signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caplens.core.result import Result
from caplens.errors import counted
from caplens.output.page import PageSection
from caplens.output.presentation import Presentation
from caplens.output.tables import Column, NumberTable

NO_ITEMS = (
    "This page has corpus scores only: shards hold no captions. Item scores are in the shards; caplens merge writes "
    "them to one .parquet, .jsonl or .csv file."
)


@dataclass(frozen=True)
class CorpusScores:
    """What is shown of a result whose items are elsewhere.

    Examples
    --------
    >>> import caplens
    >>> shown = CorpusScores(caplens.score(["a dog", "a cat"], [["a dog"], ["two cats"]], "rouge"))
    >>> shown.page_title(), shown.page_sections()[0].tables[0].rows[0][:2]
    ('Scores of 2 items', ('ROUGE_L', 0.5))
    """

    result: Result

    def page_title(self) -> str:
        """Say how much was scored."""
        return f"Scores of {counted(int(self.result.facts['rows']), 'item')}"

    def page_sections(self) -> Sequence[PageSection]:
        """Return the scores with their intervals, then what was odd and where they come from."""
        summary = self.result.summary()
        keys = Presentation(all_scores=True).keys(summary)
        rows = tuple((key, summary[key]["score"], *summary[key].get("interval", (None, None))) for key in keys)
        columns = (Column("metric"), Column("score", ".4f"), Column("lower bound", ".4f"), Column("upper bound", ".4f"))
        scores = NumberTable("Corpus scores with 95 % intervals", columns, rows)
        warnings = tuple(str(notice) for notice in self.result.warnings)
        signatures = tuple(dict.fromkeys(score.signature for score in self.result.values()))
        sections = [PageSection("Scores", (NO_ITEMS,), (scores,))]
        if warnings:
            sections.append(PageSection("Warnings", warnings))
        return [*sections, PageSection("Signatures", signatures)]
