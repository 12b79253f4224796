"""The columns of a layered drawing, and the order within them."""

from __future__ import annotations

from collections.abc import Sequence

Joint = tuple[int, int]

_SWEEPS = 16


def connected_parts(count: int, ends: Sequence[Joint]) -> list[list[int]]:
    """Return which boxes hang together.

    Examples
    --------
    >>> connected_parts(4, [(0, 2), (3, 2)])
    [[0, 2, 3], [1]]
    """
    part = list(range(count))
    for source, target in ends:
        one, two = part[source], part[target]
        part = [min(one, two) if each in (one, two) else each for each in part]
    return [[box for box in range(count) if part[box] == first] for first in sorted(set(part))]


def assign_columns(count: int, ends: Sequence[Joint]) -> list[int]:
    """Give each box a column so that arrows point to the right, but for those that would close a circle.

    Examples
    --------
    >>> assign_columns(3, [(0, 1), (1, 2), (2, 0)])
    [0, 1, 2]
    >>> assign_columns(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    forward = _without_circles(count, ends)
    columns = [0] * count
    for _ in range(count):
        for source, target in forward:
            columns[target] = max(columns[target], columns[source] + 1)
    _shorten(columns, forward)
    first = min(columns)
    return [column - first for column in columns]


def _without_circles(count: int, ends: Sequence[Joint]) -> list[Joint]:
    """Turn arrows that lead back to a box on the way to their own source; arrows from a box to itself are left out."""
    targets: list[list[int]] = [[] for _ in range(count)]
    incoming = [0] * count
    for source, target in ends:
        if source != target:
            targets[source].append(target)
            incoming[target] += 1
    forward: list[Joint] = []
    done: set[int] = set()
    # The walk keeps its own stack: a long chain of relations must not end at Python's limit of recursion.
    for start in sorted(range(count), key=lambda box: (incoming[box] > 0, -len(targets[box]), box)):
        if start in done:
            continue
        open_boxes, way = {start}, [(start, iter(targets[start]))]
        while way:
            box, rest = way[-1]
            found = next(rest, None)
            if found is None:
                way.pop()
                open_boxes.discard(box)
                done.add(box)
            elif found in open_boxes:
                forward.append((found, box))
            else:
                forward.append((box, found))
                if found not in done:
                    open_boxes.add(found)
                    way.append((found, iter(targets[found])))
    return forward


def _shorten(columns: list[int], forward: Sequence[Joint]) -> None:
    """Move boxes to where most of their arrows become shorter, as long as one can."""
    count = len(columns)
    before: list[list[int]] = [[] for _ in range(count)]
    behind: list[list[int]] = [[] for _ in range(count)]
    for source, target in forward:
        behind[source].append(target)
        before[target].append(source)
    for _ in range(count):
        moved = False
        for box in range(count):
            column = columns[box]
            if len(behind[box]) > len(before[box]):
                column = min(columns[other] for other in behind[box]) - 1
            elif len(before[box]) > len(behind[box]):
                column = max(columns[other] for other in before[box]) + 1
            moved |= column != columns[box]
            columns[box] = column
        if not moved:
            return


def arrange(columns: Sequence[int], joints: Sequence[Joint]) -> list[list[int]]:
    """Order the places of each column so that few joints cross.

    Places move to the mean position of those that they are joined with in the column before, then behind, in turns;
    then neighbours change places wherever that helps.

    Parameters
    ----------
    columns : sequence of int
        The column of each place.
    joints : sequence of pairs
        Places in neighbouring columns that are joined, the left one first.

    Returns
    -------
    list of list of int
        The places of each column, from top to bottom.

    Examples
    --------
    >>> arrange([0, 0, 1, 1], [(0, 3), (1, 2)])
    [[0, 1], [3, 2]]
    """
    before: list[list[int]] = [[] for _ in columns]
    behind: list[list[int]] = [[] for _ in columns]
    for one, two in joints:
        behind[one].append(two)
        before[two].append(one)
    order: list[list[int]] = [[] for _ in range(max(columns) + 1)]
    for place in _in_walking_order(columns, before, behind):
        order[columns[place]].append(place)
    best, fewest = [list(column) for column in order], _crossings(order, behind)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        to_right = sweep % 2 == 0
        joined = before if to_right else behind
        for column in order if to_right else reversed(order):
            _sort_by_mean(column, order, joined)
        _swap_neighbours(order, before, behind)
        crossings = _crossings(order, behind)
        if crossings < fewest:
            best, fewest = [list(column) for column in order], crossings
    return best


def _in_walking_order(
    columns: Sequence[int], before: Sequence[Sequence[int]], behind: Sequence[Sequence[int]]
) -> list[int]:
    """Return the places in the order of a walk along the joints, so that what hangs together starts side by side."""
    found: dict[int, None] = {}
    for start in sorted(range(len(columns)), key=lambda place: (columns[place], place)):
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if place not in found:
                found[place] = None
                waiting += [*reversed(before[place]), *reversed(behind[place])]
    return list(found)


def _positions(order: Sequence[Sequence[int]]) -> dict[int, int]:
    return {place: position for column in order for position, place in enumerate(column)}


def _sort_by_mean(column: list[int], order: Sequence[Sequence[int]], joined: Sequence[Sequence[int]]) -> None:
    positions = _positions(order)
    means = {
        place: sum(positions[other] for other in joined[place]) / len(joined[place])
        if joined[place]
        else positions[place]
        for place in column
    }
    column.sort(key=means.__getitem__)


def _swap_neighbours(
    order: Sequence[list[int]], before: Sequence[Sequence[int]], behind: Sequence[Sequence[int]]
) -> None:
    positions = _positions(order)

    def crossed(upper: int, lower: int) -> int:
        return sum(
            positions[one] > positions[two]
            for joined in (before, behind)
            for one in joined[upper]
            for two in joined[lower]
        )

    for column in order:
        for at in range(len(column) - 1):
            upper, lower = column[at], column[at + 1]
            if crossed(upper, lower) > crossed(lower, upper):
                column[at], column[at + 1] = lower, upper
                positions[upper], positions[lower] = at + 1, at


def _crossings(order: Sequence[Sequence[int]], behind: Sequence[Sequence[int]]) -> int:
    positions = _positions(order)
    total = 0
    for column in order:
        ends: list[int] = []  # of the joints of the places above
        for place in column:
            own = [positions[other] for other in behind[place]]
            total += sum(end > each for each in own for end in ends)
            ends += own
    return total
