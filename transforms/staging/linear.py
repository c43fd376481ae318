"""Linear maps as values: `linearize`, and the transpose of a linear function."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.trace.device import constant, zeros_of
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import differentiable, flatten, in_dtype, same_structure, settle
from ..arguments.escape_checks import check_escaped, owned
from ..graph.equations import Literal
from ..interpreters.gradient import vjp
from .bodies import conjugated, pull
from .graph import ShapeDtype, check_inputs
from .staging import check_linear, stage


def linearize(fun: Callable[..., Any], *primals: PyTree, has_aux: bool = False) -> tuple[Any, ...]:
    """Evaluate `fun` and return its tangent map at `primals`, staged once and cheap to apply many times.

    Args:
        fun: any function of pytrees of arrays; it runs once, on concrete primals.
        primals: its arguments.
        has_aux: `fun` returns `(out, aux)`.
    Returns:
        `(out, tangent_map)` or `(out, tangent_map, aux)`; `tangent_map(*tangents)` returns the tangent of `out`.
    Raises:
        ShapeError, TreeError: a tangent does not match its primal.

    >>> import numpy as np, covector
    >>> out, tangent_map = covector.linearize(np.sin, 0.0)
    >>> float(tangent_map(2.0))
    2.0
    """
    check_function(fun, "linearize")
    leaves, rebuild = flatten(primals)
    avals = [differentiable(settle(x), "linearize") for x in leaves]
    back = FlatPullback(fun, primals, has_aux)
    graph, _ = stage(lambda *tangents: back.filled(transposed(back, back.avals, tangents), tangents), avals, tuple,
                     "linearize", like=leaves, watch=False)
    # The tangent map reads what the forward pass saved, so writes to that must be noticed as in a pullback.
    graph.guards = back.pullback.trace.guards

    constants = [v.value for v in graph.outputs if type(v) is Literal]

    def tangent_map(*given):
        flat = same_structure(given, rebuild, len(avals), "the tangent map of linearize", "tangents")
        flat = [in_dtype(settle(t), a, "the tangent map of linearize", "tangent") for t, a in zip(flat, avals)]
        flat = [t[()] if type(t) is np.ndarray and not t.ndim else t for t in flat]
        check_inputs(flat, avals, "the tangent map of linearize")
        out = graph.eval([*flat, *graph.captured])
        check_escaped(out)
        return owned(graph.rebuild(out), [*flat, *constants])

    tangent_map.graph = graph  # type: ignore[attr-defined] # public, for those who look at it
    return (back.out, tangent_map, *back.aux)


class FlatPullback:
    """The pullback of `fun` at a point, on flat cotangents of those of its outputs that have a derivative: `avals`."""

    def __init__(self, fun, primals, has_aux=False):
        self.out, self.pullback, *self.aux = vjp(fun, *primals, has_aux=has_aux)
        outs, self.rebuild = flatten(self.out)
        self.every = [aval_of(v) for v in outs]
        self.live = [k for k, a in enumerate(self.every) if is_inexact(a.dtype)]
        self.avals = [self.every[k] for k in self.live]
        self.zeros = [zeros_of(a, *flatten(primals)[0]) for a in self.every]

    def __call__(self, *cts):
        return flatten(self.pullback(self.full(cts)))[0]

    def full(self, cts):
        """A cotangent of the output, of those of the outputs that have a derivative."""
        full = list(self.zeros)
        for k, ct in zip(self.live, cts):
            full[k] = ct
        return self.rebuild(full)

    def filled(self, found, like):
        """The tangent of the output, of those of the outputs that have a derivative."""
        full = [constant(np.zeros(a.shape), *like) for a in self.every]
        for k, t in zip(self.live, found):
            full[k] = t
        return self.rebuild(full)


def transposed(run, avals, cts):
    """Cotangents of the arguments, which are like `avals`, of the linear function `run(*flat)`, by none of its values.

    A tangent map is the transpose of a pullback: the primal part is done before anything is staged. Strong zeros look
    at the cotangents, so these must vanish only where the function makes them: zeros would mask every pole.
    """
    found = pull(run, [generic(a, *cts) for a in avals], range(len(avals)), [conjugated(ct) for ct in cts],
                 masked=True, stands_in=True)
    return [zeros_of(a, *cts) if t is None else conjugated(t) for a, t in zip(avals, found)]


def generic(aval, *like):
    """An array of `aval` between 1 and 2, without coincidences: no sum or difference of its elements vanishes."""
    # Multiples of the golden ratio modulo 1 are spread evenly and never repeat.
    values = 1.0 + np.arange(aval.size) * 0.6180339887498949 % 1.0
    return constant(values.reshape(aval.shape).astype(aval.dtype), *like)


def linear_transpose(fun: Callable[..., Any], *args: PyTree) -> Callable[..., Any]:
    """Transpose a linear function, from the shapes of its arguments alone.

    Args:
        fun: linear in all its arguments together.
        args: arrays or `ShapeDtype`; only shapes and dtypes are used.
    Returns:
        `transposed(ct)`: maps a cotangent of the output of `fun` to a tuple with one cotangent per argument.
    Raises:
        RuleError: an operation is not linear in the arguments.
        DtypeError: an argument is integer.

    >>> import numpy as np, covector
    >>> transposed = covector.linear_transpose(lambda x: 3.0 * x[1:], np.ones(3))
    >>> transposed(np.array([1.0, 2.0]))
    (array([0., 3., 6.]),)
    """
    check_function(fun, "linear_transpose")
    leaves, rebuild = flatten(args)
    for x in leaves:
        if not is_inexact(x.dtype if isinstance(x, ShapeDtype) else aval_of(settle(x)).dtype):
            raise DtypeError(f"linear_transpose needs floating or complex arguments, but one is {x!r}; use "
                             f"x.astype(float), or close over it{at_user_line()}")
    graph, _ = stage(fun, leaves, rebuild, "linear_transpose")
    check_linear(graph, len(leaves), "linear_transpose needs a linear function", "use vjp")
    avals = graph.in_avals[: len(leaves)]

    def transposed(ct):
        given = same_structure(ct, graph.rebuild, len(graph.out_avals), "the transposed function", "a cotangent")
        zeros = rebuild([zeros_of(a, *given) for a in avals])

        def run(*inputs):
            return graph.rebuild(graph.eval([*flatten(inputs)[0], *graph.captured]))

        for c, a in zip(given, graph.out_avals):
            if aval_of(settle(c)).shape != a.shape:
                raise ShapeError(f"the transposed function takes a cotangent of shape {a.shape} like the output of "
                                 f"the function, but got {aval_of(settle(c)).shape}; reshape it{at_user_line()}")
        return vjp(run, *zeros)[1](ct)

    return transposed
