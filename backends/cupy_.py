"""The CuPy backend: looked up when the user has imported CuPy, never imported first.

Known differences that remain: eigenvalues and roots come in cuSOLVER's order, and floating point warnings do not exist
on the device.
"""

from functools import cache, partial

import numpy as np

from ..core.arrays.axes import all_within
from ..core.arrays.backend import Backend, register_backend
from ..core.errors import BackendError, at_user_line
from ..core.lazy import LazyModule
from .nccl import Carrier

# CuPy's special functions where they differ from SciPy's, and refusals in place of bare errors of dtypes.


class Special:
    """`cupyx.scipy.special`: a name that it lacks is lacking here."""

    def __init__(self, library):
        self._library = library

    def __getattr__(self, name):
        found = getattr(self._library, name)
        mended = _MENDED.get(name)
        return partial(_called, name, found if mended is None else partial(mended, found))


def _called(name, fun, *xs):
    try:
        return fun(*xs)
    except (TypeError, NotImplementedError) as error:
        dtypes = ", ".join(str(x.dtype) for x in xs)
        raise BackendError(f"{name} of CuPy does not take arrays of {dtypes} ({error}); convert them to NumPy first, "
                           f"for example with .get(){at_user_line()}") from error


def _yn(found, n, x):
    """Also of negative orders, DLMF 10.4.1, where CUDA's has NaN; in the precision of x, where CuPy's is double."""
    whole = n.astype(np.int64)
    order = abs(whole)
    sign = 1 - 2 * ((whole < 0) & (order % 2 == 1)).astype(x.dtype)
    return found(order.astype(np.int32), x.astype(np.float64)).astype(x.dtype) * sign


def _sph_harm_y(found, n, m, theta, phi):
    """0 for orders above the degree, as SciPy has it; CuPy's has NaN."""
    inside = abs(m) <= n
    return found(n * inside, m * inside, theta, phi) * inside


_MENDED = {"yn": _yn, "sph_harm_y": _sph_harm_y}


_CUPYX = LazyModule("cupyx")
_MATRICES = "cholesky", "eig", "eigh", "eigvals", "eigvalsh", "inv", "svd"
_ADDED = frozenset("ilILefd")  # the dtypes that CuPy adds up at places


class Namespace:
    """A library with some of its names replaced; all others are looked up in it."""

    def __init__(self, library, **replaced):
        self._library = library
        vars(self).update(replaced)

    def __getattr__(self, name):
        found = vars(self)[name] = getattr(self._library, name)
        return found


class _Ufunc(Namespace):
    """A ufunc with some of its methods replaced."""

    def __call__(self, *args, **kwargs):
        return self._library(*args, **kwargs)


def _raising(function):
    """A function of matrices that raises where NumPy's does, which costs a look at the device."""

    def raising(*args, **kwargs):
        with _CUPYX.errstate(linalg="raise"):
            return function(*args, **kwargs)

    return raising


