"""Pooling: windows of any grid gathered once, then one reduction; and its inverse."""

import functools
import math
import operator

import numpy as np

from ..... import nn
from ....._engine import all_within
from ....._primitives import Sums, ends_of_parts
from .....extend import REGISTRY
from ..dispatch.call import ROWS, floating, functional, method
from ..dispatch.host_ops import primal_of
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import tuples
from .index_arrays import AT

WEIGHTED, LARGEST, PLACES, PARTS = [REGISTRY[name].fun for name in (
    "weighted_sums", "max_windows", "largest_places", "largest_in_parts")]


def combined(places, size):
    """Flat positions of the windows whose positions on each axis are given: `(kernel positions, windows)`."""
    index = np.zeros((1, 1), np.int64)
    for place, n in zip(places, size):
        k, m = place.shape
        index = (index[:, None, :, None] * n + place[None, :, None, :]).reshape(index.shape[0] * k, index.shape[1] * m)
    return index


def pool_counts(size, kernel, stride, padding, dilation, ceil_mode):
    """The number of windows along each axis."""
    out = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation):
        free = n + 2 * p - d * (k - 1) - 1
        m = (-(-free // s) if ceil_mode else free // s) + 1
        if ceil_mode and (m - 1) * s >= n + p:  # the last window must start inside the input
            m -= 1
        out.append(max(m, 0))
    return tuple(out)


@functools.lru_cache(maxsize=128)
def pool_pairs(size, kernel, stride, padding, dilation, ceil_mode):
    """`(shape of the windows, padding before and after each axis)`; None for that where a window has no element."""
    out = pool_counts(size, kernel, stride, padding, dilation, ceil_mode)
    pairs = []
    for n, k, s, p, d, m in zip(size, kernel, stride, padding, dilation, out):
        spots = np.arange(m)[:, None] * s + np.arange(k) * d - p
        if not ((spots >= 0) & (spots < n)).any(1).all():
            return out, None
        pairs.append((p, max(p, (m - 1) * s + d * (k - 1) + 1 - p - n)))
    return out, tuple(pairs)


@functools.lru_cache(maxsize=128)
def pool_places(size, kernel, stride, padding, dilation, ceil_mode):
    """`(positions, whether each lies inside, shape of the windows, first position and end of each window)`."""
    shape = pool_counts(size, kernel, stride, padding, dilation, ceil_mode)
    if not all(shape):
        return None, None, shape, None
    places, inside, ends = [], [], []
    for n, k, s, p, d, m in zip(size, kernel, stride, padding, dilation, shape):
        spots = (np.arange(k) * d)[:, None] + (np.arange(m) * s)[None] - p
        inside.append((spots >= 0) & (spots < n))
        places.append(np.clip(spots, 0, n - 1))
        starts = np.arange(m) * s - p
        ends.append(np.minimum(starts + k, n + p) - starts)
    index = combined(places, size)
    fits = combined([i.astype(np.int64) for i in inside], (2,) * len(size))
    whole = fits == 2 ** len(size) - 1
    areas = functools.reduce(np.multiply.outer, ends).ravel()
    for a in (index, whole, areas):
        a.flags.writeable = False
    return index, whole, shape, areas


@functools.lru_cache(maxsize=128)
def parts(n, m):
    """The means of windows that divide an axis of n into m parts, which may overlap by one."""
    starts, ends = ends_of_parts(n, m)
    rows = np.repeat(np.arange(m), ends - starts)
    first = np.cumsum(ends - starts) - (ends - starts)
    return Sums((m, n), rows, np.arange(rows.size) - first[rows] + starts[rows], 1 / (ends - starts)[rows])


def gathered(x, index, n):
    """`(…, kernel positions, windows)` of the last n axes."""
    flat = cnp.reshape(x, (*x.shape[: x.ndim - n], math.prod(x.shape[x.ndim - n :])))
    return cnp.take(flat, index, axis=flat.ndim - 1)


def best_of(cols, index):
    """The first largest of each window, and its flat position."""
    axis = cols.ndim - 2
    first = cnp.expand_dims(cnp.argmax(cols, axis), axis)
    best = cnp.squeeze(cnp.take_along_axis(cols, first, axis), axis)
    spots = cnp.broadcast_to(np.asarray(index), tuple(cols.shape))
    return best, cnp.squeeze(cnp.take_along_axis(spots, first, axis), axis)


def rows_of(lead, size):
    """The first position of each array of a size, of all in a row."""
    return (np.arange(math.prod(lead)) * math.prod(size)).reshape((*lead, *(1,) * len(size)))


def check_pool(name, x, n):
    """torch's refusal of other ranks."""
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}() Expected {n + 1}D or {n + 2}D tensor, but got {list(x.shape)}" if n == 1 else
                           f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input")


def window(name, n, kernel_size, stride, padding, dilation):
    """Kernel, stride, padding and dilation of max pooling, a number an axis, with torch's refusals."""
    found = []
    for what, given in (("kernel_size", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation)):
        if what == "stride" and (given is None or given in ([], ())):
            given = kernel_size
        sizes = tuples(given, n)
        if len(sizes) != n:
            none = what == "stride"
            raise RuntimeError(
                f"{name}() {what} must be {'None, ' * none}an int, list of ints{',' * none} or tuple of ints of size 1 "
                f"but got size {len(sizes)}" if n == 1 else
                f"{name}: {what} must either be {'omitted, ' * none}a single int, or a tuple of "
                f"{'two' if n == 2 else 'three'} ints")
        found.append(sizes)
    check_windows(*found, n == 1)
    return found


def check_windows(kernel, stride, padding, dilation, alone=False):
    """torch's refusals of windows without extent, and of padding wider than half of one.

    Args:
        alone: whether this is `max_pool1d`, which has words of its own.
    """
    for what, sizes in (("kernel size", kernel), ("stride", stride), ("dilation", dilation)):
        if any(k <= 0 for k in sizes):
            raise RuntimeError(f"{what} should be greater than zero, but got {list(sizes)}")
    if any(p < 0 for p in padding):
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for p, k, d in zip(padding, kernel, dilation):
        if alone and 2 * p > k:
            raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got padding="
                               f"{p} and kernel_size={k}")
        if 2 * p > d * (k - 1) + 1:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                               f"and dilation={d}")


