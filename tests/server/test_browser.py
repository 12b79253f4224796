"""The playground in a real browser: typing, comparing, sharing, downloading, keyboard, hostile captions."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from tests.browser import browser, check_screenshot, page, serious_violations, watched
from tests.server.test_api import NASTY
from tests.server.test_process import started

import caplens

__all__ = ["browser", "page"]  # fixtures

CANDIDATE = "a man in a blue shirt on a horse next to the sofa"
REFERENCES = ["a person wearing a blue t-shirt rides a horse beside a couch", "a man rides a horse"]
DONE = "Scored by"


@pytest.fixture(scope="session")
def address():
    """The playground as a process."""
    process, port = started()
    yield f"http://127.0.0.1:{port}/"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def scored(page):
    page.wait_for_selector('#results[aria-busy="false"]', timeout=60_000)
    assert page.inner_text("#status").startswith(DONE), page.inner_text("#problem")


def opened(page, address, metrics="bleu, spice"):
    page.goto(f"{address}#c=a+dog&r=a+dog+runs&m={metrics}")
    scored(page)
    return page


def typed(page, candidate, references, metrics="rouge, spice"):
    page.fill("#metrics", metrics)
    page.fill("#references", "\n".join(references))
    page.fill("#candidate", candidate)
    scored(page)


def score_of(page, key):
    return page.locator("#scores tr", has=page.locator("th", has_text=key)).first.locator("td").first.inner_text()


def test_typing_scores_and_draws(page, address):
    opened(page, address)
    typed(page, CANDIDATE, REFERENCES)
    expected = caplens.explain(CANDIDATE, REFERENCES, "rouge").scores["ROUGE_L"]
    assert score_of(page, "ROUGE_L") == f"{expected:.4f}"
    assert page.locator("#explain-spice svg").count() == 2
    page.type("#candidate", " and a zebra")
    scored(page)
    assert score_of(page, "ROUGE_L") != f"{expected:.4f}"
    assert "zebra" in page.locator("#explain-spice").inner_text()
    assert page.errors == []
    assert all(url.startswith((address, "data:")) for url in page.requests)


def test_every_metric_is_shown(page, address):
    page.goto(address)
    scored(page)
    shown = page.locator("#explanations details.metric").count()
    assert shown >= 15
    assert DONE in page.inner_text("#status")
    page.evaluate("document.querySelectorAll('details.metric').forEach((part) => { part.open = true; })")
    page.wait_for_selector("#explanations details.metric:last-child article.explanation")
    assert page.locator("#explanations article.explanation").count() == shown
    assert page.errors == []


def test_two_captions_are_compared(page, address):
    opened(page, address, "rouge")
    typed(page, "a dog runs", ["a dog runs", "two dogs"], "rouge, bleu")
    page.check("#comparing")
    page.fill("#second", "a cat")
    scored(page)
    assert page.locator("#scores thead th").all_inner_texts() == [
        "score",
        "candidate",
        "second candidate",
        "difference",
    ]
    cells = page.locator("#scores tbody tr", has_text="ROUGE_L").locator("td").all_inner_texts()
    assert cells[0] == "1.0000"
    assert cells[2] == f"+{float(cells[0]) - float(cells[1]):.4f}"


def test_a_link_holds_everything(page, address, browser):
    opened(page, address)
    typed(page, "100% sure & <b>", ["ünïcode #1", "second = line"], "rouge")
    page.check("#comparing")
    page.fill("#second", "a+b c")
    scored(page)
    page.click("#copy")
    link = page.input_value("#link")
    context = browser.new_context()
    other = watched(context.new_page())
    other.goto(link)
    scored(other)
    for field in ("candidate", "second", "references", "metrics"):
        assert other.input_value(f"#{field}") == page.input_value(f"#{field}")
    assert other.inner_text("#scores") == page.inner_text("#scores")
    assert not any("sure" in url.partition("#")[0] for url in other.requests)
    context.close()


def test_downloads(page, address):
    opened(page, address)
    typed(page, CANDIDATE, REFERENCES)
    with page.expect_download() as download:
        page.click("#json")
    data = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert data["references"] == REFERENCES
    assert data["explanations"][0][0]["scores"] == caplens.explain(CANDIDATE, REFERENCES, "rouge").scores
    with page.expect_download() as download:
        page.click("#svg")
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("<svg")


def test_hostile_captions_are_text(page, address):
    opened(page, address)
    scripts = page.locator("script").count()
    for text in (*(each for each in NASTY if each.strip()), "<img src=x onerror=alert(1)>", "</textarea><b>bold"):
        typed(page, text, [text, "a dog"], "bleu, rouge, spice")
    assert page.locator("script").count() == scripts
    assert page.locator("#results b, #results img").count() == 0
    assert page.dialogs == []
    assert page.errors == []
    page.goto("about:blank")
    page.goto(f"{address}#c=%3Cscript%3Ealert(1)%3C/script%3E&r=%3Cimg%20src=x%20onerror=alert(1)%3E&m=%3Cb%3E")
    page.wait_for_selector("#problem:not(:empty)")
    assert page.dialogs == []


def test_what_is_refused_is_said(page, address):
    opened(page, address)
    page.fill("#metrics", "cider(df=/etc/passwd)")
    page.wait_for_selector("#problem:not(:empty)")
    assert page.inner_text("#problem").startswith("A request cannot name files: cider(df=...)")
    page.wait_for_selector("#results.stale")
    page.fill("#candidate", "")
    page.get_by_text("Type a candidate.").wait_for()
    assert page.locator("#results.stale").count() == 1


def test_references_are_asked_for_where_a_metric_needs_them(page, address):
    opened(page, address, "coco")
    page.fill("#references", "")
    page.get_by_text("Type at least one reference.").wait_for()
    page.fill("#metrics", "rouge")
    page.wait_for_selector("#problem:not(:empty)")
    assert page.inner_text("#problem") == "There are no references, which rouge compares with: pass at least one."
    page.fill("#metrics", "fluency")
    page.get_by_text("Scored by 1 metric.").wait_for()
    assert page.locator("#results.stale").count() == 0


def test_a_metric_is_headed_by_the_score_that_its_explanation_is_about(page, address):
    opened(page, address, "bleu")
    assert page.inner_text("#explain-bleu > summary h2") == "Bleu_4"


def test_keyboard_only(page, address):
    opened(page, address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "candidate":
            break
    page.keyboard.press("Control+A")
    page.keyboard.type("two dogs run")
    scored(page)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Bleu_1":
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('details').id") == "explain-bleu"
    assert page.evaluate("document.activeElement.closest('details').open") is True
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('explain-bleu').open") is False


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_looks_and_accessibility(browser, address, scheme, width):
    context = browser.new_context(
        viewport={"width": width, "height": 1000}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = watched(context.new_page())
    page.goto(address)
    scored(page)
    page.locator("#explain-meteor > summary, #explain-rouge > summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious_violations(page) == []
    page.evaluate("scrollTo(0, 0)")
    if width > 390 or scheme == "light":
        check_screenshot(page, "playground_phone" if width == 390 else f"playground_{scheme}")
    context.close()


def test_rows_of_loaded_files_are_explained_on_demand(page, tmp_path):
    captions = {"1": "a dog runs", "2": "two <script>alert(1)</script> cats"}
    (tmp_path / "ours.json").write_text(json.dumps(captions))
    references = {"1": ["a dog is running"], "2": ["two cats sleeping"]}
    (tmp_path / "references.json").write_text(json.dumps(references))
    process, port = started(str(tmp_path / "ours.json"), "-r", str(tmp_path / "references.json"), "-m", "rouge, spice")
    try:
        page.goto(f"http://127.0.0.1:{port}/report")
        page.click("#rows tbody tr:first-child th a")
        page.wait_for_selector("article.explanation svg")
        assert page.locator("article.explanation").count() == 2
        assert page.dialogs == []
        assert page.errors == []
        assert all(url.startswith(f"http://127.0.0.1:{port}/") for url in page.requests)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
