"""Fused products of a matrix with a vector and back, `u(X @ v) @ X`: block by block of rows, the matrix read once.

The gradient of a linear model has it. A library takes two passes over the matrix; here the rows of a block are
multiplied, what lies between is computed of them, and they are added up while they are in the cache.
"""

import numpy as np

from ....core.arrays.avals import make_aval
from ....core.facts import Operation
from ...graph.equations import Body, Draft, Equation, Literal, Var
from ..machine.blas import library_threads
from ..rules.rewrite import Steps
from .collectives import is_exchange
from .lowerings import is_native

_SCAN = Operation("scan", control="scan")
_BLOCK = 4096  # elements of a block, at most: more would be a product by a library
_COLUMNS = 8, 128  # of the matrix: fewer are no vector, more are not added up in registers
_LARGE = 1 << 14  # elements of a matrix, from which two passes take longer than the loop
_SHARED = 1 << 17  # elements, from which several threads of a library take less


def fuse_matvecs(equations, outputs, known):
    """Equations, in which such products, and what lies between, are a loop over blocks of rows."""
    while True:
        count = {}
        for eq in equations:
            x = _times_vector(eq)
            if x is not None:
                count.setdefault(x, []).append(eq)
        # A loop must not move across what others see.
        if not count or any(eq.acts or is_exchange(eq) for eq in equations):
            return equations
        found = None
        for x, firsts in count.items():
            found = found or _Blocks(x, equations, known).rewritten(firsts, outputs)
        if found is None:
            return equations
        equations = found


def _times_vector(eq):
    """The matrix that an equation multiplies with a vector, if its rows are to be taken in blocks."""
    if eq.prim.product != "matrices" or type(eq.inputs[0]) is not Var or eq.inputs[0].aval.ndim != 2 or (
            eq.inputs[1].aval.ndim != 1):
        return None
    rows, columns = eq.inputs[0].aval.shape
    least, most = _COLUMNS
    small = rows * columns < _SHARED or library_threads() == 1
    return eq.inputs[0] if least <= columns <= most and rows * columns >= _LARGE and small else None


