"""Complex numbers in native code: equations of them as equations of their real and imaginary parts.

Each part is what NumPy computes, by the same formula, so that infinities and NaN are the same; sums that products of
matrices take may be in another order. What has no formula here keeps a program, or a loop, as it is.
"""

import math
from typing import NamedTuple

import numpy as np

from ....core.arrays.avals import make_aval
from ....core.arrays.dtypes import real_dtype
from ....core.ops.arithmetic import cos, exp, hypot, sin
from ....core.ops.indexing.pairs import as_complex, dft_pairs, imag, irdft_pairs, rdft_pairs, real
from ....core.ops.linalg.products import matmul
from ....core.ops.selection import astype, isfinite, isinf, where
from ....core.ops.shaping import broadcast_to, stack
from ....core.primitive.primitive import NotLowered
from ....core.trace.tracer import Tracer
from ....core.types import Any
from ...graph.equations import Body, Draft, Equation, Literal, Var, rewritten, walk
from .lowering import Lowering, lowered, named
from .lowerings import is_native


class Pair(NamedTuple):
    """A complex value: its parts, each a value under way, an array or a number."""

    re: Any
    im: Any


def without_complex(draft, known):
    """The draft on real parts, where native code has all of it; else with those of its loops that are so."""
    if not _holds_complex(draft.equations):
        return draft
    if not any(_is_complex(v.aval) for v in (*draft.inputs, *draft.outputs)):
        try:
            found = _in_parts(draft)
        except NotLowered:
            found = None
        if found is not None and all(is_native(eq, known) for eq in found.equations):
            return found
    equations = []
    for eq in draft.equations:
        if eq.prim.control is not None and _holds_complex([eq]):
            try:
                equations += _loop_alone(eq, known)
                continue
            except NotLowered:
                pass
        equations.append(eq)
    return Draft(draft.inputs, equations, draft.outputs, draft.guards)


def _holds_complex(equations):
    return any(_is_complex(v.aval) for eq in walk(equations) for v in (*eq.inputs, *eq.outputs))


def _is_complex(aval):
    return aval.dtype.kind == "c"


def _avals(v):
    """The avals of the parts of a variable, or its own."""
    return [make_aval(v.aval.shape, real_dtype(v.aval.dtype))] * 2 if _is_complex(v.aval) else [v.aval]


def _recorder(eq):
    return Lowering(eq, lambda step: True)


def _in_parts(graph):
    """A draft that takes and gives parts."""
    trace: Any = _recorder(None)
    known, inputs = {}, []
    for v in graph.inputs:
        parts = list(map(Var, _avals(v)))
        known[v] = _joined(map(trace.box, parts))
        inputs += parts
    try:
        for eq in graph.equations:
            trace.like = eq
            _write(trace, known, eq)
        outputs = [node for v in graph.outputs for node in _nodes(known, v)]
    finally:
        trace.done = True
    return Draft(inputs, trace.equations, outputs, graph.guards)


def _joined(parts):
    parts = list(parts)
    return Pair(*parts) if len(parts) == 2 else parts[0]


def _value(known, v):
    """The `Pair`, the value under way or the number that stands for an operand."""
    if type(v) is Var:
        return known[v]
    return Pair(np.real(v.value), np.imag(v.value)) if _is_complex(v.aval) else v.value


def _nodes(known, v):
    """The variables or literals that an operand is."""
    value = _value(known, v)
    parts = [_fitted(x, aval) for x, aval in zip(value if type(value) is Pair else [value], _avals(v), strict=True)]
    return [x.node if isinstance(x, Tracer) else Literal(x) for x in parts]


def _fitted(x, aval):
    """A part in the shape and dtype that it has."""
    if not isinstance(x, Tracer):
        return x if aval.weak else np.broadcast_to(np.asarray(x, aval.dtype), aval.shape)
    x = x if x.dtype == aval.dtype else astype(x, aval.dtype)
    return x if x.shape == aval.shape else broadcast_to(x, shape=aval.shape)


