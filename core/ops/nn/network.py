"""Layers of networks as primitives where one kernel does the work of several: relu, affine maps."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.halves import in_single
from ...errors import ShapeError, at_user_line
from ...primitive.families import broadcast_shape, elementwise, primitive
from ...tape.unbroadcast import conj, fix, strong_zero
from ...trace.device import constant
from ..arithmetic import exp
from ..dependence import lines, numbered, shared
from ..elementary import sigmoid
from ..linalg.products import matmul, product, through
from ..reductions import reduce_mean, reduce_sum
from ..samples import Sample, arrays, together, unary
from ..shaping import broadcast_to


def _relu(xp, x):
    if type(x) is np.ndarray and x.size >= _LARGE and x.dtype.kind == "f":
        return np.clip(x, 0.0, np.inf)  # half the time of maximum; 3 us more on small arrays
    return xp.maximum(x, 0)


_LARGE = 1 << 12  # elements

# The slope at 0 is 0. A mask of booleans times floats costs half of what the maximum does.
relu = elementwise(
    "relu",
    impl=lambda xp, x: _relu(xp, x),
    d={"x": lambda ans: ans > 0},
    absent={"complex": "the order it needs is that of real numbers"},
    samples=together(unary(complex_too=False), lambda rng: [Sample(np.zeros(3), smooth=False, orders=1)]),
)


def _softplus(xp, x):
    """max(x, 0) + log(1 + e) for e = exp(-|x|), and log(1 + e) = log(u) e / (u - 1) where u = 1 + e is rounded.

    Kahan's correction (Higham 2002, Accuracy and stability, section 1.14.1) with the fast log in place of log1p.
    """
    e = xp.exp(-xp.abs(x))
    u = e + 1
    off = u - 1
    exact = off == 0
    return xp.maximum(x, 0) + (xp.log(u) * (e / (off + exact)) + e * exact)  # e where off is 0: log(u) is 0 there


softplus = elementwise(
    "softplus",
    impl=lambda xp, x: _softplus(xp, x),
    d={"x": lambda x: sigmoid(x)},
    absent={"complex": "the order it needs is that of real numbers"},
    samples=together(unary(complex_too=False), lambda rng: [Sample(np.array([-700.0, -40.0, 0.0, 40.0, 700.0]))]),
)


def _affine(xp, x, w, b):
    out = product(x, w)
    if out.dtype == b.dtype or out.dtype.kind == "c" and b.dtype.kind != "c" and out.dtype.itemsize >= 2 * b.itemsize:
        if b.shape == out.shape[out.ndim - b.ndim :]:
            out += b
            return out
    return out + b


def _affine_shape(x, w, b):
    if x.ndim != 2 or w.ndim != 2 or x.shape[1] != w.shape[0]:
        raise ShapeError(f"affine needs x of shape (n, k), w of shape (k, m) and b that broadcasts to (n, m), but got "
                         f"{x.shape}, {w.shape} and {b.shape}; use x @ w + b for other shapes{at_user_line()}")
    out = (x.shape[0], w.shape[1])
    if broadcast_shape("affine", [out, b.shape]) != out:
        raise ShapeError(f"affine cannot add b of shape {b.shape} to a product of shape {out}; b must broadcast to it"
                         f"{at_user_line()}")
    return make_aval(out, result_dtype(x, w, b))


def _affine_jvp(tangents, x, w, ans):
    dx, dw, db = tangents
    total = None if dx is None else matmul(dx, w)
    if dw is not None:
        part = matmul(x, dw)
        total = part if total is None else total + part
    if db is None:
        return total
    return broadcast_to(db, shape=ans.shape) if total is None else total + db


def _affine_batch(x, w, b, batched):
    out = matmul(x, w)
    if batched[2] and b.ndim < 3:
        b = b.reshape((b.shape[0],) + (1,) * (3 - b.ndim) + tuple(b.shape[1:]))
    if not (batched[0] or batched[1]):
        out = out[None]
    return out + b


_ONES = {np.dtype(t): np.ones(1024, t) for t in (np.float64, np.float32)}


def _bias(ct, b_aval):
    """The cotangent of the bias; a row of biases is the common case, spared the search for broadcast axes."""
    if b_aval.ndim == 1 and b_aval.shape[0] == ct.shape[1]:
        if type(ct) is not np.ndarray:
            return ct.sum(axis=0)
        ones = _ONES[ct.dtype]  # 6.4 us a sum at 128 x 256, 3.0 a product
        return ones[: len(ct)].dot(ct) if len(ct) <= len(ones) else np.add.reduce(ct, 0)
    return fix(ct, b_aval)


affine = primitive(
    "affine",  # x: (n, k), w: (k, m), b: broadcasts to (n, m) -> x @ w + b, in one buffer
    impl=_affine,
    shape=_affine_shape,
    jvp={"x, w, b": _affine_jvp},
    vjp={
        "x": lambda ct, w: matmul(ct, conj(w).T),
        "w": lambda ct, x: matmul(conj(x).T, ct),
        "b": lambda ct: ct,
    },
    real_vjp={"x": lambda ct, w: through(ct, w), "w": lambda ct, x: product(x.T, ct), "b": _bias},
    exact=True,
    batch=_affine_batch,
    depends=lambda x, w, b, ans: {0: shared(x.shape, ans.shape, (0,), (0,)), 1: shared(w.shape, ans.shape, (1,), (1,)),
                                  2: (numbered(b.shape), np.broadcast_to(numbered(b.shape), ans.shape))},
    samples=together(
        arrays((3, 4), (4, 2), (2,)),
        arrays((3, 4), (4, 2), (3, 2)),
        arrays((2, 2), (2, 2), (2, 1)),
        arrays((1, 3), (3, 2), ()),
        arrays((0, 3), (3, 2), (2,)),
        arrays((2, 0), (0, 2), (2,)),
    ),
)

for _active in ((0,), (1,), (0, 1)):
    matmul.prim.rule(_active, True).biased = affine.prim.rule((*_active, 2), True)


@in_single
def _mse(xp, x, y):
    gap = (x - y).reshape(-1)
    return gap.dot(gap) / gap.size if gap.size else gap.sum() / gap.dtype.type(0)


def _mse_shape(x, y):
    if x.shape != y.shape:
        raise ShapeError(f"mean_squared_error needs operands of one shape, but got {x.shape} and {y.shape}; broadcast "
                         f"them first{at_user_line()}")
    return make_aval((), result_dtype(x, y))


def _mse_slope(ct, x, y):
    gap = x - y
    return gap * (ct * (2.0 / max(gap.size, 1)))


def _mse_jvp(tangents, x, y):
    dx, dy = tangents
    push = dx if dy is None else -dy if dx is None else dx - dy
    gap = x - y
    return (gap * push).sum() * (2.0 / max(gap.size, 1))


def _mse_batch(x, y):
    gap = x - y
    return reduce_mean(gap * gap, tuple(range(1, gap.ndim)), False)


mean_squared_error = primitive(
    "mean_squared_error",  # x, y of one real shape -> the mean of (x - y) ** 2
    impl=lambda xp, x, y: _mse(xp, x, y),
    shape=_mse_shape,
    jvp={"x, y": _mse_jvp},
    vjp={"x": _mse_slope, "y": lambda ct, x, y: -_mse_slope(ct, x, y)},
    exact=True,
    batch=_mse_batch,
    absent={"complex": "a loss is real: take abs first", "(0,)": "the mean of nothing is NaN",
            "broadcast": "one shape for both"},
    samples=together(*[arrays(s, s, complex_too=False) for s in ((), (3,), (2, 3))]),
)


@in_single
def _log_softmax(xp, x, axis):
    """x - max - log Σ exp(x - max); the maximum is replaced by 0 where it is infinite."""
    if not x.size:
        return x + 0
    out = x - _top(xp, x, axis)
    out -= xp.log(xp.exp(out).sum(axis=axis, keepdims=True))
    return out


@in_single
def _softmax(xp, x, axis):
    if not x.size:
        return x + 0
    out = xp.exp(x - _top(xp, x, axis))
    out /= out.sum(axis=axis, keepdims=True)
    return out


def _top(xp, x, axis):
    """The maximum along an axis, 0 where it is infinite. The methods of arrays take half the time of the functions."""
    top = x.max(axis=axis, keepdims=True)
    return xp.where(xp.isfinite(top), top, 0.0).astype(x.dtype, copy=False)


def _pulled(c, ans, axis):
    """(diag(s) - s sᵀ) c for a softmax s, which is symmetric."""
    part = ans * c
    return part - ans * reduce_sum(part, (axis,), True)


def _rows(*shapes):
    return together(*[arrays(s, axis=a, complex_too=False) for s in shapes for a in range(len(s))])


_REAL = {"complex": "the order its maximum needs is that of real numbers", "()": "it needs an axis"}
softmax = primitive(
    "softmax",
    impl=lambda xp, x, *, axis: _softmax(xp, x, axis),
    shape=lambda x: x,
    jvp={"x": lambda dx, ans, axis: _pulled(dx, ans, axis)},
    vjp={"x": lambda ct, ans, axis: _pulled(ct, ans, axis)},
    batch=lambda x, axis: softmax(x, axis + 1),
    absent=_REAL,
    depends=lambda x, axis: lines(x, (axis,)),
    samples=_rows((3,), (2, 3), (2, 3, 2), (0, 3)),
)
log_softmax = primitive(
    "log_softmax",
    impl=lambda xp, x, *, axis: _log_softmax(xp, x, axis),
    shape=lambda x: x,
    jvp={"x": lambda dx, ans, axis: dx - reduce_sum(exp(ans) * dx, (axis,), True)},
    vjp={"x": lambda ct, ans, axis: ct - exp(ans) * reduce_sum(ct, (axis,), True)},
    batch=lambda x, axis: log_softmax(x, axis + 1),
    absent=_REAL,
    depends=lambda x, axis: lines(x, (axis,)),
    samples=_rows((3,), (2, 3), (2, 3, 2), (0, 3)),
)


@in_single
def _cross_entropy(xp, x, labels):
    shifted = x - _top(xp, x, 1)
    picked = shifted[xp.arange(x.shape[0]), labels]
    return xp.log(xp.exp(shifted).sum(axis=1)) - picked


def _cross_entropy_shape(x, labels):
    if x.ndim != 2 or not x.shape[1] or labels.shape != x.shape[:1]:
        raise ShapeError("cross_entropy needs logits of shape (n, classes) and labels of shape (n,), but got "
                         f"{x.shape} and "
                         f"{labels.shape}; reshape them, one row per example{at_user_line()}")
    return make_aval(labels.shape, x.dtype)


def _gap_to_labels(x, labels):
    """softmax(x) minus the one-hot rows of the labels: the slope of each row's loss."""
    hit = labels.reshape((-1, 1)) == constant(np.arange(x.shape[1]), labels)
    return softmax(x, 1) - hit.astype(x.dtype)


