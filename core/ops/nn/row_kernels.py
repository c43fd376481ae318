"""Operations on the rows of a matrix as kernels: what one row comes to, written in operations."""

from ...primitive.kernels import LEAST, kernel_of
from ..arithmetic import exp, log, sqrt
from ..reductions import reduce_max, reduce_sum


def _total(x):
    return reduce_sum(x, (0,), False)


def _weights(x):
    """The largest, x without it, its exponential function and the sum of that; infinities come out as NaN."""
    top = reduce_max(x, (0,), False)
    low = x - top
    parts = exp(low)
    return top, low, parts, _total(parts)


def _softmax(x):
    _, _, parts, total = _weights(x)
    return parts * (1.0 / total)


def _log_softmax(x):
    _, low, _, total = _weights(x)
    return low - log(total)


def _losses(x):
    top, _, _, total = _weights(x)
    return log(total), top


def _hat(x, eps, count):
    """x brought to mean 0 and variance 1, and what it was multiplied with."""
    gap = x - _total(x) / count
    scale = 1.0 / sqrt(_total(gap * gap) / count + eps)
    return gap * scale, scale


def _pulled(c, hat, scale, count):
    return (c - hat * (_total(hat * c) / count) - _total(c) / count) * scale


def _layer_norm_vjp(ct, x, w, eps, count):
    hat, scale = _hat(x, eps, count)
    return _pulled(ct * w, hat, scale, count), ct * hat


def _fitting(kernel):
    """A kernel that is asked for large matrices alone; None else."""
    return lambda rows, *rest: kernel(rows, *rest) if rows.size >= LEAST else None


def _rows(name, what, define, *kinds):
    return _fitting(kernel_of(name, what, define, kinds))


softmax = _rows("softmax", "impl", _softmax, "row")
softmax_vjp = _rows("softmax", "vjp", lambda c, ans: (c - _total(c * ans)) * ans, "row", "row")
log_softmax = _rows("log_softmax", "impl", _log_softmax, "row")
log_softmax_vjp = _rows("log_softmax", "vjp", lambda c, ans: c - exp(ans) * _total(c), "row", "row")
log_weights = _rows("cross_entropy", "impl", _losses, "row")  # log Σ exp(x - max), and the maximum
scaled_softmax = _rows("cross_entropy", "vjp", lambda x, ct: _softmax(x) * ct, "row", "number")
standardize = _rows("standardize", "impl", lambda x, eps, count: _hat(x, eps, count)[0], "row", "float", "float")
standardize_vjp = _rows("standardize", "vjp", lambda c, x, eps, count: _pulled(c, *_hat(x, eps, count), count),
                        "row", "row", "float", "float")
layer_norm = _rows("layer_norm", "impl", lambda x, w, b, eps, count: _hat(x, eps, count)[0] * w + b,
                   "row", "vector", "vector", "float", "float")
# The cotangent of x, and the product of that of the output with x̂, whose columns add up to that of w.
layer_norm_vjp = _rows("layer_norm", "vjp", _layer_norm_vjp, "row", "row", "vector", "float", "float")
