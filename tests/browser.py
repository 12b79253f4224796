"""A real browser for tests: Debian's Chromium, driven by Playwright; axe-core for accessibility.

``CHROMIUM`` names the browser; else that on the PATH is taken. ``make axe`` brings axe-core to ``build/axe``. Where one
of them is missing, tests that need it are skipped, but not in CI (``CI=true``), where they must run.

Screenshots of the documentation are compared with what pages look like now; ``SCREENSHOTS=1`` makes them anew.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
# The sandbox needs rights that containers do not have; the tests open nothing but our own pages.
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")


def missing(what: str) -> NoReturn:
    """Skip a test that needs something; in CI it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def playwright_api() -> Any:
    """Return what drives the browser."""
    try:
        return import_module("playwright.sync_api")
    except ImportError:
        missing("Playwright is not installed: pip install playwright, without a browser of its own")


@pytest.fixture(scope="module")  # Playwright keeps an event loop in this thread, in which asyncio.run() is refused
def browser() -> Iterator[Any]:
    """Start the browser once for the tests of a module."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("there is no Chromium here: apt-get install chromium, or name one with CHROMIUM")
    with playwright_api().sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """Open an empty page; errors of its scripts and everything it asks for are kept in ``errors`` and ``requests``."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield watched(context.new_page())
    context.close()


def watched(page: Any) -> Any:
    """Keep errors and requests of a page, and every dialog that it opens."""
    page.errors, page.requests, page.dialogs = [], [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    return page


def serious_violations(page: Any) -> list[str]:
    """Return what axe-core finds serious or critical in a page."""
    if not AXE.exists():
        missing("axe-core is not here: make axe brings it")
    page.evaluate(AXE.read_text(encoding="utf-8"))  # not as a script element, which the page's policy would refuse
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {each['help']}: {each['nodes'][0]['target']} ({len(each['nodes'])})"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def check_screenshot(page: Any, name: str) -> None:
    """Compare what is in the window with a screenshot of the documentation, or take that anew."""
    path = FIGURES / f"{name}.png"
    taken = page.screenshot()
    if os.environ.get("SCREENSHOTS"):
        path.write_bytes(taken)
    elif abs(page.evaluate(_WIDTH) - FONT_WIDTH) > 1:
        pytest.skip("the fonts here are not those of the screenshots: lines break elsewhere")
    found = difference(taken, path.read_bytes())
    assert found < DIFFERENCE, (
        f"docs/figures/{name}.png is not what the page looks like now ({found:.3f}): "
        "SCREENSHOTS=1 python -m pytest tests/report/test_browser.py tests/server/test_browser.py makes it anew"
    )


FONT_WIDTH = 360
"""Pixels that a line of text takes in the font of the screenshots, DejaVu Sans, which Debian's Chromium brings."""
_WIDTH = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `16px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText("The quick brown fox jumps over the lazy dog").width;
}"""
# Above what other fonts make of a page, below what one missing part of it does: see tests/report/test_browser.py.
DIFFERENCE = 0.02
CELL = 16
"""Pixels: in larger cells text of any font is grey."""


def difference(one: bytes, other: bytes) -> float:
    """Return how much two pictures differ: the root mean square over cells, at most 1, as for different sizes."""
    try:
        image = import_module("PIL.Image")
    except ImportError:
        missing("Pillow is not installed: pip install pillow")
    numpy = import_module("numpy")
    cells = []
    for content in (one, other):
        opened = image.open(io.BytesIO(content)).convert("RGB")
        size = (opened.width // CELL, opened.height // CELL)
        cells.append(numpy.asarray(opened.resize(size, image.Resampling.BOX), numpy.float64) / 255)
    if cells[0].shape != cells[1].shape:
        return 1.0
    return float(numpy.sqrt(((cells[0] - cells[1]) ** 2).mean()))
