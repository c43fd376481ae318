"""Copies between the CPU and a device, as an operation: the cotangent of a copy goes the other way."""

import numpy as np

from ..... import extend
from ..types.devices import moved
from ..types.size import device as Device


def _samples(rng):
    return [(rng.standard_normal((2, 3)), {"here": "cpu", "there": "cpu"}), (np.float64(0.5), {
        "here": "cpu", "there": "cpu"})]


transfer = extend.primitive(
    "transfer",
    impl=lambda xp, x, *, here, there: moved(x if hasattr(x, "strides") else np.asarray(x), Device(there)),
    shape=lambda x: x,
    jvp={"x": lambda dx, here, there: transfer(dx, here, there)},
    vjp={"x": lambda ct, here, there: transfer(ct, there, here)},
    batch=lambda x, here, there: transfer(x, here, there),
    samples=_samples,
)
