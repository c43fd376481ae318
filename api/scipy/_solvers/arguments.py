"""Arguments of solvers: the traced values among them, and closures over plain arrays."""

from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.trace.tracer import Tracer
from ...numpy import asarray
from ...transforms.arguments.arguments import flatten, settle
from ...transforms.custom.two_way import Closed
from ...transforms.staging.closures import closes_over_tracer
from ...transforms.staging.staging import stage


def in_tuple(args: Any) -> tuple:
    """`args` as SciPy takes it: anything but a tuple stands for a tuple of it."""
    return args if isinstance(args, tuple) else (args,)


def is_traced(*things: Any) -> bool:
    """Tell whether a traced value is among the leaves of pytrees, or in the closure of a function there."""
    leaves = [settle(x) for x in flatten(things)[0]]
    return any(isinstance(x, Tracer) for x in leaves) or closes_over_tracer([x for x in leaves if callable(x)])


def value_of(x: Any) -> Any:
    """The aval of an array, or of what becomes one."""
    return aval_of(asarray(settle(x)))


def start_of(x0: Any, name: str) -> Any:
    """The starting point of a search for real unknowns: an array of floats, or a traced value."""
    x0 = settle(x0)
    found = x0 if isinstance(x0, Tracer) else np.asarray(x0)
    if found.dtype.kind == "c":
        raise DtypeError(f"{name} looks for real unknowns where values are traced, but x0 has dtype {found.dtype}; "
                         f"stack the real and the imaginary parts{at_user_line()}")
    return found if isinstance(found, Tracer) else found.astype(float)


def closed(fun: Any, more: Any, examples: list[Any], name: str) -> Closed:
    """`fun(*arrays, more)` as a function of plain arrays, and of the traced values in `more` and its closure.

    Args:
        fun: takes arrays like `examples`, then the pytree `more`, whose leaves may be anything.
        more: a pytree.
        examples: avals.
        name: of the public function.
    """
    leaves, rebuild = flatten(more)
    leaves = [settle(x) for x in leaves]
    places = [k for k, v in enumerate(leaves) if isinstance(v, Tracer)]
    plain = [None if isinstance(v, Tracer) else v for v in leaves]
    n = len(examples)

    def with_more(*flat: Any) -> Any:
        full = list(plain)
        for k, v in zip(places, flat[n:]):
            full[k] = v
        return fun(*flat[:n], rebuild(full))

    return Closed(with_more, examples, name, [leaves[k] for k in places])


def shaped(out: Any, shape: tuple, name: str, what: str) -> Any:
    """The output of a user's function, a real array of `shape`; of one element where a number is wanted."""
    out = asarray(settle(out))
    if out.dtype.kind == "c":
        raise DtypeError(f"{name} needs {what} to return real values where values are traced, but it returned dtype "
                         f"{out.dtype}; compute the real and the imaginary parts apart{at_user_line()}")
    if out.shape == shape:
        return out
    if not shape and out.size == 1:
        return out.reshape(())
    raise ShapeError(f"{name} needs {what} to return {'a number' if not shape else f'shape {shape}'}, but it returned "
                     f"shape {tuple(out.shape)}; {'reduce it' if not shape else 'give one element for each unknown'}"
                     f"{at_user_line()}")


class Repeated:
    """A function that a solver calls many times on plain arrays of one form: staged at its first call.

    One that has Python control flow on its arguments, which cannot be staged, is called as it is.
    """

    def __init__(self, fun: Any) -> None:
        self.fun = fun
        self.form: Any = None
        self.graph: Any = None

    def __call__(self, *flat: Any) -> Any:
        given = [np.asarray(v) for v in flat]
        form = [(v.shape, v.dtype) for v in given]
        if self.form is None:
            self.form = form
            try:
                self.graph, _ = stage(self.fun, [make_aval(*of) for of in form], tuple, "a solver", watch=False)
            except Exception:  # of the function itself, too: then the call below raises it
                self.graph = None
        if self.graph is None or self.graph.captured or form != self.form:
            return self.fun(*flat)
        return self.graph.rebuild(self.graph.eval(given))


def floats(*shape: int) -> Any:
    """The aval of an array of float64."""
    return make_aval(shape, np.dtype(float))


FLAG, COUNT = make_aval((), np.dtype(bool)), make_aval((), np.dtype(np.int64))
