"""Polynomials as vectors of coefficients, the highest power first."""

import operator
import warnings
from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.numpy_api.reducing import reduce
from ..core.ops import arithmetic, reductions, running, selection, shaping
from ..core.ops.linalg import products, spectral
from ..core.trace.device import constant
from ..core.trace.tracer import is_concrete
from .linalg import inv
from .sampled import convolve
from .spectra import eigvals, lstsq
from .surface import Array, array_beside, array_of, arrays_of, implements, known


@implements(np.vander)
def vander(x: Array, N: Any = None, increasing: bool = False) -> Array:
    x = array_of(x)
    if x.ndim != 1:
        raise ValueError(f"vander needs a vector, but got shape {x.shape}; ravel it{at_user_line()}")
    n, count = x.shape[0], x.shape[0] if N is None else operator.index(N)
    x = selection.astype(x, np.promote_types(x.dtype, int))
    first = constant(np.ones((n, min(count, 1)), x.dtype), x)
    if count > 1:
        factors = shaping.broadcast_to(methods.reshape(x, (-1, 1)), (n, count - 1))
        first = shaping.concatenate(first, running.cumprod(factors, 1), axis=1)
    return first if increasing else shaping.flip(first, axes=(1,))


def _no_vector(name: str, p: Array) -> ValueError:
    return ValueError(f"{name} takes a vector of coefficients, but got shape {p.shape}; reshape it to (-1,)"
                      f"{at_user_line()}")


@implements(np.polyval)
def polyval(p: Array, x: Array) -> Array:
    if isinstance(x, np.poly1d):
        raise TypeError(f"polyval of traced coefficients at a poly1d would lose them; put the polynomial in by "
                        f"polymul and polyadd{at_user_line()}")
    p, x = array_of(p), array_of(x)
    if not p.ndim:
        raise _no_vector("polyval", p)
    ans: Any = constant(np.zeros(x.shape, x.dtype), x, p)
    for k in range(p.shape[0]):
        ans = ans * x + p[k]
    return ans


@implements(np.polyder)
def polyder(p: Array, m: int = 1) -> Array:
    p, m = array_of(p), operator.index(m)
    if p.ndim != 1:
        raise _no_vector("polyder", p)
    if m < 0:
        raise ValueError(f"polyder needs m >= 0, but got {m}; take m=0 for no derivative{at_user_line()}")
    for _ in range(min(m, p.shape[0] + 1)):
        n = p.shape[0]
        p = p[: max(n - 1, 0)] * constant(np.arange(n - 1, 0, -1), p)
    return p


@implements(np.polyint)
def polyint(p: Array, m: int = 1, k: Any = None) -> Array:
    p, m = array_of(p), operator.index(m)
    if p.ndim != 1:
        raise _no_vector("polyint", p)
    if m < 0:
        raise ValueError(f"polyint needs m >= 0, but got {m}; take m=0 for no integral{at_user_line()}")
    constants = methods.reshape(array_beside(np.zeros(m).tolist() if k is None else k, p), (-1,))
    if constants.shape[0] == 1 and m > 1:
        constants = shaping.broadcast_to(constants, (m,))
    if constants.shape[0] < m:
        raise ValueError(f"polyint needs {m} constants of integration, or one, but got {constants.shape[0]}"
                         f"; give one for each integration{at_user_line()}")
    for i in range(m):
        n = p.shape[0]
        p = shaping.concatenate(p / constant(np.arange(n, 0, -1), p), methods.reshape(constants[i], (1,)), axis=0)
    return p


