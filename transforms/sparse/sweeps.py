"""Compressed sweeps: a derivative applied to sums of unit vectors, as many at a time as fit a memory budget."""

import numpy as np

from ...core.errors import DtypeError, at_user_line
from ...core.ops.shaping import concatenate
from ...core.trace.device import constant
from ...core.types import Any
from ..arguments.arguments import settle
from ..arguments.escape_checks import check_escaped
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..interpreters.vmap import Mapping, unbox_out


class Sweeps:
    """The derivative of a function of flat leaves at one point, applied to rows of tangents or cotangents."""

    def __init__(self, fun, leaves, avals, out_avals, live, holomorphic):
        self.fun = fun
        self.leaves = leaves
        self.avals = avals
        self.out_avals = [out_avals[k] for k in live]
        self.live = live
        self.holomorphic = holomorphic
        self.pullback: Any = None

    def of_live(self, *leaves):
        """The floating outputs."""
        outs = self.fun(*leaves)
        return [outs[k] for k in self.live]

    def push(self, seeds):
        """`(k, outputs)` from tangents `(k, inputs)`."""
        with Mapping(seeds.shape[0]) as trace:
            boxed = [trace.box(s) for s in _cut(seeds, self.avals, self.leaves)]
            tangents = jvp(self.of_live, tuple(self.leaves), tuple(boxed))[1]
            out = [unbox_out(trace, settle(v), 0) for v in tangents]
        check_escaped(out)
        return _beside(out, seeds.shape[0])

    def pull(self, seeds):
        """`(k, inputs)` from cotangents `(k, outputs)`: the rows of the Jacobian, added up by `seeds`."""
        # One forward pass for all chunks of rows.
        if self.pullback is None:
            outs, self.pullback = vjp(self.of_live, *self.leaves)
        rows = self._pulled(seeds)
        if self.holomorphic or not any(a.dtype.kind == "c" for a in self.out_avals):
            return rows
        return rows + 1j * self._pulled(seeds * -1j)  # real inputs receive the real part of a complex row

    def _pulled(self, seeds):
        with Mapping(seeds.shape[0]) as trace:
            boxed = [trace.box(s) for s in _cut(seeds, self.out_avals, self.leaves)]
            out = [unbox_out(trace, settle(v), 0) for v in self.pullback(boxed)]
        check_escaped(out)
        return _beside(out, seeds.shape[0])


def _cut(seeds, avals, like):
    """Rows of seeds as arrays of the shapes of `avals`."""
    out, start = [], 0
    for a in avals:
        part = seeds[:, start : start + a.size]
        if part.dtype.kind == "c" and a.dtype.kind != "c":
            part = part.real * 0.0
        out.append(constant(part.astype(a.dtype, copy=False).reshape((seeds.shape[0], *a.shape)), *like))
        start += a.size
    return out


def _beside(parts, count):
    flat = [v.reshape((count, v.size // max(count, 1))) for v in parts]
    return flat[0] if len(flat) == 1 else concatenate(*flat, axis=1)


def unit_sums(colours, start, stop):
    """For each colour from `start` to `stop` the sum of the unit vectors that have it."""
    seeds = np.zeros((stop - start, len(colours)))
    places = np.flatnonzero((colours >= start) & (colours < stop))
    seeds[colours[places] - start, places] = 1.0
    seeds.flags.writeable = False
    return seeds


def check_kinds(avals, out_avals, holomorphic, name):
    """Raise for complex inputs that nobody said to be those of a holomorphic function."""
    for a in avals:
        if (a.dtype.kind == "c") != holomorphic:
            wanted = "complex inputs with" if holomorphic else "real inputs without"
            raise DtypeError(f"{name} needs {wanted} holomorphic=True, but got {a!r}; pass holomorphic=True if the "
                             f"function is complex-differentiable, or differentiate with respect to real and imaginary "
                             f"part{at_user_line()}")
    for a in out_avals:
        if holomorphic and a.dtype.kind != "c":
            raise DtypeError(f"{name} with holomorphic=True needs complex outputs, but the function returned {a!r}; "
                             f"drop holomorphic{at_user_line()}")
