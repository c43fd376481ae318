"""Primitives that are several operations at once, such as logsumexp, as the equations that native code has."""

import math

import numpy as np

from ....core.primitive.primitive import REGISTRY
from ...graph.equations import Equation, Literal, Var
from . import elimination

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class Expansion:
    """The equations that one comes down to."""

    __slots__ = ("equations",)

    def __init__(self, equations):
        self.equations = equations


def expanded(eq):
    """The `Expansion` of an equation; None where it has none."""
    make = _EXPANSIONS.get(eq.prim.name)
    avals = [v.aval for v in eq.inputs]
    if make is None or any(a.weak or a.dtype not in _FLOATS and a.dtype.kind not in "ib" for a in avals):
        return None
    if eq.prim.name not in _INTEGERS and avals[0].dtype not in _FLOATS:
        return None
    if eq.prim.name in _ELIMINATED and not elimination.takes(eq):
        return None
    steps = Steps(eq)
    results = make(steps, *eq.inputs, *eq.params)
    results = results if type(results) is tuple else (results,)
    if [v.aval for v in results] != [v.aval for v in eq.outputs]:
        return None
    outs = dict(zip(results, eq.outputs))
    for step in steps.equations:
        step.inputs = [outs.get(v, v) for v in step.inputs]
        step.outputs = [outs.get(v, v) for v in step.outputs]
    return Expansion(steps.equations)


class Steps:
    """Writes equations: a call of it is an operation by its name."""

    def __init__(self, like):
        self.equations = []
        self.like = like

    def __call__(self, name, *inputs, params=()):
        prim = REGISTRY[name]
        given = [v if type(v) in (Var, Literal) else Literal(v) for v in inputs]
        out = Var(prim.shape([v.aval for v in given], params))
        self.equations.append(Equation(prim, given, params, [out], self.like.quiet, self.like.place))
        return out

    def sum(self, x, axes, keepdims=True):
        return self("reduce_sum", x, params=(axes, keepdims))

    def mean(self, x, axes):
        return self("divide", self.sum(x, axes), float(math.prod([x.aval.shape[a] for a in axes])))

    def shaped(self, x, shape):
        return self("reshape", x, params=(shape,))


def _shifted(s, x, axes):
    """`x` without its maximum over axes, and that; 0 where it is not finite."""
    top = s("reduce_max", x, params=(axes, True))
    top = s("where", s("isfinite", top), top, 0.0)
    return s("subtract", x, top), top


def _logsumexp(s, x, axes, keepdims):
    low, top = _shifted(s, x, axes)
    out = s("add", s("log", s.sum(s("exp", low), axes)), top)
    return out if keepdims else s.shaped(out, tuple([n for k, n in enumerate(x.aval.shape) if k not in axes]))


def _vector_norm(s, x, axes, keepdims, scale):
    total = s.sum(s("square", x), axes, keepdims)
    return s("sqrt", total if scale == 1 else s("divide", total, float(scale)))


def _softmax(s, x, axis):
    parts = s("exp", _shifted(s, x, (axis,))[0])
    return s("divide", parts, s.sum(parts, (axis,)))


def _log_softmax(s, x, axis):
    low, _ = _shifted(s, x, (axis,))
    return s("subtract", low, s("log", s.sum(s("exp", low), (axis,))))


def _cross_entropy(s, x, labels):
    n, classes = x.aval.shape
    low, _ = _shifted(s, x, (1,))
    places = s("add", s("counted", labels, params=(classes,)), np.arange(n) * classes)
    picked = s("take", s.shaped(low, (n * classes,)), places, params=(0,))
    return s("subtract", s("log", s.sum(s("exp", low), (1,), False)), picked)


def _target_entropy(s, x, t):
    last = x.aval.ndim - 1
    logs = s("where", s("equal", t, 0.0), 0.0, _log_softmax(s, x, last))
    return s("negative", s.sum(s("multiply", t, logs), (last,), False))


def _affine(s, x, w, b):
    return s("add", s("matmul", x, w), b)


def _squared_error(s, x, y):
    gap = s("subtract", x, y)
    axes = tuple(range(gap.aval.ndim))
    return s("divide", s.sum(s("multiply", gap, gap), axes, False), float(gap.aval.size))


def _standardized(s, x, axes, eps):
    gap = s("subtract", x, s.mean(x, axes))
    spread = s("sqrt", s("add", s.mean(s("multiply", gap, gap), axes), float(eps)))
    return s("divide", gap, spread)


def _layer_norm(s, x, w, b, axes, eps):
    return s("add", s("multiply", _standardized(s, x, axes, eps), w), b)


def _window_sums(s, x, kernel, stride, dilation):
    lead = x.aval.ndim - len(kernel)
    windows = s("windows", x, params=(kernel, stride, dilation))
    return s("reduce_sum", windows, params=(tuple(range(lead, lead + len(kernel))), False))


def _max_windows(s, x, kernel, stride, padding, dilation):
    lead = x.aval.ndim - len(kernel)
    windows = s("windows", _beside_lowest(s, x, padding), params=(kernel, stride, dilation))
    return s("reduce_max", windows, params=(tuple(range(lead, lead + len(kernel))), False))


