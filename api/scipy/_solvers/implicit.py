"""Unknowns that a solver found, differentiated as the solution of the equations that they fulfil."""

from collections import deque
from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact
from ...core.errors import ConvergenceError, SingularError, at_user_line
from ...core.ops.linalg.decompositions import solve
from ...core.trace.device import zeros_of
from ...core.trace.tracer import unwrap
from ...transforms.arguments.arguments import settle
from ...transforms.custom.linear_solve import Linear
from ...transforms.custom.two_way import Operation, placed
from ...transforms.interpreters.forward import jvp
from ...transforms.interpreters.gradient import vjp
from ...transforms.interpreters.jacobian import jacobian
from ...transforms.staging.effects import acting
from .library import scipy_module

_DENSE = 2000  # unknowns up to which the Jacobian at the solution is formed
_RESTART, _LEFT = 200, 1e-9  # of GMRES above that: the dimension of its space, the largest relative residual
_KEPT = 64  # reports of calls that are kept, the latest
FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)


class Implicit(Operation):
    """The solution z of residual(z, facts, *values) = 0; the operands are `fixed` ones without derivative, then values.

    Args:
        name: of the public function.
        fixed: how many operands have no derivative.
        host: `host(*operands)` of plain arrays returns `(z, facts, trouble, report)`: `facts` a tuple of arrays without
            derivative, `trouble` why there is no derivative, or "", and `report` anything.
        residual: `residual(z, facts, *values)`, in operations, of the shape of `z`.
        shapes: `shapes(avals of the operands)` gives the avals of `z` and of each of the facts.
    """

    def __init__(self, name: Any, fixed: Any, host: Any, residual: Any, shapes: Any) -> None:
        self.name = name
        self.fixed = fixed
        self.host = host
        self.residual = residual
        self.shapes = shapes
        self.reports: deque[Any] = deque(maxlen=_KEPT)
        self.count = 0

    def avals(self, given: Any) -> Any:
        return [*self.shapes(given), make_aval((), INT)]

    def run(self, *operands: Any) -> Any:
        z, facts, trouble, report = self.host(*[np.asarray(v) for v in operands])
        self.count += 1
        self.reports.append((self.count, trouble, report))
        found = [np.asarray(v) for v in (z, *facts)]
        return [np.array(z, FLOAT), *found[1:], np.asarray(self.count if trouble else -self.count)]

    def report(self, ticket: Any) -> Any:
        """`(trouble, report)` of a call, or None if it has not run yet, or is one of a batch."""
        number = unwrap(ticket)
        if number is None or np.ndim(number):
            return None
        return next((r[1:] for r in self.reports if r[0] == abs(int(number))), None)

    def require(self, ticket: Any) -> Any:
        """Raise where there is no derivative, now or when the graph runs."""
        line, reports = at_user_line(), self.reports

        def check(tickets: Any) -> Any:
            for number in np.atleast_1d(np.asarray(tickets)).ravel():
                if number > 0:
                    trouble = next((r[1] for r in reports if r[0] == number), "it did not converge; look at success")
                    raise ConvergenceError(f"{self.name} has no derivative here: {trouble}{line}")

        acting(check, [ticket])

    def _matrix(self, z: Any, facts: Any, values: Any) -> Any:
        """The Jacobian at the solution, a matrix that was checked to be regular."""
        n = z.size
        shape = z.shape
        found = jacobian(lambda flat: self.residual(flat.reshape(shape), facts, *values).reshape((n,)))(
            z.reshape((n,)))
        return _Regular(self.name)(found)[0]

    def _solve(self, z: Any, facts: Any, values: Any, right: Any, transposed: Any) -> Any:
        if z.size <= _DENSE:
            a = self._matrix(z, facts, values)
            b = right.reshape((z.size,))
            return solve(a.T if transposed else a, b[:, None])[:, 0].reshape(z.shape)
        m = 1 + len(facts)

        def matvec(x: Any, *kept: Any) -> Any:
            return [jvp(lambda z: self.residual(z, kept[1:m], *kept[m:]), (kept[0],), (x,))[1]]

        system = Sparse(matvec, self.name)
        return (system.transposed() if transposed else system)(right, z, *facts, *values)[0]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        z, facts, ticket = outs[0], outs[1:-1], outs[-1]
        self.require(ticket)
        kept, dots = values[self.fixed :], tangents[self.fixed :]
        live = [k for k, t in enumerate(dots) if t is not None]
        none = [None] * (len(outs) - 1)
        if not live:
            return [None, *none]
        moved = jvp(lambda *given: self.residual(z, facts, *placed(kept, live, given)),
                    tuple([kept[k] for k in live]), tuple([dots[k] for k in live]))[1]
        return [-self._solve(z, facts, kept, moved, False), *none]

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        z, facts, ticket = outs[0], outs[1:-1], outs[-1]
        self.require(ticket)
        kept = values[self.fixed :]
        live = [k for k, v in enumerate(kept) if is_inexact(aval_of(v).dtype)]
        back = [None] * len(values)
        if live:
            w = self._solve(z, facts, kept, cts[0], True)
            pulled = vjp(lambda *given: self.residual(z, facts, *placed(kept, live, given)),
                         *[kept[k] for k in live])[1](w)
            for k, c in zip(live, pulled):
                back[self.fixed + k] = -c
        return back


