"""Windows of arrays, and convolutions: a strided view of all windows, then one matrix product a group."""

import math
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.sums import PLAIN
from ...errors import ShapeError, at_user_line
from ...primitive.families import linear, primitive
from ...tape.unbroadcast import conj
from ...trace.device import zeros_of
from ..dependence import MOVED, numbered, shared, stencil
from ..half_loops import in_singles
from ..samples import arrays, together
from ..shaping import broadcast_to
from .convolution_loops import CONV, CONV_INPUT, CONV_WEIGHT, WORTH, planned_conv, planned_input, planned_weight

ndarray = np.ndarray

# The shapes: x (n, channels, *size), w (features, channels / groups, *kernel), y (n, features, *out). A convolution is
# the trilinear form Σ y[n, f, m] w[f, c, k] x[n, c, stride m + dilation k - padding] with one argument taken away, so
# the three operations below are each other's derivatives.


def window_counts(size, kernel, stride, dilation):
    """How many windows lie along each axis."""
    return tuple([(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation)])


class _Places(NamedTuple):
    """Where the windows of an array lie."""

    whole: tuple[int, ...]  # its shape with zeros around it
    inner: tuple[Any, ...] | None  # where in that it is; None: it is all
    shape: tuple[int, ...]  # of the view of all windows
    strides: tuple[int, ...]
    out: tuple[int, ...]  # windows along each axis
    run: int | None  # elements from the first window of stride 1 to the last; None: many more than windows


_WASTE = 1.25


