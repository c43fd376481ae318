"""autograd.scipy.signal: convolution over some axes, products over others."""

import math
from itertools import product as _product

from .... import numpy as _cnp
from .._impl.missing import refusing as _refusing


def convolve(A, B, axes=None, dot_axes=((), ()), mode="full"):
    """Convolve `A` and `B` along `axes[0]` and `axes[1]`, summed over `dot_axes`; the others go through.

    Args:
        A, B: arrays.
        axes: the axes of each, in pairs; all of them by default.
        dot_axes: axes of each over which products are summed.
        mode: "full", "same" (the size of `A`) or "valid".
    Returns:
        an array: the axes of `A` that are in neither, those of `B`, then the convolved ones.

    >>> import numpy as np
    >>> from covector.compat.autograd.scipy.signal import convolve
    >>> convolve(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    array([ 1., 12., 20.])
    """
    if mode not in ("full", "same", "valid"):
        raise AssertionError(f"Mode {mode} undefined, it can be one of 'valid', 'full', and 'same'")
    A, B = _cnp.asarray(A), _cnp.asarray(B)
    if axes is None:
        axes = (range(A.ndim), range(A.ndim))
    axes = [[k % x.ndim for k in some] for x, some in zip((A, B), axes)]
    dot_axes = [[k % x.ndim for k in some] for x, some in zip((A, B), dot_axes)]
    free = [[k for k in range(x.ndim) if k not in axes[i] and k not in dot_axes[i]] for i, x in enumerate((A, B))]
    a = _cnp.transpose(A, (*free[0], *dot_axes[0], *axes[0]))
    b = _cnp.transpose(B, (*free[1], *dot_axes[1], *axes[1]))
    long = a.shape[a.ndim - len(axes[0]) :]
    short = b.shape[b.ndim - len(axes[1]) :]
    if mode == "valid" and not (all(m >= n for m, n in zip(long, short)) or all(m <= n for m, n in zip(long, short))):
        raise ValueError(f"convolve with mode='valid' needs one array that is larger along all convolved axes, but got "
                         f"lengths {tuple(long)} and {tuple(short)}; pad one, or use mode='full'")
    heads = [x.shape[: x.ndim - len(long)] for x in (a, b)]
    outer = (*heads[0][: len(free[0])], *heads[1][: len(free[1])])
    count = math.prod(heads[0][len(free[0]) :])
    a = _cnp.reshape(a, (math.prod(outer[: len(free[0])]), count, *long))
    b = _cnp.reshape(b, (math.prod(outer[len(free[0]) :]), count, *short))
    out = _full(a, b, long, short)
    if mode != "full":
        cut = [(m, (n - 1) // 2) if mode == "same" else (abs(m - n) + 1, min(m, n) - 1) for m, n in zip(long, short)]
        out = out[(slice(None), slice(None), *[slice(start, start + size) for size, start in cut])]
    return _cnp.reshape(out, (*outer, *out.shape[2:]))


def _full(a, b, long, short):
    """The full convolution of `(m, k, *long)` and `(n, k, *short)`, to `(m, n, *sizes)`: a product for each element of
    the smaller one."""
    if math.prod(long) < math.prod(short):
        return _cnp.swapaxes(_full(b, a, short, long), 0, 1)
    total = None
    for place in _product(*map(range, short)):
        part = _cnp.tensordot(b[(slice(None), slice(None), *place)], a, axes=([1], [1]))  # (n, m, *long)
        part = _cnp.pad(part, [(0, 0), (0, 0), *[(k, n - 1 - k) for k, n in zip(place, short)]])
        total = part if total is None else total + part
    return _cnp.swapaxes(total, 0, 1)

_refusing("scipy.signal")
