"""Files that the server was started with: their report, and explanations of their rows on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caplens.api.comparing import compare
from caplens.api.inputs import name_systems
from caplens.api.loading import load_candidates, load_corpus, load_references
from caplens.api.provenance import provenance
from caplens.api.scoring import score
from caplens.core.comparison import Comparison
from caplens.core.evaluator import Evaluator
from caplens.core.metric import Metric
from caplens.core.result import Result
from caplens.core.selection import Selection, select
from caplens.corpus import Missing
from caplens.errors import InputError, Notice, UsageError
from caplens.files.opening import opened
from caplens.output.document import document, encode, read_document
from caplens.readers import ReadOptions
from caplens.report import ReportSettings, document_page, report_page
from caplens.report.data import data_of, data_of_document
from caplens.server.messages import RowRequest
from caplens.text import MAX_WORDS

EXPLAIN_URL = "/api/report/explain"
STATIC_URL = "/static/report/"


class Loaded:
    """A report whose rows are explained when somebody asks.

    Parameters
    ----------
    page : str
        The page of the report.
    captions : mapping of str to mapping
        The captions of each system by id.
    evaluator : Evaluator
        The metrics with the references of all rows.
    """

    def __init__(self, page: str, captions: Mapping[str, Mapping[str, str]], evaluator: Evaluator) -> None:
        self.page = page.encode("utf-8", "replace")
        self._captions = captions
        self._evaluator = evaluator

    def explain(self, request: RowRequest) -> bytes:
        """Explain a row by every metric of the report; document frequencies are those of all rows."""
        captions = self._captions.get(request.system)
        if captions is None:
            raise InputError(f"There is no system {request.system!r} in the loaded files.")
        if request.id not in captions:
            raise InputError(f"There is no row with the id {request.id!r} in the loaded files.")
        found = self._evaluator.explain(captions[request.id], id=request.id)
        return encode(document({"explanations": [each.to_dict() for each in found]}, ()))

    def warm_up(self) -> None:
        """Let metrics learn from the references before two requests ask for it at once."""
        system, captions = next(iter(self._captions.items()))
        self.explain(RowRequest(system, next(iter(captions))))


def of_document(path: str, pictures: str = "") -> Loaded:
    """Load a results file that was written with ``--with-captions``."""
    content = read_document(path)
    try:
        data = data_of_document(content)
    except InputError as error:
        raise InputError(f"{path} cannot be shown: {error}") from error
    systems = content["systems"] if "systems" in content else {"": {"metrics": content["metrics"]}}
    signatures = [entry["signature"] for entry in next(iter(systems.values()))["metrics"].values()]
    metrics = tuple(
        dict.fromkeys(metric for request in dict.fromkeys(signatures) for metric in select(request).metrics)
    )
    page = document_page(content, settings=_settings(pictures), linked=STATIC_URL, explain_url=EXPLAIN_URL)
    return _loaded(page, metrics, data.systems, data.ids, data.captions, data.references)


def of_result(result: Result | Comparison, pictures: str = "") -> Loaded:
    """Show a result that was just computed."""
    data = data_of(result)
    one = result if isinstance(result, Result) else next(iter(result.systems.values()))
    page = report_page(result, settings=_settings(pictures), linked=STATIC_URL, explain_url=EXPLAIN_URL)
    return _loaded(page, [run.metric for run in one.runs], data.systems, data.ids, data.captions, data.references)


def _settings(pictures: str) -> ReportSettings:
    return ReportSettings(explain="none", pictures=pictures)


def _loaded(
    page: str,
    metrics: Sequence[Metric],
    systems: Sequence[str],
    ids: Sequence[str],
    captions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
) -> Loaded:
    by_id = {name: dict(zip(ids, texts, strict=True)) for name, texts in zip(systems, captions, strict=True)}
    known = dict(zip(ids, map(list, references), strict=True)) if any(references) else None
    return Loaded(page, by_id, Evaluator(list(metrics), known, max_words=MAX_WORDS, progress=False))


def load(
    files: Sequence[str],
    references: Sequence[str],
    metrics: Selection,
    reading: ReadOptions,
    missing: Missing = "error",
    pictures: str = "",
) -> tuple[Loaded, tuple[Notice, ...]]:
    """Load files: one that caplens wrote, or the candidates of one or several systems, which are then scored.

    Returns
    -------
    loaded : Loaded
        Their report.
    notices : tuple of Notice
        What was odd about them.
    """
    if len(files) == 1 and not references and _is_document(files[0]):
        return of_document(files[0], pictures), ()
    named = name_systems(files)
    result: Result | Comparison
    if len(named) == 1:
        (path,) = named.values()
        needed = metrics.needs_references
        result = score(
            load_corpus(path, references or None, reading, missing, needs_references=needed), metrics=metrics
        )
        result.inputs = provenance(named, references, {})
    else:
        if not references and metrics.needs_references:
            raise UsageError("Comparing several files requires references: -r REFERENCES.")
        systems = {name: load_candidates(path, reading) for name, path in named.items()}
        theirs = load_references(references, reading) if references else None
        result = compare(systems, theirs, metrics, missing=missing)
    return of_result(result, pictures), tuple(result.warnings)


def _is_document(path: str) -> bool:
    """Whether caplens wrote a file: it says so in its first bytes."""
    with opened(path) as content:
        return bytes(content.read()[:200]).lstrip().startswith(b'{"schema":')
