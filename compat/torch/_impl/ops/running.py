"""Scans along an axis: running extremes, and cumulative combinations of all elements up to each."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import operation
from ..dispatch.layouts import IN_ORDER
from ..types import output_tuples
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .operators import log_added

ACCUMULATE, RUNNING_EXTREME = REGISTRY["accumulate"].fun, REGISTRY["running_extreme"].fun


def _running(name, kind, largest):
    @operation(name, blind=True, layout=IN_ORDER, doc="Running extreme and its place")
    def extreme(input, dim):
        d = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return kind(input, np.zeros((), np.int64))
        if not input.size:
            return kind(input, np.zeros(input.shape, np.int64))
        return kind(*RUNNING_EXTREME(input, d, largest))


_running("cummax", output_tuples.cummax, True)
_running("cummin", output_tuples.cummin, False)


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