class _Regular(Operation):
    """The matrix itself, once it was found to have an inverse."""

    def __init__(self, name: Any) -> None:
        self.name = name
        self.line = at_user_line()

    def avals(self, given: Any) -> Any:
        return given

    def run(self, *values: Any) -> Any:
        _check_regular(values[0], self.name, self.line)
        return [np.array(values[0])]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        return tangents

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        return cts


def _check_regular(a: Any, name: Any, line: Any) -> Any:
    """Raise unless the Jacobians are finite and have an inverse."""
    for m in np.asarray(a).reshape((-1, *np.shape(a)[-2:])):
        n = m.shape[0]
        if not np.all(np.isfinite(m)):
            raise SingularError(f"{name} has no derivative here: the Jacobian at the solution has entries that are not "
                                f"finite; move the solution from the pole{line}")
        if n == 0:
            continue
        with np.errstate(all="ignore"):
            size = np.abs(m).max(axis=1)
            scaled = m / np.where(size > 0.0, size, 1.0)[:, None]
            wide = np.abs(scaled).max(axis=0)
            scaled = scaled / np.where(wide > 0.0, wide, 1.0)
        lapack = scipy_module("linalg", name).lapack
        factors, _, zero = lapack.dgetrf(scaled)
        condition = 0.0 if zero else lapack.dgecon(factors, np.abs(scaled).sum(axis=0).max())[0]
        if condition <= 4.0 * n * np.finfo(float).eps:
            raise SingularError(
                f"{name} has no derivative here: the Jacobian at the solution, of shape {m.shape}, is singular "
                f"(1/condition is {condition:.1e}, rows and columns scaled to 1); the solution is not "
                f"unique, or moves infinitely fast: make the equations independent{line}")


class Sparse(Linear):
    """A large linear system, solved by GMRES; `matvec(x, *kept)` is given in operations."""

    def __init__(self, matvec: Any, name: Any) -> None:
        Linear.__init__(self, matvec, 1, None, None)
        self.name = name
        self.avals = lambda given: given[:1]

    def run(self, b: Any, *kept: Any) -> Any:
        b = np.asarray(b)
        shape = b.shape

        def product(x: Any) -> Any:
            return np.asarray(self.matvec(x.reshape(shape), *kept)[0]).ravel()

        sparse = scipy_module("sparse.linalg", self.name)
        operator = sparse.LinearOperator((b.size, b.size), matvec=product, dtype=FLOAT)
        found, _ = sparse.gmres(operator, b.ravel(), rtol=1e-13, atol=0.0, restart=min(_RESTART, b.size), maxiter=20)
        left = np.linalg.norm(product(found) - b.ravel())
        if left > _LEFT * np.linalg.norm(b):
            raise SingularError(f"{self.name} has no derivative here: GMRES on the Jacobian at the solution, {b.size} "
                                f"unknowns, stopped with a residual of {left:.1e}; it is singular or nearly so: make "
                                "the equations independent")
        return [found.reshape(shape)]

    def transposed(self) -> Any:
        def vecmat(x: Any, *kept: Any) -> Any:
            return list(vjp(lambda y: self.matvec(y, *kept)[0], zeros_of(aval_of(settle(x)), x))[1](x))

        return Sparse(vecmat, self.name)
