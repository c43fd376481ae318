"""Star and acyclic colourings of symmetric matrices, and the recovery of their elements.

Gebremedhin, Tarafdar, Manne & Pothen (2007), New acyclic and star coloring algorithms with application to computing
Hessians, SIAM J. Sci. Comput. 29.
"""

import numpy as np

from ...core.errors import at_user_line
from ...core.lazy import LazyModule
from ...core.ops.indexing.indexing import take
from ...core.ops.shaping import concatenate
from ...core.ops.sparse.patterns import SparsePattern
from ...core.trace.tracer import Tracer
from ...core.types import Any

SOLVING = LazyModule("covector.core.ops.sparse.solving")
LINALG = LazyModule("scipy.sparse.linalg")
SPARSE = LazyModule("scipy.sparse")


class Adjacency:
    """The graph of a symmetric pattern: neighbours of each vertex, and the number of the edge to each of them."""

    def __init__(self, pattern):
        n = pattern.shape[0]
        rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
        columns = pattern.indices
        off = rows != columns
        # Both elements (i, j) and (j, i) are one edge, numbered by its smaller and larger end.
        a, b = np.minimum(rows, columns)[off], np.maximum(rows, columns)[off]
        _, edges = np.unique(a.astype(np.int64) * n + b, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows[off], minlength=n))])
        self.size = n
        self.edges = int(edges.max(initial=-1)) + 1
        self.edge_of = np.full(len(rows), -1)
        self.edge_of[off] = edges
        self.rows, self.columns = rows, columns
        flat, flat_edges, starts = columns[off].tolist(), edges.tolist(), starts.tolist()
        self.neighbours = [flat[starts[v] : starts[v + 1]] for v in range(n)]
        self.edge_numbers = [flat_edges[starts[v] : starts[v + 1]] for v in range(n)]


def star_colours(graph, order):
    """A colouring in which every path of four vertices has at least three colours: each pair of colours makes stars."""
    neighbours, numbers = graph.neighbours, graph.edge_numbers
    colour, star_of, hub = [-1] * graph.size, [-1] * graph.edges, []
    # Marked by the vertex under work in place of cleared each time: the sweep stays linear in the edges visited.
    forbidden, first, treated = [-1] * (graph.size + 1), [(-1, -1, -1)] * (graph.size + 1), [-1] * graph.size
    for v in order:
        for w, edge in zip(neighbours[v], numbers[v]):
            c = colour[w]
            if c < 0:
                continue
            forbidden[c] = v
            p, q, _ = first[c]
            if p == v:
                for u in (q, w):
                    if treated[u] != v:
                        for x in neighbours[u]:
                            if x != v and colour[x] >= 0:
                                forbidden[colour[x]] = v
                        treated[u] = v
            else:
                first[c] = v, w, edge
                for x, other in zip(neighbours[w], numbers[w]):
                    if x != v and colour[x] >= 0 and hub[star_of[other]] == x:
                        forbidden[colour[x]] = v
        mine = 0
        while forbidden[mine] == v:
            mine += 1
        colour[v] = mine
        for w, edge in zip(neighbours[v], numbers[v]):
            c = colour[w]
            if c < 0:
                continue
            for x, other in zip(neighbours[w], numbers[w]):
                if x != v and colour[x] == mine:
                    hub[star_of[other]] = w
                    star_of[edge] = star_of[other]
                    break
            else:
                p, q, other = first[c]
                if p == v and q != w:
                    hub[star_of[other]] = v
                    star_of[edge] = star_of[other]
                else:
                    star_of[edge] = len(hub)
                    hub.append(-1)
    return np.array(colour, np.int64)


def acyclic_colours(graph, order):
    """A colouring in which every cycle has at least three colours: each pair of colours makes trees."""
    neighbours, numbers = graph.neighbours, graph.edge_numbers
    colour, parent = [-1] * graph.size, list(range(graph.edges))
    forbidden, first = [-1] * (graph.size + 1), [(-1, -1, -1)] * (graph.size + 1)
    visit = [(-1, -1)] * graph.edges

    def root(e):
        while parent[e] != e:
            # Path halving: union-find in nearly constant amortized time.
            parent[e] = e = parent[parent[e]]
        return e

    for v in order:
        live = [(w, e) for w, e in zip(neighbours[v], numbers[v]) if colour[w] >= 0]
        for w, _ in live:
            forbidden[colour[w]] = v
        for w, _ in live:
            for x, other in zip(neighbours[w], numbers[w]):
                c = colour[x]
                if c >= 0 and x != v and forbidden[c] != v:
                    tree = root(other)
                    p, q = visit[tree]
                    if p != v:
                        visit[tree] = v, w
                    elif q != w:
                        forbidden[c] = v
        mine = 0
        while forbidden[mine] == v:
            mine += 1
        colour[v] = mine
        for w, edge in live:
            p, _, other = first[colour[w]]
            if p != v:
                first[colour[w]] = v, w, edge
            else:
                parent[root(edge)] = root(other)
        for w, edge in live:
            for x, other in zip(neighbours[w], numbers[w]):
                if x != v and colour[x] == mine:
                    parent[root(edge)] = root(other)
    return np.array(colour, np.int64)


