"""Options of commands that print, write or draw results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from caplens.cli.framework import option, shared
from caplens.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from caplens.output.presentation import Presentation
    from caplens.output.tables import NumberTable
    from caplens.report.settings import ReportSettings

TableFormat = Literal["text", "markdown", "latex", "csv"]
"""How tables are printed."""
STDOUT = "-"


@shared
class Outputs:
    """Of commands that write their result to files; a command may say in its own words which files there are."""

    output: tuple[str, ...] = option(
        (), "Output file, in the format of its suffix; can be repeated. - is stdout.", "-o", "--output", metavar="OUT"
    )
    output_format: Literal["json", "jsonl", "csv"] = option("json", "Format written by -o -.")

    def check(self, kind: type) -> None:
        """Refuse, before any work, files that results of some kind cannot be written to."""
        from caplens.output.writing import check_form, check_output

        if self.output.count(STDOUT) > 1:
            raise UsageError("-o - can be given only once: there is only one standard output.")
        for path in self.output:
            if path == STDOUT:
                check_form(self.output_format, kind)
            else:
                check_output(path, kind)

    @property
    def takes_stdout(self) -> bool:
        """Whether standard output holds what a file would, and so nothing else."""
        return STDOUT in self.output

    @property
    def files(self) -> tuple[str, ...]:
        """The files to write."""
        return tuple(path for path in self.output if path != STDOUT)

    def write(self, result: object) -> None:
        """Write the files."""
        from caplens.output.writing import write

        for path in self.files:
            write(result, path)

    def show(self, result: object, **settings: bool) -> None:
        """Write to standard output what a file would hold, if that was asked for."""
        from caplens.cli.console import show_content
        from caplens.output.writing import encoded

        if self.takes_stdout:
            show_content(encoded(result, self.output_format, **settings))


@shared
class Tables:
    """Of commands that print scores."""

    table_format: TableFormat = option("text", "Table format.", "--format")
    style: Literal["plain", "coco"] = option("plain", "coco: columns B@4, M, R, C, S, times 100, as in papers.")
    all_scores: bool = option(False, "Also show detailed scores, such as SPICE's categories.")
    intervals: bool = option(True, "Show 95 % intervals.")

    @property
    def wanted(self) -> Presentation:
        """What the tables show."""
        from caplens.output.presentation import Presentation

        return Presentation(self.style, self.all_scores, self.intervals)


@shared
class Output(Tables, Outputs):
    """Of commands that write item scores."""

    output: tuple[str, ...] = option(
        (),
        "Output file: .json, .jsonl, .csv, .parquet, .md, .tex or .html (a report); can be repeated. - is stdout.",
        "-o",
        "--output",
        metavar="OUT",
    )
    csv_safe: bool = option(False, "In .csv, escape ids and names that spreadsheets would read as formulas.")

    def deliver(
        self,
        result: object,
        tables: Callable[[str], Sequence[NumberTable]],
        view: Callable[[], RenderableType],
        **settings: object,
    ) -> None:
        """Write the files, then print: what a file would hold (-o -), or the table.

        ``tables`` makes the tables of a format, ``view`` the drawing for a terminal; ``settings`` are further ones of
        formats.
        """
        from caplens.cli.console import show, show_text
        from caplens.output.writing import TABLE_SUFFIXES, write
        from caplens.output.writing import Tables as Written

        for path in self.files:
            written = Written(tuple(tables("text"))) if path.lower().endswith(TABLE_SUFFIXES) else result
            write(written, path, csv_safe=self.csv_safe, **settings)
        if self.takes_stdout:
            self.show(result, csv_safe=self.csv_safe)
        elif self.table_format == "text":
            show(view())
        else:
            from caplens.output.tables import render

            show_text(render(tables(self.table_format), self.table_format))


def parse_explained(text: str) -> int | str:
    """Turn the number of explained images into a number, if it is not ``all`` or ``none``.

    Examples
    --------
    >>> parse_explained("50"), parse_explained("all")
    (50, 'all')
    """
    if text in ("all", "none"):
        return text
    if not text.isdecimal():
        raise UsageError(f"--explain takes a number of images, all or none, not {text!r}.")
    return int(text)


@shared
class Report:
    """Of commands that can write a report of their scores."""

    explain: int | str = option(
        "1000",
        "In .html: number of images to explain, the most interesting ones first; all or none.",
        metavar="N",
        convert=parse_explained,
    )
    pictures: str | None = option(
        None, "In .html: folder of pictures named by id, or a pattern such as https://host/{id}.jpg.", metavar="WHERE"
    )
    thumbnails: bool = option(False, "In .html: embed small pictures of the explained images.")

    def report(self, files: Sequence[str]) -> ReportSettings | None:
        """Return what a report includes, if one is written."""
        if not any(path.lower().endswith(".html") for path in files):
            if self.pictures or self.thumbnails:
                raise UsageError("Pictures are shown in a report: -o FILE.html.")
            return None
        from caplens.report.settings import ReportSettings

        return ReportSettings(self.explain, self.pictures or "", self.thumbnails)  # type: ignore[arg-type]


@shared
class WithCaptions:
    """Of commands whose files can include what was scored."""

    with_captions: bool = option(False, "Include candidates and references in output files.")
