"""Losses of classifiers."""

import numpy as np

from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api.methods import normal_axis
from ..core.ops.nn import classification
from ..core.ops.shaping import broadcast_to
from ..core.trace.tracer import unwrap
from ..numpy.surface import Array, array_of, floating, ordered


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
