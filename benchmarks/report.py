"""The tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from measuring import Measurement

MEGABYTE = 1e6


def cold(runs: Sequence[Measurement]) -> float:
    """Return the seconds of the first run."""
    return runs[0].seconds


def best(runs: Sequence[Measurement]) -> float:
    """Return the seconds of the best of the following runs, or of the only one."""
    return min(run.seconds for run in runs[1:] or runs)


def usual(runs: Sequence[Measurement]) -> float:
    """Return the median seconds of the following runs: unlike the best, it does not profit from many runs."""
    return median(run.seconds for run in runs[1:] or runs)


def cpu(runs: Sequence[Measurement]) -> float:
    """Return the median CPU time of all runs."""
    return median(run.cpu_seconds for run in runs)


def peak(runs: Sequence[Measurement]) -> int:
    """Return the largest memory of all runs."""
    return max(run.peak_bytes for run in runs)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right")
    return table


def whole_runs(console: Console, runs: dict[str, list[Measurement]], title: str) -> None:
    """Show time and memory of whole processes, and their ratios to the first row."""
    table = _table(
        f"{title}; in brackets: how many times less than the original",
        *("", "runs", "cold", "warm, best", "warm, median", "CPU, median", "memory"),
    )
    first = next(iter(runs.values()))
    for name, measured in runs.items():
        columns = [f"{of(measured):.2f} s ({of(first) / of(measured):.1f})" for of in (cold, best, usual, cpu)]
        memory = f"{peak(measured) / MEGABYTE:,.0f} MB ({peak(first) / peak(measured):.1f})"
        table.add_row(name, str(len(measured)), *columns, memory)
    console.print(table)


def agreement(console: Console, differences: dict[str, float], image_difference: float) -> None:
    """Show how far the scores are from the original's."""
    table = _table("agreement with the original", "", "largest relative difference of a corpus score")
    for name, difference in differences.items():
        table.add_row(name, f"{difference:.1e}")
    console.print(table)
    console.print(
        f"Largest difference of an image's score in the drop-in: {image_difference:.1e}. The original decides about the"
        " full stop of a final initial or abbreviation by the next caption in its file; the drop-in repeats that,"
        " caplens cuts every caption by itself."
    )


def parts(console: Console, original: dict[str, float], drop_in: dict[str, float]) -> None:
    """Show the parts of an evaluation with the same calls."""
    table = _table(
        "the same calls on the same captions (medians of all runs)", "", "pycocoevalcap", "drop-in", "times as fast"
    )
    for part, seconds in original.items():
        table.add_row(part, f"{seconds:.2f} s", f"{drop_in[part]:.3f} s", f"{seconds / drop_in[part]:.1f}")
    console.print(table)


def scaling(console: Console, runs: dict[int, dict[int, list[Measurement]]]) -> None:
    """Show how time grows with the number of images and falls with threads.

    The start of the program costs the same for any number of images and would hide growth that is worse than linear,
    so the CPU time of each further thousand images stands beside the mean.
    """
    jobs = list(next(iter(runs.values())))
    table = _table(
        "caplens score, growing (best runs)",
        "images",
        *(f"--jobs {count}" for count in jobs),
        f"--jobs {jobs[-1]} times as fast",
        f"each thousand (--jobs {jobs[0]})",
        "ratio to the smallest",
        "CPU of each further thousand",
    )
    smallest = None
    before: tuple[int, float] | None = None
    for images, by_jobs in runs.items():
        fastest = {count: min(run.seconds for run in measured) for count, measured in by_jobs.items()}
        cpu_seconds = min(run.cpu_seconds for run in by_jobs[jobs[0]])
        each = fastest[jobs[0]] / images * 1000
        smallest = smallest or each
        further = "" if before is None else f"{(cpu_seconds - before[1]) / (images - before[0]) * 1e6:.0f} ms"
        before = (images, cpu_seconds)
        table.add_row(
            f"{images:,}",
            *(f"{fastest[count]:.2f} s" for count in jobs),
            f"{fastest[jobs[0]] / fastest[jobs[-1]]:.2f}",
            f"{each * 1000:.0f} ms",
            f"{each / smallest:.2f}",
            further,
        )
    console.print(table)


def phases(console: Console, runs: Sequence[dict[str, float]], title: str) -> None:
    """Show where caplens spends its time; the best of each step over all runs."""
    table = _table(f"caplens score, {title}, step by step (best of {len(runs)})", "step", "seconds", "share")
    fastest = {step: min(run[step] for run in runs) for step in runs[0]}
    total = sum(fastest.values())
    for step, seconds in fastest.items():
        table.add_row(step, f"{seconds:.3f}", f"{seconds / total:.0%}")
    table.add_row("all", f"{total:.3f}", "")
    console.print(table)


