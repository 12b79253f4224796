"""Parts of the work on processes of their own: results in order, and nothing lost when a child is."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from caplens.files.processes import can_fork, map_parts

forks = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


def doubled(part: list[int]) -> list[str]:
    return [str(2 * each) for each in part]


@pytest.mark.parametrize("parts", [[], [[1]], [[1, 2], [3], [], [4, 5]]])
def test_results_are_in_order(parts):
    assert map_parts(doubled, parts) == [doubled(part) for part in parts]


@forks
def test_each_part_has_a_process_of_its_own():
    found = map_parts(lambda part: [str(os.getpid())], [1, 2, 3])
    assert found[0] == [str(os.getpid())]
    assert len({number for (number,) in found}) == 3


@forks
def test_what_a_child_cannot_do_is_done_here():
    parent = os.getpid()

    def work(part: int) -> list[str]:
        if os.getpid() != parent:
            os.kill(os.getpid(), 9) if part == 2 else sys.exit(3)
        return [f"{part} by the parent"]

    assert map_parts(work, [1, 2, 3]) == [["1 by the parent"], ["2 by the parent"], ["3 by the parent"]]


def test_errors_are_those_of_this_process(capfd):
    def work(part: int) -> list[str]:
        if part:
            raise ValueError(f"part {part}")
        return []

    with pytest.raises(ValueError, match="part 1"):
        map_parts(work, [0, 1, 2])
    assert capfd.readouterr() == ("", "")


def test_children_end_with_an_error_here():
    def work(part: int) -> list[str]:
        if part:
            threading.Event().wait(60)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_parts(work, [0, 1])


def test_beside_other_threads_nothing_is_forked():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not can_fork()
        assert map_parts(lambda part: [str(os.getpid())], [1, 2]) == [[str(os.getpid())]] * 2
    finally:
        done.set()
        thread.join()
