"""An alignment of two captions as a drawing: words above words, lines along what matches, connectors between.

Chunks that keep their order stand straight above each other; the others are joined by connectors that run in lanes
between the captions. Captions wider than the view go on in a further pair of lines; a chunk whose ends then stand in
different pairs has no connector, only its number at both ends.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from caplens.output.explanation import Alignment, Link

# A stage is shown by colour and by the word in the line along what matches, so that it survives a file and
# colour-blind readers. What matches exactly has a heavy line without a word.
_EXACT = "exact"
_STYLES = {_EXACT: "green", "stem": "cyan", "synonym": "yellow", "paraphrase": "magenta"}
_SIGNS = {"synonym": "syn", "paraphrase": "par"}
_OTHER_STYLE = "blue"
_MISS_STYLE = "red"
_QUIET_STYLE = "dim"
_NUMBER_STYLE = "bold"
_MARGIN = len("candidate   ")
_LEAST_WIDTH_WITH_MARGIN = 40
_LEAST_WIDTH = 8  # of a caption; where even that is too much, the rest of a row is cut off
_JOINT = "·"  # between two links of a chunk, where the line alone would not show the border
_AS_ASCII = str.maketrans("━─│┯┷┬┴└┘┌┐·…", "=-|++++++++:.")

Fragment = tuple[int, str, str]  # column, text, style


class AlignmentView:
    """A drawing that fits itself into the width of the console."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for row in draw(self.alignment, options.max_width):
            yield _in_ascii(row) if options.ascii_only else row


def draw(alignment: Alignment, width: int) -> list[Text]:
    r"""Draw an alignment in rows of at most ``width`` columns; what the signs mean stands below.

    Examples
    --------
    >>> links = (Link(0, 1, 0, 1, "exact", 1), Link(1, 1, 1, 1, "synonym", 1), Link(3, 1, 2, 1, "exact", 2))
    >>> alignment = Alignment("", ("a", "man", "now", "rides"), ("a", "person", "rides"), links)
    >>> print(*draw(alignment, 60)[:5], sep="\n")
    candidate   a man    now rides
                ━·─syn──     ━━┯━━
                   1           2
                ━·─syn──     ━━┷━━
    reference   a person     rides
    """
    margin = _MARGIN if width >= _LEAST_WIDTH_WITH_MARGIN else 0
    rows: list[Text] = []
    for line in _best_lines(alignment, max(width - margin, _LEAST_WIDTH)):
        fragments = _line_rows(line)
        names = ["candidate", *[""] * (len(fragments) - 2), "reference"] if margin else [""] * len(fragments)
        rows += [_row(name, margin, row, width) for name, row in zip(names, fragments, strict=True)]
        rows.append(Text())
    return rows + _legend(alignment, margin, width)


def _row(name: str, margin: int, fragments: Iterable[Fragment], width: int) -> Text:
    row = Text(name, no_wrap=True)
    at = cell_len(name)
    for column, text, style in sorted(fragments):
        row.append(" " * (margin + column - at))
        row.append(text, style=style)
        at = margin + column + cell_len(text)
    row.rstrip()
    row.truncate(width)
    return row


def _in_ascii(row: Text) -> Text:
    return Text(row.plain.translate(_AS_ASCII), spans=row.spans, no_wrap=True)


def _legend(alignment: Alignment, margin: int, width: int) -> list[Text]:
    """Say what the signs mean that occur, in as many rows as it takes."""
    stages = list(dict.fromkeys(link.stage for link in alignment.links))
    stages.sort(key=lambda stage: [*_STYLES, stage].index(stage))
    entries = [(f"─{_sign(stage)}─" if _sign(stage) else "━━━", _style(stage), f" {stage}") for stage in stages]
    entries.append(("1 2 ...", _NUMBER_STYLE, " chunks") if stages else ("nothing matches", _QUIET_STYLE, ""))
    rows = [row := Text(" " * margin, no_wrap=True)]
    for sign, style, meaning in entries:
        if row.cell_len > margin and row.cell_len + len(sign + meaning) + 3 > width:
            rows.append(row := Text(" " * margin, no_wrap=True))
        row.append("   " if row.cell_len > margin else "").append(sign, style).append(meaning)
    for row in rows:
        row.truncate(width)
    return rows


# The captions as cells, and the cells in lines.


@dataclass
class _Cell:
    """What stands together in a caption: the words of a link, or a word without one.

    Both cells of a ``straight`` link have the same column and width.
    """

    text: str
    width: int
    style: str
    link: Link | None = None
    straight: bool = False
    column: int = 0


@dataclass
class _Line:
    """As much of the candidate, and of the reference below it, as fits into the width."""

    above: list[_Cell] = field(default_factory=list)
    below: list[_Cell] = field(default_factory=list)

    def end(self) -> int:
        """Return the first column that is free in both captions."""
        return max(_end(self.above), _end(self.below))


def _end(cells: list[_Cell]) -> int:
    return cells[-1].column + cells[-1].width + 1 if cells else 0


