"""The page of a metric: facts from its class, the equation from its docstring, edge cases from running it."""

from __future__ import annotations

import math
import re
from inspect import cleandoc
from pathlib import Path

import caplens
from caplens.api.citations import papers_of
from caplens.core.describing import describe
from caplens.core.grammar import Request
from caplens.core.metric import Metric
from caplens.core.registry import build, names

# Where there is more to read than fits a page of facts; a page of docs/ with the metric's name needs no line here.
MORE = {
    "bleu": "metrics.md#bleu",
    "bleu_smoothed": "metrics.md#bleu",
    "rouge": "metrics.md#rouge-l",
    "cider": "metrics.md#cider",
    "spider": "spice.md",
    "wmd": "vectors.md",
    "wembsim": "vectors.md",
    "scenesim": "vectors.md",
    "wembsim_c": "vectors.md",
    "wembsim_e": "vectors.md",
    "embedding_average": "vectors.md",
    "vector_extrema": "vectors.md",
    "greedy_matching": "vectors.md",
    "mean": "composite.md",
    "sum": "composite.md",
    "given": "metrics.md#scores-made-elsewhere",
}
REST = [["a dog runs on the beach"], ["two cats sleep on a couch"], ["a bus on a city street"]]
# What is scored, in a corpus with three other images: title, candidate, references.
CASES = (
    ("the candidate equals the only reference", "a man rides a brown horse", ["a man rides a brown horse"]),
    ("it shares no word with the reference", "three green apples", ["a man rides a brown horse"]),
    ("one word, which the reference has", "horse", ["a man rides a brown horse"]),
    ("one word repeated", "horse horse horse horse", ["a man rides a brown horse"]),
    ("the reference's words in reverse", "horse brown a rides man a", ["a man rides a brown horse"]),
    ("the candidate is empty", "", ["a man rides a brown horse"]),
    ("it is punctuation only", "...", ["a man rides a brown horse"]),
    ("the only reference is empty", "a man rides a brown horse", [""]),
    ("both are empty", "", [""]),
)
SHOWN_SCORES = 4
_SECTION = re.compile(r"^\w[\w ]*\n-{3,}\n", re.MULTILINE)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [head, tuple("---" for _ in head), *rows]]
    return "\n".join(lines)


def facts(name: str, metric: Metric) -> list[tuple[str, ...]]:
    """Return what the registry knows about a metric, for a table of two columns."""
    described = describe(name)
    parts = ", ".join(f"`{part}`" for part in metric.shown_parts)
    rows = [
        ("request", f"`{name}`"),
        ("scores", ", ".join(f"`{key}`" for key in metric.keys)),
        ("parts of a score", parts),
        ("range", described.facts.get("range", "no limits")),
        ("better", described.facts["better"]),
        *_behaviour(metric),
        ("needs", _cell(metric.about()[2])),
        ("origin", _cell(metric.about()[0])),
    ]
    return [row for row in rows if row[1]]


def _behaviour(metric: Metric) -> list[tuple[str, ...]]:
    """Return what follows from the metrics that it combines; nothing where a file is to name them."""
    try:
        english = metric.only_english
        return [
            ("references", "needed" if metric.needs_references else "not needed"),
            ("languages", f"English: {english}" if english else "any, with a [tokenizer](/languages.md) for it"),
            ("a score depends on", "the corpus" if metric.learns_from_corpus else "the caption and its references"),
            ("in [parts](/scale.md)", _cell(metric.hindrance_to_parts or "yes")),
        ]
    except caplens.CaplensError:
        return []


def edge_cases(metric: Metric) -> str:
    """Score the cases and write what came out, or why nothing did."""
    missing = metric.missing_data()
    if missing is not None:
        return f"Not measured when this page was made: {missing}."
    if not metric.needs_references:
        return "It needs no references; an empty caption gets what its definition above says."
    keys = metric.result_keys[:SHOWN_SCORES]
    rows = []
    for title, candidate, references in CASES:
        candidates = [candidate, *(captions[0] for captions in REST)]
        try:
            result = caplens.score(candidates, [references, *REST], metrics=metric, progress=False)
        except caplens.CaplensError as error:
            return f"It cannot be tried on captions alone: {error}"
        rows.append((title, *(_number(float(result[key].item_scores[0])) for key in keys)))
    alone = caplens.score([CASES[0][1]], [CASES[0][2]], metrics=metric, progress=False)
    rows.append(("equal, and the only image", *(_number(float(alone[key].item_scores[0])) for key in keys)))
    head = ("candidate", *(f"`{key}`" for key in keys))
    return "Scores of one caption, among three other images, made with this version:\n\n" + _table(head, rows)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "undefined"
    return f"{value:.4f}" if abs(value) >= 5e-5 or value == 0 else f"{value:.1e}"


def metric_page(name: str, source: Path) -> str:
    """Return the page of a metric as Markdown."""
    metric = build(Request(name))
    described = describe(name)
    text = cleandoc(type(metric).__doc__ or "")
    found = _SECTION.search(text)
    definition = text[: found.start()] if found else text
    more = f"{name}.md" if (source / f"{name}.md").is_file() else MORE.get(name, "")
    if not more and name.startswith(("eval_", "composite")):
        more = "composite.md"
    options = [
        (f"`{key}`", f"`{default}`" if default else "", _cell(meaning)) for key, default, meaning in described.options
    ]
    papers = "\n".join(paper.bibtex for paper in papers_of(metric.name))
    blocks = [
        f"# {metric.title or name} (`{name}`)",
        f"{described.idea[:1].upper()}{described.idea[1:]}." if described.idea else "",
        f"More about it: [{more.partition('#')[0]}](/{more})." if more else "",
        _table(("", ""), facts(name, metric)),
        "## Definition",
        "```{eval-rst}\n" + definition.strip() + "\n```",
        "## Options",
        _table(("option", "default", "meaning"), options),
        "## Edge cases",
        edge_cases(metric),
        "## Example",
        "```python\n" + described.example + "\n```" if described.example else "",
        f"```sh\ncaplens score captions.json -r references.json -m {name}\n```",
        "## Paper",
        _cell(described.facts.get("paper", "")),
        "```bibtex\n" + papers + "\n```" if papers else "",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def metric_index() -> str:
    """Return the list of all metrics."""
    rows = []
    for name in names():
        metric = build(Request(name))
        origin, idea, _ = metric.about()
        rows.append((f"[`{name}`]({name}.md)", _cell(idea), _cell(origin)))
    pages = "\n".join(names())
    return (
        "# Metrics\n\nOne page per metric, written from what the metric itself declares: equation, range, options, "
        "edge cases and paper. `caplens metrics NAME` shows the same in the terminal.\n\n"
        + _table(("request", "what it measures", "origin"), rows)
        + "\n\n```{toctree}\n:hidden:\n\n"
        + pages
        + "\n```\n"
    )
