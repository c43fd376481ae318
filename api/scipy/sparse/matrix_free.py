"""Systems that are given by a function, the product with a matrix: cg, gmres and bicgstab written in operations."""

from collections.abc import Callable
from typing import Any

from ...core.arrays.avals import aval_of
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.types import Array, PyTree
from ...numpy import (
    astype,
    at,
    exp2,
    finfo,
    floor,
    inf,
    log2,
    logical_and,
    matmul,
    max as largest_of,
    sqrt,
    stack,
    vdot,
    where,
    zeros_like,
)
from ...numpy.linalg import lstsq
from ...numpy.surface import floating
from ...transforms.control.loops import fori_loop, while_loop
from ...transforms.custom.linear_solve import custom_linear_solve
from ...transforms.interpreters.gradient import vjp
from ...transforms.staging.effects import stop_gradient
from ...tree.containers import map as tree_map, ravel

Product = Callable[[Any], Any]


def solve_function(
    name: str, product: Any, b: PyTree, x0: Any, preconditioner: Any, *, rtol: float, atol: float,
    maxiter: int | None, restart: int | None = None,
) -> tuple[PyTree, Any]:
    """`(x, info)` where `product(x)` is `b`, both pytrees of one structure; derivatives are solves of the same kind."""
    b = tree_map(floating, b)
    vector, unravel = ravel(b)
    start = None if x0 is None else stop_gradient(ravel(tree_map(floating, x0))[0])
    if start is not None and start.shape != vector.shape:
        raise ShapeError(f"{name} needs a starting point like b, of {vector.shape[0]} elements, but got "
                         f"{start.shape[0]}; give one of the structure of b{at_user_line()}")

    def flat(function: Any) -> Product:
        return lambda v: _alike(name, ravel(function(unravel(v)))[0], v)

    n = vector.shape[0]
    steps = 10 * n if maxiter is None else maxiter
    scale = None if preconditioner is None else flat(_applied(preconditioner))
    again = min(20 if restart is None else restart, n)

    def solver(scale: Product | None, start: Any) -> Any:
        def solve(matvec: Product, right: Array) -> tuple[Array, Array]:
            unit = _unit(right)
            right = right / unit
            bound = where(rtol * _norm(right) > atol / unit, rtol * _norm(right), atol / unit)
            x, told = METHODS[name](matvec, right, zeros_like(right) if start is None else start / unit,
                                    scale or (lambda v: v), bound, steps, again)
            return x * unit, told

        return solve

    turned = None if scale is None else _transposed(scale)
    x, info = custom_linear_solve(flat(_applied(product)), vector, solver(scale, start),
                                  solver(turned, None), has_aux=True)
    return unravel(x), info


def _unit(right: Array) -> Array:
    """A power of two near the largest element: squares of 1e-25 vanish in float32, and so would the norm."""
    largest = largest_of(abs(right), initial=0.0)
    return exp2(floor(log2(where(logical_and(largest > 0.0, largest < inf), largest, 1.0))))


def _transposed(scale: Product) -> Product:
    """The transpose of a linear function."""
    return lambda v: vjp(scale, zeros_like(v))[1](v)[0]


def _alike(name: str, out: Array, v: Array) -> Array:
    """A product as a vector of the shape and dtype of what was multiplied."""
    if out.shape != v.shape:
        raise ShapeError(f"{name} needs a function whose results are like b, of {v.shape[0]} elements, but it returned "
                         f"{out.shape[0]}; a system has as many equations as unknowns{at_user_line()}")
    if out.dtype.kind == "c" != v.dtype.kind:
        raise DtypeError(f"{name} solves for values of the dtype of b, {v.dtype}, but its function returned "
                         f"{out.dtype}; give b + 0j{at_user_line()}")
    return astype(out, v.dtype) if out.dtype != v.dtype else out


def _applied(operator: Any) -> Any:
    """The function that an operator is: an object with `matvec`, a function, or a matrix."""
    if hasattr(operator, "matvec"):
        return operator.matvec
    return operator if callable(operator) else lambda v: matmul(operator, v)


