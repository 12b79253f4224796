"""Places for the boxes and arrows of a graph: columns from left to right, arrows with labels between them.

The method is that of layered drawings (Sugiyama, Tagawa and Toda 1981): boxes get columns so that arrows point to the
right, apart from those that would close a circle; the order within columns is changed until few arrows cross; then
heights are chosen so that arrows are straight. Labels stand in columns of their own and arrows bend around boxes, so
that nothing lies over anything else. Nothing is left to chance: the same graph has the same drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

from caplens.output.scene.columns import arrange, assign_columns, connected_parts

COLUMN_GAP = 34.0
ROW_GAP = 14.0
PART_GAP = 28.0
LEAST_WIDTH = 640.0
_TURNS = 40
_STRAIGHTENINGS = 4  # one arrow makes room for another
_PORT_GAP = 9.0
_CORNER = 9.0
# An arrow from a box to itself: half the distance of its ends at the label, and how far they are level at the box.
_LOOP, _STUB = 5.0, 8.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Size:
    """The room that a box or a label takes: its width, and what it needs above and below the arrows' height."""

    width: float
    above: float
    below: float


@dataclass(frozen=True)
class Arrow:
    """An arrow from one box to another, or to itself, with the size of its label."""

    source: int
    target: int
    label: Size


@dataclass(frozen=True)
class Route:
    """The way of an arrow: to its label, and from there on. A piece is a line of points, joined by curves."""

    before: tuple[Point, ...]
    label: Point
    after: tuple[Point, ...]


@dataclass(frozen=True)
class Layout:
    """Where boxes stand (left edge, and the height at which arrows arrive), and the ways of the arrows."""

    width: float
    height: float
    boxes: tuple[Point, ...]
    routes: tuple[Route, ...]


@dataclass
class _Place:
    """A box, a label, or a point where an arrow passes a column.

    Arrows turn between columns only: the margins are what the place leaves free of its column, to be crossed straight.
    """

    size: Size
    column: int
    left: float = 0.0
    height: float = 0.0
    left_margin: float = 0.0
    right_margin: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.size.width

    def crossing(self, to_right: bool) -> tuple[Point, Point]:
        """Return where an arrow enters the column and where it leaves it."""
        left, right = (self.left - self.left_margin, self.height), (self.right + self.right_margin, self.height)
        return (left, right) if to_right else (right, left)


@dataclass
class _Part:
    """What hangs together: its places, which of them are joined, and the chain of places of each arrow."""

    boxes: dict[int, int]
    places: list[_Place]
    joints: list[tuple[int, int]] = field(default_factory=list)
    chains: dict[int, list[int]] = field(default_factory=dict)
    labels: dict[int, int] = field(default_factory=dict)
    starts: dict[int, float] = field(default_factory=dict)
    ends: dict[int, float] = field(default_factory=dict)

    @property
    def width(self) -> float:
        return max(place.right for place in self.places)

    @property
    def bottom(self) -> float:
        return max(place.height + place.size.below for place in self.places)

    def move(self, right: float, down: float) -> None:
        """Move everything."""
        for place in self.places:
            place.left += right
            place.height += down


def lay_out(boxes: Sequence[Size], arrows: Sequence[Arrow], least_width: float = LEAST_WIDTH) -> Layout:
    """Find places for boxes and arrows.

    Parts that hang together by arrows are laid out by themselves, and then set side by side in rows: the largest
    first, boxes without arrows last.

    Examples
    --------
    >>> layout = lay_out([Size(60, 15, 15), Size(40, 15, 15)], [Arrow(0, 1, Size(30, 8, 8))])
    >>> layout.boxes
    ((0.0, 15.0), (158.0, 15.0))
    >>> layout.routes[0].before[0], layout.routes[0].label, layout.routes[0].after[-1]
    ((60.0, 15.0), (109.0, 15.0), (158.0, 15.0))
    """
    ends = [(arrow.source, arrow.target) for arrow in arrows]
    parts = []
    for members in connected_parts(len(boxes), ends):
        within = [number for number, (source, _) in enumerate(ends) if source in members]
        parts.append(_lay_out_part(members, boxes, {number: arrows[number] for number in within}))
    parts.sort(key=lambda part: (-len(part.chains), -len(part.boxes), min(part.boxes)))
    width, height = _set_in_rows(parts, least_width)
    return Layout(
        width,
        height,
        tuple(place for _, place in sorted(_box_places(parts))),
        tuple(route for _, route in sorted(_routes(parts), key=lambda found: found[0])),
    )


