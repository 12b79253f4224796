"""Links work where GitHub shows the pages, pages are in the contents, drawings are those that the scripts make."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT

FILES = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"))]
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
# Pages that the site makes from the code; GitHub does not have them.
MADE = ("docs/reference/metrics/", "docs/examples/")


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = set()
    for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", title).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for groups in LINK.findall(text):
        link = groups[0] or groups[1]
        if re.match(r"\w+:", link) or link.startswith("#"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve()
        if target.is_relative_to(ROOT) and target.relative_to(ROOT).as_posix().startswith(MADE):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_is_in_the_contents():
    listed = set((ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines())
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in PAGES if path.parent != ROOT}
    assert pages - {"index"} <= listed


def test_badges_say_what_is_true():
    place = ROOT / "docs" / "figures" / "badges.py"
    module = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location("badges", place))
    spec.loader.exec_module(module)
    for name, drawing in module.badges().items():
        assert (place.parent / name).read_text(encoding="utf-8") == drawing
