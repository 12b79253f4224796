"""Links that are right on GitHub and on the site.

Pages link to files of the repository by relative paths, as GitHub reads them. On the site, those that have a page lead
there (``../CHANGELOG.md``); other files are offered as downloads, which Sphinx copies.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from sphinx.application import Sphinx

# File of the repository -> page of the site.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "benchmarks/README.md": "benchmarks.md",
}
_LINK = re.compile(r"(\]\()((?:\.\./)+)([^)#\s]+)(#[^)\s]*)?(\))")

_PAGE_ELSEWHERE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]+\.md)(?:#[^)\s]*)?\)")


def rewritten(text: str, page: str) -> str:
    """Return the text of a page with links to files of the repository that have a page leading to that page.

    Examples
    --------
    >>> rewritten("[changes](../../CHANGELOG.md#020)", "guides/score")
    '[changes](/project/changelog.md#020)'
    >>> rewritten("[it](../examples/demo.sh)", "metrics")
    '[it](../examples/demo.sh)'
    >>> rewritten("[a card](../training/lens/README.md)", "metrics")
    'a card (`training/lens/README.md` in the repository)'
    """
    depth = len(PurePosixPath(page).parts)

    def target(found: re.Match[str]) -> str:
        opening, up, path, anchor, closing = found.groups()
        if up.count("../") == depth and path in PAGES:
            return f"{opening}/{PAGES[path]}{anchor or ''}{closing}"
        if up.count("../") == depth and re.fullmatch(r"examples/\w+\.ipynb", path):
            return f"{opening}/{path}{closing}"
        return found[0]

    def elsewhere(found: re.Match[str]) -> str:
        words, up, path = found.groups()
        if up.count("../") != depth or path in PAGES:
            return found[0]
        return f"{words} (`{path}` in the repository)"

    return _LINK.sub(target, _PAGE_ELSEWHERE.sub(elsewhere, text))


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = rewritten(source[0], page)


def _included(app: Sphinx, path: Any, page: str, source: list[str]) -> None:  # noqa: ANN401 (a path of Sphinx)
    """Files of the repository link to `docs/...` and to each other."""
    text = re.sub(r"\]\(docs/", "](/", source[0])
    for name, target in PAGES.items():
        text = re.sub(rf"\]\({re.escape(name)}(#[^)]*)?\)", rf"](/{target}\1)", text)
    source[0] = text


def setup(app: Sphinx) -> dict[str, Any]:
    """Rewrite links as pages are read."""
    app.connect("source-read", _read)
    app.connect("include-read", _included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
