"""A real browser for tests: Debian's Chromium, driven by Playwright; axe-core for accessibility.

``CHROMIUM`` names the browser; else that on the PATH is taken. ``make axe`` brings axe-core to ``build/axe``. Where one
of them is missing, tests that need it are skipped, but not in CI (``CI=true``), where they must run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
# The sandbox needs rights that containers do not have; the tests open nothing but our own pages.
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")


def missing(what: str) -> None:
    """Skip a test that needs something; in CI it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="module")  # Playwright keeps an event loop in this thread, in which asyncio.run() is refused
def browser() -> Iterator[Any]:
    """Start the browser once for the tests of a module."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("there is no Chromium here: apt-get install chromium, or name one with CHROMIUM")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
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
