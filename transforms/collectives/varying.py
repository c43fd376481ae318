"""Varying and replicated values along a mesh axis: the casts between them, and their transposes.

`psum` makes of what varies what is the same at all places, and `pvary` marks what is the same as varying; each is the
transpose of the other. An operation of both kinds of values marks the latter (`transforms/reverse/varying.py`). While
a graph is made nobody knows which values will vary: the primitives of two operands decide it when the graph runs.
"""

import numpy as np

from ...core.ops.reductions import reduce_max, reduce_min
from ...core.ops.samples import Sample
from ...core.ops.selection import where
from ...core.primitive.families import primitive
from ...core.primitive.primitive import REGISTRY
from ...core.trace.tracer import Tracer
from ..interpreters.vmap import Unbatched
from ..ranks.placed import at_line
from ..ranks.primitives import rank_extreme
from ..reverse.varying import varies
from ..scope.axis_environment import axis_trace, mapped_axis
from .along_axes import marking

_NO_SCALAR = {"()": "its operand has the mapped axis"}


def mark_varying(x, names):
    """`x` as a value that varies along axes of a mesh; one that does is left alone."""
    for name in names:
        if varies(x, axis_trace(name)) is not True:
            x = _pvary(x, (name,))
    return x


def unmarked(ct, x, y, names):
    """The cotangent of `x`, which was marked where it met `y`: the sum over the places if y varies, and x does not.

    A graph made inside of an axis may be differentiated after it has ended, around it: nothing varies there.
    """
    for name in names:
        trace = mapped_axis(name)
        if trace is None or not trace.mesh:
            continue
        first, second = varies(x, trace), varies(y, trace)
        if first is True or second is False:
            continue
        ct = _psum(ct, (name,)) if first is False and second is True else _unvary(ct, x, y, (name,))
    return ct


def entered(x, names):
    """An operand of a collective: over an axis of a mesh it counts as varying, so that its cotangent is a sum."""
    if isinstance(x, Tracer):
        for name in names:
            if axis_trace(name).mesh:
                x = mark_varying(x, (name,))
    return x


def _psum(ct, names):
    return REGISTRY["psum"].fun(entered(ct, names), names)


def _samples(operands):
    def samples(rng):
        shapes = ((3, 2), (3,), (3, 0))
        found = [Sample(*[rng.normal(size=s) for _ in range(operands)], params={"names": ("i",)}) for s in shapes]
        found += [Sample(*[(rng.normal(size=(3, 2)) * unit).astype(dtype) for _ in range(operands)],
                         params={"names": ("i",)}) for dtype, unit in ((np.float32, 1), (np.complex128, 1 + 2j))]
        return found

    return samples


def _same(xp, x):
    return x.view() if hasattr(x, "view") else x


def _on_batch(fun, x, others, names, batched, size):
    """On a batch: of the other operands only whether they vary along the axis counts, no value or shape."""
    found = fun(x, *others, names)
    return found if batched[0] else Unbatched(found)


def _pvary_across(trace, values, batched, names):
    (x,) = values
    rest = tuple([n for n in names if n != trace.axis_name])
    x = x if batched[0] else trace.spread(x)
    return _pvary(x, rest) if rest else x


_pvary = marking(primitive(
    "pvary",  # marks a value as varying along the axes
    impl=lambda xp, x, *, names: _same(xp, x),
    jvp={"x": lambda dx, names: _pvary(dx, names)},
    vjp={"x": lambda ct, x, names: unmarked(ct, x, _pvary(x, names), names)},
    shape=lambda x, names: x,
    batch=lambda x, names: _pvary(x, names),
    across=_pvary_across,
    varies=lambda given: True,
    effects="collective",
    shares=True,
    linear=("x",),
    samples=_samples(1),
    absent=_NO_SCALAR,
))


def _vary_like_across(trace, values, batched, names):
    x, y = values
    if batched[0]:
        return x
    return trace.spread(x) if batched[1] and trace.mesh else Unbatched(x)


