"""Reports of the example captions, and of captions that try to be more than text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser import browser, page
from tests.conftest import EXAMPLE

import caplens
from caplens.report import ReportSettings, report_page

__all__ = ["browser", "page"]

HOSTILE = {
    "script": "<script>alert('script')</script> a dog",
    "svg": "<svg onload=\"alert('svg')\"><circle r=9></svg> a cat",
    "link": "javascript:alert('link') a <a href=javascript:alert(1)>bird</a>",
    "quote": "\"><img src=x onerror=alert('quote')> a horse </script><script>alert('end')</script>",
    "comment": "<!-- a cow <script> -->",
    "long": "dog " * 2500,
    "one word": "x" * 10_000,
    "rtl": "كلب يجري على الشاطئ \u202e god a",
    "emoji": "a 🐕‍🦺 and 👩‍👩‍👧 on a 🏖️",
    "empty": "",
}


@pytest.fixture(scope="session")
def comparison():
    """Three systems on the first hundred example captions."""
    candidates, annotations = example_captions(100)
    worse = {name: " ".join(text.split()[::-1]) for name, text in candidates.items()}
    shorter = {name: " ".join(text.split()[:5]) for name, text in candidates.items()}
    found = caplens.compare(
        {"plain": candidates, "reversed": worse, "short": shorter}, annotations, "bleu, rouge, cider, spice"
    )
    found.by({name: "long" if len(text.split()) > 10 else "short" for name, text in candidates.items()}, name="length")
    return found


def example_captions(count: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return captions of the shipped example and their references."""
    corpus = caplens.load_corpus(EXAMPLE / "human.json", EXAMPLE / "references.json")
    rows = range(min(count, len(corpus)))
    candidates = {corpus.ids[row]: corpus.candidates[row] for row in rows}
    references = {corpus.ids[row]: corpus.references.texts(int(corpus.reference_set[row])) for row in rows}
    return candidates, references


@pytest.fixture(scope="session")
def report(comparison, tmp_path_factory) -> Path:
    """The report of the comparison, as a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(comparison, ReportSettings(explain=60)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> Path:
    """The report of hostile captions."""
    references = {name: ["a dog runs on the beach", text] for name, text in HOSTILE.items()}
    result = caplens.score(HOSTILE, references, "bleu, rouge, cider, spice")
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    result.write(path)
    return path
