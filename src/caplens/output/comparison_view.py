"""A comparison on the screen: the leaderboard, and the tests as tables or as a matrix per score.

Numbers never fold: what does not fit beside each other stands below each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from caplens.output.leaderboard import BEST, CLOSE, Entry, Leaderboard, is_significant, leaderboard
from caplens.output.presentation import Presentation
from caplens.output.safety import visible
from caplens.output.terminal import number_grid

NAME_WIDTH = 24
# Tests are tables with all their numbers up to so many lines, else a sign for each.
TEST_LINES = 50
# Of more pairs than this only those with the best system are put into words.
PREFERENCE_LINES = 6
BETTER, WORSE, EQUAL = "+", "-", "."
_BOOTSTRAP, _EXCHANGE, _RUNS = "p boot.", "p rand.", "p runs"
# The columns of a test: all that fit.
_TEST_COLUMNS = (
    ("metric", "difference", "95 % interval", "effect", _BOOTSTRAP, _EXCHANGE, ""),
    ("metric", "difference", "95 % interval", _BOOTSTRAP, _EXCHANGE, ""),
    ("metric", "difference", _BOOTSTRAP, _EXCHANGE, ""),
)


class ComparisonView:
    """A comparison, as plain data, drawn for the width that there is."""

    def __init__(self, comparison: Mapping[str, Any], wanted: Presentation | None = None) -> None:
        self._data = comparison
        self._wanted = wanted or Presentation()
        systems = {name: entry["metrics"] for name, entry in comparison["systems"].items()}
        alpha = comparison["testing"]["alpha"]
        self._metrics = next(iter(systems.values()))
        self._board = leaderboard(systems, self._wanted, comparison["tests"], alpha)
        self._names = shortened(self._board.systems)
        pairs = comparison["testing"]["pairs"]
        self._has_signs = pairs * (len(self._board.keys) + 4) > TEST_LINES
        if self._has_signs:
            names = zip(self._board.systems, self._signed_by, strict=True)
            self._names = {name: f"{sign} {self._names[name]}" for name, sign in names}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        def fits(table: RichTable) -> bool:
            unlimited = options.update_width(1 << 16)
            return Measurement.get(console, unlimited, table).maximum <= options.max_width

        board = _BoardTables(self._board, self._names, self._wanted, fits)
        yield from board.tables()
        if self._has_signs:
            yield from self._signs(options.max_width)
        else:
            yield from self._test_tables(fits)
        yield from self._preferences()
        yield Text(" ".join([self._footnote(), *self._board.several]))

    def _preferences(self) -> Iterator[RenderableType]:
        """Say whose captions people would prefer, where a metric can tell: of many pairs, those of the best system."""
        told = [test for test in self._data["tests"] if test.get("preferred") is not None]
        for key in dict.fromkeys(test["score"] for test in told):
            pairs = [test for test in told if test["score"] == key]
            best = next(name for name in self._board.systems if self._board.entries[name, key].best)
            if len(pairs) > PREFERENCE_LINES:
                pairs = [test for test in pairs if best in (test["first"], test["second"])]
            for test in pairs:
                share, names = test["preferred"], [self._names[test["first"]], self._names[test["second"]]]
                if share < 0.5:
                    share, names = 1 - share, names[::-1]
                said = f"People would prefer {names[0]} over {names[1]} for {100 * share:.0f} % of the items"
                if f"{100 * share:.0f}" == "50":  # as many items as the other way round
                    said = f"People would prefer {names[0]} and {names[1]} equally often"
                yield Text(f"{said} ({self._wanted.style.name(key)}).")
            yield Text("")

    @property
    def _signed_by(self) -> Sequence[str]:
        """What stands for the systems in a matrix: letters, which are narrow, as long as there are enough."""
        count = len(self._board.systems)
        return ascii_uppercase[:count] if count <= len(ascii_uppercase) else [str(place + 1) for place in range(count)]

    def _test_tables(self, fits: Callable[[RichTable], bool]) -> Iterator[RenderableType]:
        chosen = [test for test in self._data["tests"] if test["score"] in self._board.keys]
        for pair in dict.fromkeys((test["first"], test["second"]) for test in chosen):
            tests = [test for test in chosen if (test["first"], test["second"]) == pair]
            drawings = (self._test_table(pair, tests, columns) for columns in _TEST_COLUMNS)
            fitting = (table for table in drawings if fits(table))
            yield next(fitting, self._test_table(pair, tests, _TEST_COLUMNS[-1]))

    def _test_table(
        self, pair: tuple[str, str], tests: Sequence[Mapping[str, Any]], columns: Sequence[str]
    ) -> RichTable:
        alpha = self._data["testing"]["alpha"]
        if self._has_runs(*pair):
            columns = [column for column in columns if column != _EXCHANGE]
        heads = [_RUNS if column == _BOOTSTRAP and self._has_runs(*pair) else column for column in columns]
        table = number_grid(" minus ".join(self._names[name] for name in pair), heads)
        for test in tests:
            style = self._wanted.style.of(self._metrics[test["score"]])
            cells = {
                "metric": visible(style.name(test["score"])),
                "difference": style.number(test["difference"], "+"),
                "95 % interval": " .. ".join(style.number(bound, "+") for bound in test["interval"]),
                "effect": "-" if test["effect"] is None else f"{test['effect']:+.3f}",
                _BOOTSTRAP: _p(test["p_bootstrap_holm"]),
                _EXCHANGE: _p(test["p_randomisation_holm"]),
                "": "*" if is_significant(test, alpha) else "",
            }
            table.add_row(*(Text(cells[column]) for column in columns))
        return table

    def _signs(self, width: int) -> Iterator[RenderableType]:
        signs = self._signs_by_pair()
        if self._data["baseline"] is None:
            yield from _side_by_side([self._matrix(key, signs) for key in self._board.keys], width)
            yield Text(
                f"{BETTER} row significantly better than column, {WORSE} significantly worse, {EQUAL} no significant "
                "difference.\n"
            )
            return
        baseline = self._data["baseline"]
        blocks = []
        for key in self._board.keys:
            lines = [self._wanted.style.name(key)]
            lines += [f"{signs.get((key, name, baseline), ' '):>3}" for name in self._board.systems]
            blocks.append([visible(line) for line in lines])
        names = ["", *(self._names[name] for name in self._board.systems)]
        yield from _side_by_side([[visible(name) for name in names], *blocks], width)
        yield Text(
            f"{BETTER} significantly better than {self._names[baseline]}, {WORSE} significantly worse, {EQUAL} no "
            "significant difference.\n"
        )

    def _signs_by_pair(self) -> dict[tuple[str, str, str], str]:
        signs = {}
        alpha = self._data["testing"]["alpha"]
        for test in self._data["tests"]:
            key, first, second = test["score"], test["first"], test["second"]
            higher = self._metrics[key].get("higher_is_better", True)
            found = (BETTER, WORSE) if ((test["difference"] or 0) > 0) == higher else (WORSE, BETTER)
            found = found if is_significant(test, alpha) else (EQUAL, EQUAL)
            signs[key, first, second], signs[key, second, first] = found
        return signs

    def _matrix(self, key: str, signs: Mapping[tuple[str, str, str], str]) -> list[str]:
        """Draw who is better than whom in one score; letters stand for systems, as in the leaderboard."""
        systems, labels = self._board.systems, self._signed_by
        wide = max(map(len, labels))
        rows = [["", *labels]]
        for name, label in zip(systems, labels, strict=True):
            rows.append([label, *(signs.get((key, name, other), " ") for other in systems)])
        return [visible(self._wanted.style.name(key)), *(" ".join(f"{one:>{wide}}" for one in row) for row in rows)]

    def _has_runs(self, *names: str) -> bool:
        """Tell whether one of some systems has several training runs."""
        runs: Mapping[str, int] = self._data["testing"].get("runs", {})
        return any(runs.get(name, 1) > 1 for name in names)

    def _footnote(self) -> str:
        testing, n = self._data["testing"], self._data["n"]
        pairs, scores = testing["pairs"], testing["scores"]
        marks = [f"{BEST} best"]
        if any(entry.close for entry in self._board.entries.values()):
            marks.append(f"{CLOSE} not significantly worse than the best")
        spread = any(entry.spread is not None for entry in self._board.entries.values())
        marks += ["± standard deviation over training runs"] if spread else []
        hidden = len(self._metrics) - len(self._board.keys)
        more = f" {hidden} more score{_s(hidden)} with --all-scores." if hidden else ""
        empty = f", {testing['left_out']:,} without items left out" if testing["left_out"] else ""
        across = (
            f"; nothing corrects across the {scores} scores: if no system is better, one in "
            f"{round(1 / testing['alpha'])} still appears significant by chance"
        )
        effect = "" if self._has_signs else " effect: mean item difference in standard deviations."
        paired = (
            f"paired bootstrap{empty} and approximate randomisation, two-sided, {testing['resamples']:,} resamples "
            f"each (smallest p {testing['smallest_p']:.2g})"
        )
        by_runs = f"t test over images and training runs, two-sided, {testing['resamples']:,} resamples{empty}"
        tested = {self._has_runs(test["first"], test["second"]) for test in self._data["tests"]}
        which = "all" if True in tested else "both"
        if True in tested:
            paired = by_runs if tested == {True} else f"{by_runs}; between single runs {paired}"
        return (
            f"{', '.join(marks)}. Systems are sorted by mean rank.{more}\n"
            f"{n:,} common item{_s(n)}; {paired}.\n"
            f"Holm corrects within each score over its {pairs} tested pair{_s(pairs)}{across if scores > 1 else ''}.\n"
            f"Significant: {which} corrected p-values at most {testing['alpha']}.{effect}"
        )


class _BoardTables:
    """The leaderboard as tables that fit."""

    def __init__(
        self,
        board: Leaderboard,
        names: Mapping[str, str],
        wanted: Presentation,
        fits: Callable[[RichTable], bool],
    ) -> None:
        self._board = board
        self._names = names
        self._wanted = wanted
        self._fits = fits

    def tables(self) -> Iterator[RichTable]:
        """Draw everything in one table if that fits; else the scores, and their intervals below."""
        systems, keys = self._board.systems, self._board.keys
        if self._wanted.intervals:
            for whole in (self._by_score(systems, self._full), self._by_system(keys, self._full)):
                if self._fits(whole):
                    yield whole
                    return
        yield from self._panels(keys, lambda chosen: self._by_system(chosen, self._score))
        if self._wanted.intervals:
            title = "95 % intervals"
            yield from self._panels(systems, lambda chosen: self._by_score(chosen, self._interval, title))

    def _panels(self, items: Sequence[str], draw: Callable[[Sequence[str]], RichTable]) -> Iterator[RichTable]:
        """Draw as many columns as fit, then the others below, in panels of about the same width."""
        panels = 1
        while panels < len(items) and not all(self._fits(draw(part)) for part in _split(items, panels)):
            panels += 1
        yield from map(draw, _split(items, panels))

    def _by_score(self, systems: Sequence[str], cell: Callable[[Entry], Text], title: str | None = None) -> RichTable:
        table = number_grid(title, ("metric", *(self._names[name] for name in systems)))
        for key in self._board.keys:
            cells = [cell(self._board.entries[name, key]) for name in systems]
            table.add_row(Text(visible(self._wanted.style.name(key))), *cells)
        return table

    def _by_system(self, keys: Sequence[str], cell: Callable[[Entry], Text]) -> RichTable:
        table = number_grid(None, ("system", *(self._wanted.style.name(key) for key in keys)))
        for name in self._board.systems:
            cells = [cell(self._board.entries[name, key]) for key in keys]
            table.add_row(Text(visible(self._names[name])), *cells)
        return table

    def _score(self, entry: Entry) -> Text:
        text = Text(entry.style.number(entry.score), style="bold" if entry.best else "")
        if entry.spread is not None:
            text.append(f" ±{entry.style.number(entry.spread)}", style="not bold")
        return text.append(entry.mark or " ")

    def _interval(self, entry: Entry) -> Text:
        return Text("..".join(map(entry.style.number, entry.interval)))

    def _full(self, entry: Entry) -> Text:
        return self._score(entry).append(" ").append(self._interval(entry))


def shortened(names: Sequence[str], width: int = NAME_WIDTH) -> dict[str, str]:
    """Shorten long names in their middle, unless two would then be the same.

    Examples
    --------
    >>> shortened(["updown", "a_system_with_a_very_long_name_v2"])
    {'updown': 'updown', 'a_system_with_a_very_long_name_v2': 'a_system_wit…ong_name_v2'}
    """
    half = width // 2
    short = {name: name if cell_len(name) <= width else f"{name[:half]}…{name[1 - half :]}" for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def _split(items: Sequence[str], parts: int) -> list[Sequence[str]]:
    size = -(-len(items) // parts)
    return [items[start : start + size] for start in range(0, len(items), size)]


def _side_by_side(blocks: Sequence[Sequence[str]], width: int) -> Iterator[Text]:
    """Put blocks of lines beside each other, as many as fit."""
    gap = 2
    waiting = list(blocks)
    while waiting:
        row = [waiting.pop(0)]
        used = _block_width(row[0])
        while waiting and used + gap + _block_width(waiting[0]) <= width:
            used += gap + _block_width(waiting[0])
            row.append(waiting.pop(0))
        for lines in zip(*row, strict=True):
            padded = (
                line + " " * (_block_width(block) - cell_len(line)) for line, block in zip(lines, row, strict=True)
            )
            yield Text((" " * gap).join(padded).rstrip(), no_wrap=True, overflow="ignore")
        yield Text("")


def _block_width(block: Sequence[str]) -> int:
    return max(map(cell_len, block))


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}" if value >= 0.0001 else f"{value:.0e}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
