"""Recursive filters along the last axis."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import linear, primitive
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..linalg.products import lift
from ..samples import Sample, arrays
from ..shaping import broadcast_to, flip, pad, slice_axis, stack
from .library import ndimage, on_host, signal


def _run(xp, b, a, x, zi):
    on_host(xp, "lfilter")
    dtype = float_dtype(result_dtype(b, a, x, zi))
    lead = np.broadcast_shapes(b.shape[:-1], a.shape[:-1], x.shape[:-1], zi.shape[:-1])
    x = np.broadcast_to(np.asarray(x, dtype), (*lead, x.shape[-1]))
    zi = np.broadcast_to(np.asarray(zi, dtype), (*lead, zi.shape[-1]))
    if not x.size:
        return np.zeros(x.shape, dtype)
    b, a = np.asarray(b, dtype), np.array(a, dtype)
    a[..., 0] = 1.0
    own = np.broadcast_shapes(b.shape[:-1], a.shape[:-1])
    b, a = (np.broadcast_to(v, (*own, v.shape[-1])) for v in (b, a))
    if not any(n > 1 for n in own):
        rows = signal.lfilter(b.reshape(b.shape[-1]), a.reshape(a.shape[-1]), x, axis=-1, zi=zi)[0]
        return np.asarray(rows, dtype)
    out = np.empty(x.shape, dtype)
    for place in np.ndindex(*lead):
        mine = tuple(0 if n == 1 else k for n, k in zip(own, place[len(lead) - len(own):]))
        out[place] = signal.lfilter(b[mine], a[mine], x[place], zi=zi[place])[0]
    return out


def _shape(b, a, x, zi):
    lead = broadcast_shape("lfilter", [v.shape[:-1] for v in (b, a, x, zi)])
    return make_aval((*lead, x.shape[-1]), float_dtype(result_dtype(b, a, x, zi)))


def delayed(x, count):
    """x[n - k] for k = 0 … count - 1, 0 before the start: (…, count, n)."""
    n = x.shape[-1]
    front = pad(x, ((0, 0),) * (x.ndim - 1) + ((count - 1, 0),))
    return stack(*[slice_axis(front, x.ndim - 1, count - 1 - k, count - 1 - k + n) for k in range(count)],
                 axis=x.ndim - 1)


def _of_poles(a, u, turned=False):
    """u / A: the filter without zeros; `turned`: run backward in time, of conjugate coefficients, its adjoint."""
    n = a.shape[-1]
    b = constant(np.eye(1, n, dtype=u.dtype)[0], u)
    if not turned:
        return filter_at_rest(b, a, u)
    last = (u.ndim - 1,)
    return flip(filter_at_rest(b, conj(a), flip(u, axes=last)), axes=last)


def _without_first(a):
    """Coefficients of which the first, 1, does not move."""
    return a * constant((np.arange(a.shape[-1]) > 0).astype(a.real.dtype), a)


def _fir(b, x):
    return (b[..., :, None] * delayed(x, b.shape[-1])).sum(axis=-2)


def _jvp_zi(dzi, a, x_aval):
    """The state is an input of the first steps: A y = B x + zi."""
    n, count = x_aval.shape[-1], dzi.shape[-1]
    start = pad(dzi, ((0, 0),) * (dzi.ndim - 1) + ((0, max(n - count, 0)),))[..., :n]
    return _of_poles(a, broadcast_to(start, (*_lead(dzi.shape[:-1], x_aval.shape[:-1]), n)))


def _lead(*shapes):
    return np.broadcast_shapes(*shapes)


def _vjp_at_rest(ct, b, a, x, ans):
    """The adjoint of A y = B x: w = y̅ / A backward in time; then b̄[k] = Σ w[n] x[n - k]* and so on."""
    w = _of_poles(a, ct, turned=True)
    bar_b = (conj(delayed(x, b.shape[-1])) * w[..., None, :]).sum(axis=-1)
    bar_a = -(conj(delayed(ans, a.shape[-1])) * w[..., None, :]).sum(axis=-1)
    n, count = w.shape[-1], b.shape[-1]
    ahead = pad(w, ((0, 0),) * (w.ndim - 1) + ((0, count - 1),))
    bar_x = sum(conj(b[..., k : k + 1]) * slice_axis(ahead, w.ndim - 1, k, k + n) for k in range(count))
    return bar_b, _without_first(bar_a), bar_x


def _vjp(ct, b, a, x, zi_aval, ans):
    """The same; the state is added to the first inputs."""
    w = _of_poles(a, ct, turned=True)
    count = zi_aval.shape[-1]
    ahead = pad(w, ((0, 0),) * (w.ndim - 1) + ((0, count),))
    return *_vjp_at_rest(ct, b, a, x, ans), ahead[..., :count]


def _lifted(xs, batched):
    rank = max(v.ndim + (not own) for v, own in zip(xs, batched))
    return [lift(v, rank) if own else v for v, own in zip(xs, batched)]


def _samples(rng):
    out = []
    for lead, order, n, c, dtype in (((), 2, 6, 0, "f8"), ((), 2, 6, 1j, "c16"), ((), 1, 5, 0, "f4"),
                                     ((2,), 3, 2, 0, "f8"), ((), 0, 4, 0, "f8"), ((), 1, 0, 0, "f8")):
        def draw(*shape, c=c):
            return rng.normal(size=shape) + c * rng.normal(size=shape)

        b, a = draw(order + 1), 0.3 * draw(order + 1)
        a[0] = 1.0
        xs = b, a, draw(*lead, n), draw(*lead, order)
        out.append(Sample(*[(1.0 * v).astype(dtype) for v in xs], tol=1e-5))
    several = rng.normal(size=(2, 3))
    return [*out, Sample(several, np.concatenate((np.ones((2, 1)), 0.2 * several[:, :2]), 1), rng.normal(size=(2, 4)),
                         np.zeros((2, 2)), tol=1e-5)]


lfilter = primitive(
    "lfilter",  # b, a: (…, m + 1), a[0] taken to be 1; x: (…, n); zi: (…, m): the filter's results, (…, n)
    host=True,
    impl=lambda xp, b, a, x, zi: _run(xp, b, a, x, zi),
    shape=_shape,
    jvp={"b": lambda db, a, x: _of_poles(a, _fir(db, x)),
         "a": lambda da, a, ans: -_of_poles(a, _fir(_without_first(da), ans)),
         "x": lambda dx, b, a: filter_at_rest(b, a, dx),
         "zi": _jvp_zi},
    vjp={"b, a, x, zi": _vjp},
    blocks=1,
    batch=lambda b, a, x, zi, batched: lfilter(*_lifted((b, a, x, zi), batched)),
    samples=_samples,
    absent={"()": "it runs along an axis"},
)
filter_at_rest = primitive(
    "filter_at_rest",  # lfilter from a state of 0: linear in x
    host=True,
    impl=lambda xp, b, a, x: _run(xp, b, a, x, np.zeros(b.shape[-1] - 1, x.dtype)),
    shape=lambda b, a, x: _shape(b, a, x, x),
    jvp={"b": lambda db, a, x: _of_poles(a, _fir(db, x)),
         "a": lambda da, a, ans: -_of_poles(a, _fir(_without_first(da), ans)),
         "x": lambda dx, b, a: filter_at_rest(b, a, dx)},
    vjp={"b, a, x": _vjp_at_rest},
    linear=("x",),
    blocks=1,
    batch=lambda b, a, x, batched: filter_at_rest(*_lifted((b, a, x), batched)),
    samples=lambda rng: [Sample(*sample.operands[:3], tol=sample.tol) for sample in _samples(rng)],
    absent={"()": "it runs along an axis"},
)


_SHORT = 64  # up to this length SciPy's treatment of a reflecting end is not symmetric to rounding


def _spline(x, axis, order, mode):
    return ndimage.spline_filter1d(x, order, axis, output=x.dtype, mode=mode)


def _turned_spline(x, axis, order, mode):
    """The transpose: the matrix of samples of splines is symmetric, but for the ends of a mirror, which count half."""
    n = x.shape[axis]
    if mode == "reflect" and n <= _SHORT:
        matrix = _spline(np.eye(n), 0, order, mode).T
        return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    if mode != "mirror" or n == 1:
        return _spline(x, axis, order, mode)
    ends = np.ones(n)
    ends[[0, -1]] = 2.0
    ends = ends.reshape((-1,) + (1,) * (x.ndim - 1 - axis))
    return _spline(x * ends, axis, order, mode) / ends


def _run_spline(xp, x, axis, order, mode, turned):
    on_host(xp, "spline_filter1d")
    if not x.size:
        return np.zeros(x.shape, x.dtype)
    wide = x.astype(np.result_type(x.dtype, np.float64))
    return (_turned_spline if turned else _spline)(wide, axis, order, mode).astype(x.dtype)


spline_filter = linear(
    "spline_filter",  # the coefficients of the spline of that order through x along axis; mode: of the ends
    host=True,
    impl=lambda xp, x, *, axis, order, mode, turned=False: _run_spline(xp, x, axis, order, mode, turned),
    transpose=lambda ct, axis, order, mode, turned: spline_filter(ct, axis, order, mode, not turned),
    shape=lambda x: x,
    batch=lambda x, axis, order, mode, turned: spline_filter(x, axis + 1, order, mode, turned),
    samples=lambda rng: [s for axis, order, mode in ((0, 3, "mirror"), (1, 2, "reflect"), (1, 3, "grid-wrap"),
                                                     (1, 5, "mirror"), (0, 4, "reflect"))
                         for s in arrays((4, 7), axis=axis, order=order, mode=mode)(rng)]
    + arrays((1, 0), axis=1, order=3, mode="mirror")(rng) + arrays((70,), axis=0, order=5, mode="reflect")(rng),
    absent={"()": "it runs along an axis"},
)
