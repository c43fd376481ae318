"""What runs along an axis: the extremes so far, and what combines all elements up to each."""

import numpy as np

from ..... import numpy as cnp
from .....extend import REGISTRY
from ..dispatch.call import operation
from ..dispatch.host_ops import hosted
from ..dispatch.layouts import IN_ORDER
from ..types import output_tuples
from ..types.dtypes import type_word
from .axes import wrap_dim
from .index_arrays import along
from .operators import log_added

ACCUMULATE = REGISTRY["accumulate"].fun


def _running_index(x, axis, best):
    """The place of the running extreme: the last of equals, NaN winning for good."""
    if not x.shape[axis]:
        return np.zeros(x.shape, np.int64)
    best = best.accumulate(x, axis=axis)  # NaN from the first one on, which nothing equals
    place = np.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    return np.maximum.accumulate(np.where((x == best) | (x != x), place, 0), axis=axis)


def _running(name, best, kind):
    @operation(name, blind=True, layout=IN_ORDER, doc="Running extreme and its place")
    def extreme(input, dim):
        d = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return kind(input, np.zeros((), np.int64))
        index = hosted(lambda x: _running_index(x, d, best), input.shape, np.int64, input)
        return kind(along(input, index, d), index)


_running("cummax", np.maximum, output_tuples.cummax)
_running("cummin", np.minimum, output_tuples.cummin)


def prefixes(x, axis, combine):
    """`combine` of all elements up to each, in log2(n) steps: Hillis & Steele (1986), Data parallel algorithms."""
    n, k = x.shape[axis], 1
    lead = (slice(None),) * axis
    while k < n:
        tail = combine(x[(*lead, slice(k, None))], x[(*lead, slice(0, n - k))])
        x = cnp.concatenate([x[(*lead, slice(0, k))], tail], axis=axis)
        k *= 2
    return x


@operation("logcumsumexp", layout=IN_ORDER)
def logcumsumexp(input, dim):
    """Compute the logarithm of the cumulative sum of exponentials."""
    if input.dtype.kind not in "fcV":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{type_word(input.dtype)}'")
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return input
    return ACCUMULATE(input, d, "logaddexp") if input.dtype.kind == "f" else prefixes(input, d, log_added)