def no_channels(name, x):
    """torch's refusal of inputs without elements but for their batch."""
    n = int(name[-2])
    if 0 in x.shape[x.ndim - n - 1 :]:
        raise RuntimeError(f"{name}: Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size "
                           f"for input, but got:{list(x.shape)}")


def too_small(x, out, n):
    """torch's refusal of inputs smaller than a window."""
    if not all(out):
        channels = x.shape[x.ndim - n - 1]
        raise RuntimeError(f"Given input size: ({'x'.join(map(str, (channels, *x.shape[x.ndim - n :])))}). Calculated "
                           f"output size: ({'x'.join(map(str, (channels, *out)))}). Output size is too small")


def lowest(dtype):
    """The identity of maximum for a dtype."""
    return np.asarray(-np.inf if dtype.kind in "fV" else np.iinfo(dtype).min, dtype)


def both(name, body, single, plain=None):
    """`max_pool2d` of a body that gives values and indices, and of one that gives values alone where it can."""
    with_indices = functional(f"{name}_with_indices", body, ties=True)

    def pool(*args, return_indices=False, **named):
        if len(args) > single:
            *args, return_indices = args
        if plain is not None and not return_indices:
            return alone(*args, **named)
        found = with_indices(*args, **named)
        return found if return_indices else found[0]

    if plain is None:
        method(f"nn.functional.{name}", attached=False)(pool)
    else:
        alone = functional(name, plain, front=pool)