def _lay_out_part(members: Sequence[int], boxes: Sequence[Size], arrows: dict[int, Arrow]) -> _Part:
    """Lay out one part with its top left corner at the origin."""
    numbers = {box: number for number, box in enumerate(members)}
    ends = [(numbers[arrow.source], numbers[arrow.target]) for arrow in arrows.values()]
    columns = assign_columns(len(members), ends)
    # Every second column holds labels only.
    part = _Part(numbers, [_Place(boxes[box], 2 * columns[number]) for box, number in numbers.items()])
    for number, arrow in arrows.items():
        _add_chain(part, number, arrow)
    order = arrange([place.column for place in part.places], part.joints)
    _set_columns(part)
    _set_heights(part, order)
    for _ in range(_STRAIGHTENINGS):
        _straighten(part, order)
    part.move(0, -min(place.height - place.size.above for place in part.places))
    _set_ports(part, arrows)
    return part


def _add_chain(part: _Part, number: int, arrow: Arrow) -> None:
    """Add the label of an arrow and the points where it passes other columns, from left to right."""
    first, last = sorted(
        (part.boxes[arrow.source], part.boxes[arrow.target]), key=lambda place: part.places[place].column
    )
    start, stop = part.places[first].column, part.places[last].column
    labelled = start + 1 if stop - start < 4 else (start + stop) // 2 | 1
    chain = [first]
    for column in range(start + 1, max(stop, start + 2)):
        part.places.append(_Place(arrow.label if column == labelled else Size(0, 3, 3), column))
        chain.append(len(part.places) - 1)
        if column == labelled:
            part.labels[number] = chain[-1]
    chain.append(last)
    part.joints += [(one, two) for one, two in pairwise(chain) if part.places[one].column < part.places[two].column]
    part.chains[number] = chain


def _set_columns(part: _Part) -> None:
    widths: dict[int, float] = {}
    for place in part.places:
        widths[place.column] = max(widths.get(place.column, 0.0), place.size.width)
    lefts, at = {}, 0.0
    for column in sorted(widths):
        lefts[column] = at
        at += widths[column] + COLUMN_GAP
    for number, place in enumerate(part.places):
        room = widths[place.column] - place.size.width
        if number >= len(part.boxes):
            place.left_margin = room / 2
        elif place.column == 0:
            # The first column ends, and the others begin, where the arrows are.
            place.left_margin = room
        place.right_margin = room - place.left_margin
        place.left = lefts[place.column] + place.left_margin


def _set_heights(part: _Part, order: list[list[int]]) -> None:
    """Move places towards the height of those that they are joined with, as far as the others in the column allow."""
    places = part.places
    joined: list[list[tuple[int, float]]] = [[] for _ in places]
    for one, two in part.joints:
        # A long arrow had better bend near its ends than on its way.
        pull = float(4 ** ((one >= len(part.boxes)) + (two >= len(part.boxes))))
        joined[one].append((two, pull))
        joined[two].append((one, pull))
    weights = [sum(pull for _, pull in found) or 1.0 for found in joined]
    for column in order:
        _spread(places, column, [0.0] * len(column), weights)
    for turn in range(_TURNS):
        for column in order if turn % 2 == 0 else reversed(order):
            wanted = [
                sum(pull * places[other].height for other, pull in joined[place]) / weights[place]
                if joined[place]
                else places[place].height
                for place in column
            ]
            _spread(places, column, wanted, weights)


