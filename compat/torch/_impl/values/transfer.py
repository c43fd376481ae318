"""Copies between the CPU and a device, as an operation: the cotangent of a copy goes the other way."""

import numpy as np

from ..... import extend
from ..types.devices import moved
from ..types.size import device as Device


def _moved(x, there):
    return moved(np.asarray(x) if isinstance(x, np.generic | float | complex) else x, Device(there))


def _samples(rng):
    shapes = ((), (3,), (2, 3), (0,))
    drawn = [rng.standard_normal(shape) for shape in shapes]
    drawn += [drawn[1].astype(np.float32), drawn[1] + 1j, (drawn[1] + 1j).astype(np.complex64)]
    return [extend.Sample(x, params={"here": "cpu", "there": "cpu"}) for x in drawn]


transfer = extend.linear(
    "transfer",
    impl=lambda xp, x, *, here, there: x if here == there else _moved(x, there),
    transpose=lambda ct, here, there: transfer(ct, there, here),
    shape=lambda x: x,
    batch=lambda x, here, there: transfer(x, here, there),
    samples=_samples,
    shares=True,
)
