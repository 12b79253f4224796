"""How long a report takes to sort its rows, beside a plain ``Array.sort`` of the same numbers in the same page.

``pages_sorting.py PAGE OUT``; it needs Playwright and Chromium (``CHROMIUM`` names it, else that on the PATH is taken).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")
MEASURE = """() => {
  const items = window.caplensItems;
  const key = items.keys.indexOf("CIDEr");
  const best = (work) => Math.min(...Array.from({length: 15}, () => {
    const begun = performance.now();
    for (let turn = 0; turn < 5; turn++) work();
    return performance.now() - begun;
  }));
  const places = Array.from({length: items.count}, (_, place) => place);
  const wishes = {
    score: {by: "score", key, system: 0},
    difference: {by: "difference", key, system: 0, other: 1},
    spread: {by: "spread", key},
    dispute: {by: "disputed", system: 0},
  };
  return Object.fromEntries(Object.entries(wishes).map(([name, wish]) => {
    const values = items.values(wish);
    const plain = best(() => Array.from(values).sort((one, other) => other - one));
    return [name, best(() => items.sorted(places, wish)) / plain];
  }));
}"""


def main(page: str, out: str) -> None:
    """Open the page, measure, write the ratios to a file."""
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        opened = browser.new_page()
        opened.goto(Path(page).resolve().as_uri())
        opened.wait_for_selector("html[data-ready]", timeout=60_000)
        Path(out).write_text(json.dumps(opened.evaluate(MEASURE)))
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
