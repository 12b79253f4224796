"""Pages as files: what `caplens.output.writing` calls for names that end in ``.html``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from caplens.core.comparison import Comparison
from caplens.core.result import Result
from caplens.output.explanation import Explanation
from caplens.report.corpus_scores import CorpusScores
from caplens.report.page import explanations_page, report_page
from caplens.report.settings import ReportSettings
from caplens.report.studies import HasSections, studies_page


def scores_html(
    result: Result | Comparison, *, report: ReportSettings | None = None, path: str | os.PathLike[str] = ""
) -> bytes:
    """Return the report of a result or a comparison; of a result without items, the corpus scores."""
    if isinstance(result, Result) and not len(result.corpus) and int(result.facts["rows"]):
        return studies_html(CorpusScores(result))
    return report_page(result, report, place=path).encode("utf-8")


def explanations_html(explained: Explanation | Sequence[Explanation]) -> bytes:
    """Return the page of one or more explanations of a caption."""
    return explanations_page([explained] if isinstance(explained, Explanation) else explained).encode("utf-8")


def studies_html(shown: HasSections) -> bytes:
    """Return the page of one or more studies."""
    return studies_page(shown).encode("utf-8")