_vary_like = primitive(
    "vary_like",  # marks a value as varying if y varies: what meets y in an operation
    impl=lambda xp, x, y, *, names: _same(xp, x),
    jvp={"x": lambda dx, y, names: _vary_like(dx, y, names)},
    vjp={"x": lambda ct, x, y, names: unmarked(ct, x, y, names)},
    nondiff="y",
    shape=lambda x, y, names: x,
    batch=lambda x, y, names, batched, size: _on_batch(_vary_like, x, (y,), names, batched, size),
    across=_vary_like_across,
    varies=lambda given: any(given),
    effects="collective",
    shares=True,
    linear=("x",),
    samples=_samples(2),
    absent=_NO_SCALAR,
)


def _unvary_across(trace, values, batched, names):
    ct, x, y = values
    if trace.mesh and batched[2] and not batched[1]:
        return REGISTRY["psum"].across(trace, (ct,), (batched[0],), names)
    return ct if batched[0] else Unbatched(ct)


_unvary = primitive(
    "unvary",  # the transpose of vary_like: the sum over the places if y varies, and x does not
    impl=lambda xp, ct, x, y, *, names: _same(xp, ct),
    jvp={"ct": lambda dct, x, y, names: _unvary(dct, x, y, names)},
    vjp={"ct": lambda ct, y, names: _vary_like(ct, y, names)},
    nondiff="x, y",
    shape=lambda ct, x, y, names: ct,
    batch=lambda ct, x, y, names, batched, size: _on_batch(_unvary, ct, (x, y), names, batched, size),
    across=_unvary_across,
    varies=lambda given: given[0] and (given[1] or not given[2]),
    effects="collective",
    shares=True,
    linear=("ct",),
    samples=_samples(3),
    absent=_NO_SCALAR,
)

enter_call = primitive(
    "enter_call",  # an operand of a call: where its cotangent varies and it does not, it is the sum over the places
    impl=lambda xp, x, *, names: _same(xp, x),
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct, x, names: unmarked(ct, x, ct, names)},
    shape=lambda x, names: x,
    batch=lambda x, names: enter_call(x, names),
    across=lambda trace, values, batched, names: values[0] if batched[0] else Unbatched(values[0]),
    effects="collective",
    shares=True,
    linear=("x",),
    samples=_samples(1),
    absent=_NO_SCALAR,
)


def _extreme_across(trace, values, batched, names, largest):
    (x,) = values
    if not batched[0]:
        return Unbatched(x)
    if trace.group is not None:
        return Unbatched(rank_extreme(x, at_line(trace.group, x), largest))
    return Unbatched((reduce_max if largest else reduce_min)(x, (0,), False))


def _share(dx, x, ans, names):
    """The part of `dx` where x is the extreme, split at ties."""
    won = x == ans
    return where(won, dx / _psum(won.astype(dx.dtype), names), dx * 0)


extreme = primitive(
    "pextreme",  # the maximum or minimum over an axis of a mesh
    impl=lambda xp, x, *, names, largest: x.copy(),
    jvp={"x": lambda dx, x, ans, names: _psum(_share(mark_varying(dx, names), x, ans, names), names)},
    vjp={"x": lambda ct, x, ans, names: _share(REGISTRY["psum"].vjp[0].fn(ct, names), x, ans, names)},
    shape=lambda x, names, largest: x,
    batch=lambda x, names, largest: extreme(x, names, largest),
    across=_extreme_across,
    varies=lambda given: False,
    effects="collective",
    samples=lambda rng: [Sample(rng.normal(size=s).astype(dtype), params={"names": ("i",), "largest": largest})
                         for s in ((3, 2), (3,), (3, 0)) for largest in (True, False)
                         for dtype in (np.float64, np.float32)],
    absent={**_NO_SCALAR, "complex": "complex values have no order"},
)