class _Blocks:
    """The part of a block that is computed row by row of a matrix, given the products of all rows with vectors."""

    def __init__(self, x, equations, known):
        self.x = x
        self.known = known
        self.equations = equations
        self.rows = {}  # variable of one element a row -> the equation that makes it
        self.sums = []  # equations that add up over the rows
        self.after = set()  # variables that depend on such sums

    def rewritten(self, firsts, outputs):
        """The equations with a loop in them; None where nothing adds up the rows again."""
        first = set(map(id, firsts))
        rest = []
        for eq in self.equations:
            given = [v for v in eq.inputs if type(v) is Var]
            if not self.after.isdisjoint(given):
                self.after.update(eq.outputs)
            elif id(eq) in first and self.rows.keys().isdisjoint(given) or self.is_of_rows(eq):
                self.rows[eq.outputs[0]] = eq
                continue
            elif self.is_sum(eq):
                self.sums.append(eq)
                self.after.update(eq.outputs)
                continue
            elif not self.rows.keys().isdisjoint(given):
                self.after.update(eq.outputs)
            rest.append(eq)
        if not any(eq.prim.product == "matrices" for eq in self.sums):  # one pass over the matrix is all there is
            return None
        read = {v for eq in rest for v in eq.inputs if type(v) is Var} | set(outputs)
        early = [eq for eq in rest if self.after.isdisjoint(eq.outputs)]
        late = [eq for eq in rest if not self.after.isdisjoint(eq.outputs)]
        loop = self.loop([v for v in self.rows if v in read])
        return None if loop is None else [*early, *loop, *late]

    def is_of_rows(self, eq):
        """Tell whether an equation is element by element over the rows, and reads products of them."""
        n = self.x.aval.shape[0]
        return type(self.known.get(eq)) is list and eq.outputs[0].aval.shape == (n,) and any(
            v in self.rows for v in eq.inputs) and all(v.aval.shape in ((n,), ()) for v in eq.inputs)

    def is_sum(self, eq):
        """Tell whether an equation adds up what was made of the rows, or products of that with the rows."""
        if eq.prim.product == "matrices":
            return eq.inputs[1] is self.x and eq.inputs[0] in self.rows
        return eq.prim.reduces is np.add and eq.inputs[0] in self.rows and eq.params == ((0,), False)

    def loop(self, leaving):
        """The equations of the loop; None where native code has none of it."""
        n, columns = self.x.aval.shape
        most = min(max(_BLOCK // columns, 8), n)
        # Whole blocks: a rest is a loop of its own.
        size = next((k for k in range(most, most // 2, -1) if n % k == 0), most)
        if leaving and n % size:  # what leaves is put together of blocks of one size
            return None
        carry = [Literal(np.zeros(eq.outputs[0].aval.shape, eq.outputs[0].aval.dtype)) for eq in self.sums]
        found = []
        for start, stop in ((0, n - n % size), (n - n % size, n)):
            if start < stop:
                found += self.part(slice(start, stop), min(size, stop - start), carry, leaving)
                carry = found[-1].outputs[: len(carry)]
        found[-1].outputs[: len(carry)] = [eq.outputs[0] for eq in self.sums]
        s = Steps(self.sums[0])
        for v, blocks in zip(leaving, found[-1].outputs[len(carry) :]):
            s.shaped(blocks, (n,))
            s.equations[-1].outputs = [v]
        body = [eq for scan in found if scan.prim is _SCAN for eq in scan.params[0].graph.equations]
        rest = [eq for eq in (*found, *s.equations) if eq.prim is not _SCAN]
        return [*found, *s.equations] if all(is_native(eq, self.known) for eq in (*body, *rest)) else None

    def part(self, rows, size, carry, leaving):
        """A loop over blocks of `size` of some rows, behind what takes its operands apart."""
        steps = (rows.stop - rows.start) // size
        s = Steps(self.sums[0])
        outer, inner = {}, {}  # variables outside -> those in the body: what all blocks share, and blocks of rows
        blocks = []

        def whole(v):
            """The operand of the body for one that all blocks share."""
            return v if type(v) is Literal else outer.setdefault(v, Var(v.aval))

        def given(v):
            """The operand of the body for one outside."""
            if v in made:
                return made[v]
            if not v.aval.shape:
                return whole(v)
            if type(v) is Literal and not any(np.asarray(v.value).strides):
                return Literal(np.broadcast_to(np.asarray(v.value).flat[0], (size,)))
            if v not in inner:
                shape = (size, *v.aval.shape[1:])
                part = v if rows == slice(0, v.aval.shape[0]) else s("getitem", v, params=(rows,))
                blocks.append(s.shaped(part, (steps, *shape)))
                inner[v] = Var(make_aval(shape, v.aval.dtype))
            return inner[v]

        made, body = {}, Steps(self.sums[0])
        for v, eq in self.rows.items():
            product = eq.prim.product == "matrices"
            made[v] = body(eq.prim.name, *[whole(w) if product and k else given(w) for k, w in enumerate(eq.inputs)],
                           params=eq.params)
        sums = [Var(v.aval) for v in carry]
        totals = [body("add", before, body(eq.prim.name, *[given(w) for w in eq.inputs], params=eq.params))
                  for before, eq in zip(sums, self.sums)]
        graph = Draft([*outer.values(), *sums, *inner.values()], body.equations, [*totals, *[made[v] for v in leaving]])
        outs = [*[Var(v.aval) for v in totals], *[Var(make_aval((steps, size), v.aval.dtype)) for v in leaving]]
        params = Body(graph, run=_never), len(outer), len(carry), steps, False
        return [*s.equations, Equation(_SCAN, [*outer, *carry, *blocks], params, outs, self.sums[0].quiet,
                                       self.sums[0].place)]


def _never(*values):
    """A body that is written, not run."""
    raise AssertionError
