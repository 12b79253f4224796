"""One way out: any result into a file; the suffix says how. A file is written whole or not at all, without NaN.

A result says what it can be written as by its methods: ``to_dict`` (everything as plain data), ``to_rows`` (a table),
``tables`` (tables for people), ``scene_graphs`` and ``figure`` (drawings).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caplens.errors import InputError, UsageError
from caplens.files.atomic import atomic_path, check_writable
from caplens.files.packages import require

if TYPE_CHECKING:
    from caplens.output.tables import NumberTable

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """How results become files of one suffix.

    Attributes
    ----------
    suffix : str
        The ending of a file's name.
    needs : str
        The method that a result must have.
    place : str
        ``module:function``, imported when it is used, so that rooms above this one can have formats too. The function
        takes the result and returns the content of the file.
    settings : tuple of str
        The settings that the function takes besides, by name; others are not for this format.
    package : str
        What must be installed for this format.
    extra : str
        The extra that installs it.
    """

    suffix: str
    needs: str
    place: str
    settings: tuple[str, ...] = ()
    package: str = ""
    extra: str = "report"

    def encode(self, result: object, **settings: object) -> bytes:
        """Return the content of a file."""
        self.check()
        module, _, name = self.place.partition(":")
        make: Callable[..., bytes] = getattr(import_module(module), name)
        return make(result, **{key: value for key, value in settings.items() if key in self.settings})

    def check(self) -> None:
        """Refuse a format whose package is not installed."""
        if self.package:
            require(self.package, self.extra, f"{self.suffix} files")


# Where two have the same suffix, the first that a result has the method for.
FORMATS = (
    Format(".json", "to_dict", "caplens.output.formats:json_document"),
    Format(".jsonl", "to_rows", "caplens.output.formats:json_lines"),
    Format(".csv", "to_rows", "caplens.output.formats:csv_rows", ("csv_safe",)),
    Format(".parquet", "to_rows", "caplens.output.formats:parquet_rows", package="pyarrow", extra="arrow"),
    Format(".txt", "tables", "caplens.output.formats:text_tables"),
    Format(".md", "tables", "caplens.output.formats:markdown_tables"),
    Format(".tex", "tables", "caplens.output.formats:latex_tables"),
    Format(".csv", "tables", "caplens.output.formats:csv_tables", ("csv_safe",)),
    Format(".svg", "scene_graphs", "caplens.output.drawing:explanation_svg"),
    Format(".svg", "figure", "caplens.meta.drawing:svg_figure"),
    Format(".pdf", "figure", "caplens.meta.drawing:pdf_figure"),
    Format(".png", "figure", "caplens.meta.drawing:png_figure"),
    Format(".html", "item_dicts", "caplens.report.formats:scores_html", ("report", "path"), "jinja2"),
    Format(".html", "scene_graphs", "caplens.report.formats:explanations_html", (), "jinja2"),
    Format(".html", "page_sections", "caplens.report.formats:studies_html", (), "jinja2"),
)


@dataclass(frozen=True)
class Rows:
    """Rows that are a result of their own."""

    rows: list[dict[str, Any]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return them."""
        return self.rows