def pooling(n):
    """`max_pool1d`, `avg_pool1d` and related functions."""

    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        check_pool(f"max_pool{n}d", input, n)
        kernel, stride, padding, dilation = window(f"max_pool{n}d", n, kernel_size, stride, padding, dilation)
        no_channels(f"max_pool{n}d", input)
        size = tuple(input.shape[input.ndim - n :])
        out, pairs = pool_pairs(size, kernel, stride, padding, dilation, bool(ceil_mode))
        too_small(input, out, n)
        if pairs is None:
            index, inside, *_ = pool_places(size, kernel, stride, padding, dilation, bool(ceil_mode))
            best, spots = best_of(cnp.where(inside, gathered(input, index, n), lowest(input.dtype)), index)
            shape = (*input.shape[: input.ndim - n], *out)
            return cnp.reshape(best, shape), cnp.reshape(spots, shape)
        spots = PLACES(input, kernel, stride, pairs, dilation)
        starts = rows_of(input.shape[: input.ndim - n], size)
        return cnp.take(cnp.reshape(input, (-1,)), spots), spots - starts

    def avg_pool(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        check_pool(f"avg_pool{n}d", input, n)
        kernel = tuples(kernel_size, n)
        if n == 1 != len(kernel):
            raise RuntimeError(f"avg_pool1d() argument 'kernel_size' should contain one int (got {len(kernel)})")
        stride = kernel if stride is None or stride in ([], ()) else tuples(stride, n)
        size = tuple(input.shape[input.ndim - n :])
        padding = tuples(padding, n)
        check_windows(kernel, stride, padding, (1,) * n)
        if not ceil_mode and divisor_override is None and input.dtype.kind in "fV" and all(
                k <= m + 2 * p for k, m, p in zip(kernel, size, padding)):
            return nn.avg_pool(input, kernel, stride=stride, padding=padding, count_include_pad=bool(count_include_pad))
        index, inside, out, areas = pool_places(size, kernel, stride, padding, (1,) * n, bool(ceil_mode))
        too_small(input, out, n)
        cols = gathered(input, index, n)
        if not inside.all():
            cols = cnp.where(inside, cols, np.zeros((), input.dtype))
        total = cnp.sum(cols, axis=cols.ndim - 2)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        counts = divisor_override or (areas if count_include_pad else inside.sum(0))
        counts = counts if isinstance(counts, int) else counts.astype(input.dtype)
        mean = total / counts if total.dtype.kind not in "biu" else (cnp.trunc(total / counts)).astype(total.dtype)
        return cnp.reshape(mean, (*input.shape[: input.ndim - n], *out))

    def plain(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        check_pool(f"max_pool{n}d", input, n)
        kernel, step, around, spread = window(f"max_pool{n}d", n, kernel_size, stride, padding, dilation)
        no_channels(f"max_pool{n}d", input)
        size = tuple(input.shape[input.ndim - n :])
        out, pairs = pool_pairs(size, kernel, step, around, spread, bool(ceil_mode))
        if pairs is None or not all(out):
            return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode)[0]
        return LARGEST(input, kernel, step, pairs, spread)

    both(f"max_pool{n}d", max_pool, 6, plain)
    functional(f"avg_pool{n}d", avg_pool, ties=True)


def output_shape(output_size, x, n):
    """The lengths asked for; None keeps an axis."""
    if isinstance(output_size, str):
        raise TypeError("argument 'output_size' (position 2) must be tuple of ints, but found element of type str")
    asked = (output_size,) * n if isinstance(output_size, int) or output_size is None else tuple(output_size)
    if len(asked) != n:
        raise (ValueError if len(asked) >= x.ndim else RuntimeError)(
            f"adaptive pooling: output_size must have {n} elements, but got {len(asked)}")
    if any(m is not None and m < 0 for m in asked):
        raise RuntimeError("adaptive pooling: elements of output_size must be greater than or equal to 0, but got "
                           f"{list(asked)}")
    return tuple([x.shape[x.ndim - n + i] if m is None else operator.index(m) for i, m in enumerate(asked)])


def check_rank(x, output_size, n):
    """torch's ValueError where there are no more axes than lengths asked for."""
    if n > 1 and isinstance(output_size, tuple | list) and x.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")


def adaptive(n):
    """`adaptive_avg_pool1d` and related functions."""

    def avg_pool(input, output_size):
        check_rank(input, output_size, n)
        check_pool(f"adaptive_avg_pool{n}d", input, n)
        if 0 in input.shape[input.ndim - n - 1 :]:
            raise RuntimeError(f"adaptive_avg_pool{n}d(): Expected input to have non-zero size for non-batch "
                               f"dimensions, but input has sizes {list(input.shape)}")
        new = output_shape(output_size, input, n)
        if new == (1,) * n:
            return cnp.mean(input, axis=tuple(range(input.ndim - n, input.ndim)), keepdims=True)
        out = input
        for axis, m in enumerate(new, input.ndim - n):
            out = WEIGHTED(out, parts(input.shape[axis], m), axis)
        return out

    def max_pool(input, output_size):
        check_rank(input, output_size, n)
        check_pool(f"adaptive_max_pool{n}d", input, n)
        empty = next((i for i in range(1, input.ndim) if not input.shape[i]), None)
        if empty is not None:
            raise RuntimeError(f"adaptive_max_pool{n}d(): Expected input to have non-zero size for non-batch "
                               f"dimensions, but input has sizes {list(input.shape)} with dimension {empty} being "
                               "empty")
        out = output_shape(output_size, input, n)
        lead, size = input.shape[: input.ndim - n], tuple(input.shape[input.ndim - n :])
        spots = PARTS(input, out)
        return cnp.take(cnp.reshape(input, (-1,)), spots), spots - rows_of(lead, size)

    functional(f"adaptive_avg_pool{n}d", avg_pool, ties=True)
    both(f"adaptive_max_pool{n}d", max_pool, 2)


def unpooling(n):
    """`max_unpool1d` and related functions."""

    def unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel = tuples(kernel_size, n)
        stride = kernel if stride is None or stride in ([], ()) else tuples(stride, n)
        padding = tuples(padding, n)
        small = tuple(input.shape[input.ndim - n :])
        if output_size is None:
            size = tuple([(m - 1) * s - 2 * p + k for m, s, p, k in zip(small, stride, padding, kernel)])
        else:
            size = tuple(output_size)[-n:]
        if tuple(indices.shape) != tuple(input.shape):
            raise RuntimeError("Expected shape of indices to be same as that of the input tensor "
                               f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}")
        lead = tuple(input.shape[: input.ndim - n])
        rows, count = math.prod(lead), math.prod(size)
        if type(indices) in ARRAYS and not all_within(indices, 0, count):
            raise RuntimeError(f"Found an invalid max index: {int(indices.max())} (output volumes are of size "
                               f"{'x'.join(map(str, size))}")
        if primal_of(indices).dtype != np.int64:
            raise RuntimeError("elements in indices should be type int64 but got: "
                               f"{type_word(primal_of(indices).dtype)}")
        flat = cnp.reshape(primal_of(indices), (rows, math.prod(small)))
        out = np.zeros((rows, count), input.dtype)
        out = AT(out)[np.arange(rows)[:, None], flat].set(cnp.reshape(input, (rows, math.prod(small))))
        return cnp.reshape(out, (*lead, *size))

    functional(f"max_unpool{n}d", unpool)


def lp_pooling(n):
    """`lp_pool1d` and related functions."""

    def pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        kernel = tuples(kernel_size, n)
        if input.dtype.kind not in "iu" or type(norm_type) is not int:  # powers of integers are averaged as integers
            input = floating(input)
        out = ROWS[f"nn.functional.avg_pool{n}d"].body(input**norm_type, kernel, stride, 0, ceil_mode)
        return floating(cnp.sign(out) * cnp.maximum(cnp.abs(out), 0) * math.prod(kernel)) ** (1.0 / norm_type)

    functional(f"lp_pool{n}d", pool)


for _n in (1, 2, 3):
    pooling(_n)
    adaptive(_n)
    unpooling(_n)
    lp_pooling(_n)