def _best_lines(alignment: Alignment, width: int) -> list[_Line]:
    """Set the captions in lines; chunks give up standing straight where that brings all into one line."""
    straight = _straight_chunks(alignment)
    lines = widest = _set_lines(alignment, straight, width)
    longest = max(cell_len(" ".join(words)) for words in (alignment.candidate, alignment.reference))
    while len(lines) > 1 and straight and longest <= width:
        # Set without end, to see which chunk costs most columns.
        trials = {chunk: _set_lines(alignment, straight - {chunk}, sys.maxsize)[0].end() for chunk in straight}
        straight = straight - {min(trials, key=lambda chunk: (trials[chunk], chunk))}
        lines = _set_lines(alignment, straight, width)
    return lines if len(lines) == 1 else widest


def _set_lines(alignment: Alignment, straight: set[int], width: int) -> list[_Line]:
    """Give every cell a line and a column."""
    above = deque(_cells(alignment, straight, width, reference=False))
    below = deque(_cells(alignment, straight, width, reference=True))
    lines = [line := _Line()]
    while above or below:
        _take(above, line.above, width)
        _take(below, line.below, width)
        if above and below and above[0].straight and below[0].straight and line.end() + above[0].width <= width:
            above[0].column = below[0].column = line.end()
            line.above.append(above.popleft())
            line.below.append(below.popleft())
        elif above or below:
            lines.append(line := _Line())
    return lines


def _take(waiting: deque[_Cell], cells: list[_Cell], width: int) -> None:
    """Set the next cells, as far as they fit and need not wait for the other caption."""
    while waiting and not waiting[0].straight and _end(cells) + waiting[0].width <= width:
        waiting[0].column = _end(cells)
        cells.append(waiting.popleft())


def _straight_chunks(alignment: Alignment) -> set[int]:
    """Choose the chunks that can stand above each other: the widest that follow each other in both captions."""
    starts: list[tuple[int, int, int]] = []  # chunk, first place in the reference, width
    for chunk, group in groupby(alignment.links, key=lambda link: link.chunk):
        links = list(group)
        starts.append((chunk, links[0].reference_start, sum(cell_len(_words(alignment, link)) + 1 for link in links)))
    best: list[tuple[int, int]] = []  # by chunk, of the widest succession that ends with it: its width, the one before
    for index, (_, start, width) in enumerate(starts):
        before = max(
            (found for found in range(index) if starts[found][1] < start), key=lambda i: best[i][0], default=-1
        )
        best.append((width + (best[before][0] if before >= 0 else 0), before))
    chosen = set()
    index = max(range(len(best)), key=lambda i: best[i][0], default=-1)
    while index >= 0:
        chosen.add(starts[index][0])
        index = best[index][1]
    return chosen


def _words(alignment: Alignment, link: Link, *, reference: bool = False) -> str:
    if reference:
        return " ".join(alignment.reference[link.reference_start : link.reference_start + link.reference_length])
    return " ".join(alignment.candidate[link.start : link.start + link.length])


def _cells(alignment: Alignment, straight: set[int], width: int, *, reference: bool) -> Iterator[_Cell]:
    """Cut a caption into cells that are at most ``width`` wide."""
    words = alignment.reference if reference else alignment.candidate
    links = {link.reference_start if reference else link.start: link for link in alignment.links}
    place = 0
    while place < len(words):
        link = links.get(place)
        if link is None:
            text = _cropped(words[place], width)
            yield _Cell(text, cell_len(text), _MISS_STYLE)
            place += 1
        else:
            yield _linked_cell(alignment, link, link.chunk in straight, width, reference=reference)
            place += link.reference_length if reference else link.length
    if not words:
        text = _cropped("(no words)", width)
        yield _Cell(text, len(text), _QUIET_STYLE)


def _linked_cell(alignment: Alignment, link: Link, straight: bool, width: int, *, reference: bool) -> _Cell:
    """Return a cell with room for its words, for the word in its line, and for the chunk's number."""
    text, other = (_cropped(_words(alignment, link, reference=side), width) for side in (reference, not reference))
    sign = _sign(link.stage)
    # Straight cells are as wide as each other; the others have two columns at least, see `_knot`.
    room = max(cell_len(text), len(sign) + 2 if sign else 0, len(str(link.chunk)), cell_len(other) if straight else 2)
    return _Cell(text, max(min(room, width), 1), _style(link.stage), link, straight)


def _cropped(words: str, width: int) -> str:
    """Return words as the terminal shows them: without control characters, and at most so wide."""
    text = Text(words)
    text.truncate(width, overflow="ellipsis")
    return text.plain


# A line as rows of text.


