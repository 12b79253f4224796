# cython: language_level=3
"""Exact optimal transport of small problems, with masses that are whole numbers, so nothing is lost to rounding.

Mass is sent along shortest augmenting paths (dense Dijkstra with potentials); written by hand because the solvers of
libraries take longer to be called than a problem of six words takes to be solved.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from caplens.files._listening cimport A_WHILE, listen


cdef class Problem:
    """One transport problem at a time, in memory for the largest."""

    def __cinit__(self, int64_t most_rows, int64_t most_columns):
        cdef int64_t rows = max(most_rows, 1), columns = max(most_columns, 1)
        self.supply = <int64_t*>calloc(rows, sizeof(int64_t))
        self.demand = <int64_t*>calloc(columns, sizeof(int64_t))
        self.row_words = <int32_t*>calloc(rows, sizeof(int32_t))
        self.column_words = <int32_t*>calloc(columns, sizeof(int32_t))
        self.costs = <double*>calloc(rows * columns, sizeof(double))
        self.flows = <int64_t*>calloc(rows * columns, sizeof(int64_t))
        self.row_potentials = <double*>calloc(rows, sizeof(double))
        self.column_potentials = <double*>calloc(columns, sizeof(double))
        self.row_distances = <double*>calloc(rows, sizeof(double))
        self.column_distances = <double*>calloc(columns, sizeof(double))
        self.row_parents = <int64_t*>calloc(rows, sizeof(int64_t))
        self.column_parents = <int64_t*>calloc(columns, sizeof(int64_t))
        self.in_tree = <uint8_t*>calloc(rows, 1)
        self.finished = <uint8_t*>calloc(columns, 1)
        self.steps = 0
        if (self.supply == NULL or self.demand == NULL or self.row_words == NULL or self.column_words == NULL
                or self.costs == NULL or self.flows == NULL or self.row_potentials == NULL
                or self.column_potentials == NULL or self.row_distances == NULL or self.column_distances == NULL
                or self.row_parents == NULL or self.column_parents == NULL or self.in_tree == NULL
                or self.finished == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.supply)
        free(self.demand)
        free(self.row_words)
        free(self.column_words)
        free(self.costs)
        free(self.flows)
        free(self.row_potentials)
        free(self.column_potentials)
        free(self.row_distances)
        free(self.column_distances)
        free(self.row_parents)
        free(self.column_parents)
        free(self.in_tree)
        free(self.finished)

    cdef double relaxed(self) noexcept nogil:
        """A lower bound: every word goes to its nearest, whether there is room or not; the larger of both directions."""
        cdef int64_t row, column
        cdef double there = 0, back = 0, nearest
        for row in range(self.rows):
            nearest = INFINITY
            for column in range(self.columns):
                nearest = min(nearest, self.costs[row * self.columns + column])
            there += <double>self.supply[row] * nearest
        for column in range(self.columns):
            nearest = INFINITY
            for row in range(self.rows):
                nearest = min(nearest, self.costs[row * self.columns + column])
            back += <double>self.demand[column] * nearest
        return max(there, back)

    cdef inline int rest(self, int64_t steps) except -1 nogil:
        """Count steps, and once in a while listen whether to go on."""
        self.steps += steps
        if self.steps > A_WHILE:
            self.steps = 0
            listen()
        return 0

    cdef double solve(self) except? -1 nogil:
        """Return the least cost; `flows` then holds a plan, and nothing is left of supply and demand.

        Costs must be finite: else there may be no way, and the answer is infinite.
        """
        cdef int64_t row, cell
        cdef double total = 0
        memset(self.flows, 0, self.rows * self.columns * sizeof(int64_t))
        self.start()
        for row in range(self.rows):
            while self.supply[row] > 0:
                if not self.augment(row):
                    return INFINITY
        for cell in range(self.rows * self.columns):
            if self.flows[cell]:
                total += <double>self.flows[cell] * self.costs[cell]
        return total

    cdef void push(self, int64_t row, int64_t column) noexcept nogil:
        cdef int64_t amount = min(self.supply[row], self.demand[column])
        self.supply[row] -= amount
        self.demand[column] -= amount
        self.flows[row * self.columns + column] += amount

    cdef void start(self) noexcept nogil:
        """Choose potentials that make the nearest row of each column, and column of each row, free; use those ways."""
        cdef int64_t row, column, nearest
        cdef double least, cost
        for column in range(self.columns):
            nearest = 0
            least = self.costs[column]
            for row in range(1, self.rows):
                cost = self.costs[row * self.columns + column]
                if cost < least:
                    least = cost
                    nearest = row
            self.column_potentials[column] = least
            self.push(nearest, column)
        for row in range(self.rows):
            nearest = 0
            least = INFINITY
            for column in range(self.columns):
                cost = self.costs[row * self.columns + column] - self.column_potentials[column]
                if cost < least:
                    least = cost
                    nearest = column
            self.row_potentials[row] = least
            self.push(row, nearest)

    cdef int augment(self, int64_t source) except -1 nogil:
        """Send what is possible from ``source`` along a shortest path to a column that still wants something.

        Return whether there was such a path, which finite costs leave no doubt about.
        """
        cdef int64_t column, target, row
        cdef double least
        memset(self.in_tree, 0, self.rows)
        memset(self.finished, 0, self.columns)
        self.in_tree[source] = 1
        self.row_distances[source] = 0
        for column in range(self.columns):
            self.column_distances[column] = INFINITY
        self.relax(source)
        while True:
            target = -1
            least = INFINITY
            for column in range(self.columns):
                if not self.finished[column] and self.column_distances[column] < least:
                    least = self.column_distances[column]
                    target = column
            if target < 0:
                return 0
            self.rest(self.rows + 2 * self.columns)
            self.finished[target] = 1
            if self.demand[target] > 0:
                break
            for row in range(self.rows):
                if not self.in_tree[row] and self.flows[row * self.columns + target] > 0:
                    self.in_tree[row] = 1
                    self.row_distances[row] = least
                    self.row_parents[row] = target
                    self.relax(row)
        for row in range(self.rows):
            if self.in_tree[row]:
                self.row_potentials[row] += least - self.row_distances[row]
        for column in range(self.columns):
            if self.finished[column]:
                self.column_potentials[column] -= least - self.column_distances[column]
        self.send(source, target)
        return 1

    cdef void relax(self, int64_t row) noexcept nogil:
        """Look for shorter ways through ``row``."""
        cdef int64_t column
        cdef double reduced, distance = self.row_distances[row]
        for column in range(self.columns):
            if self.finished[column]:
                continue
            # Rounding may leave a free way a hair below zero.
            reduced = (self.costs[row * self.columns + column] - self.row_potentials[row]
                       - self.column_potentials[column])
            reduced = distance + max(reduced, 0.0)
            if reduced < self.column_distances[column]:
                self.column_distances[column] = reduced
                self.column_parents[column] = row

    cdef void send(self, int64_t source, int64_t target) noexcept nogil:
        """Follow the path back from ``target``: first for how much fits, then to send it."""
        cdef int64_t amount = min(self.supply[source], self.demand[target])
        cdef int64_t column = target, row = self.column_parents[target]
        while row != source:
            column = self.row_parents[row]
            amount = min(amount, self.flows[row * self.columns + column])
            row = self.column_parents[column]
        column = target
        while True:
            row = self.column_parents[column]
            self.flows[row * self.columns + column] += amount
            if row == source:
                break
            column = self.row_parents[row]
            self.flows[row * self.columns + column] -= amount
        self.supply[source] -= amount
        self.demand[target] -= amount


def transport(const double[:, ::1] costs, const int64_t[::1] supply, const int64_t[::1] demand):
    """Return the least cost of bringing ``supply`` to ``demand`` (equal sums), and how much goes where."""
    cdef Problem problem = Problem(supply.shape[0], demand.shape[0])
    cdef int64_t row, column
    if np.sum(supply) != np.sum(demand) or costs.shape[0] != supply.shape[0] or costs.shape[1] != demand.shape[0]:
        raise ValueError("supply and demand must have equal sums, and costs the shape (supply, demand)")
    if np.min(supply, initial=0) < 0 or np.min(demand, initial=0) < 0 or not np.isfinite(costs).all():
        raise ValueError("supply and demand cannot be negative, and costs must be finite")
    problem.rows, problem.columns = supply.shape[0], demand.shape[0]
    for row in range(problem.rows):
        problem.supply[row] = supply[row]
        for column in range(problem.columns):
            problem.costs[row * problem.columns + column] = costs[row, column]
    for column in range(problem.columns):
        problem.demand[column] = demand[column]
    total = problem.solve()
    flows = np.empty((problem.rows, problem.columns), dtype=np.int64)
    cdef int64_t[:, ::1] view = flows
    for row in range(problem.rows):
        for column in range(problem.columns):
            view[row, column] = problem.flows[row * problem.columns + column]
    return total, flows
