"""Softmax, its logarithm, and the losses of classifiers."""

import math
from collections.abc import Callable

import numpy as np

from ..core.arrays.axes import normal_axes
from ..core.checks import flag
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.numpy_api.methods import normal_axis
from ..core.ops import arithmetic, reductions, selection, shaping
from ..core.ops.nn import classification
from ..core.ops.shaping import broadcast_to
from ..core.trace.tracer import unwrap
from ..numpy.surface import Array, Axis, array_of, floating, ordered


def softmax(x: Array, axis: Axis = -1, where: Array | None = None) -> Array:
    """Compute exp(x) / Σ exp(x), without overflow.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
        where: a boolean mask that broadcasts with `x`, of the elements to include; the output is 0 elsewhere.
    Returns:
        an array of the shape of `x`; its entries sum to 1 along `axis`.
    Raises:
        DtypeError: `where` is not boolean.

    >>> from covector import nn
    >>> [round(float(v), 6) for v in nn.softmax([0.0, 1000.0])]
    [0.0, 1.0]
    """
    if where is None:
        return over_axes(classification.softmax, x, axis)
    x, mask, _ = _masked(x, axis, where, "softmax")
    return selection.where(mask, over_axes(classification.softmax, x, axis), 0.0)


def log_softmax(x: Array, axis: Axis = -1, where: Array | None = None) -> Array:
    """Compute the logarithm of `softmax`, accurate where that underflows.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
        where: a boolean mask that broadcasts with `x`, of the elements to include; the output is -∞ elsewhere.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `where` is not boolean.

    >>> from covector import nn
    >>> [float(v) for v in nn.log_softmax([0.0, 1000.0])]
    [-1000.0, 0.0]
    """
    if where is None:
        return over_axes(classification.log_softmax, x, axis)
    x, mask, _ = _masked(x, axis, where, "log_softmax")
    total = reductions.logsumexp(x, normal_axes(axis, x.ndim), True)
    return selection.where(mask, selection.where(mask, x, 0.0) - selection.where(mask, total, 0.0), -math.inf)


def logsumexp(x: Array, axis: Axis = None, keepdims: bool = False, where: Array | None = None) -> Array:
    """Compute log Σ exp(x), without overflow.

    Args:
        x: an array, real or complex.
        axis: the axis of the sum, several, or None for all.
        keepdims: whether the summed axes are kept with length 1.
        where: a boolean mask that broadcasts with `x`, of the elements to include.
    Returns:
        an array without the summed axes; -inf for empty sums.
    Raises:
        DtypeError: `where` is not boolean.

    >>> from covector import nn
    >>> round(float(nn.logsumexp([1000.0, 1000.0])), 4)
    1000.6931
    """
    if where is None:
        x = floating(x)
        return reductions.logsumexp(x, normal_axes(axis, x.ndim), flag(keepdims))
    x, _, some = _masked(x, axis, where, "logsumexp")
    axes = normal_axes(axis, x.ndim)
    return selection.where(some if keepdims else some.squeeze(axis=axes), reductions.logsumexp(x, axes, flag(keepdims)),
                           -math.inf)


def logmeanexp(x: Array, axis: Axis = None, where: Array | None = None, keepdims: bool = False) -> Array:
    """Compute the logarithm of the mean of exp(x), without overflow.

    Args:
        x: an array, real or complex.
        axis: the axis of the mean, several, or None for all.
        where: a boolean mask that broadcasts with `x`, of the elements to include.
        keepdims: whether the axes are kept with length 1.
    Returns:
        an array without the averaged axes; NaN for empty means.
    Raises:
        DtypeError: `where` is not boolean.

    >>> from covector import nn
    >>> round(float(nn.logmeanexp([1000.0, 1000.0])), 4)
    1000.0
    """
    x = floating(x)
    mask = None if where is None else _mask(x, where, "logmeanexp")
    total = logsumexp(x, axis, keepdims, where)
    axes = normal_axes(axis, x.ndim)
    if mask is None:
        number = math.prod(x.shape[k] for k in axes)
        return total - (math.log(number) if number else -math.inf)
    number = selection.astype(mask, x.real.dtype).sum(axis=axes, keepdims=flag(keepdims))
    nothing = number == 0
    return selection.where(nothing, math.nan, total - arithmetic.log(selection.where(nothing, 1.0, number)))


def _mask(x: Array, where: Array, name: str) -> Array:
    """Broadcast `where` to the shape of `x`."""
    mask = array_of(where)
    if mask.dtype.kind != "b":
        raise DtypeError(f"{name} needs a boolean where=, True for elements to include, but got {mask.dtype}; compare "
                         f"it: where != 0{at_user_line()}")
    return mask if mask.shape == x.shape else shaping.broadcast_to(mask, shape=x.shape)


