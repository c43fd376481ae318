"""`check_grads`: the derivatives of a user's function against finite differences."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.arrays.dtypes import is_inexact
from ..core.errors import DtypeError, at_user_line
from ..transforms.arguments.arguments import flatten
from ..transforms.interpreters.forward import jvp
from .check import adjoint
from .compare import CheckError, agree, difference, inner, random_direction, same_aval


def check_grads(
    fun: Callable[..., Any], args: Sequence[Any], order: int = 2, modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None, rtol: float | None = None, eps: float = 1e-2, seed: int = 0,
) -> None:
    """Check the derivatives of a function against finite differences, to any order.

    Args:
        fun: a function of pytrees of floating or complex arrays; double precision is checked best.
        args: a tuple of arguments at which the function is smooth.
        order: 1 checks the derivative, 2 also the derivative of the derivative, and so on.
        modes: `"fwd"` checks `jvp`, `"rev"` checks `vjp`; from the second order on, every combination of modes.
        atol, rtol: the tolerance, absolute and relative to the largest value; by default 1e-6, of single precision
            1e-2.
        eps: the largest step of the finite differences, which are extrapolated from nine halvings of it.
        seed: the seed of the random directions.
    Returns:
        None.
    Raises:
        DtypeError: values are in half precision.
        CheckError: a derivative is wrong; the message says in which mode, where, and by how much.

    >>> import numpy as np
    >>> from covector.testing import check_grads
    >>> check_grads(lambda x, w: np.tanh(x @ w["a"]), (np.ones(3), {"a": np.eye(3)}))
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if set(modes) - {"fwd", "rev"} or not modes:
        raise ValueError(f"check_grads takes modes 'fwd' and 'rev', but got {modes!r}; pass one or both")
    if not isinstance(args, tuple | list):
        raise TypeError(f"check_grads takes a tuple of arguments, but got {type(args).__name__}; write "
                        f"check_grads(f, (x,)){at_user_line()}")
    leaves, rebuild = flatten(tuple(args))
    points = [np.asarray(x) for x in leaves]

    def flat(*xs: Any) -> tuple:
        outs = [v if hasattr(v, "dtype") else np.asarray(v) for v in flatten(fun(*rebuild(list(xs))))[0]]
        return tuple(v for v in outs if is_inexact(np.dtype(v.dtype)))

    name = getattr(fun, "__name__", "the function")
    values = [*points, *flat(*points)]
    if any(v.dtype.itemsize == 2 and is_inexact(v.dtype) for v in values):
        raise DtypeError(f"check_grads takes differences of values, of which half precision holds too few digits; give "
                         f"it float32 or float64{at_user_line()}")
    coarse = 1e-2 if any(v.dtype.char in "fF" for v in values) else 1e-6
    tolerances = coarse if atol is None else atol, coarse if rtol is None else rtol, eps
    _check(flat, points, name, order, modes, tolerances, np.random.default_rng(seed))


def _check(
    fun: Callable[..., tuple], xs: list[Any], name: str, order: int, modes: tuple[str, ...],
    tols: tuple[float, float, float], rng: np.random.Generator,
) -> None:
    atol, rtol, eps = tols
    vs = [random_direction(rng, x) for x in xs]
    exact = difference(fun, xs, vs, step=eps)
    ws = [random_direction(rng, v) for v in exact]
    if "fwd" in modes:
        for k, (t, want) in enumerate(zip(jvp(fun, tuple(xs), tuple(vs))[1], exact)):
            scale = atol + rtol * float(np.abs(want).max(initial=0.0))
            agree(t, want, 1.0, f"check_grads: the jvp of {name}, output {k}", scale=scale)
    if "rev" in modes:
        cts = adjoint(fun, xs, [w.astype(v.dtype) for w, v in zip(ws, fun(*xs))])
        for k, (c, x) in enumerate(zip(cts, xs)):
            same_aval(c, x, f"check_grads: the vjp of {name}, argument {k}")
        forward, size = inner(ws, exact)
        backward, other = inner(cts, vs)
        if not abs(forward - backward) <= atol + rtol * max(size, other):
            raise CheckError(f"check_grads: the vjp of {name}: Re<Jᴴw, v> = {backward!r}, but finite differences give "
                             f"Re<w, Jv> = {forward!r} (difference {abs(forward - backward):.3g})")
    if order > 1:
        if "fwd" in modes:
            _check(lambda *a: tuple(jvp(fun, a, tuple(vs))[1]), xs, f"the jvp of {name}", order - 1, modes, tols, rng)
        if "rev" in modes:
            _check(lambda *a: tuple(adjoint(fun, a, ws)), xs, f"the vjp of {name}", order - 1, modes, tols, rng)
