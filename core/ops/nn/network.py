"""Layers of networks as primitives where one kernel does the work of several: relu, affine maps."""


import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import in_single, result_dtype
from ...arrays.sums import small
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import elementwise, primitive
from ...tape.unbroadcast import conj, fix
from ...trace.device import constant
from ...trace.tracer import Staged, Tracer
from ..dependence import numbered, shared
from ..elementary import sigmoid
from ..linalg.products import matmul, product, through
from ..reductions import reduce_mean, reduce_sum
from ..samples import Sample, arrays, together, unary
from ..selection import passed, where
from ..shaping import broadcast_to

ndarray = np.ndarray


def _relu(xp, x):
    if type(x) is np.ndarray and x.size >= _LARGE and x.dtype.kind == "f":
        out = x.clip(0.0, np.inf)  # half the time of maximum, with the sum; 3 us more on small arrays
        out += 0.0  # of -0.0 it leaves -0.0; maximum does not
        return out
    zero = _ZEROS.get(x.dtype) if type(x) is np.ndarray else None
    if zero is not None:
        return _maximum(x, zero)
    out = xp.maximum(x, 0)
    return out + out.dtype.type(0) if type(x) is np.ndarray and x.dtype.kind == "f" else out  # half's leaves -0.0, too


_LARGE = 1 << 12  # elements
_ZEROS = {np.dtype(t): np.zeros((), t) for t in (np.float64, np.float32)}
_maximum, _add = small(np.maximum), small(np.add)

# The slope at 0 is 0, and 1 at NaN, as PyTorch's: outputs are above 0, 0 or NaN. A mask of booleans costs half of what
# the maximum does. Infinities times the slope 0 are 0, too: nothing flows back from what is cut off.
relu = elementwise(
    "relu",
    impl=_relu,
    jvp={"x": lambda dx, ans: passed(dx, ans != 0)},
    vjp={"x": lambda ct, ans: passed(ct, ans != 0)},
    kernel=dict.fromkeys(("vjp", "jvp"), lambda c, ans: where(ans != 0, c, c.dtype.type(0))),
    gates=True,
    absent={"complex": "the order it needs is that of real numbers"},
    samples=together(unary(complex_too=False), lambda rng: [Sample(np.zeros(3), smooth=False, orders=1)]),
)


def _softplus(xp, x):
    """max(x, 0) + log(1 + exp(-|x|))."""
    if type(x) is ndarray and x.ndim:
        out = np.abs(x)
        np.negative(out, out=out)
        np.exp(out, out=out)
        np.log1p(out, out=out)
        out += _relu(np, x)
        return out
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


softplus = elementwise(
    "softplus",
    impl=_softplus,
    d={"x": lambda x: sigmoid(x)},
    kernel={},
    absent={"complex": "the order it needs is that of real numbers"},
    samples=together(unary(complex_too=False), lambda rng: [Sample(np.array([-700.0, -40.0, 0.0, 40.0, 700.0]))]),
)


def _affine(xp, x, w, b):
    out = product(x, w)
    dtype, other = out.dtype, b.dtype
    if dtype is other or dtype == other or dtype.kind == "c" and other.kind != "c" and (
            dtype.itemsize >= 2 * other.itemsize):
        if b.shape == out.shape[out.ndim - b.ndim :]:
            if type(out) is ndarray:
                return _add(out, b, out)
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
    """The cotangent of the bias; a row of biases is the common case, whose sums are a product with ones."""
    ones = _ONES.get(ct.dtype)  # 6.4 us a sum at 128 x 256, 3.0 a product
    if ones is not None and b_aval.shape == ct.shape[1:] and b_aval.dtype == ct.dtype and ct.shape[0] <= len(ones):
        ones = ones[: ct.shape[0]]
        if type(ct) is ndarray:
            return ones.dot(ct)
        if isinstance(ct, Tracer) and type(ct) is not Staged:
            return matmul(constant(ones, ct), ct)
    return fix(ct, b_aval)


affine = primitive(
    "affine",  # x: (n, k), w: (k, m), b: broadcasts to (n, m) -> x @ w + b, in one buffer
    impl=_affine,
    lower=lambda x, w, b: matmul(x, w) + b,
    shape=_affine_shape,
    jvp={"x, w, b": _affine_jvp},
    vjp={
        "x": lambda ct, w: matmul(ct, conj(w).T),
        "w": lambda ct, x: matmul(conj(x).T, ct),
        "b": _bias,
    },
    real_vjp={"x": lambda ct, w: through(ct, w), "w": lambda ct, x: product(x.T, ct), "b": _bias},
    exact=True,
    bilinear=True,  # and linear in b
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


def _mean_square(x, y):
    gap = x - y
    return reduce_sum(gap * gap, tuple(range(gap.ndim)), False) / float(gap.size)


mean_squared_error = primitive(
    "mean_squared_error",  # x, y of one real shape -> the mean of (x - y) ** 2
    impl=lambda xp, x, y: _mse(xp, x, y),
    lower=_mean_square,
    shape=_mse_shape,
    jvp={"x, y": _mse_jvp},
    vjp={"x": _mse_slope, "y": lambda ct, x, y: -_mse_slope(ct, x, y)},
    exact=True,
    batch=_mse_batch,
    absent={"complex": "a loss is real: take abs first", "(0,)": "the mean of nothing is NaN",
            "broadcast": "one shape for both"},
    samples=together(*[arrays(s, s, complex_too=False) for s in ((), (3,), (2, 3))]),
)
