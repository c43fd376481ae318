"""Integrals and derivatives of sampled values: the trapezoidal rule, finite differences."""

import numpy as np

from ..dispatch.call import ROWS, floating, operation, promote
from ..dispatch.layouts import IN_ORDER, check_broadcast
from ..types import dtypes
from ..types.tensor_type import TensorBase
from .array_functions import cnp
from .axes import wrap_dim
from .operands import times


def _steps(y, x, dx, dim):
    """The widths of the intervals along an axis, as something that multiplies their mean heights."""
    d = wrap_dim(dim, y.ndim)
    if x is None:
        return d, 1 if dx is None else dx
    if dx is not None:
        raise RuntimeError("trapezoid takes x or dx, not both")
    if x.ndim == 1:
        if x.shape[0] != y.shape[d]:
            raise RuntimeError(f"trapezoid: There must be one `x` value for each sample point, but there are "
                               f"{x.shape[0]} for {y.shape[d]}")
        x = cnp.reshape(x, (1,) * d + (-1,) + (1,) * (y.ndim - 1 - d))
    elif x.ndim < y.ndim:
        x = cnp.reshape(x, (1,) * (y.ndim - x.ndim) + x.shape)
    return d, _part(x, d, 1, None) - _part(x, d, 0, -1)


def _part(x, axis, a, b):
    return x[(slice(None),) * axis + (slice(a, b),)]


def _areas(y, x, dx, dim):
    """The axis, and twice the areas between neighbors, in the common dtype, as in PyTorch."""
    d, width = _steps(y, x, dx, dim)
    heights = _part(y, d, 1, None) + _part(y, d, 0, -1)
    if not hasattr(width, "dtype"):
        return d, times(heights, width)
    check_broadcast(heights, width)
    return d, cnp.multiply(*promote(heights, width))


def no_booleans(name, y, x):
    """PyTorch's refusal of booleans."""
    for word, v in (("y", y), ("x", x)):
        if v is not None and v.dtype.kind == "b":
            raise RuntimeError(f"{name}: received a bool input for `{word}`, but bool is not supported")


def with_axes(y, dim):
    """The axis of an integral, or PyTorch's refusal of a number."""
    if not y.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, y.ndim)


@operation("trapezoid", method=False, layout=IN_ORDER)
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """Integrate along an axis by the trapezoidal rule."""
    d = with_axes(y, dim)
    if not y.shape[d]:
        return np.zeros((*y.shape[:d], *y.shape[d + 1:]), y.dtype)
    no_booleans("trapezoid", y, x)
    if x is None:  # the sum of all, but half of the first and of the last
        ends = cnp.squeeze(_part(y, d, 0, 1), d) + cnp.squeeze(_part(y, d, y.shape[d] - 1, None), d)
        whole, half = promote(ROWS["sum"].body(y, d), times(floating(ends), 0.5))
        return times(whole - half, 1.0 if dx is None else dx)
    d, areas = _areas(y, x, dx, dim)
    return times(floating(ROWS["sum"].body(areas, d)), 2.0, True)


@operation("cumulative_trapezoid", method=False, layout=IN_ORDER)
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """Integrate cumulatively along an axis by the trapezoidal rule."""
    if not y.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    no_booleans("cumulative_trapezoid", y, x)
    d, areas = _areas(y, x, dx, dim)
    return times(floating(ROWS["cumsum"].body(areas, d)), 2.0, True)


ROWS["trapz"] = ROWS["trapezoid"]


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Approximate the gradient of sampled values by finite differences."""
    if input.dtype in (dtypes.uint8, dtypes.bool_):
        raise RuntimeError(f"torch.gradient does not support {input.dtype.name} input.")
    n = input.ndim
    dims = list(range(n)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [wrap_dim(d, n) for d in dims]
    if any(dims.count(d) > 1 for d in dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    spacing = 1 if spacing is None else spacing
    numbers = isinstance(spacing, int | float | complex)
    if not numbers and isinstance(spacing, TensorBase):
        spacing = [spacing]
    gaps = [spacing] * len(dims) if numbers else list(spacing)
    if len(gaps) != len(dims):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
                           + (f"equal to 'self.dim() = {n}', since dim argument was not given" if dim is None else
                              f"equal to the number of dims, {len(dims)}") + f", but got a list of length {len(gaps)}")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([_gradient(input, g, d, edge_order) for g, d in zip(gaps, dims)])


@operation("_gradient", method=False, register=False, node="CatBackward0", layout=IN_ORDER)
def _gradient(x, spacing, d, edge_order):
    if x.dtype.kind in "biu":
        x = x.astype(dtypes.Default.float.numpy)
    n = x.shape[d]

    def at(a, b):
        return x[(slice(None),) * d + (slice(a, b),)]

    if hasattr(spacing, "dtype"):
        shape = (-1,) + (1,) * (x.ndim - 1 - d)
        h = spacing if x.dtype.kind == "c" or spacing.dtype == x.dtype else spacing.astype(x.dtype)
        h = h[1:] - h[:-1]
        left, right = cnp.reshape(h[:-1], shape), cnp.reshape(h[1:], shape)
        first, last, second, before = h[0], h[n - 2], h[1 if n > 2 else 0], h[n - 3 if n > 2 else 0]
    else:
        left = right = first = last = second = before = spacing
    inner = (at(2, n) * left**2 - at(0, n - 2) * right**2 + at(1, n - 1) * (right**2 - left**2)) / (
        left * right * (left + right)) if hasattr(spacing, "dtype") else (
        times(at(2, n) - at(0, n - 2), 2 * spacing, True))
    if edge_order == 1:
        start = _times(at(1, 2) - at(0, 1), first, True)
        end = _times(at(n - 1, n) - at(n - 2, n - 1), last, True)
    else:
        a, b = first, second
        start = (_times(at(0, 1), -(2 * a + b) / (a * (a + b))) + _times(at(1, 2), (a + b) / (a * b))
                 + _times(at(2, 3), -a / (b * (a + b))))
        a, b = before, last
        end = (_times(at(n - 3, n - 2), b / (a * (a + b))) + _times(at(n - 2, n - 1), -(a + b) / (a * b))
               + _times(at(n - 1, n), (2 * b + a) / (b * (a + b))))
    return cnp.concatenate([start, inner, end], axis=d)


def _times(x, factor, over=False):
    """`times` for widths that are numbers or arrays."""
    return times(x, factor, over) if not hasattr(factor, "dtype") else x / factor if over else x * factor


PLAIN = {"gradient": gradient}
