"""Real and imaginary parts, complex numbers as pairs of them, and back."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import complex_dtype, float_dtype, part_dtype, real_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import linear
from ..dependence import ELEMENTS, lines, numbered
from ..fourier import SWAPPED, dft, irdft, rdft, shares
from ..samples import Sample, arrays, unary
from ..shaping import stack, to_complex


def _pairs(rng):
    return [Sample(rng.normal(size=s) + 1j * rng.normal(size=s)) for s in ((), (3,), (2, 3), (0,))] + [
        Sample((rng.normal(size=3) + 1j).astype(np.complex64), tol=1e-2)]


def _halves(rng):
    return [Sample(rng.normal(size=s)) for s in ((2,), (3, 2), (2, 3, 2), (0, 2))] + [
        Sample(rng.normal(size=(3, 2)).astype(np.float32), tol=1e-2)]


def _join(xp, x):
    dtype = complex_dtype(x.dtype)
    if hasattr(x, "view"):  # without a product, which would make NaN of infinite parts
        return xp.ascontiguousarray(x, real_dtype(dtype)).view(dtype)[..., 0]
    return x[..., 0].astype(dtype) + x[..., 1].astype(dtype) * 1j


def _joined_shape(x):
    if not x.shape or x.shape[-1] != 2:
        raise ShapeError(f"as_complex got shape {x.shape}; the last axis must hold the real and the imaginary part"
                         f"{at_user_line()}")
    return make_aval(x.shape[:-1], complex_dtype(x.dtype))


def _put_imag(x, part):
    if x.dtype.kind != "c":
        raise ValueError("an in-place write met the imaginary part of a real array, which is read-only, as in NumPy; "
                         f"make the array complex{at_user_line()}")
    return as_complex(stack(real(x), part, axis=x.ndim))


real = linear(
    "real",
    impl=lambda xp, x: xp.real(x),
    transpose=lambda ct, x_aval: ct if x_aval.dtype.kind != "c" else to_complex(ct, dtype=x_aval.dtype),
    shape=lambda x: make_aval(x.shape, part_dtype(x.dtype)),
    batch_params=lambda: (),
    identity=True,
    view=True,
    unview=lambda x, part: as_complex(stack(part, imag(x), axis=x.ndim)) if x.dtype.kind == "c" else part,
    depends=ELEMENTS,
    samples=unary(),
)
imag = linear(
    "imag",
    impl=lambda xp, x: xp.imag(x),
    transpose=lambda ct, x_aval: 0.0 * ct if x_aval.dtype.kind != "c" else to_complex(ct, dtype=x_aval.dtype) * 1j,
    shape=lambda x: make_aval(x.shape, part_dtype(x.dtype)),
    batch_params=lambda: (),
    view=True,
    unview=_put_imag,
    depends=ELEMENTS,
    samples=unary(),
)
as_real = linear(
    "as_real",  # complex (*a) -> real (*a, 2)
    impl=lambda xp, x: xp.stack((xp.real(x), xp.imag(x)), axis=-1),
    transpose=lambda ct: as_complex(ct),  # under Re<u, v> the two are inverse and transpose of each other
    shape=lambda x: make_aval((*x.shape, 2), real_dtype(x.dtype)),
    batch_params=lambda: (),
    unview=lambda x, part: as_complex(part),
    depends=lambda x: {0: (numbered(x.shape), np.stack([numbered(x.shape)] * 2, -1))},
    samples=_pairs,
    absent={"float32": "its operand is complex"},
)
as_complex = linear(
    "as_complex",  # real (*a, 2) -> complex (*a)
    impl=lambda xp, x: _join(xp, x),
    shares=True,
    transpose=lambda ct: as_real(ct),
    shape=_joined_shape,
    batch_params=lambda: (),
    unview=lambda x, part: as_real(part),
    depends=lambda x: {0: (numbered(x.shape) // 2, numbered(x.shape[:-1]))},
    samples=_halves,
    absent={"complex": "its operand is real", "()": "the last axis holds the two parts"},
)


# Fourier transforms of pairs, which compiled code has no complex numbers for.


def _split(xp, x):
    return as_real.prim.impl(xp, x)


def _pairs_of_axes(rng, shapes, **params):
    return [case for shape, axis in shapes for case in arrays(shape, axis=axis, complex_too=False, **params)(rng)]


dft_pairs = linear(
    "dft_pairs",  # `dft` along one axis, of pairs: (*a, 2) -> (*a, 2)
    impl=lambda xp, x, *, axis, inverse, norm: _split(xp, dft.prim.impl(xp, _join(xp, x), (axis,), inverse, norm)),
    transpose=lambda ct, axis, inverse, norm: dft_pairs(ct, axis, not inverse, SWAPPED[norm]),
    shape=lambda x: make_aval(x.shape, float_dtype(x.dtype)),
    batch=lambda x, axis, inverse, norm: dft_pairs(x, axis + 1, inverse, norm),
    depends=lambda x, axis: lines(x, (axis, x.ndim - 1)),
    samples=lambda rng: [case for inverse, norm in ((False, "backward"), (True, "ortho"), (False, "forward"))
                         for case in _pairs_of_axes(rng, (((5, 2), 0), ((2, 4, 3, 2), 1)), inverse=inverse, norm=norm)],
    absent={"()": "the last axis holds the two parts", "complex": "its operand is real", "(0,)": "no axis is empty"},
)
rdft_pairs = linear(
    "rdft_pairs",  # `rdft`, its result as pairs
    impl=lambda xp, x, *, axis, norm: _split(xp, rdft.prim.impl(xp, x, axis, norm)),
    transpose=lambda ct, x_aval, axis, norm: irdft_pairs(
        ct * shares(ct, axis, x_aval.shape[axis], 0.5), axis, x_aval.shape[axis], SWAPPED[norm]),
    shape=lambda x, axis: make_aval((*x.shape[:axis], x.shape[axis] // 2 + 1, *x.shape[axis + 1 :], 2),
                                    float_dtype(x.dtype)),
    batch=lambda x, axis, norm: rdft_pairs(x, axis + 1, norm),
    samples=lambda rng: [case for norm in ("backward", "ortho")
                         for case in _pairs_of_axes(rng, (((5,), 0), ((3, 6, 2), 1)), norm=norm)],
    absent={"()": "there is no axis to transform", "complex": "its operand is real", "(0,)": "no axis is empty"},
)
irdft_pairs = linear(
    "irdft_pairs",  # `irdft` of pairs
    impl=lambda xp, x, *, axis, n, norm: irdft.prim.impl(xp, _join(xp, x), axis, n, norm),
    transpose=lambda ct, x_aval, axis, n, norm: _mirrored(rdft_pairs(ct, axis, SWAPPED[norm]), axis, n),
    shape=lambda x, axis, n: make_aval((*x.shape[:axis], n, *x.shape[axis + 1 : -1]), float_dtype(x.dtype)),
    batch=lambda x, axis, n, norm: irdft_pairs(x, axis + 1, n, norm),
    samples=lambda rng: [case for n, norm in ((5, "backward"), (4, "ortho"))
                         for case in _pairs_of_axes(rng, (((3, 2), 0), ((2, 3, 2, 2), 1)), n=n, norm=norm)],
    absent={"()": "the last axis holds the two parts", "complex": "its operand is real", "(0,)": "no axis is empty"},
)


def _mirrored(x, axis, n):
    return x * shares(x, axis, n, 2.0)
