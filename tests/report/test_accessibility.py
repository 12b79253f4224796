"""Every kind of page, in both themes, as axe-core sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser import serious_violations, watched
from tests.command_line import succeed
from tests.conftest import EXAMPLE
from tests.judged_sets import write_flickr
from tests.shard_rows import cut_into, make_rows


@pytest.fixture(scope="module")
def pages(tmp_path_factory, report) -> dict[str, Path]:
    """A page of each kind, as the commands write them."""
    folder = tmp_path_factory.mktemp("pages")
    human, references = EXAMPLE / "human.json", EXAMPLE / "references.json"
    succeed(
        "score", human, "-r", references, "-m", "bleu, cider, spice, wmd", "-o", folder / "score.html", "--explain", 5
    )
    captions = ("a man in a blue shirt on a horse", "--reference", "a person wearing a t-shirt rides a horse")
    succeed("explain", *captions, "-m", "bleu, rouge, spice, wmd, lens", "-o", folder / "explain.html")
    study = ("--data", write_flickr(folder / "flickr8k"), "-m", "rouge, bleu(n=1)", "--resamples", 5)
    succeed("meta", "flickr8k-expert", *study, "-o", folder / "study.html")
    succeed("meta", "all", *study, "-o", folder / "studies")
    rows = cut_into(folder / "rows", make_rows(40), 3)
    succeed("score", rows, "-m", "rouge", "--stream", "-o", folder / "shards/")
    succeed("merge", folder / "shards", "-o", folder / "merge.html")
    kinds = {kind: folder / f"{kind}.html" for kind in ("score", "explain", "study", "merge")}
    return {**kinds, "compare": report, "studies": folder / "studies" / "index.html"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["score", "compare", "explain", "study", "studies", "merge"])
def test_axe_finds_no_serious_violation(browser, pages, kind, theme):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme)
    page = watched(context.new_page())
    page.goto(pages[kind].as_uri())
    page.wait_for_selector("html[data-ready]")
    if page.query_selector("#rows") is not None:
        page.click("#rows tbody tr:first-child th a")
        page.wait_for_selector(".explanations[data-done]")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert serious_violations(page) == []
    assert page.errors == []
    context.close()