@dataclass(frozen=True)
class _Run:
    """The cells of a chunk in one line of a caption, the line drawn along them, and the column of the connector."""

    cells: list[_Cell]
    bar: list[str]
    knot: int

    @property
    def chunk(self) -> int:
        return self.cells[0].link.chunk if self.cells[0].link else 0

    @property
    def first(self) -> int:
        return self.cells[0].column

    def number(self) -> Fragment:
        """Return the number of the chunk: at the knot, but within the cells."""
        text = str(self.chunk)
        column = min(self.knot - (len(text) - 1) // 2, self.first + len(self.bar) - len(text))
        return max(self.first, column), text, _NUMBER_STYLE


def _line_rows(line: _Line) -> list[list[Fragment]]:
    """Draw a line: words, bars, numbers; connectors; numbers, bars, words. Rows without anything are left out."""
    above, below = _runs(line.above, "┯┬", even=True), _runs(line.below, "┷┴", even=False)
    ends = {run.chunk: run.knot for run in below}
    wires = [(run.knot, ends[run.chunk]) for run in above if run.chunk in ends]
    numbers, reference_numbers = ([run.number() for run in runs] for runs in (above, below))
    between = [numbers] if numbers == reference_numbers else [numbers, *_lanes(wires), reference_numbers]
    inner = [_bars(above), *between, _bars(below)]
    words, reference_words = (
        [(cell.column, cell.text, cell.style) for cell in cells] for cells in (line.above, line.below)
    )
    return [words, *(row for row in inner if row), reference_words]


def _runs(cells: list[_Cell], knots: str, *, even: bool) -> list[_Run]:
    runs = []
    for chunk, group in groupby(cells, key=lambda cell: cell.link.chunk if cell.link else 0):
        if chunk:
            members = list(group)
            bar = _bar(members)
            knot = _knot(members, bar, even)
            at = knot - members[0].column
            bar[at] = {"━": knots[0], "─": knots[1]}.get(bar[at], bar[at])
            runs.append(_Run(members, bar, knot))
    return runs


def _bar(cells: list[_Cell]) -> list[str]:
    """Return the line along the cells of a chunk, with the signs of their stages in it."""
    bar: list[str] = []
    signs = [_sign(cell.link.stage) if cell.link else "" for cell in cells]
    for place, (cell, sign) in enumerate(zip(cells, signs, strict=True)):
        if place:
            bar.append(_JOINT if sign or signs[place - 1] else "━")
        bar += sign.center(cell.width, "─")[: cell.width] if sign else "━" * cell.width
    return bar


def _knot(cells: list[_Cell], bar: list[str], even: bool) -> int:
    """Return the column, as near to the middle as possible, where the connector ends.

    Connectors that are not straight leave the candidate at even columns and reach the reference at odd ones: so no two
    of them can ever run along each other.
    """
    first = cells[0].column
    columns = [column for column in range(first, first + len(bar)) if cells[0].straight or (column % 2 == 0) == even]
    return min(columns, key=lambda column: (bar[column - first] == _JOINT, abs(2 * (column - first) + 1 - len(bar))))


def _bars(runs: list[_Run]) -> list[Fragment]:
    """Return the lines along chunks, in the colours of their links."""
    bars: list[Fragment] = []
    for run in runs:
        for place, cell in enumerate(run.cells):
            first, end = cell.column - run.first, cell.column - run.first + cell.width
            joint = end + 1 if place + 1 < len(run.cells) else end
            bars.append((cell.column, "".join(run.bar[first:joint]), cell.style))
    return bars


def _lanes(wires: Sequence[tuple[int, int]]) -> list[list[Fragment]]:
    """Draw connectors from columns of the candidate to columns of the reference, none along another."""
    lanes: list[list[tuple[int, int]]] = []
    for wire in _in_lane_order([wire for wire in wires if wire[0] != wire[1]]):
        for lane in lanes:
            if all(max(wire) + 1 < min(other) or max(other) + 1 < min(wire) for other in lane):
                lane.append(wire)
                break
        else:
            lanes.append([wire])
    rows = [[" "] * (max(map(max, wires)) + 1) for _ in lanes]  # a drawing of characters
    for row, lane in zip(rows, lanes, strict=True):
        for wire in lane:
            row[min(wire) : max(wire) + 1] = "─" * (max(wire) + 1 - min(wire))
    # What runs downwards is drawn over what runs across, which so passes behind it.
    depths = {wire: depth for depth, lane in enumerate(lanes) for wire in lane}
    for above, below in wires:
        turn = depths.get((above, below), len(rows))
        for depth, row in enumerate(rows):
            row[above if depth <= turn else below] = "│"
        if above != below:
            rows[turn][above], rows[turn][below] = "└┐" if above < below else "┘┌"
    return [[(0, "".join(row), _QUIET_STYLE)] for row in rows]


def _in_lane_order(wires: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Order connectors from the upper lanes to the lower: those that run side by side then need not cross."""
    leftwards = sorted(wire for wire in wires if wire[0] > wire[1])
    rightwards = sorted((wire for wire in wires if wire[0] < wire[1]), reverse=True)
    return leftwards + rightwards


def _style(stage: str) -> str:
    return _STYLES.get(stage, _OTHER_STYLE)


def _sign(stage: str) -> str:
    return "" if stage == _EXACT else _SIGNS.get(stage, stage)
