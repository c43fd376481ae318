"""Norms of vectors and matrices, and condition numbers, as in `numpy.linalg`."""

from typing import Any

import numpy as np

from ..core.checks import flag
from ..core.errors import at_user_line
from ..core.numpy_api import methods, roots
from ..core.numpy_api.reducing import reduce
from ..core.ops import reductions, selection, shaping
from ..core.ops.linalg import decompositions, svd
from .spectra import inexact, matrices, policy_here
from .surface import Array, Axis, implements


@implements(np.linalg.norm)
def norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    x = inexact(x)
    if axis is None:
        if ord is None or (ord == 2 and x.ndim == 1) or (ord in ("f", "fro") and x.ndim == 2):
            return _euclid(x, tuple(range(x.ndim)), keepdims)
        axes = tuple(range(x.ndim))
        if x.ndim not in (1, 2):
            raise ValueError(f"norm with ord={ord!r} needs one or two axes, but got shape {x.shape}; name them with "
                             f"axis{at_user_line()}")
    else:
        axes = tuple([methods.normal_axis(k, x.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"norm takes one or two different axes, but got axis={axis}; "
                         f"name them once, or reshape{at_user_line()}")
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    ans = _matrix_norm(shaping.transpose(x, (*rest, *axes)), ord, False)
    if flag(keepdims):
        return methods.reshape(ans, tuple(1 if k in axes else n for k, n in enumerate(x.shape)))
    return ans


@implements(np.linalg.vector_norm)
def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Array:
    x = inexact(x)
    axes = methods.normal_axes(axis, x.ndim)
    return _vector_norm(x, ord, axes, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    return _matrix_norm(matrices(x, "matrix_norm"), ord, keepdims)


@implements(np.linalg.cond)
def cond(x: Array, p: Any = None) -> Array:
    x = matrices(x, "cond")
    if 0 in x.shape[-2:]:
        raise np.linalg.LinAlgError(f"cond is not defined on empty matrices, but got shape {x.shape}; "
                                    f"check the size before{at_user_line()}")
    if p is not None and p not in (2, -2):
        return _matrix_norm(x, p, False) * _matrix_norm(decompositions.inv(x), p, False)
    s = svd.svdvals(x, policy_here(), "extremes")
    big, small = _extreme(s, max), _extreme(s, min)
    if p == -2:
        big, small = small, big
    with np.errstate(all="ignore"):
        ratio = big / small
        unknown = reductions.reduce_any(selection.isnan(x), (x.ndim - 2, x.ndim - 1), False)
        return selection.where(selection.isnan(ratio) & ~unknown, np.inf, ratio)


def _vector_norm(x: Array, ord: Any, axes: tuple, keepdims: Any) -> Array:
    axes = tuple(sorted(axes))
    keepdims = flag(keepdims)
    if ord == 2:
        return _euclid(x, axes, keepdims)
    size = shaping.absolute(x)
    if ord == np.inf:
        return _largest(size, axes, keepdims)
    if ord == -np.inf:
        return reductions.reduce_min(size, axes, keepdims)
    if ord == 0:
        return reductions.reduce_sum(selection.astype(x != 0, size.dtype), axes, keepdims)
    if ord == 1:
        return reductions.reduce_sum(size, axes, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"norm of vectors has no ord={ord!r}; give a number, inf or -inf{at_user_line()}")
    if ord < 0:
        return methods.power(reductions.reduce_sum(methods.power(size, ord), axes, keepdims), 1 / ord)
    zero = size == 0  # |x|^p has derivative 0 at 0 for p > 1; 0 is chosen for p <= 1, too
    powers = selection.where(zero, 0.0, methods.power(selection.where(zero, 1.0, size), float(ord)))
    total = reductions.reduce_sum(powers, axes, keepdims)
    none = total == 0
    return selection.where(none, 0.0, methods.power(selection.where(none, 1.0, total), 1 / ord))


def _largest(x: Array, axes: tuple, keepdims: bool) -> Array:
    """The largest of values that are nonnegative; 0 of none."""
    return reduce(reductions.reduce_max, x, axes, keepdims, initial=None if x.size else 0)


def _extreme(s: Array, which: Any) -> Array:
    """The largest or smallest singular value; those that are equal share the derivative."""
    axes = (s.ndim - 1,)
    return _largest(s, axes, False) if which is max else reductions.reduce_min(s, axes, False)


def _matrix_norm(x: Array, ord: Any, keepdims: bool) -> Array:
    """The norm of the matrices in the last two axes, of any order."""
    if ord in (None, "fro", "f"):
        ans = _euclid(x, (x.ndim - 2, x.ndim - 1), False)
    elif ord in (1, -1, np.inf, -np.inf):
        along, other = (-2, -1) if ord in (1, -1) else (-1, -2)
        sums = reductions.reduce_sum(shaping.absolute(x), (x.ndim + along,), True)
        extreme = _largest if ord > 0 else reductions.reduce_min
        ans = methods.squeeze(extreme(sums, (x.ndim + other,), True), (x.ndim - 2, x.ndim - 1))
    elif ord in (2, -2, "nuc"):
        s = svd.svdvals(x, policy_here(), "largest" if ord == 2 else "all")
        ans = reductions.reduce_sum(s, (s.ndim - 1,), False) if ord == "nuc" else _extreme(s, max if ord == 2 else min)
    else:
        raise ValueError(f"norm of matrices supports the orders None, 'fro', 'nuc', 1, -1, 2, -2, inf and -inf, but "
                         f"got {ord!r}; choose one of them{at_user_line()}")
    return methods.reshape(ans, (*ans.shape, 1, 1)) if flag(keepdims) else ans


def _euclid(x: Array, axes: tuple, keepdims: Any) -> Array:
    """sqrt(Σ |x|²); its derivative at 0 is 0, the subgradient of smallest norm."""
    return roots.vector_norm(x, tuple(sorted(axes)), flag(keepdims))
