"""`debug_nans` under jit: rerun a function that returned NaN under tracing, to find the operation."""

from ....core.arrays.avals import aval_of
from ....core.arrays.dtypes import is_inexact
from ....core.errors import at_user_line
from ....core.trace.tracer import Tracer
from ...arguments.arguments import flatten, settle
from ...interpreters.gradient import vjp
from ...reverse.nan_checks import has_nan


def run_watched(fun, args, kwargs, name):
    """`fun(*args, **kwargs)`; raises FloatingPointError if it makes a NaN of plain arguments without one."""
    out = fun(*args, **kwargs)  # plain first: most calls have no NaN
    found = [settle(v) for v in flatten(out)[0]]
    if any(isinstance(v, Tracer) for v in found) or not has_nan([v for v in found if _is_float(v)]):
        return out  # other transforms look at each operation on their values
    leaves, rebuild = flatten((args, kwargs))
    places = [k for k, x in enumerate(leaves) if _is_float(x)]
    if has_nan([leaves[k] for k in places]):  # a NaN that was given is no fault of an operation
        return out

    def run(*values):
        full = list(leaves)
        for k, x in zip(places, values):
            full[k] = x
        args, kwargs = rebuild(full)
        fun(*args, **kwargs)
        return ()

    vjp(run, *[leaves[k] for k in places])
    raise FloatingPointError(f"jit of {name} returned a NaN, which no operation on its floating arguments made; look "
                             f"at its integers, and at the arrays it closes over{at_user_line()}")


def _is_float(x):
    """Tell whether a leaf is an array or a number that can be NaN."""
    try:
        return is_inexact(aval_of(x).dtype)
    except TypeError:
        return False