@lru_cache(1024)
def _placed(shape, itemsize, kernel, stride, padding, dilation):
    """The `_Places` of an array of a shape, in order."""
    n = len(shape) - len(kernel)
    whole = (*shape[:n], *[a + k + b for k, (a, b) in zip(shape[n:], padding)])
    inner = (Ellipsis, *[slice(a, a + k) for k, (a, _) in zip(shape[n:], padding)])
    out = window_counts(whole[n:], kernel, stride, dilation)
    steps = [itemsize * math.prod([max(k, 1) for k in whole[axis + 1 :]]) for axis in range(len(whole))]
    strides = (*steps[:n], *[a * d for a, d in zip(steps[n:], dilation)], *[a * s for a, s in zip(steps[n:], stride)])
    run, places = 1 + sum([(count - 1) * a // itemsize for count, a in zip(out, steps[n:])]), math.prod(out)
    fits = 0 not in whole and set(stride) == {1} and places < run <= _WASTE * places
    return _Places(whole, inner if any(map(any, padding)) else None, (*shape[:n], *kernel, *out), strides, out,
                   run if fits else None)


def _view(xp, x, kernel, stride, dilation):
    """All windows over the last axes, as a view: (*lead, *kernel, *out)."""
    x = xp.ascontiguousarray(x)
    at = _placed(tuple(x.shape), x.dtype.itemsize, tuple(kernel), stride, ((0, 0),) * len(kernel), dilation)
    return _strided(xp, x, at.shape, at.strides)


def _strided(xp, x, shape, strides):
    """A view of an array in order; `as_strided` takes 5 us."""
    if type(x) is ndarray and x.dtype in PLAIN and x.size:
        return ndarray(shape, x.dtype, x, 0, strides)
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def _overlap_add(xp, y, size, kernel, stride, dilation):
    """Windows (*lead, *kernel, *out) added up where they came from: one addition for each place of the kernel."""
    n = len(kernel)
    lead = tuple(y.shape[: y.ndim - 2 * n])
    counts = tuple(y.shape[y.ndim - n :])
    out = xp.zeros((*lead, *size), y.dtype)
    for place in product(*map(range, kernel)):
        spots = [slice(k * d, k * d + (m - 1) * s + 1, s) for k, d, s, m in zip(place, dilation, stride, counts)]
        out[(Ellipsis, *spots)] += y[(*(slice(None),) * len(lead), *place)]
    return out


def _windows_shape(x, kernel, stride, dilation):
    n = len(kernel)
    size = x.shape[x.ndim - n :]
    counts = window_counts(size, kernel, stride, dilation)
    if x.ndim < n or any(m < 1 for m in counts):
        raise ShapeError(f"windows of shape {kernel} with dilation {dilation} do not fit into axes of shape {size}; "
                         f"pad the array, or take a smaller window{at_user_line()}")
    return make_aval((*x.shape[: x.ndim - n], *kernel, *counts), x.dtype)


def _geometry(*shapes, **facts):
    return together(*[arrays(s, **{"kernel": (2,), "stride": (1,), "dilation": (1,), **facts}) for s in shapes])


windows = linear(
    "windows",  # x: (*lead, *size) -> (*lead, *kernel, *out), in memory of its own
    impl=lambda xp, x, *, kernel, stride, dilation: xp.ascontiguousarray(_view(xp, x, kernel, stride, dilation)),
    transpose=lambda ct, x_aval, kernel, stride, dilation: overlap_add(
        ct, x_aval.shape[x_aval.ndim - len(kernel) :], kernel, stride, dilation),
    shape=_windows_shape,
    batch=lambda x, kernel, stride, dilation: windows(x, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=MOVED,
    samples=together(_geometry((5,), (2, 4), (0, 3)), _geometry((2, 7), stride=(2,), dilation=(2,)),
                     _geometry((2, 5, 6), kernel=(2, 3), stride=(2, 1), dilation=(1, 2))),
)
overlap_add = linear(
    "overlap_add",  # the transpose of windows
    impl=lambda xp, y, *, extent, kernel, stride, dilation: _overlap_add(xp, y, extent, kernel, stride, dilation),
    transpose=lambda ct, kernel, stride, dilation: windows(ct, kernel, stride, dilation),
    shape=lambda y, extent, kernel: make_aval((*y.shape[: y.ndim - 2 * len(kernel)], *extent), y.dtype),
    batch=lambda y, extent, kernel, stride, dilation: overlap_add(y, extent, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=lambda y, ans, extent, kernel, stride, dilation: {0: (_view(np, numbered(ans.shape), kernel, stride,
        dilation), numbered(ans.shape))},
    samples=together(_geometry((2, 3), (2, 2, 3), (0, 2, 3), extent=(4,)),
                     _geometry((2, 3, 2, 2), kernel=(2, 3), extent=(4, 6), stride=(2, 1), dilation=(1, 2))),
)


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
    at = _placed(tuple(x.shape), x.dtype.itemsize, kernel, stride, padding, dilation)
    x = _padded(xp, x, at)
    if at.run is not None and type(x) is type(w) is ndarray and x.dtype in PLAIN:
        return _conv_of_runs(x, at, w, groups)
    n, rows = x.shape[0], w.shape[1] * math.prod(kernel)
    cols = xp.ascontiguousarray(_strided(xp, x, at.shape, at.strides)).reshape((n, groups, rows, math.prod(at.out)))
    y = xp.matmul(w.reshape((groups, w.shape[0] // groups, rows)), cols)
    return y.reshape((n, w.shape[0], *at.out))


def _conv_of_runs(x, at, w, groups):
    """A convolution at every element of a run, from which that at the windows is taken.

    The elements at one place of the kernel are then copied in one go, not row by row: 35 us for 139 at 8 examples of
    8 x 28 x 28 and a kernel of 3 x 3, of 350 in all.
    """
    n, run = x.shape[0], at.run
    runs = _strided(np, x, (*at.shape[: w.ndim], run), (*at.strides[: w.ndim], x.itemsize))
    runs = np.ascontiguousarray(runs).reshape((n, groups, -1, run))
    y = np.matmul(w.reshape((groups, w.shape[0] // groups, -1)), runs)
    row, steps = run * y.itemsize, [a // x.itemsize * y.itemsize for a in at.strides[w.ndim :]]
    return np.ascontiguousarray(_strided(np, y, (n, w.shape[0], *at.out), (w.shape[0] * row, row, *steps)))


@in_singles
def _conv_input(xp, y, w, size, stride, padding, dilation, groups):
    kernel, out = tuple(w.shape[2:]), tuple(y.shape[2:])
    n, channels, places, taps = y.shape[0], w.shape[1], math.prod(out), math.prod(kernel)
    features, whole = w.shape[0] // groups, tuple([a + k + b for k, (a, b) in zip(size, padding)])
    left = _split(w, groups, 0)
    right = y.reshape((n, groups, features, places))
    crop = (Ellipsis, *[slice(a, a + k) for k, (a, _) in zip(size, padding)])
    if xp is not np or groups > 1 or channels < 8 or n * channels < 4 * out[-1]:  # narrow products, short additions
        cols = xp.matmul(left.reshape((groups, features, channels * taps)).swapaxes(1, 2), right)
        cols = cols.reshape((n, groups * channels, *kernel, *out))
        return _overlap_add(xp, cols, whole, kernel, stride, dilation)[crop]
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
    at = _placed(tuple(x.shape), x.dtype.itemsize, tuple(kernel), stride, padding, dilation)
    cols = _strided(xp, _padded(xp, x, at), at.shape, at.strides)
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
