"""Results as HTML for notebooks: what their ``_repr_html_`` returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from caplens.errors import Notice
from caplens.output.explanation import (
    Alignment,
    Explanation,
    MarkedText,
    SceneGraphs,
    Section,
    Table,
    Tuples,
    WordCosts,
)
from caplens.output.leaderboard import is_significant
from caplens.output.page import table_html
from caplens.output.safety import visible
from caplens.output.tables import Column, NumberTable, Value, cell
from caplens.output.word_costs import cost_text

# The colours of the drawings, readable on light and dark; marks are also told by weight and by lines.
_STYLE = """<style>
.caplens table { border-collapse: collapse; margin: .4rem 0; font-variant-numeric: tabular-nums; }
.caplens caption { text-align: left; font-weight: 600; caption-side: top; color: inherit; }
.caplens th, .caplens td { padding: .1rem .6rem; text-align: right; white-space: nowrap; background: none; }
.caplens .words { text-align: left; white-space: normal; }
.caplens th { border-bottom: 1px solid currentColor; }
.caplens p { margin: .25rem 0; }
.caplens .note { opacity: .8; font-size: .9em; }
.caplens .match { font-weight: 600; color: #009E73; border-bottom: 2px solid #009E73; }
.caplens .miss { color: #D55E00; }
.caplens pre { line-height: 1.25; }
.caplens figure { margin: .5rem 0; background: #fff; display: inline-block; }
</style>"""

_OUTCOMES = {"matched": "matched", "wrong": "in no reference", "missed": "not in the candidate"}


def wrapped(parts: Iterable[str]) -> str:
    """Put parts of HTML into an element with a style of its own."""
    return f"<div class='caplens'>{_STYLE}{''.join(parts)}</div>"


def scores_html(scores: Mapping[str, Any], title: str, notices: Sequence[Notice], notes: Sequence[str] = ()) -> str:
    """Return the corpus scores of one system (`caplens.Result`) with their intervals.

    Examples
    --------
    >>> import caplens
    >>> "<td>1.0000</td>" in caplens.score(["a dog"], [["a dog"]], "rouge")._repr_html_()
    True
    """
    columns = (Column("metric"), Column("score", ".4f"), Column("95 % interval"))
    rows = tuple((key, score.score, interval_text(score.interval)) for key, score in scores.items())
    return wrapped([table_html(NumberTable(title, columns, rows, tuple(notes))), notices_html(notices)])


def comparison_html(comparison: Mapping[str, Any], keys: Sequence[str], notices: Sequence[Notice]) -> str:
    """Return a comparison, as plain data: the scores of the systems, then the tests of the scores ``keys``."""
    systems = comparison["systems"]
    scores = NumberTable(
        f"{len(systems)} systems on {comparison['n']:,} common items, with 95 % intervals",
        (Column("system"), *(Column(key) for key in keys)),
        tuple((name, *(_with_interval(found["metrics"][key]) for key in keys)) for name, found in systems.items()),
    )
    return wrapped([table_html(scores), table_html(tests_table(comparison, keys)), notices_html(notices)])


def tests_table(comparison: Mapping[str, Any], keys: Sequence[str]) -> NumberTable:
    """Return the paired tests of the scores ``keys`` of a comparison that is given as plain data."""
    testing = comparison["testing"]
    forms = {"difference": "+.4f", "effect": ".3f", "p bootstrap": "p", "p randomisation": "p"}
    columns = ("score", "pair", "difference", "95 % interval", *list(forms)[1:], "significant")
    return NumberTable(
        "paired tests",
        tuple(Column(name, forms.get(name, "")) for name in columns),
        tuple(_test_row(test, testing["alpha"]) for test in comparison["tests"] if test["score"] in keys),
        (
            f"p-values corrected by Holm's method over the {testing['pairs']:,} tested pairs of a score; significant: "
            f"all at most {testing['alpha']}.",
            *(["±: standard deviation over training runs, which the tests count."] if "runs" in testing else []),
        ),
    )


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation: what it comes to in one sentence, the captions, numbers and sections.

    Examples
    --------
    >>> shown = explanation_html(Explanation("rouge", "a <b>", ("a dog",), {"ROUGE_L": 0.5}, {}, (), (), "It is half."))
    >>> "It is half." in shown, "a &lt;b&gt;" in shown
    (True, True)
    """
    numbers = NumberTable(
        explanation.metric,
        (Column(""), Column("", ".4f")),
        tuple({**explanation.scores, **explanation.facts}.items()),
    )
    captions = [f"<p>candidate: <b>{_text(explanation.candidate)}</b></p>"]
    captions += [f"<p>reference: {_text(reference)}</p>" for reference in explanation.references]
    return wrapped(
        [
            f"<p><b>{_text(explanation.summary)}</b></p>" if explanation.summary else "",
            *captions,
            table_html(numbers),
            *map(_section, explanation.sections),
            *(f"<p class='note'>note: {_text(note)}</p>" for note in explanation.notes),
        ]
    )


def notices_html(notices: Iterable[Notice]) -> str:
    """Return what was odd, a line each."""
    return "".join(f"<p class='note'>{notice.level}: {_text(str(notice))}</p>" for notice in notices)


def interval_text(interval: Sequence[float | None]) -> str:
    """Write an interval.

    Examples
    --------
    >>> interval_text((0.25, 0.5)), interval_text((None, None))
    ('0.2500 .. 0.5000', '-')
    """
    low, high = (cell(bound, ".4f") for bound in interval)
    return "-" if low == high == "-" else f"{low} .. {high}"


def _with_interval(entry: Mapping[str, Any]) -> str:
    spread = "" if entry.get("spread") is None else f" ± {cell(entry['spread'], '.4f')}"
    return f"{cell(entry['score'], '.4f')}{spread} ({interval_text(entry['interval'])})"


def _test_row(test: Mapping[str, Any], alpha: float) -> tuple[Value, ...]:
    corrected = (test["p_bootstrap_holm"], test["p_randomisation_holm"])
    significant = is_significant(test, alpha)
    pair = f"{test['first']} - {test['second']}"
    interval = interval_text(test["interval"])
    return (test["score"], pair, test["difference"], interval, test["effect"], *corrected, "yes" if significant else "")


def _section(section: Section) -> str:
    if isinstance(section, Table):
        return table_html(_number_table(section)) if section.rows else f"<p>{_text(section.title)}: none</p>"
    if isinstance(section, MarkedText):
        words = (f"<span class='{mark}'>{_text(word)}</span>" for word, mark in section.words)
        return f"<p>{_text(section.title)}: {' '.join(words)}</p>"
    if isinstance(section, WordCosts):
        costs = (f"{_text(word)}<sub>{cost_text(cost)}</sub>" for word, cost in section.words)
        return f"<p>{_text(section.title)}: {' '.join(costs) or 'none'}</p>"
    if isinstance(section, Alignment):
        from caplens.output.alignment import AlignmentView
        from caplens.output.terminal import as_text

        return f"<p>{_text(section.title)}</p><pre>{escape(as_text(AlignmentView(section)))}</pre>"
    if isinstance(section, SceneGraphs):
        from caplens.output.scene.svg import scene_graph_svg

        return f"<p>{_text(section.title)}</p><figure>{scene_graph_svg(section)}</figure>"
    return _tuples(section)


def _tuples(section: Tuples) -> str:
    columns = (Column("tuple"), Column("outcome"), Column("in the references"))
    rows = tuple(
        (" - ".join(each.parts), _OUTCOMES[each.outcome], " - ".join(each.partner or ())) for each in section.rows
    )
    return table_html(NumberTable(section.title, columns, rows)) if rows else f"<p>{_text(section.title)}: none</p>"


def _number_table(section: Table) -> NumberTable:
    return NumberTable(section.title, tuple(Column(name, ".4f") for name in section.columns), section.rows)


def _text(text: str) -> str:
    return escape(visible(text))
