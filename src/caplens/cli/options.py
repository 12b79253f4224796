"""Options that several commands share: a command's dataclass derives from those that it takes.

Only commands are made, so only they get the methods of a dataclass: to make those takes time before every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from caplens.cli.framework import option
from caplens.errors import UsageError
from caplens.stats import SEED
from caplens.text import MAX_WORDS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from caplens.core.comparison import Comparison
    from caplens.core.result import Result
    from caplens.output.leaderboard import Presentation
    from caplens.output.tables import NumberTable
    from caplens.readers import ReadOptions
    from caplens.report.settings import ReportSettings

TableFormat = Literal["text", "markdown", "latex", "csv"]
"""How tables are printed."""


def parse_columns(text: str) -> dict[str, str]:
    """Turn ``id=image,candidate=text`` into a mapping.

    Examples
    --------
    >>> parse_columns("id=image, candidate=text")
    {'id': 'image', 'candidate': 'text'}
    """
    columns: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, separator, name = part.partition("=")
        if not separator or not name.strip():
            raise UsageError(f"--columns takes pairs such as id=image,candidate=text, not {part.strip()!r}.")
        columns[key.strip()] = name.strip()
    return columns


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Quiet:
    """Of every command that has something to say besides its result."""

    quiet: bool = option(False, "Print results only, without progress or warnings.", "-q", "--quiet")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Tokenizer:
    """Of commands that need words."""

    tokenizer: Literal["ptb", "none", "intl", "char", "zh-char", "zh", "ja", "ko", "th"] = option("ptb", "Tokenizer.")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Language:
    """Of commands that score captions of any language."""

    language: str | None = option(
        None, "Language of the captions (de, zh, ...); selects the tokenizer and METEOR's settings.", metavar="CODE"
    )


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Reading:
    """Of commands that read files of captions."""

    input_format: str | None = option(None, "Read files in this format instead of detecting it.", metavar="FORMAT")
    columns: Mapping[str, str] | None = option(
        None,
        "Column or key names: id=...,candidate=...,references=...",
        metavar="NAMES",
        convert=parse_columns,
    )
    split: str | None = option(None, "Split to use from a Karpathy file.", metavar="NAME")
    at: str | None = option(None, "Location of the captions in a JSON file: keys, separated by /.", metavar="KEYS")

    def reading(self, further_columns: frozenset[str] = frozenset()) -> ReadOptions:
        """Return the options as readers take them; ``further_columns`` are those that metrics ask for."""
        from caplens.readers import ReadOptions

        names = dict(self.columns or {})
        return ReadOptions(self.input_format, names, self.split, further_columns=further_columns, at=self.at)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class References:
    """Of commands that score captions."""

    references: tuple[str, ...] = option(
        (), "Reference file; repeat the option for several plain-text files.", "-r", "--references", metavar="FILE"
    )


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class AllowCode:
    """Of commands that take metrics: only who types the command can allow code, never a file of settings."""

    allow_code: bool = option(False, "Allow -m to name code to import and run (module:Class).")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Metrics(AllowCode):
    """Of commands that compute metrics."""

    metrics: str = option(
        "coco",
        'Metrics to compute, such as "bleu, cider(df=coco-val2014)"; can be repeated.',
        "-m",
        "--metrics",
        metavar="METRICS",
        join=", ",
    )


STDOUT = "-"


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
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


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Tables:
    """Of commands that print scores."""

    table_format: TableFormat = option("text", "Table format.", "--format")
    style: Literal["plain", "coco"] = option("plain", "coco: columns B@4, M, R, C, S, times 100, as in papers.")
    all_scores: bool = option(False, "Also show detailed scores, such as SPICE's categories.")
    intervals: bool = option(True, "Show 95 % intervals.")

    @property
    def wanted(self) -> Presentation:
        """What the tables show."""
        from caplens.output.leaderboard import Presentation

        return Presentation(self.style, self.all_scores, self.intervals)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
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
        from caplens.output.tables import render
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


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
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


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class WithCaptions:
    """Of commands whose files can include what was scored."""

    with_captions: bool = option(False, "Include candidates and references in output files.")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Missing:
    """Of commands that match candidates with references."""

    missing: Literal["error", "skip", "zero"] = option("error", "How to handle candidates without references.")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class SeveralCandidates:
    """Of commands that score files in which an image can have several candidates."""

    several: Literal["each", "mean", "best"] | None = option(
        None, "Several candidates per image: score each as a row, average per image, or take the best per metric."
    )


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Subsets:
    """Of commands that may show the scores of subsets."""

    by: str | None = option(
        None,
        "Also report scores by subset: a column of the candidates, FILE:COLUMN (joined by id), or length.",
        metavar="COLUMN",
    )

    @property
    def subset_columns(self) -> frozenset[str]:
        """The columns of the candidates that are to be read."""
        return frozenset() if self.by is None or ":" in self.by else frozenset([self.by])

    def divide(self, result: Result | Comparison) -> None:
        """Let a result divide itself, if that was asked for."""
        from caplens.api.subsets import labels_from_file

        if self.by is not None:
            file, separator, column = self.by.rpartition(":")
            result.by(labels_from_file(file, column) if separator else self.by, name=column)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Jobs:
    """Of commands that use several threads."""

    jobs: int | None = option(None, "Number of threads. Default: all CPUs available to the process.", least=1)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Parses:
    """Of commands that may have to parse captions."""

    parses: str | None = option(
        None,
        "Folder in which to keep SPICE's parses for later runs. (CAPLENS_CACHE sets the folder for compiled data.)",
        metavar="DIR",
    )


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class MaxWords:
    """Of commands that compare captions."""

    max_words: int = option(
        MAX_WORDS, "Maximum number of words per caption; longer captions are truncated. 0: no limit.", least=0
    )


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Seed:
    """Of commands that resample."""

    seed: int = option(SEED, "Random seed for resampling.", least=0)


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Scale:
    """Of commands that score more than memory holds."""

    stream: bool = option(
        False, "Score files in batches with bounded memory; OUT is a folder. Rerun the same command to resume."
    )
    shard_out: str | None = option(
        None, "Write one shard per file to this folder; combine them with caplens merge.", metavar="DIR"
    )
    batch_rows: int | None = option(None, "Rows per batch. Default: 20,000.", least=1)
    engine: Literal["ray"] | None = option(None, "Compute the shards on a Ray cluster.", metavar="ray")
    address: str | None = option(None, "Address of the Ray cluster. Default: start one on this machine.")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ScoringOptions(
    References,
    Metrics,
    Output,
    Report,
    WithCaptions,
    Subsets,
    SeveralCandidates,
    Tokenizer,
    Language,
    Missing,
    Reading,
    Jobs,
    Parses,
    MaxWords,
    Seed,
    Quiet,
):
    """Of commands that score whole files."""

    def check_captions(self, *suffixes: str) -> None:
        """Refuse ``--with-captions`` without an output file that can hold captions."""
        forms = [f".{self.output_format}" if path == STDOUT else path.lower() for path in self.output]
        if self.with_captions and not any(form.removesuffix(".gz").endswith(suffixes) for form in forms):
            raise UsageError(f"--with-captions needs an output file that ends in {' or '.join(suffixes)}: -o FILE.")

    def inputs(self, candidates: Mapping[str, str]) -> dict[str, Any]:
        """Return what result files record: the files, and the settings that no signature has."""
        from caplens.api.provenance import provenance

        kept = ("missing", "several", "input_format", "columns", "split", "at", "max_words", "seed")
        settings = {name: getattr(self, name) for name in kept}
        return provenance(candidates, self.references, settings)