def _write(trace, known, eq):
    """Record what an equation is on parts."""
    if any(v.aval.weak for v in eq.outputs) or eq.acts:
        raise NotLowered
    if not any(_is_complex(v.aval) for v in (*eq.inputs, *eq.outputs)) and not eq.bodies():
        inputs = [node for v in eq.inputs for node in _nodes(known, v)]
        new = rewritten(eq, inputs)
        trace.equations.append(new)
        known.update((v, trace.box(v)) for v in eq.outputs)
    elif eq.prim.control is not None:
        new = _loop(eq, [node for v in eq.inputs for node in _nodes(known, v)])
        trace.equations.append(new)
        made = iter(new.outputs)
        known.update((v, _joined([trace.box(next(made)) for _ in _avals(v)])) for v in eq.outputs)
    else:
        rule = _RULES.get(eq.prim.name) or eq.prim.rearranges and _each
        if not rule:
            several = lowered(eq, lambda part: True)
            if not several:
                raise NotLowered
            for part in named(eq, *several):
                _write(trace, known, part)
            return
        if len(eq.outputs) != 1:
            raise NotLowered
        (out,) = eq.outputs
        found = rule(eq, *[_value(known, v) for v in eq.inputs])
        known[out] = _joined([_fitted(x, aval) for x, aval in zip(
            found if type(found) is Pair else [found], _avals(out), strict=True)])


def _loop(eq, inputs):
    """A loop or a branch on parts."""
    bodies = [p for p in eq.params if type(p) is Body]
    split = {}
    for body in bodies:
        if body.graph is None:
            raise NotLowered
        split[id(body)] = Body(_in_parts(body.graph), _run_on_parts(body))
    sizes = [len(_avals(v)) for v in eq.inputs]
    params = [split.get(id(p), p) for p in eq.params]
    if eq.prim.control == "scan":
        _, consts, n, *rest = eq.params
        params[1:] = [sum(sizes[:consts]), sum(sizes[consts : consts + n]), *rest]
    elif eq.prim.control == "while":
        params[2] = sum(sizes[: eq.params[2]])
    return Equation(eq.prim, inputs, tuple(params), [Var(a) for v in eq.outputs for a in _avals(v)], eq.quiet, eq.place)


def _run_on_parts(body):
    """The body as a function of parts, for NumPy."""
    def run(*values):
        given = iter(values)
        joined = lambda: as_complex.prim.impl(np, np.stack([next(given), next(given)], -1))  # noqa: E731
        found = body.run(*[joined() if _is_complex(v.aval) else next(given) for v in body.graph.inputs])
        return [part for x, v in zip(found, body.graph.outputs) for part in (
            (np.real(x), np.imag(x)) if _is_complex(v.aval) else (x,))]

    return run


def _loop_alone(eq, known):
    """Equations of NumPy that take complex operands apart, a loop on parts, and those that join its results."""
    trace: Any = _recorder(eq)
    try:
        given = {v: _joined([take(trace.box(v)) for take in (real, imag)]) if _is_complex(v.aval) else trace.box(v)
                 for v in eq.inputs if type(v) is Var}
        new = _loop(eq, [node for v in eq.inputs for node in _nodes(given, v)])
        if not is_native(new, known):
            raise NotLowered
        trace.equations.append(new)
        made = iter(new.outputs)
        for out in eq.outputs:
            parts = [trace.box(next(made)) for _ in _avals(out)]
            if len(parts) == 1:
                trace.equations[-1].outputs = [out if v is parts[0].node else v for v in trace.equations[-1].outputs]
                new.outputs = [out if v is parts[0].node else v for v in new.outputs]
                continue
            as_complex(stack(*parts, axis=out.aval.ndim))
            trace.equations[-1].outputs = [out]
    finally:
        trace.done = True
    return trace.equations


# What operations are of parts: functions of the equation and of operands, real ones as they are.


def _both(x):
    """A value as a `Pair`, as NumPy casts it."""
    return x if type(x) is Pair else Pair(x, 0.0)


def _each(eq, *xs):
    """The operation on the real parts, and on the imaginary ones; of real operands beside complex ones these are 0."""
    many = [_both(x) for x in xs]
    avals = [make_aval(v.aval.shape, real_dtype(eq.outputs[0].aval.dtype)) for v in eq.inputs]
    return Pair(*[eq.prim.rebind((*[_fitted(x[k], aval) for x, aval in zip(many, avals)], *eq.params))
                  for k in range(2)])


def _first(eq, x, *others):
    return Pair(*[eq.prim.rebind((part, *others, *eq.params)) for part in x])


def _multiply(eq, x, y):
    (a, b), (c, d) = _both(x), _both(y)
    return Pair(a * c - b * d, a * d + b * c)


