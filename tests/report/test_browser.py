"""The report in a real browser: it opens from disk, asks nobody for anything, and can be used by everybody."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.browser import DIFFERENCE, check_screenshot, difference, playwright_api, watched
from tests.report.conftest import HOSTILE

import caplens


def opened(page, path: Path, hash_: str = ""):
    page.goto(f"{path.as_uri()}{hash_}")
    page.wait_for_selector("html[data-ready]")
    return page


def first_ids(page, count: int = 3) -> list[str]:
    return [link.inner_text() for link in page.query_selector_all("#rows tbody th a")[:count]]


def test_it_opens_from_disk_with_no_request_to_anywhere(page, report):
    opened(page, report, "#item=" + "nothing")
    assert [url for url in page.requests if not url.startswith(report.as_uri())] == []
    assert page.errors == []
    assert "There is no item nothing" in page.inner_text("#item")


def test_the_leaderboard_shows_every_system(page, report, comparison):
    opened(page, report)
    text = page.inner_text("#leaderboard")
    for name, result in comparison.systems.items():
        assert name in text
        assert f"{result['CIDEr'].score:.4f}" in text
    assert len(page.query_selector_all("#plots svg")) == 4


def test_it_sorts_by_any_score_both_ways(page, report, comparison):
    opened(page, report, "#view=best&system=1")
    scores = comparison["reversed"]["SPICE"].item_scores.round(5)
    by_score = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    page.click("button.sort:has-text('SPICE')")
    assert first_ids(page) == [comparison["plain"].corpus.ids[row] for row in by_score[:3]]
    assert page.get_attribute("th:has(button.sort:has-text('SPICE'))", "aria-sort") == "descending"
    page.click("button.sort:has-text('SPICE')")
    upwards = sorted(range(len(scores)), key=lambda row: (scores[row], row))
    assert first_ids(page) == [comparison["plain"].corpus.ids[row] for row in upwards[:3]]


def test_a_report_of_one_system_begins_with_its_worst_captions(page, comparison, tmp_path):
    result = comparison["short"]
    path = tmp_path / "one.html"
    result.write(path)
    opened(page, path)
    scores = result["CIDEr"].item_scores.round(5)
    worst = sorted(range(len(scores)), key=lambda row: (scores[row], row))
    assert page.inner_text("#rows caption") == "Worst captions: CIDEr; page 1 of 4"
    assert first_ids(page) == [result.corpus.ids[row] for row in worst[:3]]
    assert page.get_attribute("th:has(button.sort:has-text('CIDEr'))", "aria-sort") == "ascending"
    page.click("button.sort:has-text('CIDEr')")
    best = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    assert page.inner_text("#rows caption").startswith("Best captions: CIDEr")
    assert first_ids(page) == [result.corpus.ids[row] for row in best[:3]]
    assert f"CIDEr\t{result['CIDEr'].score:.4f}" in page.inner_text("table.one")


def test_scores_of_which_less_is_better_are_sorted_by_what_is_better(page, tmp_path):
    path = tmp_path / "one.html"
    caplens.score({"522418": "a dog", "391895": "a man on a motorcycle"}, metrics="chair").write(path)
    opened(page, path, "#view=best&down=1&key=0")
    assert first_ids(page) == ["391895", "522418"]
    assert page.get_attribute("th:has(button.sort:has-text('CHAIRi'))", "aria-sort") == "ascending"


def test_it_shows_where_one_system_beats_another(page, report, comparison):
    opened(page, report)
    page.select_option("#system-a", label="plain")
    page.select_option("#system-b", label="short")
    page.select_option("#by-score", label="CIDEr")
    page.select_option("#view", "beats")
    differences = comparison["plain"]["CIDEr"].item_scores - comparison["short"]["CIDEr"].item_scores
    assert page.inner_text("#found") == f"{(differences.round(5) > 0).sum()} of 100 items"
    assert first_ids(page, 1) == [comparison["plain"].corpus.ids[int(differences.argmax())]]


def test_it_filters_by_text_and_by_subset(page, report, comparison):
    opened(page, report)
    corpus = comparison["plain"].corpus
    page.fill("#search", "Dog")
    texts = [
        " ".join(
            [
                *(result.corpus.candidates[row] for result in comparison.systems.values()),
                *corpus.references.texts(int(corpus.reference_set[row])),
            ]
        )
        for row in range(len(corpus))
    ]
    assert page.inner_text("#found") == f"{sum('dog' in text.lower() for text in texts)} of 100 items"
    page.fill("#search", "")
    page.select_option("#subset", label="length: long")
    assert page.inner_text("#found") == f"{len(comparison.subsets['length']['long']['plain'].ids)} of 100 items"


def test_it_explains_a_row_by_every_metric(page, report):
    opened(page, report)
    page.click("#rows tbody tr:first-child th a")
    page.wait_for_selector(".explanations[data-done]")
    names = [name.inner_text() for name in page.query_selector_all(".explanation h4")]
    assert [name.split("\n")[0].split()[0] for name in names] == ["Bleu_4", "ROUGE_L", "CIDEr", "SPICE"]
    assert page.query_selector("svg.scene-graph rect") is not None
    assert "#" in page.url
    assert page.errors == []
    copied = page.url
    again = opened(page, Path(page.evaluate("location.pathname")), "#" + copied.split("#")[1])
    again.wait_for_selector(".explanation")


def test_hostile_captions_are_text(page, hostile):
    for name, text in HOSTILE.items():
        opened(page, hostile, f"#item={name}")
        page.wait_for_selector(".explanations[data-done]")
        cell = page.query_selector("table.systems td.words")
        assert cell.evaluate("cell => cell.textContent") == (text or "(empty)")
        assert cell.evaluate("cell => cell.children.length") == 0
        assert (
            page.evaluate(
                "document.querySelectorAll('main script, main svg[onload], main img, main a[href^=javascript]').length"
            )
            == 0
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert page.dialogs == []
    assert page.errors == []


def test_everything_can_be_reached_by_keyboard(page, report):
    opened(page, report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#rows tbody tr:nth-child(2) th a")
    wanted = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector(".explanations[data-done]")
    assert page.evaluate("document.activeElement.textContent") == f"Item {wanted}"
    page.keyboard.press("j")
    assert page.inner_text("#item-title") != f"Item {wanted}"
    page.keyboard.press("k")
    assert page.inner_text("#item-title") == f"Item {wanted}"
    page.keyboard.press("Escape")
    assert page.is_hidden("#item")
    assert page.evaluate("document.activeElement.textContent") == wanted
    page.focus("button.sort")
    page.keyboard.press("Enter")
    assert page.query_selector("th[aria-sort]") is not None


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_never_scrolls_sideways(browser, report, width):
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = opened(watched(context.new_page()), report)
    page.click("#rows tbody tr:first-child th a")
    page.wait_for_selector(".explanations[data-done]")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_back_closes_what_was_opened(page, report):
    opened(page, report)
    page.click("#rows tbody tr:first-child th a")
    page.wait_for_selector(".explanations[data-done]")
    page.go_back()
    assert page.is_hidden("#item")


SHOTS = {"report_light": ("light", 1280, ""), "report_dark": ("dark", 1280, "item"), "report_phone": ("light", 390, "")}


@pytest.mark.parametrize("name", SHOTS)
def test_the_screenshots_of_the_docs_are_those_of_this_version(browser, report, name):
    theme, width, item = SHOTS[name]
    window = {"width": width, "height": 900}
    context = browser.new_context(viewport=window, color_scheme=theme, reduced_motion="reduce")
    page = opened(watched(context.new_page()), report)
    if item:
        page.click("#rows tbody tr:first-child th a")
        page.wait_for_selector(".explanations[data-done]")
        page.evaluate("document.getElementById('item').scrollIntoView({behavior: 'instant'})")
    check_screenshot(page, name)
    context.close()


@pytest.mark.parametrize(
    ("change", "passes"),
    [
        ("body { font-family: 'DejaVu Sans', Verdana, sans-serif !important }", True),
        ("#leaderboard { visibility: hidden }", False),
        ("h1, header p { visibility: hidden } #leaderboard td { visibility: hidden }", False),
        (":root { --page: #fff7d0 } body { background: #fff7d0 !important }", False),
    ],
)
def test_screenshots_are_compared_by_their_parts_not_by_their_letters(page, report, change, passes):
    opened(page, report)
    before = page.screenshot()
    page.evaluate(
        """(rules) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(rules);
        document.adoptedStyleSheets = [sheet]; }""",
        change,
    )
    assert (difference(page.screenshot(), before) < DIFFERENCE) == passes


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_what_is_missing_fails_in_ci_and_is_skipped_elsewhere(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(outcome, match="Playwright is not installed"):
        playwright_api()