def _namespace(cupy):
    """CuPy where it differs from NumPy: `argsort` has one kind, `solve` does not broadcast; some lack."""

    def argsort(x, axis=-1, kind=None):
        # CuPy always sorts stably and refuses every other kind; 0-d arrays, which NumPy sorts, it refuses as well.
        return cupy.argsort(x, axis=axis) if x.ndim else cupy.zeros((), np.intp)

    def sort(x, axis=-1):
        return cupy.sort(x, axis=axis) if x.ndim else x.copy()

    def add_at(out, index, x):
        """Of the other dtypes: complex numbers as their two parts, the rest in a wider dtype, which wraps alike."""
        if out.dtype.char in _ADDED:
            cupy.add.at(out, index, x)
        elif out.dtype.kind == "c":
            x = cupy.asarray(x, out.dtype)
            for whole, part in ((out.real, x.real), (out.imag, x.imag)):
                sums = whole.copy()
                cupy.add.at(sums, index, part)
                whole[...] = sums
        else:
            wide = np.dtype(np.int64 if out.dtype.kind in "biu" else np.float32)
            sums = out.astype(wide)
            cupy.add.at(sums, index, cupy.asarray(x).astype(wide))
            out[...] = sums.astype(out.dtype)

    def convolve(x, y):
        """The sums themselves: CuPy's own are transforms of each array in its precision, which spread NaN and inf."""
        dtype, n, m = np.result_type(x.dtype, y.dtype), len(x), len(y)
        if not n or not m or dtype.kind not in "fc":
            return cupy.convolve(x, y)
        wide = np.result_type(dtype, np.float32)
        return sums()(x.astype(wide), y.astype(wide), n, m, cupy.zeros(n + m - 1, wide)).astype(dtype)

    @cache
    def sums():
        return cupy.ElementwiseKernel(
            "raw T x, raw T y, int64 n, int64 m", "T z",
            "ptrdiff_t first = i < n ? 0 : i - n + 1, last = i < m ? i : m - 1; T total(0);"
            "for (ptrdiff_t k = first; k <= last; ++k) total = total + x[i - k] * y[k];"
            "z = total;",
            "covector_convolve")

    def roots(p):
        """CuPy's takes polynomials whose companion matrix is Hermitian alone."""
        used = np.flatnonzero((p != 0).get())
        if not len(used):
            return cupy.zeros(0)
        zeros, p = len(p) - 1 - int(used[-1]), p[int(used[0]) : int(used[-1]) + 1]
        dtype, n = np.result_type(p.dtype, np.float32 if p.dtype.kind in "fc" else np.float64), len(p) - 1
        companion = cupy.eye(n, k=-1, dtype=dtype)
        companion[:1] = -p[1:] / p[0]
        found = cupy.linalg.eigvals(companion) if n else cupy.zeros(0, dtype)
        return cupy.concatenate((found, cupy.zeros(zeros, found.dtype)))

    def solve(a, b):
        # CuPy needs equal leading axes; a vector is what has one axis, as in NumPy 2.
        if b.ndim == 1:
            return solve(a, b[:, None])[..., 0]
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        dtype = np.result_type(a.dtype, b.dtype, np.float32)
        if 0 in lead or 0 in b.shape[-2:]:
            return cupy.zeros((*lead, *b.shape[-2:]), dtype)
        a = cupy.broadcast_to(a, (*lead, *a.shape[-2:])).astype(dtype)
        b = cupy.broadcast_to(b, (*lead, *b.shape[-2:])).astype(dtype)
        return _raising(cupy.linalg.solve)(a, b)

    def take(x, index, axis=None):
        """CuPy's wraps what is out of bounds: to see that costs a look at the device."""
        n = x.size if axis is None else x.shape[axis]
        if type(index) is cupy.ndarray and not all_within(index, 0, n) and not all_within(index, -n, n):
            low, high = int(index.min()), int(index.max())
            raise IndexError(f"index {low if low < -n else high} is out of bounds for axis {axis or 0} with size {n}; "
                             f"take one below it{at_user_line()}")
        return cupy.take(x, index, axis=axis)

    def lexsort(keys, axis=-1):
        # CuPy's takes one matrix of keys and sorts along the last axis alone.
        order = argsort(keys[0], axis=axis)
        for key in keys[1:]:
            step = argsort(cupy.take_along_axis(key, order, axis), axis=axis)
            order = cupy.take_along_axis(order, step, axis)
        return order

    def spacing(x):
        size = cupy.abs(x)
        return cupy.copysign(cupy.nextafter(size, cupy.full_like(size, np.inf)) - size, x)

    def bitwise_count(x):
        size = cupy.abs(x)
        return sum(((size >> k) & 1).astype(np.dtype(np.uint8)) for k in range(8 * size.dtype.itemsize))

    return Namespace(cupy, argsort=argsort, sort=sort, lexsort=lexsort, spacing=spacing, bitwise_count=bitwise_count,
                     add=_Ufunc(cupy.add, at=add_at), convolve=convolve, roots=roots, take=take,
                     linalg=Namespace(cupy.linalg, solve=solve, **{
                         name: _raising(getattr(cupy.linalg, name)) for name in _MATRICES if hasattr(
                             cupy.linalg, name)}))


def _special():
    """CuPy's own copy of `scipy.special`, which needs no SciPy."""
    import cupyx.scipy.special

    return Special(cupyx.scipy.special)


CUPY = register_backend(
    Backend(
        name="cupy",
        module="cupy",
        array_types=lambda module: (module.ndarray,),
        namespace=_namespace,
        to_numpy=lambda array: array.get(),
        special=_special,
        extra="cuda12",
        carrier=Carrier,
        usable=lambda module: module.is_available(),
    )
)
