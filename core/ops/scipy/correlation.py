"""Convolution over several axes, computed directly."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..samples import Sample
from ..shaping import broadcast_to, flip
from .library import ndimage, on_host, signal


def _run(xp, x, y, lead, whole):
    on_host(xp, "convolve")
    dtype = float_dtype(result_dtype(x, y))
    shape = _sizes(x.shape, y.shape, lead, whole)
    x, y = np.asarray(x, dtype), np.asarray(y, dtype)
    if 0 in shape or not x.size or not y.size:
        return np.zeros(shape, dtype)
    if not lead:
        return np.asarray(_one(x, y, whole), dtype)
    out = np.empty(shape, dtype)
    for place in np.ndindex(*shape[:lead]):
        out[place] = _one(x[place], y[place], whole)
    return out


def _one(x, y, whole):
    """By NumPy along one axis, else by the loops of `scipy.ndimage`, 13 times as fast as those of `scipy.signal`."""
    if x.ndim < 2:
        return signal.convolve(x, y, "full" if whole else "valid", "direct")
    if whole and x.size < y.size:
        x, y = y, x
    if whole:
        x = np.pad(x, [(n - 1, n - 1) for n in y.shape])
    single = [k for k in range(x.ndim) if y.shape[k] > 1]
    if len(single) == 1:
        out = ndimage.convolve1d(x, y.ravel(), single[0], mode="constant")
    else:
        out = ndimage.convolve(x, y, mode="constant")
    return out[tuple(slice((m - 1) // 2, (m - 1) // 2 + n - m + 1) for n, m in zip(x.shape, y.shape))]


def _sizes(first, second, lead, whole):
    rest = [n + m - 1 if whole else n - m + 1 for n, m in zip(first[lead:], second[lead:])]
    return (*first[:lead], *rest)


def _turned(x, lead):
    return conj(flip(x, axes=tuple(range(lead, x.ndim))))


def _vjp_x(ct, y, lead, whole):
    return convolve_nd(ct, _turned(y, lead), lead, not whole)


def _vjp_y(ct, x, lead, whole):
    if not whole:
        return convolve_nd(_turned(x, lead), ct, lead, False)
    return convolve_nd(ct, _turned(x, lead), lead, False)


def _batch(x, y, lead, whole, batched, size):
    if all(batched):
        return convolve_nd(x, y, lead + 1, whole)
    if lead:
        x, y = (v if own else broadcast_to(v, (size, *v.shape)) for v, own in zip((x, y), batched))
        return convolve_nd(x, y, lead + 1, whole)
    if batched[0]:  # a kernel of length 1 along the batch: one convolution for all examples
        return convolve_nd(x, y.reshape((1, *y.shape)), 0, whole)
    if whole:
        return convolve_nd(x.reshape((1, *x.shape)), y, 0, True)
    return convolve_nd(broadcast_to(x, (size, *x.shape)), y, 1, False)


def _samples(rng):
    out = []
    for x, y, lead in (((4,), (3,), 0), ((3, 4), (2, 2), 0), ((2, 4), (2, 3), 1), ((3, 3), (1, 3), 0),
                       ((2, 5), (1, 2), 0), ((0, 3), (0, 2), 1)):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            for whole in (True, False):
                a, b = (1.0 * rng.normal(size=s) + c * rng.normal(size=s) for s in (x, y))
                out.append(Sample(a.astype(dtype), b.astype(dtype), params={"lead": lead, "whole": whole}))
    return [*out, Sample(rng.normal(size=4), rng.normal(size=2) + 1j, params={"lead": 0, "whole": True})]


convolve_nd = primitive(
    # over all but `lead` axes, which both have: every place that both reach (whole), or where y lies inside of x
    "convolve_nd",
    host=True,
    impl=lambda xp, x, y, *, lead, whole: _run(xp, x, y, lead, whole),
    shape=lambda x, y, lead, whole: make_aval(_sizes(x.shape, y.shape, lead, whole), float_dtype(result_dtype(x, y))),
    jvp={"x": lambda dx, y, lead, whole: convolve_nd(dx, y, lead, whole),
         "y": lambda dy, x, lead, whole: convolve_nd(x, dy, lead, whole)},
    vjp={"x": _vjp_x, "y": _vjp_y},
    linear=("x", "y"),
    batch=_batch,
    samples=_samples,
    absent={"()": "it runs along axes"},
)