def _norm(v: Array) -> Array:
    return sqrt(vdot(v, v).real)


def _told(rest: Array, bound: Array, steps: Array) -> Array:
    """SciPy's `info`: 0, or how many steps were not enough."""
    return where(_norm(rest) <= bound, 0, steps)


def _cg(
    matvec: Product, b: Array, x: Array, scale: Product, bound: Array, limit: int, restart: int
) -> tuple[Array, Array]:
    """Hestenes and Stiefel (1952), preconditioned."""
    rest = b - matvec(x)
    along = scale(rest)

    def step(carry: Any) -> Any:
        x, rest, along, size, count = carry
        moved = matvec(along)
        length = size / vdot(along, moved)
        rest = rest - length * moved
        scaled = scale(rest)
        now = vdot(rest, scaled)
        return x + length * along, rest, scaled + now / size * along, now, count + 1

    x, rest, _, _, count = while_loop(lambda c: logical_and(_norm(c[1]) > bound, c[4] < limit), step,
                                      (x, rest, along, vdot(rest, along), 0))
    return x, _told(rest, bound, count)


def _bicgstab(
    matvec: Product, b: Array, x: Array, scale: Product, bound: Array, limit: int, restart: int
) -> tuple[Array, Array]:
    """The method of van der Vorst (1992), preconditioned from the right."""
    rest = b - matvec(x)
    shadow = rest

    def step(carry: Any) -> Any:
        x, rest, along, size, count = carry
        scaled = scale(along)
        moved = matvec(scaled)
        alpha = size / vdot(shadow, moved)
        half = rest - alpha * moved
        half_scaled = scale(half)
        turned = matvec(half_scaled)
        length = vdot(turned, turned)
        omega = where(length == 0, length, vdot(turned, half) / where(length == 0, 1, length))
        x = x + alpha * scaled + omega * half_scaled
        rest = half - omega * turned
        now = vdot(shadow, rest)
        beta = now / size * alpha / where(omega == 0, 1, omega)
        return x, rest, rest + beta * (along - omega * moved), now, count + 1

    # A shadow that is orthogonal to the residual is a breakdown: nothing moves from there on.
    x, rest, _, _, count = while_loop(
        lambda c: logical_and(logical_and(_norm(c[1]) > bound, c[4] < limit), abs(c[3]) > 0), step,
        (x, rest, rest, vdot(shadow, rest), 0))
    return x, _told(rest, bound, count)


def _gmres(
    matvec: Product, b: Array, x: Array, scale: Product, bound: Array, limit: int, restart: int
) -> tuple[Array, Array]:
    """Saad and Schultz (1986), preconditioned from the right, with each new direction orthogonalized twice."""
    tiny = float(finfo(aval_of(b).dtype).eps)

    def step(carry: Any) -> Any:
        x, rest, count = carry
        size = _norm(rest)
        empty = zeros_like(rest)
        basis = stack([rest / where(size == 0, 1, size), *[empty] * restart])
        column = zeros_like(basis[:, 0])

        def grow(k: Any, pair: Any) -> Any:
            basis, columns = pair
            new = matvec(scale(basis[k]))
            before = _norm(new)
            parts = column
            for _ in range(2):
                more = matmul(basis.conj(), new)
                new, parts = new - matmul(more, basis), parts + more
            length = _norm(new)
            more = length > 10 * tiny * before
            basis = at(basis)[k + 1].set(where(more, new / where(more, length, 1), 0))
            return basis, at(columns)[k].set(at(parts)[k + 1].set(where(more, length, 0)))

        basis, columns = fori_loop(0, restart, grow, (basis, stack([column] * restart)))
        weights = lstsq(columns.T, at(column)[0].set(size), rcond=None)[0]
        x = x + scale(matmul(weights, basis[:-1]))
        return x, b - matvec(x), count + 1

    x, rest, count = while_loop(lambda c: logical_and(_norm(c[1]) > bound, c[2] < limit), step, (x, b - matvec(x), 0))
    return x, _told(rest, bound, count)


METHODS = {"cg": _cg, "gmres": _gmres, "bicgstab": _bicgstab}