def _beside_lowest(s, x, padding):
    """An array with -inf around its last axes."""
    if not any(map(any, padding)):
        return x
    lead = x.aval.ndim - len(padding)
    wide = s("pad", x, params=(((0, 0),) * lead + padding,))
    return s("where", np.pad(np.ones(x.aval.shape[lead:], bool), padding), wide, -math.inf)


def _largest_places(s, x, kernel, stride, padding, dilation):
    n, lead = len(kernel), x.aval.ndim - len(kernel)
    size, front, taps = x.aval.shape[lead:], x.aval.shape[:lead], math.prod(kernel)
    windows = s("windows", _beside_lowest(s, x, padding), params=(kernel, stride, dilation))
    counts = windows.aval.shape[lead + n :]
    windows = s.shaped(windows, (*front, taps, *counts))
    order, starts, offsets = _order(size, counts, kernel, stride, padding, dilation)
    best = s("reduce_max", windows, params=((lead,), True))
    place = s("reduce_min", s("where", s("equal", windows, best), order, taps), params=((lead,), False))
    each = np.arange(taps).reshape((taps,) + (1,) * n)
    nan = s("reduce_max", s("where", s("isnan", windows), each, -1), params=((lead,), False))
    place = s("where", s("less", nan, 0), place, nan)
    rows = np.arange(math.prod(front)).reshape((*front, *(1,) * n)) * math.prod(size)
    return s("add", s("take", offsets, place, params=(0,)), rows + starts)


def _order(size, counts, kernel, stride, padding, dilation):
    """Places of windows, as arrays.

    Returns:
        order: `(places, *counts)`: the number of each place; where it lies outside, how many there are.
        starts: `(*counts)`: the first place of each window, in the array without its padding in a row.
        offsets: of each place, how far it lies behind the first.
    """
    taps, n = math.prod(kernel), len(kernel)
    inside = np.ones((1,) * (2 * n), bool)
    starts = offsets = np.zeros((), np.int64)
    for axis, (m, c, k, w, (before, _), d) in enumerate(zip(size, counts, kernel, stride, padding, dilation)):
        corner, far, step = np.arange(c) * w - before, np.arange(k) * d, math.prod(size[axis + 1 :])
        spots = far[:, None] + corner
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = k, c
        inside = inside & ((spots >= 0) & (spots < m)).reshape(shape)
        starts = starts + (corner * step).reshape((c,) + (1,) * (n - axis - 1))
        offsets = offsets + (far * step).reshape((k,) + (1,) * (n - axis - 1))
    order = np.arange(taps).reshape((taps,) + (1,) * n)
    return np.where(inside.reshape((taps, *counts)), order, taps), starts, offsets.reshape(-1)


def _spread_sums(s, y, extent, kernel, stride, dilation):
    lead = y.aval.ndim - len(kernel)
    front, out = y.aval.shape[:lead], y.aval.shape[lead:]
    wide = s("broadcast_to", s.shaped(y, (*front, *(1,) * len(kernel), *out)), params=((*front, *kernel, *out),))
    return s("overlap_add", wide, params=(extent, kernel, stride, dilation))


def _argument(reduce):
    def make(s, x, axis, keepdims):
        n = x.aval.shape[axis]
        best = s("equal", x, s(reduce, x, params=((axis,), True)))
        if x.aval.dtype.kind == "f":
            best = s("bitwise_or", best, s("isnan", x))
        order = np.arange(n).reshape((n,) + (1,) * (x.aval.ndim - axis - 1))
        return s("reduce_min", s("where", best, order, n), params=((axis,), keepdims))

    return make


def _widened(name):
    """Sums of small integers and truth values, in integers of 64 bits."""
    def make(s, x, *params):
        if x.aval.dtype.kind == "f" or x.aval.dtype == np.int64:
            return x  # nothing to widen: it has a rule, or none
        return s(name, s("cast_flat", x, params=(np.dtype(np.int64),)), params=params)

    return make


_ELIMINATED = frozenset({"solve", "solve_vector", "inv", "det", "slogdet"})
_WIDENED = ("reduce_sum", "reduce_prod", "cumsum", "cumprod")
_INTEGERS = frozenset({"argmax", "argmin", *_WIDENED})  # which take integers, too
_EXPANSIONS = {
    "logsumexp": _logsumexp, "vector_norm": _vector_norm, "softmax": _softmax,
    "log_softmax": _log_softmax, "cross_entropy": _cross_entropy,
    "target_cross_entropy": _target_entropy, "affine": _affine, "mean_squared_error": _squared_error,
    "standardize": _standardized, "layer_norm": _layer_norm, "argmax": _argument("reduce_max"),
    "argmin": _argument("reduce_min"), "max_windows": _max_windows, "largest_places": _largest_places,
    "window_sums": _window_sums, "spread_sums": _spread_sums,
    **{name: _widened(name) for name in _WIDENED},
    "solve": elimination.solve, "solve_vector": elimination.solve_vector, "inv": elimination.inv,
    "det": elimination.det, "slogdet": elimination.slogdet,
}
