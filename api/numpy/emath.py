"""`numpy.emath`: functions of real values with complex outputs outside the real domain.

The output dtype depends on whether an argument lies outside the real domain, so its data must be concrete. Under `vmap`
and while staging, convert it to complex first, or use the plain function.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.ops import arithmetic, elementary, selection, shaping
from ..core.trace.tracer import is_concrete
from . import elementwise
from .surface import Array, array_of, implements, known


def _below(name: str, x: Array, low: float) -> Array:
    """Make `x` complex if a real element lies below `low`."""
    x = array_of(x)
    if x.dtype.kind == "c":
        return x
    return _complex(x) if (known(x, f"emath.{name}") < low).any() else x


def _complex(x: Array) -> Array:
    """Return NumPy's complex dtype for each real one."""
    return shaping.complex_of(selection.astype(x, np.float32 if x.dtype.char in "fbhBH" else np.float64))


def _beyond(name: str, x: Array) -> Array:
    """Make `x` complex if a real element lies outside -1 to 1."""
    x = array_of(x)
    if x.dtype.kind == "c":
        return x
    return _complex(x) if (abs(known(x, f"emath.{name}")) > 1).any() else x


def _function(reference: Callable[..., Any], fun: Callable[..., Any], widen: Callable[..., Any],
              *limit: float) -> Callable[..., Any]:
    name = reference.__name__

    def traced(x: Array) -> Array:
        return fun(widen(name, x, *limit))

    return implements(reference)(traced)


sqrt = _function(np.emath.sqrt, arithmetic.sqrt, _below, 0)
log = _function(np.emath.log, arithmetic.log, _below, 0)
log2 = _function(np.emath.log2, elementary.log2, _below, 0)
log10 = _function(np.emath.log10, elementary.log10, _below, 0)
arccos = _function(np.emath.arccos, elementary.arccos, _beyond)
arcsin = _function(np.emath.arcsin, elementary.arcsin, _beyond)
arctanh = _function(np.emath.arctanh, elementary.arctanh, _beyond)


@implements(np.emath.logn)
def logn(n: Array, x: Array) -> Array:
    return arithmetic.log(_below("logn", x, 0)) / arithmetic.log(_below("logn", n, 0))


@implements(np.emath.power)
def power(x: Array, p: Array) -> Array:
    x, p = _below("power", x, 0), array_of(p)
    if p.dtype.kind in "iu" and (not is_concrete(p) or (known(p, "emath.power") < 0).any()):
        p = p * 1.0
    return elementwise.power(x, p)