class Recovery:
    """Recovery of a symmetric matrix from products with the sums of columns of one colour.

    Element (i, j) stands in the sum of row i over the colour of j, and in that of row j over the colour of i. Where no
    other unknown stands in one of them, it is read off; so on until all are. `triangle` undoes the sums, None where
    every element is read off at once.
    """

    def __init__(self, graph, colours):
        n = graph.size
        rows, columns, edge = graph.rows, graph.columns, graph.edge_of
        off = edge >= 0
        sums = rows[off] * (int(colours.max(initial=0)) + 1) + colours[columns[off]]
        names, place = np.unique(sums, return_inverse=True)
        counts = np.bincount(place, minlength=len(names))
        if np.any(np.bincount(rows[off][colours[rows[off]] == colours[columns[off]]], minlength=n)):
            at = np.flatnonzero(off & (colours[rows] == colours[columns]))[0]
            raise ValueError(f"the colouring gives rows {rows[at]} and {columns[at]} the same colour "
                             f"{colours[rows[at]]}, but their element is not 0; give them different ones, or leave "
                             f"colouring out{at_user_line()}")
        self.triangle: Any = None
        self.sums: Any = None
        self.order: Any = np.arange(graph.edges)
        chosen = np.full(graph.edges, -1)  # which sum an edge is read from
        alone = counts[place] == 1
        chosen[edge[off][alone]] = place[alone]
        if np.any(chosen < 0):
            chosen = self._peeled(edge[off], place, counts)
        first = np.full(len(names), -1)
        first[place[::-1]] = np.flatnonzero(off)[::-1]
        at = first[chosen]
        self.row, self.colour = rows[at], colours[columns[at]]
        self.of_element = edge
        self.diagonal = np.flatnonzero(~off)
        self.rows, self.colours = rows, colours

    def _peeled(self, edge, place, counts):
        """The sum that each edge is read from, in an order in which all others of that sum are known."""
        members = np.argsort(place, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)]).tolist()
        flat = edge[members].tolist()
        both = np.argsort(edge, kind="stable").reshape(-1, 2)
        sums_of = place[both].tolist()
        left = counts.tolist()
        number = int(edge.max(initial=-1)) + 1
        chosen, order = [-1] * number, []
        ready = [k for k, count in enumerate(left) if count == 1]
        while ready:
            s = ready.pop()
            # The last unknown of this sum was found through its other sum in the meantime.
            if left[s] != 1:
                continue
            e = next(e for e in flat[starts[s] : starts[s + 1]] if chosen[e] < 0)
            chosen[e] = s
            order.append(e)
            for t in sums_of[e]:
                left[t] -= 1
                if left[t] == 1:
                    ready.append(t)
        if len(order) < number:
            raise ValueError("the colouring does not determine the elements of the symmetric matrix: two colours make "
                             f"a cycle; give a star or an acyclic colouring, or leave colouring out{at_user_line()}")
        self.order = np.array(order, np.int64)
        rank = np.empty(number, np.int64)
        rank[self.order] = np.arange(number)
        sums = np.array(chosen, np.int64)
        lengths = np.diff(starts)[sums[self.order]]
        rows = np.repeat(np.arange(number), lengths)
        begin = np.array(starts)[sums[self.order]]
        within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        columns = rank[np.array(flat)[np.repeat(begin, lengths) + within]]
        if number and len(rows) > number:
            matrix = SPARSE.csc_array((np.ones(len(rows)), (rows, columns)), shape=(number, number))
            # The matrix is triangular in this order, so natural ordering without pivoting makes a factor without
            # fill-in.
            self.triangle = LINALG.splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=0.0,
                                        options={"SymmetricMode": False, "Equil": False})
            self.sums = matrix
        return sums

    def places(self, n):
        """Positions in the products, `(colours, n)` flat, of what is read off for each element of the pattern."""
        edges = self.colour * n + self.row
        whole = np.empty(len(self.rows), np.int64)
        off = self.of_element >= 0
        whole[off] = edges[self.of_element[off]]
        whole[self.diagonal] = self.colours[self.rows[self.diagonal]] * n + self.rows[self.diagonal]
        return whole

    def undone(self, read):
        """Elements from the sums that they were read from, where these hold others, too."""
        if self.triangle is None:
            return read
        if isinstance(read, Tracer):
            return self._undone_traced(read)
        off = np.flatnonzero(self.of_element >= 0)
        edges = np.empty(len(self.order), read.dtype)
        edges[self.of_element[off]] = read[off]
        given = edges[self.order]
        solved = _solved(self.triangle, given)
        edges[self.order] = solved
        out = read.copy()
        out[off] = edges[self.of_element[off]]
        return out


    def _undone_traced(self, read):
        off = np.flatnonzero(self.of_element >= 0)
        element = np.empty(len(self.order), np.int64)  # one of the two elements of each edge
        element[self.of_element[off]] = off
        pattern = SparsePattern(self.sums.indptr, self.sums.indices, self.sums.shape)
        given = take(read, element[self.order], axis=0).reshape((-1, 1))
        solved = SOLVING.sparse_solve(self.sums.data, given, pattern, True, SOLVING.DIRECT).reshape((-1,))
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        source = np.arange(len(read))
        source[off] = len(read) + place[self.of_element[off]]
        return take(concatenate(read, solved, axis=0), source, axis=0)


def _solved(factor, b):
    if b.dtype.kind == "c":
        return factor.solve(b.real.astype(float)) + 1j * factor.solve(b.imag.astype(float))
    return factor.solve(b.astype(float)).astype(b.dtype)


def symmetric_pattern(pattern):
    """The union of a pattern and its transpose, with sorted rows."""
    both = (pattern + pattern.T).tocsr()
    both.sort_indices()
    return both


def vertex_order(pattern, order):
    """The order in which vertices are coloured."""
    if isinstance(order, str) and order == "largest":
        return np.argsort(-np.diff(pattern.indptr), kind="stable").tolist()
    return range(pattern.shape[0])
