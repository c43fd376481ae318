"""Discrete Fourier transforms: complex to complex, real to half of the spectrum, and back."""

import numpy as np

from ..arrays.avals import make_aval
from ..arrays.backend import fourier_functions
from ..arrays.dtypes import complex_dtype, real_dtype
from ..primitive.families import linear
from ..trace.device import constant
from .dependence import lines
from .samples import arrays, together

SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}  # the scaling of the other direction


_MANY = 1 << 12  # elements, from which on a library of transforms is called
_NATIVE = frozenset(np.dtype(t) for t in (np.float32, np.float64, np.complex64, np.complex128))


def _functions(xp, x):
    return fourier_functions(xp) if x.size >= _MANY and x.dtype in _NATIVE else xp.fft


def _dft(xp, x, axes, inverse, norm):
    fft = _functions(xp, x)
    if len(axes) == 1:
        return (fft.ifft if inverse else fft.fft)(x, axis=axes[0], norm=norm)
    return (fft.ifftn if inverse else fft.fftn)(x, axes=axes, norm=norm)


dft = linear(
    "dft",  # over different axes; the sum of x exp(-2πi jk/n), or with +2πi if inverse
    impl=lambda xp, x, *, axes, inverse, norm: _dft(xp, x, axes, inverse, norm),
    # The matrix is symmetric, so its adjoint is its conjugate: the other direction, with the scale of this one.
    transpose=lambda ct, axes, inverse, norm: dft(ct, axes, not inverse, SWAPPED[norm]),
    shape=lambda x: make_aval(x.shape, complex_dtype(x.dtype)),
    batch=lambda x, axes, inverse, norm: dft(x, tuple(k + 1 for k in axes), inverse, norm),
    depends=lambda x, axes: lines(x, axes),
    samples=together(
        arrays((5,), axes=(0,), inverse=False, norm="backward"),
        arrays((4,), axes=(0,), inverse=True, norm="backward"),
        arrays((2, 3, 4), axes=(2, 0), inverse=False, norm="ortho"),
        arrays((3, 4), axes=(0, 1), inverse=True, norm="forward"),
        arrays((3, 2), axes=(0,), inverse=False, norm="forward"),
        arrays((1, 0), axes=(0,), inverse=True, norm="ortho"),
    ),
    absent={"()": "there is no axis to transform"},
)


def shares(ct, axis, n, inner):
    """Weights of the half spectrum: 1 for the frequencies that are their own mirror image, `inner` for the others."""
    shares = np.full(n // 2 + 1, inner, real_dtype(ct.dtype))
    shares[0] = 1.0
    if n % 2 == 0:
        shares[-1] = 1.0
    return constant(shares.reshape((-1,) + (1,) * (ct.ndim - 1 - axis)), ct)


def _with_axis(x, axis, n, dtype):
    return make_aval((*x.shape[:axis], n, *x.shape[axis + 1 :]), dtype)


rdft = linear(
    "rdft",  # of real x: frequencies 0 … n // 2
    impl=lambda xp, x, *, axis, norm: _functions(xp, x).rfft(x, axis=axis, norm=norm),
    # Re Σ_k ct_k exp(2πi jk/n) over half of the spectrum; irdft adds the mirror images, so inner ones enter halved.
    transpose=lambda ct, x_aval, axis, norm: irdft(
        ct * shares(ct, axis, x_aval.shape[axis], 0.5), axis, x_aval.shape[axis], SWAPPED[norm]),
    shape=lambda x, axis: _with_axis(x, axis, x.shape[axis] // 2 + 1, complex_dtype(x.dtype)),
    batch=lambda x, axis, norm: rdft(x, axis + 1, norm),
    depends=lambda x, ans, axis: lines(x, (axis,), ans.shape),
    samples=together(
        arrays((5,), axis=0, norm="backward", complex_too=False), arrays((4,), axis=0, norm="ortho", complex_too=False),
        arrays((3, 6, 2), axis=1, norm="forward", complex_too=False), arrays((1,), axis=0, norm="ortho",
                                                                            complex_too=False),
        arrays((2, 0), axis=0, norm="backward", complex_too=False),
    ),
    absent={"()": "there is no axis to transform", "complex": "its operand is real"},
)


def _complex_arrays(*shape, **params):
    samples = arrays(shape, **params)
    return lambda rng: [case for case in samples(rng) if case.operands[0].dtype.kind == "c"]


irdft = linear(
    "irdft",  # n real values from frequencies 0 … n // 2; those that are their own mirror image lose the imaginary part
    impl=lambda xp, x, *, axis, n, norm: _functions(xp, x).irfft(x, n=n, axis=axis, norm=norm),
    transpose=lambda ct, x_aval, axis, n, norm: rdft(ct, axis, SWAPPED[norm]) * shares(ct, axis, n, 2.0),
    shape=lambda x, axis, n: _with_axis(x, axis, n, real_dtype(x.dtype)),
    batch=lambda x, axis, n, norm: irdft(x, axis + 1, n, norm),
    depends=lambda x, ans, axis: lines(x, (axis,), ans.shape),
    samples=together(
        _complex_arrays(3, axis=0, n=5, norm="backward"), _complex_arrays(3, axis=0, n=4, norm="ortho"),
        _complex_arrays(3, 4, 2, axis=1, n=6, norm="forward"), _complex_arrays(1, axis=0, n=1, norm="backward"),
        _complex_arrays(2, 0, axis=0, n=2, norm="ortho"),
    ),
    absent={"()": "there is no axis to transform", "float32": "its operand is complex"},
)