@implements(np.poly)
def poly(seq_of_zeros: Array) -> Array:
    zeros = array_of(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = eigvals(zeros)
    if zeros.ndim != 1:
        raise ValueError(f"poly needs a vector of roots, or a square matrix, but got shape {zeros.shape}"
                         f"; ravel it, or make it square{at_user_line()}")
    if not zeros.shape[0]:
        return np.ones(())
    dtype = zeros.dtype if zeros.dtype.char in "fdFD" else np.float64
    one: Any = constant(np.ones(1, dtype), zeros)
    ans = one
    for k in range(zeros.shape[0]):
        factor = shaping.concatenate(one, methods.reshape(-zeros[k], (1,)), axis=0)
        ans = convolve(ans, factor)
    if zeros.dtype.kind == "c" and np.isrealobj(np.poly(known(zeros, "poly"))):
        return ans.real  # roots in conjugate pairs
    return ans


@implements(np.roots)
def roots(p: Array) -> Array:
    p = array_of(p)
    if p.ndim != 1:
        raise ValueError(f"roots needs a vector of coefficients, but got shape {p.shape}; ravel it{at_user_line()}")
    plain = known(p, "roots")  # leading zeros have no root, and real roots a real dtype
    wanted = np.roots(plain)
    places = np.flatnonzero(plain)
    if not places.size or not wanted.size:
        return wanted
    p = p if p.dtype.kind in "fc" else selection.astype(p, np.float64)
    first = int(places[0])
    ans = spectral.monic_roots(p[first + 1 :] / p[first])
    ans = ans if wanted.dtype.kind == "c" else ans.real
    return ans if ans.dtype == wanted.dtype else selection.astype(ans, wanted.dtype)


@implements(np.polyfit)
def polyfit(x: Array, y: Array, deg: int, rcond: Any = None, full: bool = False, w: Any = None,
            cov: Any = False) -> Any:
    x, y, order = array_of(x) + 0.0, array_of(y) + 0.0, operator.index(deg) + 1
    if order < 1:
        raise ValueError(f"polyfit needs a degree >= 0, but got {deg}; take 0 for a constant{at_user_line()}")
    if x.ndim != 1 or not x.shape[0] or y.ndim not in (1, 2) or x.shape[0] != y.shape[0]:
        raise TypeError(f"polyfit needs points of shape (n,) and values of shape (n,) or (n, k), but got {x.shape} and "
                        f"{y.shape}; give one value per point{at_user_line()}")
    columns, values = vander(x, order), y
    if w is not None:
        w = array_of(w) + 0.0
        if w.shape != x.shape:
            raise TypeError(f"polyfit needs a weight for each of {x.shape[0]} points, but got shape {w.shape}"
                            f"; give one weight per point{at_user_line()}")
        columns = columns * methods.reshape(w, (-1, 1))
        values = values * (methods.reshape(w, (-1, 1)) if y.ndim == 2 else w)
    rcond = x.shape[0] * float(np.finfo(x.dtype).eps) if rcond is None else rcond
    scale = arithmetic.sqrt(reduce(reductions.reduce_sum, columns * columns, 0))
    columns = columns / scale
    ans, residuals, rank, singular = lstsq(columns, values, rcond)
    ans = ans / (methods.reshape(scale, (-1, 1)) if y.ndim == 2 else scale)
    if full:
        return ans, residuals, rank, singular, rcond
    if is_concrete(rank) and known(rank, "polyfit") != order:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=3)
    if not cov:
        return ans
    spread = inv(products.matmul(methods.transpose(columns), columns)) / (methods.reshape(scale, (-1, 1)) * scale)
    if cov == "unscaled":
        return ans, spread if y.ndim == 1 else spread[:, :, None]
    if x.shape[0] <= order:
        raise ValueError("polyfit needs more points than coefficients to scale a covariance; give cov='unscaled'"
                         f"{at_user_line()}")
    share = residuals / (x.shape[0] - order)
    return ans, spread * share if y.ndim == 1 else spread[:, :, None] * share


@implements(np.polyadd)
def polyadd(a1: Array, a2: Array) -> Array:
    return arithmetic.add(*_aligned(a1, a2))


@implements(np.polysub)
def polysub(a1: Array, a2: Array) -> Array:
    return arithmetic.subtract(*_aligned(a1, a2))


def _aligned(a1: Array, a2: Array) -> list:
    """Both polynomials with as many coefficients, zeros in front."""
    parts = [x if x.ndim else methods.reshape(x, (1,)) for x in arrays_of((a1, a2))]
    n = max(x.shape[0] for x in parts)
    return [x if x.shape[0] == n else
            shaping.concatenate(constant(np.zeros(n - x.shape[0], x.dtype), x), x, axis=0) for x in parts]


@implements(np.polymul)
def polymul(a1: Array, a2: Array) -> Array:
    return convolve(*[_without_zeros("polymul", x) for x in arrays_of((a1, a2))])


def _without_zeros(name: str, p: Array) -> Array:
    """`p` without the zeros in front, as NumPy's polynomials have none; the last coefficient stays."""
    p = p if p.ndim else methods.reshape(p, (1,))
    if p.ndim != 1:
        raise _no_vector(name, p)
    places = np.flatnonzero(known(p, name))
    return p[int(places[0]) :] if places.size else constant(np.zeros(1, p.dtype), p)


@implements(np.polydiv)
def polydiv(u: Array, v: Array) -> tuple:
    u, v = (x if x.ndim else methods.reshape(x, (1,)) for x in arrays_of((u, v)))
    for p in (u, v):
        if p.ndim != 1 or not p.shape[0]:
            raise _no_vector("polydiv", p)
    dtype = np.result_type(u.dtype, v.dtype)
    dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    rest, v = (selection.astype(x, dtype) for x in (u, v))
    n = v.shape[0]
    share, parts = 1.0 / v[0], []
    for k in range(rest.shape[0] - n + 1):
        part = methods.reshape(share * rest[k], (1,))
        parts.append(part)
        rest = shaping.concatenate(rest[:k], rest[k : k + n] - part * v, rest[k + n :], axis=0)
    quotient = shaping.concatenate(*parts, axis=0) if parts else constant(np.zeros(1, dtype), rest)
    plain = known(rest, "polydiv")  # what the division leaves has no zeros in front
    first = 0
    while first < plain.size - 1 and np.allclose(plain[first], 0, rtol=1e-14):
        first += 1
    return quotient, rest[first:]
