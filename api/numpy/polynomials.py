"""Polynomials as vectors of coefficients, the highest power first."""

import operator
from typing import Any

import numpy as np

from ..core import methods
from ..core.device import constant
from ..core.ops import running, selection, shaping
from .sampled import convolve
from .surface import Array, array_of, implements


@implements(np.vander)
def vander(x: Array, N: Any = None, increasing: bool = False) -> Array:
    x = array_of(x)
    if x.ndim != 1:
        raise ValueError(f"vander needs a vector, but got shape {x.shape}")
    n, count = x.shape[0], x.shape[0] if N is None else operator.index(N)
    x = selection.astype(x, np.promote_types(x.dtype, int))
    first = constant(np.ones((n, min(count, 1)), x.dtype), x)
    if count > 1:
        factors = shaping.broadcast_to(methods.reshape(x, (-1, 1)), (n, count - 1))
        first = shaping.concatenate(first, running.cumprod(factors, 1), axis=1)
    return first if increasing else shaping.flip(first, axes=(1,))


@implements(np.polyval)
def polyval(p: Array, x: Array) -> Array:
    p, x = array_of(p), array_of(x)
    ans: Any = np.zeros(x.shape, x.dtype)
    for k in range(p.shape[0]):
        ans = ans * x + p[k]
    return ans


@implements(np.polyder)
def polyder(p: Array, m: int = 1) -> Array:
    p, m = array_of(p), operator.index(m)
    if m < 0:
        raise ValueError(f"polyder needs m >= 0, but got {m}")
    for _ in range(m):
        n = p.shape[0]
        p = p[: max(n - 1, 0)] * constant(np.arange(n - 1, 0, -1), p)
    return p


@implements(np.polyint)
def polyint(p: Array, m: int = 1, k: Any = None) -> Array:
    p, m = array_of(p), operator.index(m)
    if m < 0:
        raise ValueError(f"polyint needs m >= 0, but got {m}")
    constants = np.zeros(m) if k is None else methods.reshape(array_of(k), (-1,))
    if constants.shape[0] == 1 and m > 1:
        constants = shaping.broadcast_to(constants, (m,))
    if constants.shape[0] < m:
        raise ValueError(f"polyint needs {m} constants of integration, or one, but got {constants.shape[0]}")
    for i in range(m):
        n = p.shape[0]
        p = shaping.concatenate(p / constant(np.arange(n, 0, -1), p), methods.reshape(constants[i], (1,)), axis=0)
    return p


@implements(np.poly)
def poly(seq_of_zeros: Array) -> Array:
    zeros = array_of(seq_of_zeros)
    if zeros.ndim != 1:
        raise ValueError(f"poly needs a vector of roots, but got shape {zeros.shape}")
    if not zeros.shape[0]:
        return np.ones(())
    dtype = zeros.dtype if zeros.dtype.kind in "fc" else np.float64
    ans: Any = constant(np.ones(1, dtype), zeros)
    for k in range(zeros.shape[0]):
        factor = shaping.concatenate(np.ones(1, dtype), methods.reshape(-zeros[k], (1,)), axis=0)
        ans = convolve(ans, factor)
    return ans
