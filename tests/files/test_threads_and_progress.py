"""Blocks of rows on threads, and who hears of them."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import caplens
from caplens.errors import InputError
from caplens.files.progress import Nobody, blocks, is_reported, reporting_to
from caplens.files.threads import BLOCK_ROWS, Ahead, available_cpus, for_each_block, side_by_side, take_through


class Recorder:
    def __init__(self):
        self.totals = {}
        self.done = {}
        self.finished = []

    def start(self, label, total):
        assert label not in self.totals
        self.totals[label] = total
        self.done[label] = 0
        return label

    def advance(self, step, amount):
        self.done[step] += amount

    def finish(self, step):
        self.finished.append(step)


class TestSteps:
    @pytest.mark.parametrize("jobs", [1, 2, 5])
    @pytest.mark.parametrize("rows", [0, 1, 10, 11, 97])
    def test_every_step_meets_the_blocks_in_order_with_what_the_step_before_made(self, rows, jobs):
        seen = [[], [], []]

        def step(number):
            def work(first, last, before):
                assert before == (None if number == 0 else (number - 1, first))
                seen[number].append((first, last))
                return number, first

            return work

        recorder = Recorder()
        with reporting_to(recorder):
            take_through([step(number) for number in range(3)], rows, jobs, "rows", 10)
        assert seen == [[(first, min(first + 10, rows)) for first in range(0, rows, 10)]] * 3
        assert recorder.done == {"rows": rows}

    def test_different_steps_work_at_the_same_time(self):
        meeting = threading.Barrier(2, timeout=30)
        alone = [(0, 0), (1, 20)]  # nobody is there at the beginning of the first step and at the end of the last

        def step(number):
            return lambda first, last, _: None if (number, first) in alone else meeting.wait() and None

        take_through([step(0), step(1)], 30, 2, "rows", 10)
        assert not meeting.broken

    @pytest.mark.parametrize("jobs", [1, 3])
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_exception_comes_out(self, jobs, error):
        def fail(first, last, _):
            if first == 30:
                raise error("at block 3")

        with pytest.raises(error, match="at block 3"):
            take_through([lambda *_: None, fail, lambda *_: None], 400, jobs, "rows", 10)


class TestBlocks:
    @pytest.mark.parametrize("jobs", [1, 2, 5])
    @pytest.mark.parametrize("rows", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 5 * BLOCK_ROWS + 3])
    def test_every_row_is_visited_once(self, rows, jobs):
        visits = np.zeros(rows, dtype=int)

        def work(first, last):
            visits[first:last] += 1

        for_each_block(work, rows, jobs, "rows")
        assert (visits == 1).all()

    def test_several_jobs_are_several_threads(self):
        meeting = threading.Barrier(2, timeout=30)
        for_each_block(lambda first, last: meeting.wait(), 2 * BLOCK_ROWS, 2, "rows")
        assert not meeting.broken

    @pytest.mark.parametrize("jobs", [1, 3])
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_exception_comes_out(self, jobs, error):
        def work(first, last):
            if first == BLOCK_ROWS:
                raise error("at block 1")

        with pytest.raises(error, match="at block 1"):
            for_each_block(work, 40 * BLOCK_ROWS, jobs, "rows")

    def test_after_an_exception_waiting_blocks_are_not_begun(self):
        begun = []

        def work(first, last):
            begun.append(first)
            if first == 0:
                raise ValueError
            time.sleep(0.05)  # so that the blocks outlast the moment in which the exception is noticed

        with pytest.raises(ValueError):  # noqa: PT011 (it is raised above)
            for_each_block(work, 1000 * BLOCK_ROWS, 2, "rows")
        assert len(begun) < 1000

    def test_there_is_a_cpu(self):
        assert available_cpus() >= 1


class TestProgress:
    def test_a_reporter_hears_every_step_to_its_end(self):
        recorder = Recorder()
        with reporting_to(recorder):
            assert list(blocks("one", 10, 3)) == [(0, 3), (3, 6), (6, 9), (9, 10)]
            for_each_block(lambda first, last: None, 3 * BLOCK_ROWS, 2, "two")
        assert recorder.totals == recorder.done == {"one": 10, "two": 3 * BLOCK_ROWS}
        assert recorder.finished == ["one", "two"]

    def test_a_step_that_fails_is_finished(self):
        recorder = Recorder()

        def work(first, last):
            raise ValueError

        with reporting_to(recorder), pytest.raises(ValueError):  # noqa: PT011 (it is raised above)
            for_each_block(work, 10, 1, "rows")
        assert recorder.finished == ["rows"]

    def test_after_the_block_nobody_listens(self):
        recorder = Recorder()
        with reporting_to(recorder):
            pass
        list(blocks("one", 10, 3))
        assert recorder.totals == {}

    def test_without_a_reporter_blocks_are_all_there_is(self):
        assert list(blocks("one", 5, 5)) == [(0, 5)]
        assert list(blocks("none", 0, 5)) == []

    def test_scoring_reports_its_slow_steps(self):
        class Any(Recorder):
            def start(self, label, total):
                self.totals[label] = self.totals.get(label, 0) + total
                self.done.setdefault(label, 0)
                return label

        recorder = Any()
        with reporting_to(recorder):
            result = caplens.score(["a dog"] * 9, [["a dog"]] * 9, "bleu, rouge, cider")
            assert result["CIDEr"].interval
        assert {"words", "n-grams", "BLEU", "ROUGE-L", "CIDEr", "bootstrap"} <= recorder.totals.keys()
        assert recorder.totals == recorder.done


class TestSideBySide:
    @pytest.mark.parametrize("jobs", [1, 2, 5])
    @pytest.mark.parametrize("tasks", [0, 1, 7])
    def test_results_are_in_order(self, tasks, jobs):
        assert side_by_side([lambda number=number: number for number in range(tasks)], jobs) == list(range(tasks))

    def test_two_wait_for_each_other(self):
        together = threading.Barrier(2)
        assert sorted(side_by_side([lambda: together.wait(30)] * 2, 2)) == [0, 1]

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_what_fails_is_raised(self, jobs):
        with pytest.raises(ZeroDivisionError):
            side_by_side([lambda: 1 // 0, lambda: 1], jobs)


class TestAhead:
    def test_what_is_raised_there_is_raised_for_who_asks(self):
        def fail():
            raise InputError("no such file")

        ahead = Ahead(fail)
        with pytest.raises(InputError, match="no such file"):
            ahead.result()

    def test_it_sees_the_settings_of_who_started_it(self):
        with reporting_to(Nobody()):
            ahead = Ahead(is_reported)
        assert ahead.result()
        assert not is_reported()
