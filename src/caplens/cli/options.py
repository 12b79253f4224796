"""Options that several commands share: a command's dataclass derives from those that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from caplens.cli.framework import option, shared
from caplens.cli.output_options import STDOUT, Output, Report, WithCaptions
from caplens.core import DEFAULT_METRICS
from caplens.errors import UsageError
from caplens.stats import SEED
from caplens.text import MAX_WORDS

if TYPE_CHECKING:
    from caplens.core.comparison import Comparison
    from caplens.core.result import Result
    from caplens.readers import ReadOptions


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


@shared
class Quiet:
    """Of every command that has something to say besides its result."""

    quiet: bool = option(False, "Print results only, without progress or warnings.", "-q", "--quiet")


@shared
class Tokenizer:
    """Of commands that need words."""

    tokenizer: Literal["ptb", "none", "intl", "char", "zh-char", "zh", "ja", "ko", "th"] = option("ptb", "Tokenizer.")


@shared
class Language:
    """Of commands that score captions of any language."""

    language: str | None = option(
        None, "Language of the captions (de, zh, ...); selects the tokenizer and METEOR's settings.", metavar="CODE"
    )


@shared
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


@shared
class References:
    """Of commands that score captions."""

    references: tuple[str, ...] = option(
        (), "Reference file; repeat the option for several plain-text files.", "-r", "--references", metavar="FILE"
    )


@shared
class AllowCode:
    """Of commands that take metrics: only who types the command can allow code, never a file of settings."""

    allow_code: bool = option(False, "Allow -m to name code to import and run (module:Class).")


@shared
class Metrics(AllowCode):
    """Of commands that compute metrics."""

    metrics: str = option(
        DEFAULT_METRICS,
        'Metrics to compute, such as "bleu, cider(df=coco-val2014)"; can be repeated.',
        "-m",
        "--metrics",
        metavar="METRICS",
        join=", ",
    )


@shared
class Missing:
    """Of commands that match candidates with references."""

    missing: Literal["error", "skip", "zero"] = option("error", "How to handle candidates without references.")


@shared
class SeveralCandidates:
    """Of commands that score files in which an image can have several candidates."""

    several: Literal["each", "mean", "best"] | None = option(
        None, "Several candidates per image: score each as a row, average per image, or take the best per metric."
    )


@shared
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


@shared
class Jobs:
    """Of commands that use several threads."""

    jobs: int | None = option(None, "Number of threads. Default: all CPUs available to the process.", least=1)


@shared
class Parses:
    """Of commands that may have to parse captions."""

    parses: str | None = option(
        None,
        "Folder in which to keep SPICE's parses for later runs. (CAPLENS_CACHE sets the folder for compiled data.)",
        metavar="DIR",
    )


@shared
class MaxWords:
    """Of commands that compare captions."""

    max_words: int = option(
        MAX_WORDS, "Maximum number of words per caption; longer captions are truncated. 0: no limit.", least=0
    )


@shared
class Seed:
    """Of commands that resample."""

    seed: int = option(SEED, "Random seed for resampling.", least=0)


@shared
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


@shared
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
