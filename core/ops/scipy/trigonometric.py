"""Discrete cosine and sine transforms, of types 1 to 4, without scaling."""

import numpy as np

from ...primitive.families import linear
from ..samples import arrays
from .library import fft, on_host

# SciPy's definitions. The matrices of types 4 and of the sine transform 1 are symmetric; those of types 2 and 3 are the
# transposes of each other but for one element at an end, which 3 counts half; that of the cosine transform 1 counts
# both ends half. https://docs.scipy.org/doc/scipy/reference/generated/scipy.fft.dct.html


def _run(xp, x, kind, sine, axis, turned):
    on_host(xp, "dst" if sine else "dct")
    if not x.size:
        return x.copy()
    run = fft.dst if sine else fft.dct
    if not turned:
        return _as(run(x, kind, axis=axis), x)
    n = x.shape[axis]
    ends = np.ones(n, x.real.dtype)
    if kind == 1 and not sine:
        ends[[0, -1]] = 2.0
    elif kind in (2, 3):
        ends[-1 if sine else 0] = 2.0
    ends = ends.reshape((-1,) + (1,) * (x.ndim - 1 - axis))
    if kind == 2:
        return _as(run(x * ends, 3, axis=axis), x)
    if kind == 3:
        return _as(run(x, 2, axis=axis) / ends, x)
    return _as(run(x * ends, kind, axis=axis) / ends, x)


def _as(found, x):
    return found if found.dtype == x.dtype else found.astype(x.dtype)


def _samples(rng):
    out = []
    for sine in (False, True):
        for kind in (1, 2, 3, 4):
            out += arrays((5,), kind=kind, sine=sine, axis=0)(rng) + arrays((2, 4), kind=kind, sine=sine, axis=1)(rng)
    return out + arrays((0, 3), kind=2, sine=False, axis=1)(rng)


trigonometric = linear(
    "trigonometric",  # along an axis; kind: the type; sine: dst, not dct; turned: the transpose
    host=True,
    impl=lambda xp, x, *, kind, sine, axis, turned=False: _run(xp, x, kind, sine, axis, turned),
    transpose=lambda ct, kind, sine, axis, turned: trigonometric(ct, kind, sine, axis, not turned),
    shape=lambda x: x,
    batch=lambda x, kind, sine, axis, turned: trigonometric(x, kind, sine, axis + 1, turned),
    samples=_samples,
    absent={"()": "there is no axis to transform"},
)
