"""Linear systems solved by any method: custom_linear_solve, whose derivatives are solves of the same kind."""

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.errors import RuleError, ShapeError, TreeError, at_user_line
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Batched, Tracer, leniently
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, flatten, settle, structure
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..staging.bodies import is_staged
from ..staging.closures import closes_over_tracer
from ..staging.effects import stop_gradient
from ..staging.staging import stage
from .two_way import Closed, Operation, placed


def custom_linear_solve(
    matvec: Callable[..., Any], b: PyTree, solve: Callable[..., Any], transpose_solve: Callable[..., Any] | None = None,
    symmetric: bool = False, has_aux: bool = False,
) -> PyTree:
    """Solve a linear system by any method, differentiated as the solution of the system.

    Where A x = b, the solution moves by dx = A⁻¹ (db - dA x); reverse mode solves with the transpose. Neither `solve`
    is differentiated.

    Args:
        matvec: `matvec(x)`, linear in the pytree `x`, with outputs like `b`. Derivatives are taken with respect to the
            traced values that it closes over.
        b: the right-hand side, a pytree of arrays.
        solve: `solve(matvec, b)` returns `x` with the structure of `b`.
        transpose_solve: `transpose_solve(vecmat, ct)` solves the transposed system. It may be None where `symmetric`,
            or where no reverse mode is asked for.
        symmetric: `matvec` is its own transpose, so `solve` solves the transposed system, too.
        has_aux: `solve` and `transpose_solve` return pairs, whose second part has no derivative.
    Returns:
        the output of `solve`.
    Raises:
        RuleError: reverse mode without `transpose_solve`.
        TreeError, ShapeError: the solution does not fit `b`.

    >>> import numpy as np, covector
    >>> def solve(matvec, b):
    ...     return np.linalg.solve(covector.jacobian(matvec)(b), b)
    >>> def total(d):
    ...     return covector.custom_linear_solve(lambda x: d * x, np.array([1.0, 2.0]), solve, solve).sum()
    >>> covector.grad(total)(np.array([2.0, 4.0]))
    array([-0.25 , -0.125])
    """
    for part in (matvec, solve) if transpose_solve is None else (matvec, solve, transpose_solve):
        check_function(part, "custom_linear_solve")
    leaves, rebuild = flatten(b)
    leaves = [1.0 * x if not is_inexact(aval_of(x).dtype) else x for x in map(settle, leaves)]
    given = Closed(lambda *flat: _leaves(matvec(rebuild(list(flat))), b), [aval_of(x) for x in leaves],
                   "custom_linear_solve")
    known = solve if symmetric and transpose_solve is None else transpose_solve
    system = Linear(given, len(leaves), _FlatSolver(solve, rebuild, has_aux),
                    known and _FlatSolver(known, rebuild, has_aux))
    solver, operands = system.solve, [*leaves, *given.values]
    solvers = (solve, transpose_solve)
    if closes_over_tracer(solvers) and (any(map(_rerun, operands)) or closes_over_tracer(solvers, _rerun)):
        system, operands = _hoisted(system, operands)
    outs = system(*operands)
    if not has_aux:
        return rebuild(outs)
    return rebuild(outs[: len(leaves)]), solver.aux(outs[len(leaves) :])


def _leaves(out, b):
    """The leaves of what `matvec` returned, which must be like `b`."""
    found, expected = flatten(out)[0], flatten(b)[0]
    if len(found) != len(expected) or structure(out) != structure(b):
        raise TreeError(f"custom_linear_solve needs matvec to return the structure of b, {described(b)}, but it "
                        f"returned {described(out)}; return one array for each of b{at_user_line()}")
    for y, x in zip(found, expected):
        if aval_of(settle(y)).shape != aval_of(settle(x)).shape:
            raise ShapeError(f"custom_linear_solve needs matvec to return shapes like those of b, but it returned "
                             f"{aval_of(settle(y)).shape} for {aval_of(settle(x)).shape}; a system has as many "
                             f"equations as unknowns{at_user_line()}")
    return [settle(y) for y in found]