def _matmul(eq, x, y):
    dtype = real_dtype(eq.outputs[0].aval.dtype)
    (a, b), (c, d) = [[_fitted(part, make_aval(v.aval.shape, dtype)) for part in _both(z)]
                      for z, v in zip((x, y), eq.inputs)]
    return Pair(matmul(a, c) - matmul(b, d), matmul(a, d) + matmul(b, c))


def _divide(eq, x, y):
    """By the larger part of the divisor, after Smith (1962), as NumPy does."""
    (a, b), (c, d) = _both(x), _both(y)
    first, none = abs(c) >= abs(d), (c == 0.0) & (d == 0.0)
    large, small = where(first, c, d), where(first, d, c)
    ratio = small / where(none, 1.0, large)
    scale = 1.0 / (large + small * ratio)
    re = where(first, a + b * ratio, a * ratio + b) * scale
    im = where(first, b - a * ratio, b * ratio - a) * scale
    return Pair(where(none, a / abs(c), re), where(none, b / abs(c), im))


def _dft(eq, x):
    axes, inverse, norm = eq.params
    z = _stacked(eq, x)
    for axis in axes:
        z = dft_pairs(z, axis, inverse, norm)
    return Pair(z[..., 0], z[..., 1])


def _rdft(eq, x):
    z = rdft_pairs(x, *eq.params)
    return Pair(z[..., 0], z[..., 1])


def _stacked(eq, x):
    aval = make_aval(eq.inputs[0].aval.shape, real_dtype(eq.inputs[0].aval.dtype))
    return stack(*[_fitted(part, aval) for part in _both(x)], axis=len(aval.shape))


def _strong_zero(eq, ct, c):
    (g, h), (a, b) = _both(ct), _both(c)
    lost = (g == 0.0) & (h == 0.0) & ((a != a) | (b != b))
    return _joined(where(lost, 0.0, part) for part in (c if type(c) is Pair else [c]))


def _where(eq, mask, x, y):
    return Pair(*[where(mask, a, b) for a, b in zip(_both(x), _both(y))])


def _exp(eq, x):
    """By that of less where it overflows, since a product with a sine or cosine need not; of infinities as in C."""
    (a, b), single = x, x.re.dtype == np.float32
    shift = 20.0 if single else 100.0
    large, known = a > (85.0 if single else 700.0), isfinite(b)
    size, factor = exp(where(large, a - shift, a)), where(large, math.exp(shift), 1.0)
    re, im = size * cos(b) * factor, where(b == 0.0, b, size * sin(b) * factor)
    none, many = (a == -math.inf) & ~known, (a == math.inf) & ~known
    return Pair(where(none, 0.0, where(many, math.inf, re)), where(none, 0.0, im))


def _equal(eq, x, y):
    (a, b), (c, d) = _both(x), _both(y)
    return (a == c) & (b == d)


def _not_equal(eq, x, y):
    (a, b), (c, d) = _both(x), _both(y)
    return (a != c) | (b != d)


def _cast(eq, x, *dtype):
    if not _is_complex(eq.outputs[0].aval):  # NumPy warns
        raise NotLowered
    return _both(x)


_RULES: Any = {
    "add": lambda eq, x, y: Pair(*[a + b for a, b in zip(_both(x), _both(y))]),
    "subtract": lambda eq, x, y: Pair(*[a - b for a, b in zip(_both(x), _both(y))]),
    "negative": lambda eq, x: Pair(-x.re, -x.im), "conjugate": lambda eq, x: Pair(x.re, -x.im),
    "real": lambda eq, x: x.re, "imag": lambda eq, x: x.im, "to_complex": _cast, "cast": _cast, "cast_flat": _cast,
    "multiply": _multiply, "exp": _exp, "square": lambda eq, x: _multiply(eq, x, x), "divide": _divide,
    "matmul": _matmul, "dft": _dft, "rdft": _rdft,
    "irdft": lambda eq, x: irdft_pairs(_stacked(eq, x), *eq.params),
    "absolute": lambda eq, x: hypot(x.re, x.im), "strong_zero": _strong_zero, "where": _where, "equal": _equal,
    "not_equal": _not_equal, "isnan": lambda eq, x: (x.re != x.re) | (x.im != x.im),
    "isfinite": lambda eq, x: isfinite(x.re) & isfinite(x.im), "isinf": lambda eq, x: isinf(x.re) | isinf(x.im),
    **dict.fromkeys("reduce_sum reshape broadcast_to getitem pad cumsum optimization_barrier take".split(), _first),
    **dict.fromkeys(("concatenate", "stack", "index_update"), _each),
}
