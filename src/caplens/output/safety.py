"""Text that came from elsewhere, made harmless: for terminals, Markdown and spreadsheets.

Ids, names of files and columns, keys and words of captions are chosen by whoever wrote a file. Everything that is
printed goes through `visible`, so that none of them can move the cursor, change colours or turn a line around.
"""

from __future__ import annotations

import re

# Control characters (C0, DEL, C1), line and paragraph separators, bidirectional embeddings, overrides and isolates, and
# halves of characters.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection).
_FORMULA = re.compile("[-=+@\t\r\n＝＋－＠]")


def visible(text: str, keep: str = "") -> str:
    r"""Write characters that a terminal would obey as escapes, except those to ``keep``.

    Examples
    --------
    >>> print(visible("id\x1b[2J\u202e7"), visible("two\nlines", keep="\n"))
    id\x1b[2J\u202e7 two
    lines
    """
    return _HARMFUL.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def markdown_cell(text: str) -> str:
    r"""Return text that is only text in a Markdown table: in one line, without tags or further columns.

    Examples
    --------
    >>> print(markdown_cell("<b>a|b</b>"))
    &lt;b&gt;a\|b&lt;/b&gt;
    """
    from html import escape  # its table of entities would cost every command some milliseconds

    return escape(visible(text), quote=False).replace("|", "\\|")


def spreadsheet_cell(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula: with an apostrophe before it, where it would be one.

    Examples
    --------
    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("a = b")
    ("'=1+1", 'a = b')
    """
    return f"'{text}" if _FORMULA.match(text) else text