def _spread(places: list[_Place], column: list[int], wanted: list[float], weights: list[float]) -> None:
    """Give the places of a column the heights nearest to those wanted (least squares) that keep order and gaps.

    Without their least distances the heights have to grow down the column, so this is isotonic regression: pools of
    neighbours whose wishes contradict each other take the mean of their wishes.
    """
    distances = [0.0]
    for upper, lower in pairwise(column):
        distances.append(distances[-1] + _distance(places, upper, lower))
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for place, wish, distance in zip(column, wanted, distances, strict=True):
        mean, weight, count = wish - distance, weights[place], 1
        while pools and pools[-1][0] >= mean:
            other, heavy, many = pools.pop()
            mean, weight, count = (mean * weight + other * heavy) / (weight + heavy), weight + heavy, count + many
        pools.append((mean, weight, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    for place, distance, mean in zip(column, distances, means, strict=True):
        places[place].height = mean + distance


def _straighten(part: _Part, order: list[list[int]]) -> None:
    """Lead long arrows past other columns in as few steps as these leave room for."""
    places = part.places
    above: dict[int, int] = {}
    for column in order:
        above |= {lower: upper for upper, lower in pairwise(column)}
    below = {upper: lower for lower, upper in above.items()}

    def room(number: int) -> tuple[float, float]:
        upper, lower = above.get(number), below.get(number)
        highest = -inf if upper is None else places[upper].height + _distance(places, upper, number)
        return highest, inf if lower is None else places[lower].height - _distance(places, number, lower)

    for chain in part.chains.values():
        level: list[_Place] = []
        least, most = -inf, inf
        for number in chain[1:-1]:
            highest, lowest = room(number)
            if level and max(least, highest) > min(most, lowest):
                _level(level, least, most)
                level, least, most = [], -inf, inf
            level.append(places[number])
            least, most = max(least, highest), min(most, lowest)
        _level(level, least, most)


def _level(places: list[_Place], least: float, most: float) -> None:
    """Set places to one height, near their mean."""
    mean = sum(place.height for place in places) / len(places)
    for place in places:
        place.height = min(max(mean, least), most)


def _distance(places: list[_Place], upper: int, lower: int) -> float:
    return places[upper].size.below + ROW_GAP + places[lower].size.above


def _set_ports(part: _Part, arrows: dict[int, Arrow]) -> None:
    """Spread the arrows along the sides of their boxes, in the order of the places that they come from."""
    sides: dict[tuple[int, bool], list[tuple[float, int, bool]]] = {}
    for number, chain in part.chains.items():
        loops = chain[0] == chain[-1]
        sides.setdefault((chain[0], True), []).append((part.places[chain[1]].height, number, True))
        sides.setdefault((chain[-1], loops), []).append((part.places[chain[-2]].height, number, False))
    for (box, _), found in sides.items():
        found.sort(key=lambda entry: (entry[0], entry[1], not entry[2]))
        room = 2 * (part.places[box].size.above - _CORNER)
        gap = min(_PORT_GAP, room / max(len(found) - 1, 1))
        for place, (_, number, is_first) in enumerate(found):
            (part.starts if is_first else part.ends)[number] = gap * (place - (len(found) - 1) / 2)
    for number, arrow in arrows.items():
        chain = part.chains[number]
        # Chains run from left to right until here, arrows need not.
        if chain[0] != part.boxes[arrow.source]:
            chain.reverse()
            part.starts[number], part.ends[number] = part.ends[number], part.starts[number]


def _set_in_rows(parts: Iterable[_Part], least_width: float) -> tuple[float, float]:
    """Set parts side by side while there is room; return the width and the height of all."""
    parts = list(parts)
    limit = max([least_width, *(part.width for part in parts)])
    at = top = bottom = width = 0.0
    loose_before = False
    for part in parts:
        loose = not part.chains
        if at and (at + part.width > limit or loose != loose_before):
            at, top = 0.0, bottom + (PART_GAP if not loose or not loose_before else ROW_GAP)
        loose_before = loose
        size = part.width
        part.move(at, top)
        width, bottom = max(width, at + size), max(bottom, part.bottom)
        at += size + (COLUMN_GAP if loose else PART_GAP)
    return width, bottom


def _box_places(parts: Iterable[_Part]) -> Iterable[tuple[int, Point]]:
    for part in parts:
        for box, number in part.boxes.items():
            yield box, (part.places[number].left, part.places[number].height)


def _routes(parts: Iterable[_Part]) -> Iterable[tuple[int, Route]]:
    for part in parts:
        for arrow, chain in part.chains.items():
            yield arrow, _route(part, arrow, chain)


def _route(part: _Part, arrow: int, chain: list[int]) -> Route:
    places = [part.places[number] for number in chain]
    source, target, label = places[0], places[-1], part.places[part.labels[arrow]]
    middle = (label.left + label.size.width / 2, label.height)
    start, end = source.height + part.starts[arrow], target.height + part.ends[arrow]
    if source is target:
        border, near = source.right + source.right_margin + _STUB, label.left - label.left_margin
        there, back = label.height - _LOOP, label.height + _LOOP
        return Route(
            ((source.right, start), (border, start), (near, there), (label.left, there)),
            middle,
            ((label.left, back), (near, back), (border, end), (source.right, end)),
        )
    to_right = source.column < target.column
    at = chain.index(part.labels[arrow])
    before = [point for place in places[1:at] for point in place.crossing(to_right)]
    after = [point for place in places[at + 1 : -1] for point in place.crossing(to_right)]
    enters, leaves = label.crossing(to_right)
    leaving, arriving = source.crossing(to_right)[1][0], target.crossing(to_right)[0][0]
    edges = ((source.right, label.left), (label.right, target.left))
    (first, near), (far, last) = edges if to_right else ((source.left, label.right), (label.left, target.right))
    return Route(
        ((first, start), (leaving, start), *before, enters, (near, label.height)),
        middle,
        ((far, label.height), leaves, *after, (arriving, end), (last, end)),
    )