def _masked(x: Array, axis: Axis, where: Array, name: str) -> tuple[Array, Array, Array]:
    """Return `x` with -∞ where it is masked out (0 if everything is), the mask, and where any element is included."""
    x = floating(x)
    mask = _mask(x, where, name)
    some = mask.any(axis=normal_axes(axis, x.ndim), keepdims=True)
    return selection.where(some, selection.where(mask, x, -math.inf), 0.0), mask, some


def over_axes(fun: Callable[..., Array], x: Array, axis: Axis) -> Array:
    """Apply `fun(x, axis)`, a function of one axis, to several axes merged into one."""
    x = floating(x)
    axes = normal_axes(axis, x.ndim)
    if len(axes) == 1:
        return fun(x, axes[0])
    rest = tuple([k for k in range(x.ndim) if k not in axes])
    order = rest + axes
    moved = x.transpose(order)
    kept = tuple(moved.shape[: len(rest)])
    flat = moved.reshape((*kept, math.prod(moved.shape[len(rest) :])))
    back = [0] * x.ndim
    for place, k in enumerate(order):
        back[k] = place
    return fun(flat, len(rest)).reshape(moved.shape).transpose(tuple(back))


# Losses of classifiers.


def softmax_cross_entropy(logits: Array, labels: Array, axis: int = -1) -> Array:
    """Compute -log softmax(logits) of the labels, for each example.

    Args:
        logits: an array, real, with the classes along `axis`.
        labels: integer class indices, of the shape of `logits` without `axis`; or real class weights,
            with the axes of `logits`, each of its length or 1: -Σ weights · log softmax(logits).
        axis: the axis of the classes.
    Returns:
        an array of the shape of `logits` without `axis`.
    Raises:
        ShapeError: the shapes do not match.
        IndexError: a label is not a valid class index.
        DtypeError: `logits` are complex.
    Derivative: softmax(logits) minus the one-hot label, or softmax(logits) Σ weights - weights, in one operation.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.softmax_cross_entropy([[0.0, 1.0], [0.0, 1.0]], [0, 1])]
    [1.3133, 0.3133]
    >>> round(float(nn.softmax_cross_entropy([0.0, 1.0], [0.5, 0.5])), 4)
    0.8133
    """
    logits, labels = ordered(floating(logits), "softmax_cross_entropy"), array_of(labels)
    axis = normal_axis(axis, logits.ndim)
    if labels.dtype.kind not in "iub":
        if labels.ndim != logits.ndim or any(k not in (1, n) for k, n in zip(labels.shape, logits.shape)):
            raise ShapeError("softmax_cross_entropy needs weights of the classes with an axis for each of logits of "
                             f"shape {tuple(logits.shape)}, but got {labels.dtype} of shape {tuple(labels.shape)}; if "
                             f"these are labels, cast them to integers: labels.astype(int){at_user_line()}")
        return classification.target_cross_entropy(*[_last(v, axis) for v in together(logits, labels)])
    rest = tuple(logits.shape[:axis]) + tuple(logits.shape[axis + 1 :])
    if tuple(labels.shape) != rest:
        raise ShapeError(f"softmax_cross_entropy needs one label for each of {rest} examples (logits of shape "
                         f"{tuple(logits.shape)}, classes along axis {axis}), but got labels of shape "
                         f"{tuple(labels.shape)}; "
                         f"give one label per example, as an index or as a row of probabilities{at_user_line()}")
    classes = logits.shape[axis]
    known = unwrap(labels)
    if known is not None and bool(((known < 0) | (known >= classes)).any()):
        raise IndexError(f"softmax_cross_entropy got labels from {known.min()} to {known.max()}, but there are "
                         f"{classes} classes, from 0 on; mask other labels and leave their losses out{at_user_line()}")
    rows = _last(logits, axis).reshape((labels.size, classes))
    return classification.cross_entropy(rows, labels.reshape((labels.size,))).reshape(rest)


def _last(x: Array, axis: int) -> Array:
    """Move `axis` of `x` to the end."""
    return x.transpose((*range(axis), *range(axis + 1, x.ndim), axis))


def together(*xs: Array) -> list[Array]:
    """Broadcast the operands to one shape."""
    shape = np.broadcast_shapes(*[tuple(x.shape) for x in xs])
    return [x if tuple(x.shape) == shape else broadcast_to(x, shape) for x in xs]