class _FlatSolver:
    """`solve` of the user's, on flat lists; `aux` rebuilds what else the last run found out."""

    def __init__(self, solve, rebuild, has_aux):
        self.solve = solve
        self.rebuild = rebuild
        self.has_aux = has_aux
        self.aux: Any = None

    def __call__(self, matvec, b):
        like = self.rebuild(list(b))
        rebuild = self.rebuild
        out = leniently(self.solve, lambda x: rebuild(list(matvec(*_leaves(x, like)))), like)
        if not self.has_aux:
            return [stop_gradient(x) for x in _leaves(out, like)]
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(f"custom_linear_solve with has_aux=True needs solvers that return (x, aux), but one "
                            f"returned {type(out).__name__}; return both{at_user_line()}")
        more, self.aux = flatten(out[1])
        return [stop_gradient(settle(x)) for x in (*_leaves(out[0], like), *more)]


class Linear(Operation):
    """The solution of A(values) x = b; the operands are the `count` arrays of b, and then the values.

    Args:
        matvec: `matvec(*x, *values)` returns a flat list.
        solve, transpose_solve: `solve(matvec, b)`, of functions of flat arrays and flat lists, returns the solution
            and what else it found out.
    """

    name = "custom_linear_solve"

    def __init__(self, matvec, count, solve, transpose_solve):
        self.matvec = matvec
        self.count = count
        self.solve = solve
        self.transpose_solve = transpose_solve

    def run(self, *flat):
        b, values = flat[: self.count], flat[self.count :]
        return self.solve(lambda *x: self.matvec(*x, *values), list(b))

    def transposed(self):
        """The operation that solves with the transpose."""
        if self.transpose_solve is None:
            raise RuleError("custom_linear_solve needs transpose_solve for reverse mode, but was given None; pass the "
                            f"solver of the transposed system, or symmetric=True{at_user_line()}")

        def vecmat(*flat):
            x, values = list(flat[: self.count]), flat[self.count :]
            zeros = [zeros_of(aval_of(v), v) for v in x]
            return list(vjp(lambda *y: list(self.matvec(*y, *values)), *zeros)[1](x))

        return Linear(vecmat, self.count, self.transpose_solve, self.solve)

    def jvp(self, values, outs, tangents):
        n = self.count
        x, kept = outs[:n], values[n:]
        rest = [zeros_of(aval_of(v), v) if t is None else t for v, t in zip(values[:n], tangents)]
        live = [k for k, t in enumerate(tangents[n:]) if t is not None]
        if live:
            moved = jvp(lambda *given: self.matvec(*x, *placed(kept, live, given)),
                        tuple([kept[k] for k in live]), tuple([tangents[n + k] for k in live]))[1]
            rest = [r - m for r, m in zip(rest, moved)]
        return [*self(*rest, *kept)[:n], *[None] * (len(outs) - n)]

    def vjp(self, values, outs, cts):
        n = self.count
        x, kept = outs[:n], values[n:]
        found = self.transposed()(*cts[:n], *kept)[:n]
        live = [k for k, v in enumerate(kept) if is_inexact(aval_of(v).dtype)]
        back = [None] * len(kept)
        if live:
            pulled = vjp(lambda *given: list(self.matvec(*x, *placed(kept, live, given))), *[kept[k] for k in live])
            for k, c in zip(live, pulled[1](found)):
                back[k] = -c
        return [*found, *back]


def _rerun(value):
    """Tell whether an operation on a value runs later, or for each example: then what functions close over is gone."""
    if is_staged(value):
        return True
    while isinstance(value, Tracer) and not isinstance(value, Batched):
        value = value.value
    return isinstance(value, Batched)


def _hoisted(system, operands):
    """The system with staged solvers, and its operands; what its solvers close over is among them, without tangents."""
    avals = [aval_of(settle(x)) for x in operands]
    solvers = []
    for turned in (system, None if system.transpose_solve is None else system.transposed()):
        graph = turned and stage(turned.run, avals, tuple, system.name)[0]
        if graph is not None:
            solvers.append((graph, range(len(operands), len(operands) + len(graph.captured))))
            operands = [*operands, *map(stop_gradient, graph.captured)]
            graph.captured = []
    return _Hoisted(system.matvec, system.count, len(avals), *solvers, *[None] * (2 - len(solvers))), operands


class _Hoisted(Linear):
    """A `Linear` whose solvers are graphs of the first `known` operands and of those at places behind them."""

    def __init__(self, matvec, count, known, solve, transpose_solve):
        super().__init__(lambda *flat: matvec(*flat[:known]), count, solve, transpose_solve)
        self.known = known

    def run(self, *flat):
        graph, places = self.solve
        return graph.eval([*flat[: self.known], *[flat[k] for k in places]])

    def transposed(self):
        turned = super().transposed()
        return _Hoisted(turned.matvec, self.count, self.known, self.transpose_solve, self.solve)
