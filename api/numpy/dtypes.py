"""Conversions and questions about dtypes, layouts and kinds."""

from typing import Any

import numpy as np

from ..core.errors import ConversionError, DtypeError, at_user_line
from ..core.trace.tracer import Tracer, concrete, unwrap
from .creation import asarray
from .surface import Array, array_of, as_numpy, implements, known, refuse_options

isdtype, iterable = np.isdtype, np.iterable


def _converter(reference: Any, ndmin: int = 0) -> Any:
    """`reference` on plain arrays, `asarray` on traced ones, which have no layout."""

    def convert(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None,
                like: Any = None) -> Array:
        ans = asarray(a, dtype, order, device=device, copy=copy, like=like)
        if not isinstance(ans, Tracer):
            return reference(ans)
        return ans.reshape((1,)) if ans.ndim < ndmin else ans

    return as_numpy(convert, reference)


asanyarray = _converter(np.asanyarray)
ascontiguousarray, asfortranarray = _converter(np.ascontiguousarray, 1), _converter(np.asfortranarray, 1)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Array:
    ans = asarray(a, dtype, order)
    if not isinstance(ans, Tracer):
        return np.asarray_chkfinite(ans)
    data = unwrap(ans)
    if data is None:
        concrete(ans, "asarray_chkfinite")
    data = known(data, "asarray_chkfinite")
    if data.dtype.kind in "fc" and not np.isfinite(data).all():
        raise ValueError(f"asarray_chkfinite found infinite values or NaN; "
                         f"np.nan_to_num takes them out, covector.debug_nans finds them{at_user_line()}")
    return ans


as_numpy(asarray_chkfinite, np.asarray_chkfinite)


@implements(np.isfortran)
def isfortran(a: Array) -> bool:
    raise ConversionError(f"isfortran was asked for the layout of a traced value ({a.aval!r}), which has none; "
                          f"order='F' of reshape and ravel says in which order to read it{at_user_line()}")


@implements(np.common_type)
def common_type(*arrays: Array) -> Any:
    return np.common_type(*[np.empty(0, array_of(x).dtype) for x in arrays])


@implements(np.min_scalar_type)
def min_scalar_type(a: Array, /) -> Any:
    return a.dtype if a.ndim else np.min_scalar_type(known(a, "min_scalar_type")[()])


@implements(np.real_if_close)
def real_if_close(a: Array, tol: float = 100) -> Array:
    if a.dtype.kind != "c":
        return a
    return a.real if np.isrealobj(np.real_if_close(known(a, "real_if_close"), tol)) else a


@implements(np.isposinf)
def isposinf(x: Array, out: Any = None) -> Array:
    refuse_options("isposinf", out)
    return _real("isposinf", x) == np.inf


@implements(np.isneginf)
def isneginf(x: Array, out: Any = None) -> Array:
    refuse_options("isneginf", out)
    return _real("isneginf", x) == -np.inf


def _real(name: str, x: Array) -> Array:
    if x.dtype.kind == "c":
        raise DtypeError(f"{name} asks for a sign, which complex values ({x.dtype}) do not have; ask for that of "
                         f"x.real or x.imag, or use isinf{at_user_line()}")
    return x
