"""Convolutions: a strided view of all windows, then one matrix product a group."""

import math
from functools import partial
from itertools import product

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.sums import PLAIN
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import zeros_of
from ..dependence import shared, stencil
from ..float_loops import in_singles
from ..samples import arrays
from ..shaping import broadcast_to
from .convolution_loops import CONV, CONV_INPUT, CONV_WEIGHT, WORTH, planned_conv, planned_input, planned_weight
from .windows import added_windows, placed, strided, window_counts

ndarray = np.ndarray

# The shapes: x (n, channels, *size), w (features, channels / groups, *kernel), y (n, features, *out). A convolution is
# the trilinear form Σ y[n, f, m] w[f, c, k] x[n, c, stride m + dilation k - padding] with one argument taken away, so
# the three operations below are each other's derivatives.


def _padded(xp, x, at):
    """An array in order, zeros around its last axes."""
    if at.inner is None:
        return xp.ascontiguousarray(x)
    out = xp.zeros(at.whole, x.dtype)
    out[at.inner] = x
    return out


def _split(a, groups, axis):
    """`a` with `axis` as (groups, the rest)."""
    return a.reshape((*a.shape[:axis], groups, a.shape[axis] // groups, *a.shape[axis + 1 :]))


@in_singles
def _conv(xp, x, w, stride, padding, dilation, groups):
    kernel = tuple(w.shape[2:])
    at = placed(tuple(x.shape), x.dtype.itemsize, kernel, stride, padding, dilation)
    x = _padded(xp, x, at)
    if at.run is not None and type(x) is type(w) is ndarray and x.dtype in PLAIN:
        return _conv_of_runs(x, at, w, groups)
    n, rows = x.shape[0], w.shape[1] * math.prod(kernel)
    cols = xp.ascontiguousarray(strided(xp, x, at.shape, at.strides)).reshape((n, groups, rows, math.prod(at.out)))
    y = xp.matmul(w.reshape((groups, w.shape[0] // groups, rows)), cols)
    return y.reshape((n, w.shape[0], *at.out))


def _conv_of_runs(x, at, w, groups):
    """A convolution at every element of a run, from which that at the windows is taken.

    The elements at one place of the kernel are then copied in one go, not row by row: 35 us for 139 at 8 examples of
    8 x 28 x 28 and a kernel of 3 x 3, of 350 in all.
    """
    n, run = x.shape[0], at.run
    runs = strided(np, x, (*at.shape[: w.ndim], run), (*at.strides[: w.ndim], x.itemsize))
    runs = np.ascontiguousarray(runs).reshape((n, groups, -1, run))
    y = np.matmul(w.reshape((groups, w.shape[0] // groups, -1)), runs)
    row, steps = run * y.itemsize, [a // x.itemsize * y.itemsize for a in at.strides[w.ndim :]]
    return np.ascontiguousarray(strided(np, y, (n, w.shape[0], *at.out), (w.shape[0] * row, row, *steps)))


# Of stride 1, the transpose is a convolution with the kernel turned round: it copies windows of features, and the
# general way adds up as many of channels, a call for each place of the kernel. In us: 2 x 8 x 8 x 16 x 16 from 8
# features, kernel 3 x 3 x 3, 300 for 860; 5 x 5, kernel 3 x 3, 7 for 26; 128 channels of 16 x 16 from 128, 3,100 for
# 2,850.
_NARROW, _SHORT = 16, 1 << 17


@in_singles
def _conv_input(xp, y, w, size, stride, padding, dilation, groups):
    kernel, out = tuple(w.shape[2:]), tuple(y.shape[2:])
    n, channels, places, taps = y.shape[0], w.shape[1], math.prod(out), math.prod(kernel)
    features, whole = w.shape[0] // groups, tuple([a + k + b for k, (a, b) in zip(size, padding)])
    left = _split(w, groups, 0)
    right = y.reshape((n, groups, features, places))
    crop = (Ellipsis, *[slice(a, a + k) for k, (a, _) in zip(size, padding)])
    back = tuple([(d * (k - 1) - a, n - m + a) for k, d, (a, _), n, m in zip(kernel, dilation, padding, size, out)])
    if xp is np and set(stride) == {1} and min(map(min, back)) >= 0 and (
            features <= channels <= _NARROW or 2 * features <= channels or y.size * taps <= _SHORT) and (
            np.isfinite(w).all()):  # beside the zeros around the features, infinity would be NaN
        turned = left.swapaxes(1, 2)[(..., *[slice(None, None, -1)] * len(kernel))]
        turned = turned.reshape((groups * channels, features, *kernel))
        return _conv(xp, y, turned, stride, back, dilation, groups)
    if xp is not np or groups > 1 or channels < 8 or n * channels < 4 * out[-1]:  # narrow products, short additions
        cols = xp.matmul(left.reshape((groups, features, channels * taps)).swapaxes(1, 2), right)
        cols = cols.reshape((n, groups * channels, *kernel, *out))
        return added_windows(xp, cols, whole, kernel, stride, dilation)[crop]
    # Examples and channels behind the places, so that each addition runs over many elements: 160 us for 270 at 16
    # examples of 16 x 7 x 7 from 8 channels and a kernel of 3 x 3.
    right = np.ascontiguousarray(right.transpose((1, 3, 0, 2))).reshape((groups, places * n, features))
    left = np.ascontiguousarray(left.reshape((groups, features, channels, taps)).transpose((3, 0, 1, 2)))
    cols = np.matmul(right, left).reshape((*kernel, groups, *out, n * channels))
    total = np.zeros((groups, *whole, n * channels), cols.dtype)
    for place in product(*map(range, kernel)):
        spots = [slice(k * d, k * d + (m - 1) * s + 1, s) for k, d, s, m in zip(place, dilation, stride, out)]
        total[(slice(None), *spots)] += cols[place]
    total = total[(slice(None), *crop[1:])].reshape((groups, *size, n, channels))
    total = total.transpose((len(size) + 1, 0, len(size) + 2, *range(1, len(size) + 1)))
    return np.ascontiguousarray(total).reshape((n, groups * channels, *size))


_MANY = 256  # places from which the examples are taken one by one


@in_singles
def _conv_weight(xp, y, x, kernel, stride, padding, dilation, groups):
    at = placed(tuple(x.shape), x.dtype.itemsize, tuple(kernel), stride, padding, dilation)
    cols = strided(xp, _padded(xp, x, at), at.shape, at.strides)
    n, features, places = x.shape[0], y.shape[1], math.prod(y.shape[2:])
    rows = x.shape[1] // groups * math.prod(kernel)
    left = y.reshape((n, groups, features // groups, places))
    if places >= _MANY:  # a product an example: 280 us for 450 at 8 examples of 8 and 16 channels x 28 x 28
        cols = xp.ascontiguousarray(cols).reshape((n, groups, rows, places))
        return xp.matmul(left, cols.swapaxes(2, 3)).sum(axis=0).reshape((features, x.shape[1] // groups, *kernel))
    # With all examples side by side one product sums over them.
    k = len(kernel)
    cols = xp.ascontiguousarray(cols.transpose((1, *range(2, 2 + k), 0, *range(2 + k, 2 + 2 * k))))
    cols = cols.reshape((groups, rows, n * places)).swapaxes(1, 2)
    left = left.transpose((1, 2, 0, 3))
    w = xp.matmul(left.reshape((groups, features // groups, n * places)), cols)
    return w.reshape((features, x.shape[1] // groups, *kernel))


def _conv_shape(x, w, stride, padding, dilation, groups):
    n = w.ndim - 2
    if n < 1 or x.ndim != w.ndim or len(stride) != n or len(padding) != n or len(dilation) != n:
        raise ShapeError(f"conv needs x of shape (n, channels, *size) and w of shape (features, channels, *kernel) "
                         f"with as many axes, but got {x.shape} and {w.shape} with stride {stride}; "
                         f"give one length per axis{at_user_line()}")
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ShapeError(f"conv with {groups} groups needs w of shape (features, channels / groups, …) whose features "
                         f"the groups divide, but got x of shape {x.shape} and w of shape {w.shape}; "
                         f"give groups that divide both{at_user_line()}")
    size = tuple([a + k + b for k, (a, b) in zip(x.shape[2:], padding)])
    counts = window_counts(size, w.shape[2:], stride, dilation)
    if any(m < 1 for m in counts):
        raise ShapeError(f"conv has a kernel of shape {w.shape[2:]} with dilation {dilation}, which does not fit into "
                         f"the padded size {size}; pad more, or take a smaller kernel{at_user_line()}")
    return make_aval((x.shape[0], w.shape[0], *counts), result_dtype(x, w))


def _beside(a, size, hit, axis):
    """A batch of `a` as more channels: the batch axis, or copies of `a`, in front of `axis` and merged with it."""
    a = a if hit else broadcast_to(a, (size, *a.shape))
    order = (*range(1, axis + 1), 0, *range(axis + 1, a.ndim))
    a = a.transpose(order)
    return a.reshape((*a.shape[:axis], a.shape[axis] * a.shape[axis + 1], *a.shape[axis + 2 :]))


def _apart(a, size, axis):
    """The undoing of `_beside`."""
    a = _split(a, size, axis)
    return a.transpose((axis, *range(axis), *range(axis + 1, a.ndim)))


def _fold(fun, first, other):
    """`fun` on a batch of `first` operands (n, …) and one `other`, the batch among the examples."""
    ans = fun(first.reshape((first.shape[0] * first.shape[1], *first.shape[2:])), other)
    return ans.reshape((first.shape[0], first.shape[1], *ans.shape[1:]))


def _grouped(run, first, second, axes, out, groups, batched, size):
    """`run` on batches of both operands as groups of channels; their channels are at `axes`, of the output at `out`.

    Without examples there are no groups, so one of zeros is computed and dropped.
    """
    if not size:
        first, second = (
            zeros_of(make_aval((1, *a.shape[1:]) if hit else tuple(a.shape), a.dtype), a)[0 if hit else ...]
            for a, hit in zip((first, second), batched)
        )
        return run(first, second, groups)[None][:0]
    pair = (_beside(a, size, hit, axis) for a, hit, axis in zip((first, second), batched, axes))
    return _apart(run(*pair, groups * size), size, out)


def _conv_batch(x, w, stride, padding, dilation, groups, batched, size):
    def run(x, w, groups):
        return conv(x, w, stride, padding, dilation, groups)

    if not batched[1]:
        return _fold(lambda x, w: run(x, w, groups), x, w)
    if not batched[0] and groups == 1 and size:
        return _apart(run(x, w.reshape((w.shape[0] * w.shape[1], *w.shape[2:])), 1), size, 1)
    return _grouped(run, x, w, (1, 0), 1, groups, batched, size)


def _input_batch(y, w, extent, stride, padding, dilation, groups, batched, size):
    def run(y, w, groups):
        return conv_input(y, w, extent, stride, padding, dilation, groups)

    if not batched[1]:
        return _fold(lambda y, w: run(y, w, groups), y, w)
    return _grouped(run, y, w, (1, 0), 1, groups, batched, size)


def _weight_batch(y, x, kernel, stride, padding, dilation, groups, batched, size):
    def run(y, x, groups):
        return conv_weight(y, x, kernel, stride, padding, dilation, groups)

    if not batched[1] and groups == 1 and size:
        return _apart(run(_beside(y, size, True, 1), x, 1), size, 0)
    return _grouped(run, y, x, (1, 1), 0, groups, batched, size)


def _plain(n):
    return {"stride": (1,) * n, "padding": ((0, 0),) * n, "dilation": (1,) * n, "groups": 1}


_CASES = (  # x, w, y and what differs from the plain case
    ((2, 3, 5), (2, 3, 2), (2, 2, 4), {}),
    ((2, 4, 7), (4, 2, 2), (2, 4, 4), {"stride": (2,), "padding": ((1, 1),), "dilation": (2,), "groups": 2}),
    ((1, 2, 4, 5), (3, 2, 2, 3), (1, 3, 4, 2), {"stride": (1, 2), "padding": ((0, 1), (1, 0))}),
    ((2, 1, 3, 2, 2), (1, 1, 2, 1, 2), (2, 1, 2, 2, 1), {}),
    ((0, 1, 3), (1, 1, 2), (0, 1, 2), {}),
    ((2, 2, 257), (2, 1, 2), (2, 2, 256), {"groups": 2}),
)


def _samples(first, second, extra):
    def samples(rng):
        groups = []
        for case in _CASES:
            params = {**_plain(len(case[0]) - 2), **case[3]}
            name = {"extent": case[0][2:], "kernel": case[1][2:]}.get(extra)
            groups.append(arrays(case[first], case[second], **({extra: name} if extra else {}), **params))
        return [s for group in groups for s in group(rng)]

    return samples


_ABSENT = {"()": "it needs axes for examples and channels", "broadcast": "examples and channels do not broadcast"}
conv = primitive(
    "conv",  # x, w -> y
    impl=lambda xp, x, w, *, stride, padding, dilation, groups: _conv(xp, x, w, stride, padding, dilation, groups),
    shape=_conv_shape,
    jvp={
        "x": lambda dx, w, stride, padding, dilation, groups: conv(dx, w, stride, padding, dilation, groups),
        "w": lambda dw, x, stride, padding, dilation, groups: conv(x, dw, stride, padding, dilation, groups),
    },
    vjp={
        "x": lambda ct, w, x_aval, stride, padding, dilation, groups: conv_input(
            ct, conj(w), x_aval.shape[2:], stride, padding, dilation, groups),
        "w": lambda ct, x, w_aval, stride, padding, dilation, groups: conv_weight(
            ct, conj(x), w_aval.shape[2:], stride, padding, dilation, groups),
    },
    linear=("x", "w"),
    batch=_conv_batch,
    kernel=CONV,
    alone=partial(planned_conv, least=WORTH),
    absent=_ABSENT,
    depends=lambda x, w, ans, stride, padding, dilation, groups: {0: stencil(x.shape, ans.shape, (w.shape[2:],
        stride, padding, dilation, groups), False), 1: shared(w.shape, ans.shape, (0,), (1,))},
    samples=_samples(0, 1, None),
)
conv_input = primitive(
    "conv_input",  # y, w -> x of spatial shape `extent`
    impl=lambda xp, y, w, *, extent, stride, padding, dilation, groups: _conv_input(
        xp, y, w, extent, stride, padding, dilation, groups),
    shape=lambda y, w, extent, groups: make_aval((y.shape[0], w.shape[1] * groups, *extent), result_dtype(y, w)),
    jvp={
        "y": lambda dy, w, extent, stride, padding, dilation, groups: conv_input(
            dy, w, extent, stride, padding, dilation, groups),
        "w": lambda dw, y, extent, stride, padding, dilation, groups: conv_input(
            y, dw, extent, stride, padding, dilation, groups),
    },
    vjp={
        "y": lambda ct, w, stride, padding, dilation, groups: conv(ct, conj(w), stride, padding, dilation, groups),
        "w": lambda ct, y, w_aval, stride, padding, dilation, groups: conv_weight(
            conj(y), ct, w_aval.shape[2:], stride, padding, dilation, groups),
    },
    linear=("y", "w"),
    batch=_input_batch,
    kernel=CONV_INPUT,
    alone=partial(planned_input, least=WORTH),
    absent=_ABSENT,
    depends=lambda y, w, ans, stride, padding, dilation, groups: {0: stencil(ans.shape, y.shape, (w.shape[2:],
        stride, padding, dilation, groups), True)},
    samples=_samples(2, 1, "extent"),
)
conv_weight = primitive(
    "conv_weight",  # y, x -> w of spatial shape `kernel`
    impl=lambda xp, y, x, *, kernel, stride, padding, dilation, groups: _conv_weight(
        xp, y, x, kernel, stride, padding, dilation, groups),
    shape=lambda y, x, kernel, groups: make_aval((y.shape[1], x.shape[1] // groups, *kernel), result_dtype(y, x)),
    jvp={
        "y": lambda dy, x, kernel, stride, padding, dilation, groups: conv_weight(
            dy, x, kernel, stride, padding, dilation, groups),
        "x": lambda dx, y, kernel, stride, padding, dilation, groups: conv_weight(
            y, dx, kernel, stride, padding, dilation, groups),
    },
    vjp={
        "y": lambda ct, x, stride, padding, dilation, groups: conv(conj(x), ct, stride, padding, dilation, groups),
        "x": lambda ct, y, x_aval, stride, padding, dilation, groups: conv_input(
            conj(y), ct, x_aval.shape[2:], stride, padding, dilation, groups),
    },
    linear=("y", "x"),
    batch=_weight_batch,
    kernel=CONV_WEIGHT,
    alone=partial(planned_weight, least=WORTH),
    absent=_ABSENT,
    depends=lambda y, x, ans: {0: shared(y.shape, ans.shape, (1,), (0,))},
    samples=_samples(2, 0, "kernel"),
)