def _cross_entropy_batch(x, labels, batched, size):
    n, c = x.shape[-2:]
    x = x if batched[0] else broadcast_to(x, shape=(size, n, c))
    labels = labels if batched[1] else broadcast_to(labels, shape=(size, n))
    return cross_entropy(x.reshape((size * n, c)), labels.reshape((size * n,))).reshape((size, n))


cross_entropy = primitive(
    "cross_entropy",  # logits (n, classes), integer labels (n,) -> -log softmax(logits)[label], a row each
    impl=lambda xp, x, labels: _cross_entropy(xp, x, labels),
    shape=_cross_entropy_shape,
    jvp={"x": lambda dx, x, labels: reduce_sum(_gap_to_labels(x, labels) * dx, (1,), False)},
    vjp={"x": lambda ct, x, labels: _gap_to_labels(x, labels) * ct.reshape((-1, 1))},
    batch=_cross_entropy_batch,
    nondiff="labels",
    absent={**_REAL, "broadcast": "one label per row"},
    samples=lambda rng: [Sample(rng.normal(size=(n, 3)).astype(t), rng.integers(0, 3, n))
                         for n, t in ((4, float), (1, float), (0, float), (2, np.float32))],
)


@in_single
def _target_entropy(xp, x, t):
    """Σ t logsumexp(x) - Σ t x over the last axis; 0 · -inf of a class that is excluded counts 0."""
    logs = _log_softmax(xp, x, x.ndim - 1)
    return -xp.sum(t * xp.where(t == 0, 0.0, logs).astype(logs.dtype), axis=-1)


