"""The code blocks of the documentation, and what becomes of them.

A block of Python or shell is run, in the order of its page, unless the line before it is a comment such as
``<!-- not run: it needs your own files -->``; then it is only parsed: Python is compiled and the names of `caplens` in
it are looked up, commands get their options checked. A plain block behind a command is what that command prints: each
of its lines must be printed, in this order; ``...`` stands for lines that are left out.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("README.md", "docs/*.md", "docs/guides/*.md", "docs/project/*.md")
    for path in ROOT.glob(pattern)
)
# Pages whose commands work on data that does not ship, all of them, and take minutes to hours.
NOT_RUN_PAGES = {"docs/papers.md": "studies of data sets of judgments, which do not ship"}
_NOT_RUN = re.compile(r"<!--\s*not run: (?P<why>.+?)\s*-->\s*$", re.DOTALL)

_LOOKS_LIKE_CODE = re.compile(r"^\s*(\$ |caplens \w|import caplens|from caplens)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    code: str
    not_run: str | None
    printed: str | None = None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path) -> list[Block]:
    """Return the blocks of Python and shell of a page, in order."""
    page = path.relative_to(ROOT).as_posix()
    tokens = [token for token in MarkdownIt().parse(path.read_text(encoding="utf-8")) if token.level == 0]
    found = []
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        language = token.info.split()[0] if token.info.split() else ""
        if token.type != "fence" or language not in ("python", "sh"):
            continue
        comment = _NOT_RUN.search(before.content) if before is not None and before.type == "html_block" else None
        why = NOT_RUN_PAGES.get(page) or (comment["why"] if comment else None)
        shows = language == "sh" and after is not None and after.type == "fence" and not after.info.strip()
        printed = after.content if shows else None
        found.append(Block(page, token.map[0] + 1, language, token.content, why, printed))
    return found


def escaping(text: str) -> list[str]:
    """Return the first lines of blocks that `blocks` would pass over although they are code.

    Examples
    --------
    >>> escaping("```bash\\ncaplens score a.json\\n```\\n\\n- item\\n\\n  ```sh\\n  make test\\n  ```\\n")
    ['caplens score a.json', 'make test']
    >>> escaping("```\\n$ caplens score a.json\\n```\\n\\n    import caplens\\n\\n```toml\\na = 1\\n```\\n")
    ['$ caplens score a.json', 'import caplens']
    """
    found = []
    for token in MarkdownIt().parse(text):
        if token.type not in ("fence", "code_block"):
            continue
        language = token.info.split()[0] if token.info.split() else ""
        is_seen = token.type == "fence" and token.level == 0 and language in ("python", "sh")
        is_data = language in ("toml", "json") or language.startswith("{")
        if is_seen or (is_data and "code" not in language):
            continue
        if (
            language
            or token.level
            or re.search(r"^\s*(\$ |caplens \w|import caplens|from caplens)", token.content, re.M)
        ):
            found.append(token.content.strip().splitlines()[0])
    return found


def commands(code: str) -> list[list[str]]:
    """Split shell code into commands of words: comments and continuation lines are understood, redirections dropped.

    Examples
    --------
    >>> commands('caplens score a.json -m "bleu, cider" \\\\\\n  -q  # quietly\\nmake test')
    [['caplens', 'score', 'a.json', '-m', 'bleu, cider', '-q'], ['make', 'test']]
    """
    lines = code.replace("\\\n", " ").splitlines()
    split = [shlex.split(line, comments=True) for line in lines]
    kept = []
    for line in split:
        first = next((place for place, word in enumerate(line) if not re.fullmatch(r"[A-Z_]+=.*", word)), len(line))
        words = line[first:]
        end = next((place for place, word in enumerate(words) if word in (">", "|", "&&", "2>", "<")), len(words))
        if words[:end]:
            kept.append(words[:end])
    return kept


def shown_in_order(expected: str, printed: str) -> str | None:
    """Return the first expected line that is not printed in its turn; None if all are.

    Rules of tables and spaces do not count.

    Examples
    --------
    >>> shown_in_order("a  1\\n...\\nc 3", "a 1\\nb 2\\nc 3")
    >>> shown_in_order("c 3\\na 1", "a 1\\nc 3")
    'a 1'
    """
    there = iter(_plain(printed))
    return next((line for line in _plain(expected) if line != "..." and line not in there), None)


def _plain(text: str) -> list[str]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if line.strip("─━ ")]
