"""Student's t distribution function and its inverse; by the degrees of freedom they have no closed derivative."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp, log, log1p
from ..samples import Sample
from .gamma_functions import gammaln
from .scipy_kernels import scipy_kernel, weakly

_stdtr, _stdtrit = scipy_kernel("stdtr"), scipy_kernel("stdtrit")
_REAL = {"complex": "a distribution function is real"}
_NO_FORM = "the derivative with respect to the degrees of freedom has no closed form"


def _density(df, t):
    """The density of the t distribution, from DLMF 8.17.1."""
    half = 0.5 * (df + 1.0)
    size = weakly(gammaln, half) - weakly(gammaln, 0.5 * df) - 0.5 * weakly(log, math.pi * df)
    return exp(size - half * log1p(t * t / df))


def _samples(low, high):
    return lambda rng: [Sample(np.array(2.5), rng.uniform(low, high, s)) for s in ((), (3,), (0,))] + [
        Sample(np.array([[0.7], [9.0]]), rng.uniform(low, high, 3)),
        Sample(np.array(3.0, "f4"), rng.uniform(low, high, 3).astype("f4"))]


stdtr = elementwise(
    "stdtr",
    impl=lambda xp, df, t: _stdtr(xp, df, t),
    d={"t": lambda df, t: _density(df, t)},
    nondiff="df",
    refused={"df": _NO_FORM},
    absent=_REAL,
    samples=_samples(-3.0, 3.0),
)
stdtrit = elementwise(
    "stdtrit",  # t with stdtr(df, t) = p; the slope at 0 and 1 is infinite
    impl=lambda xp, df, p: _stdtrit(xp, df, p),
    d={"p": lambda df, ans: 1.0 / _density(df, ans)},
    nondiff="df",
    refused={"df": _NO_FORM},
    singular=True,
    absent=_REAL,
    samples=_samples(0.1, 0.9),
)