@dataclass(frozen=True)
class Tables:
    """Tables that are a result of their own."""

    content: tuple[NumberTable, ...]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return them."""
        return self.content


TABLE_SUFFIXES = (".txt", ".md", ".tex")
"""Suffixes of files that hold tables for people and nothing else."""
PACKED = ".gz"
_PACKABLE = (".json", ".jsonl", ".csv")


def encoded(result: object, form: str, *, csv_safe: bool = False) -> bytes:
    r"""Return what a file of some format (``json``) would hold.

    Examples
    --------
    >>> encoded(Rows([{"id": "7", "CIDEr": 0.5}]), "csv")
    b'id,CIDEr\n7,0.5\n'
    """
    return _encoded(result, f".{form}", f"as {form}", csv_safe=csv_safe)


def _encoded(result: object, suffix: str, name: str, **settings: object) -> bytes:
    found = _form(suffix, _kind(result))
    try:
        return found.encode(result, **settings)
    except UnicodeEncodeError as error:
        text = error.object[max(error.start - 20, 0) : error.end + 20].encode("utf-8", "backslashreplace").decode()
        raise InputError(f"{name} cannot be written: {text!r} contains a lone surrogate.") from None


def _kind(result: object) -> type:
    return type(result[0]) if isinstance(result, Sequence) and result else type(result)


def write(result: object, path: PathLike, **settings: object) -> None:
    r"""Write a result, or a list of results of one kind, to a file.

    Parameters
    ----------
    result : object
        What to write.
    path : path
        Where; the suffix says how.
    **settings : object
        Those of some formats, which others pass over. ``csv_safe``: in CSV, captions that a spreadsheet would take for
        formulas get an apostrophe; with this, ids and names too. ``report``: what a page includes
        (`caplens.report.ReportSettings`).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Rows([{"id": "7", "CIDEr": 0.5}]), Path(folder, "scores.csv"))
    ...     Path(folder, "scores.csv").read_text()
    'id,CIDEr\n7,0.5\n'
    """
    content = _encoded(result, _suffix(path, suffixes_of(_kind(result))), str(path), path=path, **settings)
    if Path(path).suffix.lower() == PACKED:
        import gzip

        content = gzip.compress(content, mtime=0)  # without the time, so that the same result is the same file
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def check_output(path: PathLike, kind: type, needs: str = "") -> None:
    """Refuse a file that results of some kind cannot be written to, before any work is done.

    With ``needs`` only formats count that are made from that method, such as those of figures.
    """
    suffix = _suffix(path, suffixes_of(kind, needs))
    next(form for form in _formats(kind, needs) if form.suffix == suffix).check()
    check_writable(path)


def check_form(form: str, kind: type) -> None:
    """Refuse a format (``json``) that results of some kind do not have."""
    _form(f".{form}", kind)


def check_file(path: PathLike, suffixes: Sequence[str]) -> None:
    """Refuse a file that cannot be written or whose name does not end in one of the suffixes."""
    if Path(path).suffix.lower() not in suffixes:
        raise _refusal(path, suffixes)
    check_writable(path)


def suffixes_of(kind: type, needs: str = "") -> tuple[str, ...]:
    """Return the suffixes of the files that results of some kind can be written to.

    Examples
    --------
    >>> suffixes_of(Rows)
    ('.jsonl', '.csv', '.parquet')
    """
    return tuple(form.suffix for form in _formats(kind, needs))


def _formats(kind: type, needs: str = "") -> list[Format]:
    found: dict[str, Format] = {}
    for form in FORMATS:
        if hasattr(kind, form.needs) and needs in ("", form.needs):
            found.setdefault(form.suffix, form)
    return list(found.values())


def _form(suffix: str, kind: type) -> Format:
    formats = {form.suffix: form for form in _formats(kind)}
    if suffix not in formats:
        raise UsageError(f"The result cannot be written as {suffix[1:]}: choose from {_listed(tuple(formats))}.")
    return formats[suffix]


def _suffix(path: PathLike, suffixes: Sequence[str]) -> str:
    """Return the suffix that says how a file is written; one of text may be followed by ``.gz``."""
    *before, suffix = ["", *(part.lower() for part in Path(path).suffixes[-2:])]
    if suffix == PACKED and before[-1] in _PACKABLE:
        suffix = before[-1]
    if suffix not in suffixes:
        raise _refusal(path, suffixes)
    return suffix


def _refusal(path: PathLike, suffixes: Sequence[str]) -> UsageError:
    return UsageError(f"{Path(path).name!r} cannot be written: its name must end in {' or '.join(suffixes)}.")


def _listed(suffixes: Sequence[str]) -> str:
    return ", ".join(suffix[1:] for suffix in suffixes)