def rewards(console: Console, found: dict[str, Any], title: str) -> None:
    """Show captions a second in a training loop."""
    ours, theirs = median(found["caplens"]), median(found["original"])
    table = _table(
        f"{title} as a reward: batches of 50 captions, 5 references each (median of {len(found['caplens'])} turns)",
        "",
        "captions a second",
    )
    table.add_row("caplens, prepared references", f"{ours:,.0f}")
    table.add_row("pycocoevalcap, tokenised before", f"{theirs:,.0f}")
    table.add_row("times as fast", f"{ours / theirs:.1f}")
    console.print(table)
    console.print(
        f"{found['reference_sets']:,} reference sets were prepared once, in {found['prepare_seconds']:.2f} s. Largest"
        f" difference of a reward from the score in the whole corpus: {found['difference_from_whole_corpus']:.1e}."
    )


def cases(console: Console, milliseconds: dict[str, list[float | None]], difference: float, limit: float) -> None:
    """Show what a pair costs by its length, in the original and in the drop-in."""
    table = _table(
        "METEOR by length of candidate and reference; of one short candidate with many references: milliseconds a pair",
        *("", "pycocoevalcap", "drop-in", "times as fast"),
    )
    for name, (theirs, ours) in milliseconds.items():
        times = f"{theirs / ours:.1f}" if theirs is not None and ours is not None else ""
        table.add_row(name, *(f"{cost:,.2f}" if cost is not None else "not reached" for cost in (theirs, ours)), times)
    console.print(table)
    console.print(f"Each tool had {limit:.0f} s for all of them. Largest difference of a score: {difference:.1e}.")


def captions_per_second(
    console: Console, speeds: dict[str, dict[str, float]], original: float, yardstick: float
) -> None:
    """Show the captions that are scored in a second, beside those of an original that runs elsewhere."""
    columns = list(next(iter(speeds.values())))
    table = _table("SPICE: captions a second; in brackets: how many times more than the original", "", *columns)
    for name, found in speeds.items():
        table.add_row(name, *(f"{found[column]:,.0f} ({found[column] / original:.0f})" for column in columns))
    console.print(table)
    console.print(
        f"SPICE 1.0 would do {original:.1f} captions a second here, where the yardstick takes {yardstick:.1f} s."
    )


def lengths(console: Console, milliseconds: dict[str, float], title: str) -> None:
    """Show milliseconds by the number of words."""
    table = _table(title, "words", "ms")
    for words, value in milliseconds.items():
        table.add_row(words, f"{value:,.2f}")
    console.print(table)


@dataclass(frozen=True)
class Bar:
    """A measured figure and the aim it is held against.

    Attributes
    ----------
    what : str
        What was measured.
    measured : float
        The figure.
    aim : float
        At least this, or, if it is an upper bound, less than this.
    unit : str
        Of both.
    most : bool
        Whether the aim is an upper bound.
    """

    what: str
    measured: float
    aim: float
    unit: str
    most: bool = False

    @property
    def met(self) -> bool:
        """Whether the aim was reached."""
        return self.measured < self.aim if self.most else self.measured >= self.aim


def bars(console: Console, title: str, rows: Sequence[Bar]) -> None:
    """Show aims beside what was measured (medians of warm runs; memory and the index: the worst run)."""
    table = _table(f"{title}: measured figures and aims", "", "measured", "aim", "reached")
    for bar in rows:
        aim = f"{'<' if bar.most else '>='} {bar.aim:g} {bar.unit}"
        table.add_row(bar.what, f"{bar.measured:,.1f} {bar.unit}", aim, "yes" if bar.met else "no")
    console.print(table)


def rates(console: Console, title: str, found: dict[str, float]) -> None:
    """Show how many captions a core scores."""
    table = _table(title, "", "per core-second", "million per core-hour")
    for name, rate in found.items():
        table.add_row(name, f"{rate:,.0f}", f"{rate * 3600 / 1e6:,.1f}")
    console.print(table)


def shards(
    console: Console, title: str, numbers: Sequence[int], differences: dict[str, list[float]], aims: dict[str, float]
) -> None:
    """Show how far the merged results of shards are from the whole."""
    table = _table(title, "", *(f"{number} shard{'s' * (number > 1)}" for number in numbers), "aim", "reached")
    for name, found in differences.items():
        reached = "yes" if max(found) <= aims[name] else "no"
        table.add_row(name, *(f"{difference:.1e}" for difference in found), f"<= {aims[name]:g}", reached)
    console.print(table)