def _target_entropy_shape(x, t):
    if not x.ndim or x.shape != t.shape or not x.shape[-1]:
        raise ShapeError("target_cross_entropy needs logits and targets of one shape (…, classes), but got "
                         f"{x.shape} and {t.shape}; broadcast them first{at_user_line()}")
    return make_aval(x.shape[:-1], result_dtype(x, t))


def _target_gap(x, t):
    """softmax(x) Σ t - t: the slope of each row's loss by its logits."""
    return softmax(x, x.ndim - 1) * reduce_sum(t, (t.ndim - 1,), True) - t


def _target_jvp(tangents, x, t):
    dx, dt = tangents
    last = (x.ndim - 1,)
    push = None if dx is None else reduce_sum(_target_gap(x, t) * dx, last, False)
    if dt is None:
        return push
    part = -reduce_sum(strong_zero(dt, log_softmax(x, x.ndim - 1) * dt), last, False)
    return part if push is None else push + part


def _target_weight_vjp(ct, x):
    ct = ct.reshape((*ct.shape, 1))
    return strong_zero(ct, -log_softmax(x, x.ndim - 1) * ct)


target_cross_entropy = primitive(
    "target_cross_entropy",  # logits and weights of the classes (…, classes) -> -Σ t log softmax(x) over the last axis
    impl=lambda xp, x, t: _target_entropy(xp, x, t),
    shape=_target_entropy_shape,
    jvp={"x, t": _target_jvp},
    vjp={
        "x": lambda ct, x, t: _target_gap(x, t) * ct.reshape((*ct.shape, 1)),
        "t": _target_weight_vjp,
    },
    batch=lambda x, t, batched, size: target_cross_entropy(
        *[v if hit else broadcast_to(v, shape=(size, *v.shape)) for v, hit in zip((x, t), batched)]),
    quiet=True,
    absent={**_REAL, "broadcast": "one shape for both"},
    samples=together(*[arrays(s, s, complex_too=False) for s in ((3,), (2, 3), (2, 1, 3), (0, 3))]),
)
