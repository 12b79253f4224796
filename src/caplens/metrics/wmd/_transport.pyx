# cython: language_level=3
"""Exact optimal transport, with masses that are whole numbers, so nothing is lost to rounding.

The transportation simplex: the ways in use are always a tree over rows and columns, and a cheaper way takes the place of
another one in it until there is none. Zero flows point to the root of the tree, which rules out cycles (W. Cunningham: A
network simplex method, Mathematical Programming 11, 1976). Written by hand because the solvers of libraries take longer
to be called than a problem of six words takes to be solved.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from caplens.files._listening cimport A_WHILE, listen

cdef double SLACK = 2e-14  # what rounding may add to the cost of a way, as a share of the largest cost
cdef enum:
    NOBODY = -1
    PATIENCE = 64  # pivots per node until more is taken for rounding


cdef class Problem:
    """One transport problem at a time, in memory for the largest.

    Rows and columns are the nodes of a tree: rows first, then columns. The way between a node and its parent carries
    `flow`; the parent of a row is a column, and that of a column is a row.
    """

    def __cinit__(self, int64_t most_rows, int64_t most_columns):
        cdef int64_t rows = max(most_rows, 1), columns = max(most_columns, 1)
        self.supply = <int64_t*>calloc(rows, sizeof(int64_t))
        self.demand = <int64_t*>calloc(columns, sizeof(int64_t))
        self.row_words = <int32_t*>calloc(rows, sizeof(int32_t))
        self.column_words = <int32_t*>calloc(columns, sizeof(int32_t))
        self.row_nearest = <int64_t*>calloc(rows, sizeof(int64_t))
        self.column_nearest = <int64_t*>calloc(columns, sizeof(int64_t))
        self.column_least = <double*>calloc(columns, sizeof(double))
        self.costs = <double*>calloc(rows * columns, sizeof(double))
        self.nodes = <Node*>calloc(rows + columns, sizeof(Node))
        self.potentials = <double*>calloc(rows + columns, sizeof(double))
        self.steps = 0
        if (self.supply == NULL or self.demand == NULL or self.row_words == NULL or self.column_words == NULL
                or self.row_nearest == NULL or self.column_nearest == NULL or self.column_least == NULL
                or self.costs == NULL or self.nodes == NULL or self.potentials == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.supply)
        free(self.demand)
        free(self.row_words)
        free(self.column_words)
        free(self.row_nearest)
        free(self.column_nearest)
        free(self.column_least)
        free(self.costs)
        free(self.nodes)
        free(self.potentials)

    cdef void swap(self, Problem other) noexcept nogil:
        """Exchange what `relaxed` and `solve` read; both must have memory for the same largest problem."""
        self.rows, other.rows = other.rows, self.rows
        self.columns, other.columns = other.columns, self.columns
        self.supply, other.supply = other.supply, self.supply
        self.demand, other.demand = other.demand, self.demand
        self.row_nearest, other.row_nearest = other.row_nearest, self.row_nearest
        self.column_nearest, other.column_nearest = other.column_nearest, self.column_nearest
        self.costs, other.costs = other.costs, self.costs

    cdef double relaxed(self) noexcept nogil:
        """A lower bound: every word goes to its nearest, whether there is room or not; the larger of both directions.

        The nearest of each row and column are kept for `solve`.
        """
        cdef int64_t row, column, nearest
        cdef double there = 0, back = 0, least, cost
        cdef double* costs = self.costs
        for column in range(self.columns):
            self.column_least[column] = INFINITY
            self.column_nearest[column] = 0
        for row in range(self.rows):
            nearest = 0
            least = INFINITY
            for column in range(self.columns):
                cost = costs[column]
                if cost < least:
                    least = cost
                    nearest = column
                if cost < self.column_least[column]:
                    self.column_least[column] = cost
                    self.column_nearest[column] = row
            self.row_nearest[row] = nearest
            there += <double>self.supply[row] * least
            costs += self.columns
        for column in range(self.columns):
            back += <double>self.demand[column] * self.column_least[column]
        return max(there, back)

    cdef inline int rest(self, int64_t steps) except -1 nogil:
        """Count steps, and once in a while listen whether to go on."""
        self.steps += steps
        if self.steps > A_WHILE:
            self.steps = 0
            listen()
        return 0

    cdef double solve(self) except? -1 nogil:
        """Return the least cost; the tree then holds a plan. `relaxed` comes before, and costs must be finite."""
        cdef int64_t row = 0, column, best, quiet = 0, pivots = 0
        cdef double* potentials = self.potentials + self.rows
        cdef double* costs
        cdef double least, largest = 0, reduced, slack
        for column in range(self.rows * self.columns):
            largest = max(largest, self.costs[column])
        slack = -SLACK * largest
        self.start()
        while quiet < self.rows:
            self.rest(self.columns)
            costs = self.costs + row * self.columns
            least = INFINITY
            best = 0
            for column in range(self.columns):
                reduced = costs[column] - potentials[column]
                if reduced < least:
                    least = reduced
                    best = column
            if least - self.potentials[row] < slack:
                self.pivot(row, self.rows + best)
                quiet = 0
                pivots += 1
                if pivots % (PATIENCE * (self.rows + self.columns)) == 0:
                    slack *= 2
            else:
                quiet += 1
            row += 1
            if row == self.rows:
                row = 0
        return self.total()

    cdef inline double cost(self, int64_t node) noexcept nogil:
        """What the way between a node and its parent costs."""
        cdef int64_t parent = self.nodes[node].parent
        if node < self.rows:
            return self.costs[node * self.columns + parent - self.rows]
        return self.costs[parent * self.columns + node - self.rows]

    cdef double total(self) noexcept nogil:
        cdef double total = 0
        cdef int64_t node
        for node in range(self.rows + self.columns):
            if self.nodes[node].flow:
                total += <double>self.nodes[node].flow * self.cost(node)
        return total

    cdef inline void link(self, int64_t node, int64_t parent, int64_t flow) noexcept nogil:
        cdef int64_t first = self.nodes[parent].child
        self.nodes[node].parent = parent
        self.nodes[node].flow = flow
        self.nodes[node].before = NOBODY
        self.nodes[node].after = first
        if first != NOBODY:
            self.nodes[first].before = node
        self.nodes[parent].child = node

    cdef inline void unlink(self, int64_t node) noexcept nogil:
        cdef int64_t before = self.nodes[node].before, after = self.nodes[node].after
        if before == NOBODY:
            self.nodes[self.nodes[node].parent].child = after
        else:
            self.nodes[before].after = after
        if after != NOBODY:
            self.nodes[after].before = before

    cdef inline void push(self, int64_t row, int64_t column) noexcept nogil:
        """Send what fits. Who has nothing left hangs on the other, so a tree has one node that is not done, its root."""
        cdef int64_t left = self.supply[row] - self.demand[column]
        if self.supply[row] == 0 or self.demand[column] == 0:
            return
        if left >= 0:
            self.link(self.rows + column, row, self.demand[column])
            self.supply[row] = left
            self.demand[column] = 0
        else:
            self.link(row, self.rows + column, self.supply[row])
            self.supply[row] = 0
            self.demand[column] = -left

    cdef void start(self) noexcept nogil:
        """Make a first plan: to the nearest while there is room, then wherever there is; and join its trees to one."""
        cdef int64_t row, column, best, node
        cdef double* costs = self.costs
        for node in range(self.rows + self.columns):
            self.nodes[node].parent = self.nodes[node].child = self.nodes[node].depth = NOBODY
            self.nodes[node].flow = 0
        for column in range(self.columns):
            self.push(self.column_nearest[column], column)
        for row in range(self.rows):
            self.push(row, self.row_nearest[row])
        for row in range(self.rows):
            while self.supply[row] > 0:
                best = NOBODY
                for column in range(self.columns):
                    if self.demand[column] > 0 and (best == NOBODY or costs[column] < costs[best]):
                        best = column
                self.push(row, best)
            costs += self.columns
        self.join()

    cdef void join(self) noexcept nogil:
        """Hang the other trees on the first one, each by its root, which is a row, at no flow."""
        cdef int64_t row, column, best, first = NOBODY
        cdef double* costs
        for row in range(self.rows):
            if self.nodes[row].parent != NOBODY:
                continue
            if first == NOBODY:
                first = row
            else:
                costs = self.costs + row * self.columns
                best = NOBODY
                for column in range(self.columns):
                    if (self.nodes[self.rows + column].depth != NOBODY
                            and (best == NOBODY or costs[column] < costs[best])):
                        best = column
                self.link(row, self.rows + best, 0)
            self.hang(row)

    cdef void hang(self, int64_t top) noexcept nogil:
        """Set depths and potentials below ``top``, so that the ways of the tree cost nothing beyond the potentials."""
        cdef int64_t node = top, parent
        while True:
            parent = self.nodes[node].parent
            if parent == NOBODY:
                self.nodes[node].depth = 0
                self.potentials[node] = 0
            else:
                self.nodes[node].depth = self.nodes[parent].depth + 1
                self.potentials[node] = self.cost(node) - self.potentials[parent]
            if self.nodes[node].child != NOBODY:
                node = self.nodes[node].child
                continue
            while node != top and self.nodes[node].after == NOBODY:
                node = self.nodes[node].parent
            if node == top:
                return
            node = self.nodes[node].after

    cdef void pivot(self, int64_t row, int64_t column) noexcept nogil:
        """Take the way from ``row`` to ``column`` into the tree, and the one that runs empty first out of it.

        Along the circle that closes, flow from rows up to their parents is taken away on the side of ``row``, and flow
        down to columns on that of ``column``; of several that run empty, the last along the circle from the top goes.
        """
        cdef int64_t left = row, right = column, leaving = NOBODY, other = NOBODY
        cdef int64_t amount = 0x7FFFFFFFFFFFFFFF, most = 0x7FFFFFFFFFFFFFFF
        while left != right:
            if self.nodes[left].depth >= self.nodes[right].depth:
                if left < self.rows and self.nodes[left].flow < amount:
                    amount = self.nodes[left].flow
                    leaving = left
                left = self.nodes[left].parent
            else:
                if right >= self.rows and self.nodes[right].flow <= most:
                    most = self.nodes[right].flow
                    other = right
                right = self.nodes[right].parent
        if most <= amount:
            self.shift(row, column, left, most)
            self.turn(column, row, other, most)
        else:
            self.shift(row, column, left, amount)
            self.turn(row, column, leaving, amount)

    cdef void shift(self, int64_t row, int64_t column, int64_t top, int64_t amount) noexcept nogil:
        """Send ``amount`` round the circle through ``row``, ``column`` and ``top``."""
        if amount == 0:
            return
        while row != top:
            self.nodes[row].flow += -amount if row < self.rows else amount
            row = self.nodes[row].parent
        while column != top:
            self.nodes[column].flow += amount if column < self.rows else -amount
            column = self.nodes[column].parent

    cdef void turn(self, int64_t node, int64_t parent, int64_t leaving, int64_t flow) noexcept nogil:
        """Cut the tree above ``leaving`` and hang what is below on ``parent``, by ``node``."""
        cdef int64_t top = node, above, carried
        while True:
            above = self.nodes[node].parent
            carried = self.nodes[node].flow
            self.unlink(node)
            self.link(node, parent, flow)
            if node == leaving:
                break
            parent = node
            flow = carried
            node = above
        self.hang(top)


def transport(const double[:, ::1] costs, const int64_t[::1] supply, const int64_t[::1] demand):
    """Return the least cost of bringing ``supply`` to ``demand`` (equal sums), and how much goes where."""
    cdef Problem problem = Problem(supply.shape[0], demand.shape[0])
    cdef int64_t row, column
    if np.sum(supply) != np.sum(demand) or costs.shape[0] != supply.shape[0] or costs.shape[1] != demand.shape[0]:
        raise ValueError("supply and demand must have equal sums, and costs the shape (supply, demand)")
    if np.min(supply, initial=1) < 1 or np.min(demand, initial=1) < 1 or not np.isfinite(costs).all():
        raise ValueError("supply and demand must be positive, and costs finite")
    problem.rows, problem.columns = supply.shape[0], demand.shape[0]
    for row in range(problem.rows):
        problem.supply[row] = supply[row]
        for column in range(problem.columns):
            problem.costs[row * problem.columns + column] = costs[row, column]
    for column in range(problem.columns):
        problem.demand[column] = demand[column]
    if problem.rows == 0 or problem.columns == 0:
        return 0.0, np.zeros((problem.rows, problem.columns), dtype=np.int64)
    problem.relaxed()
    total = problem.solve()
    flows = np.zeros((problem.rows, problem.columns), dtype=np.int64)
    cdef int64_t[:, ::1] view = flows
    for row in range(problem.rows):
        if problem.nodes[row].parent >= 0:
            view[row, problem.nodes[row].parent - problem.rows] = problem.nodes[row].flow
    for column in range(problem.columns):
        if problem.nodes[problem.rows + column].parent >= 0:
            view[problem.nodes[problem.rows + column].parent, column] = problem.nodes[problem.rows + column].flow
    return total, flows
