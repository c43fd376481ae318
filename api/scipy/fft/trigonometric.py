"""Discrete cosine and sine transforms."""

import math
from typing import Any, Protocol

import numpy as np

from ...core.checks import one_of, whole
from ...core.errors import at_user_line
from ...core.numpy_api.methods import normal_axis
from ...core.ops.scipy.trigonometric import trigonometric
from ...core.ops.shaping import pad, slice_axis
from ...core.trace.device import constant
from ...numpy.surface import Array
from .one_axis import ANY, named, single


def _transform(
    name: str, x: Array, kind: int, n: int | None, axis: int, norm: str | None, orthogonalize: bool | None, sine: bool,
    inverse: bool,
) -> Array:
    """One transform: lengths, weights of the ends, the transform of SciPy, the scale."""
    one_of(kind, f"type of {name}", (1, 2, 3, 4))
    norm = one_of(norm, f"norm of {name}", (None, "backward", "ortho", "forward")) or "backward"
    if not x.ndim:
        raise ValueError(f"{name} needs an axis to transform, but got a number; give a vector{at_user_line()}")
    axis = normal_axis(axis, x.ndim)
    x = _fit(name, x, n, axis)
    n = x.shape[axis]
    if n < 1 + (kind == 1 and not sine):
        raise ValueError(f"Invalid number of data points ({n}) specified; give more of them to {name} of type {kind}"
                         f"{at_user_line()}")
    orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if inverse:
        kind = {2: 3, 3: 2}.get(kind, kind)
    size = 2.0 * (n if kind > 1 else n + 1 if sine else n - 1)
    root = math.sqrt(2.0)
    end = -1 if sine else 0
    if orthogonal and kind == 3:
        x = _weighted(x, axis, {end: root})
    elif orthogonal and kind == 1 and not sine:
        x = _weighted(x, axis, {0: root, -1: root})
    x = trigonometric(x, kind, sine, axis)
    if orthogonal and kind == 2:
        x = _weighted(x, axis, {end: 1.0 / root})
    elif orthogonal and kind == 1 and not sine:
        x = _weighted(x, axis, {0: 1.0 / root, -1: 1.0 / root})
    if norm == "ortho":
        return x * (1.0 / math.sqrt(size))
    return x * (1.0 / size) if (norm == "backward") == inverse else x


def _weighted(x: Array, axis: int, weights: dict[int, float]) -> Array:
    scale = np.ones(x.shape[axis], x.dtype if x.dtype.kind == "f" else x.real.dtype)
    for k, weight in weights.items():
        scale[k] = weight
    return x * constant(scale.reshape((-1,) + (1,) * (x.ndim - 1 - axis)), x)


def _fit(name: str, x: Array, n: int | None, axis: int) -> Array:
    """`x` cut or filled up with zeros to length `n`."""
    if n is None or n == x.shape[axis]:
        return x
    n = whole(n, f"the length of {name}", 1)
    if n < x.shape[axis]:
        return slice_axis(x, axis, 0, n)
    return pad(x, tuple((0, (n - x.shape[axis]) * (k == axis)) for k in range(x.ndim)))


def _lengths(name: str, x: Array, s: Any, axes: Any) -> tuple[list, list]:
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    along = [normal_axis(k, x.ndim) for k in (axes if hasattr(axes, "__iter__") else (axes,))]
    lengths = [None] * len(along) if s is None else list(s if hasattr(s, "__iter__") else (s,))
    if len(lengths) != len(along):
        raise ValueError(f"when given, axes and shape arguments have to be of the same length, but {name} got {axes!r} "
                         f"and {s!r}; give one length an axis{at_user_line()}")
    return lengths, along


_REST = {
    "takes": ANY, "gives": "an array of the dtype of `x`.",
    "last": "orthogonalize: whether the matrix is orthogonal up to its scale; with norm=\"ortho\" by default.",
    "raises": "ValueError: `type`, `norm` or a length is invalid.\n    Derivative: the map is linear; its transpose is "
              "that of the other direction, with other weights at the ends.",
}


class Along(Protocol):
    """The call signature of a transform along one axis."""

    def __call__(
        self, x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
    ) -> Array: ...


class Over(Protocol):
    """The call signature of a transform along several axes."""

    def __call__(
        self, x: Array, type: int = 2, s: Any = None, axes: Any = None, norm: str | None = None,
        overwrite_x: bool = False, workers: int | None = None, *, orthogonalize: bool | None = None,
    ) -> Array: ...


def _along(name: str, sine: bool, inverse: bool, does: str, example: str, shown: str) -> Along:
    """A transform along one axis."""

    def transform(
        x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
    ) -> Array:
        return _transform(name, single(x), type, n, axis, norm, orthogonalize, sine, inverse)

    return named(transform, name, does=does, lengths="type: 1, 2, 3 or 4.\n        n: the length",
                 along="axis: along which axis", example=example, shown=shown, **_REST)


def _over(name: str, sine: bool, inverse: bool, does: str, example: str, shown: str) -> Over:
    """A transform along several axes."""

    def transform(
        x: Array, type: int = 2, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, orthogonalize: bool | None = None,
    ) -> Array:
        x = single(x)
        lengths, along = _lengths(name, x, s, axes)
        for n, axis in zip(lengths, along):
            x = _transform(name, x, type, n, axis, norm, orthogonalize, sine, inverse)
        return x

    return named(transform, name, does=does, lengths="type: 1, 2, 3 or 4.\n        s: the lengths",
                 along="axes: along which axes; all by default, or the last ones of `s`", example=example, shown=shown,
                 **_REST)


dct = _along(
    "dct", False, False, "Compute the discrete cosine transform.", "fft.dct([1.0, 2.0]).round(6)",
    "array([ 6.      , -1.414214])",
)
idct = _along(
    "idct", False, True, "Compute the discrete inverse cosine transform.", "fft.idct([1.0, 2.0]).round(6)",
    "array([ 0.957107, -0.457107])",
)
dst = _along(
    "dst", True, False, "Compute the discrete sine transform.", "fft.dst([1.0, 2.0]).round(6)",
    "array([ 4.242641, -2.      ])",
)
idst = _along(
    "idst", True, True, "Compute the discrete inverse sine transform.", "fft.idst([1.0, 2.0]).round(6)",
    "array([ 0.853553, -0.146447])",
)
dctn = _over(
    "dctn", False, False, "Compute the discrete cosine transform along several axes.",
    "fft.dctn(np.ones((1, 2))).round(6)", "array([[8., 0.]])",
)
idctn = _over(
    "idctn", False, True, "Compute the discrete inverse cosine transform along several axes.",
    "fft.idctn(np.ones((1, 2))).round(6)", "array([[ 0.301777, -0.051777]])",
)
dstn = _over(
    "dstn", True, False, "Compute the discrete sine transform along several axes.",
    "fft.dstn(np.ones((1, 2))).round(6)", "array([[5.656854, 0.      ]])",
)
idstn = _over(
    "idstn", True, True, "Compute the discrete inverse sine transform along several axes.",
    "fft.idstn(np.ones((1, 2))).round(6)", "array([[0.301777, 0.051777]])",
)
