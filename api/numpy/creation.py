"""Array creation; inside of transforms, and with `like=` a traced value, buffers that traced code may write to."""

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ..core.arrays.backend import is_array
from ..core.arrays.dtypes import result_dtype
from ..core.checks import check_options, whole
from ..core.errors import at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import arithmetic, elementary, selection, shaping
from ..core.trace.buffers import make_buffer, shared_buffer
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer, inside_transform, is_concrete
from ..core.types import Fun
from .shaping import stack
from .surface import Array, array_of, arrays_of, as_numpy, dispatch, implements, known, lift, traced_inside

_HOLDS = frozenset("fcbiu")  # kinds of dtypes that traced values have


def serving(reference: Callable[..., Any], given: Fun, like: bool = False, shared: bool = False) -> Fun:
    """`given`, whose arrays are buffers inside of a transform: there they may be written traced values. `like` says
    that it is `reference` where the first argument is a plain array, `shared` that one with its memory is a buffer,
    too, which traced integers index."""

    def fun(*args: Any, **kwargs: Any) -> Any:
        out = (reference if like and args and type(args[0]) is np.ndarray else given)(*args, **kwargs)
        if type(out) is np.ndarray and inside_transform() and out.dtype.kind in _HOLDS:
            source = args[0] if args else kwargs.get("a", kwargs.get("object"))
            lent = np.may_share_memory(out, source) if isinstance(source, np.ndarray) else shared and (
                out.base is not None or hasattr(source, "__array__") and not isinstance(source, np.generic))
            return make_buffer(out, own=True) if not lent else shared_buffer(out) if shared else out
        return out

    vars(fun)["__wrapped__"] = reference  # for its signature
    as_numpy(fun, reference)
    fun.__doc__ = f"{reference.__doc__ or ''}\n\n{_SERVED}"
    return cast(Fun, fun)


_SERVED = ("In `covector.numpy`: inside of a transformed function a buffer that traced values may be written to, which "
           "acts as a plain array until one is; elsewhere a plain array.")


def _creator(reference: Any) -> Any:
    """`reference` with `like=` a tracer (NumPy dispatches on it) giving a traced buffer, on the tracer's device."""

    def traced(like: Any, *args: Any, **kwargs: Any) -> Array:
        value = reference(*args, **kwargs)
        return make_buffer(constant(value, like), own=True) if isinstance(value, np.ndarray) else value

    dispatch(reference, traced, creates=True)
    return reference


zeros = serving(np.zeros, _creator(np.zeros))
ones = serving(np.ones, _creator(np.ones))
empty = serving(np.empty, _creator(np.empty))
eye = serving(np.eye, _creator(np.eye))
identity = serving(np.identity, _creator(np.identity))
tri = serving(np.tri, _creator(np.tri))
arange = serving(np.arange, _creator(np.arange))


def _full(like: Any, shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", device: Any = None) -> Array:
    """`np.full(shape, value, like=t)`; the value may be traced."""
    value = _filled(shape, fill_value, dtype)
    return make_buffer(constant(value, like) if isinstance(value, np.ndarray) else value, own=True)


def _filled(shape: Any, value: Any, dtype: Any) -> Array:
    many = isinstance(shape, tuple | list) or isinstance(shape, np.ndarray) and shape.ndim
    shape = tuple([whole(n, "a length of the shape", 0) for n in (shape if many else (shape,))])
    if not isinstance(value, Tracer):
        return np.full(shape, value, dtype)
    value = value if dtype is None else selection.astype(value, dtype)
    return shaping.broadcast_to(value, shape) + constant(np.zeros(shape, value.dtype), value)


dispatch(np.full, _full, creates=True)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None,
         like: Any = None) -> Array:
    if isinstance(fill_value, Tracer):
        check_options({"order": order, "device": device, "like": like})
        return _full(fill_value, shape, fill_value, dtype)
    return np.full(shape, fill_value, dtype, order, device=device, like=like)  # type: ignore[call-overload]  # order is any str


full = serving(np.full, full)


def _shape_like(a: Array, shape: Any) -> tuple:
    if shape is None:
        return tuple(a.shape)
    return tuple(shape) if isinstance(shape, (tuple, list)) else (whole(shape, "the shape", 0),)


def _buffer_like(a: Array, value: float, dtype: Any, shape: Any) -> Array:
    """A buffer on the device of `a`, which may be traced at any level."""
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    return make_buffer(constant(np.full(_shape_like(a, shape), value, dtype), a), own=True)


@implements(np.zeros_like)
def zeros_like(a: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
               device: Any = None) -> Array:
    return _buffer_like(a, 0, dtype, shape)


@implements(np.ones_like)
def ones_like(a: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
              device: Any = None) -> Array:
    return _buffer_like(a, 1, dtype, shape)


@implements(np.empty_like)
def empty_like(prototype: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
               device: Any = None) -> Array:
    return _buffer_like(prototype, 0, dtype, shape)


@implements(np.full_like)
def full_like(a: Array, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
              device: Any = None) -> Array:
    filled = _filled(_shape_like(a, shape), fill_value, a.dtype if dtype is None else dtype)
    return make_buffer(filled if isinstance(filled, Tracer) else constant(filled, a), own=True)


zeros_like = serving(np.zeros_like, zeros_like, like=True)
ones_like = serving(np.ones_like, ones_like, like=True)
empty_like = serving(np.empty_like, empty_like, like=True)
_full_like = full_like


# It wraps the one above under the name that users see, which mypy takes for a mistake.
def full_like(a: Array, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,  # type: ignore[no-redef]
              shape: Any = None, *, device: Any = None) -> Array:
    if isinstance(fill_value, Tracer):  # NumPy asks only the first argument who is in charge
        check_options({"order": order, "device": device, "subok": subok})
        a = array_of(a)
        return _full(a, _shape_like(a, shape), fill_value, a.dtype if dtype is None else dtype)
    return _full_like(a, fill_value, dtype, order, subok, shape, device=device)


full_like = serving(np.full_like, full_like)


@implements(np.copy)
def copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    return make_buffer(a)


copy = serving(np.copy, copy, like=True)


def _other_library(a: Any) -> Any:
    """The array of another library that NumPy's functions are to dispatch on (`like=`), or None."""
    return a if not isinstance(a, np.ndarray) and hasattr(type(a), "__array_function__") and is_array(a) else None


def array(object: Any, dtype: Any = None, *, copy: Any = True, order: str = "K", subok: bool = False, ndmin: int = 0,
          like: Any = None) -> Array:
    if not traced_inside(object):
        like = _other_library(object) if like is None else like
        return np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin,
                        like=like)  # type: ignore[call-overload]  # order is any str
    check_options({"order": order, "subok": subok, "copy": copy, "like": like})
    ndmin = whole(ndmin, "ndmin")
    ans = _stacked(object)
    if dtype is not None:
        ans = selection.astype(ans, dtype)
    if ans.ndim < ndmin:
        ans = shaping.reshape(ans, (1,) * (ndmin - ans.ndim) + tuple(ans.shape))
    return make_buffer(ans) if copy else ans


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None,
            like: Any = None) -> Array:
    check_options({"order": order, "device": device, "copy": copy, "like": like})
    if not traced_inside(a):
        like = _other_library(a) if like is None else like
        return np.asarray(a, dtype, order, copy=copy, like=like)  # type: ignore[call-overload]  # order is any str
    ans = _stacked(a)
    if dtype is not None and np.dtype(dtype) != ans.dtype:
        ans = selection.astype(ans, dtype)
    return make_buffer(ans) if copy else ans


dispatch(np.array, array)
dispatch(np.asarray, asarray)
array = serving(np.array, array)
asarray = serving(np.asarray, asarray, shared=True)


def _stacked(x: Any) -> Array:
    return stack([_stacked(v) for v in x]) if isinstance(x, (list, tuple)) else array_of(x)


@implements(np.linspace)
def linspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
             axis: int = 0, *, device: Any = None) -> Any:
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"linspace needs num >= 0, but got {num}; use a nonnegative number{at_user_line()}")
    start, stop = lift(start), lift(stop)
    parts = num - 1 if endpoint else num
    inner = result_dtype(start, stop, float(num))
    step = (stop - start) / parts if parts > 0 else None
    rank = max(np.ndim(start), np.ndim(stop))
    steps = constant(np.arange(num, dtype=inner).reshape((num,) + (1,) * rank), start, stop)
    if step is None:
        ans = start + steps * (stop - start)
    else:
        ans = start + steps * step
        if endpoint:  # the last one exactly, as NumPy has it
            ans = selection.where(steps == parts, stop, ans)
    if dtype is not None and np.dtype(dtype).kind in "iu":
        ans = selection.floor(ans)
    ans = selection.astype(ans, inner if dtype is None else dtype)
    ans = _on_axis(ans, axis)
    return (ans, np.nan if step is None else step) if retstep else ans


def _on_axis(x: Array, axis: int) -> Array:
    """`x` with its first axis at `axis`."""
    if type(axis) is int and not axis:
        return x
    places = list(range(1, x.ndim))
    places.insert(methods.normal_axis(axis, x.ndim), 0)
    return shaping.transpose(x, tuple(places))


@implements(np.meshgrid)
def meshgrid(*xi: Array, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid supports the indexings 'xy' and 'ij', but got {indexing!r}; "
                         f"choose one of them{at_user_line()}")
    rank = len(xi)
    out = []
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    for k, x in enumerate(map(array_of, xi)):
        shape = [1] * rank
        shape[order[k]] = x.size
        out.append(methods.reshape(x, tuple(shape)))
    if sparse:
        return tuple(map(views.copied, out) if copy else out)
    full_shape = np.broadcast_shapes(*[x.shape for x in out])
    out = [shaping.broadcast_to(x, full_shape) for x in out]
    return tuple(map(views.copied, out) if copy else out)


@implements(np.logspace)
def logspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
             axis: int = 0) -> Array:
    if np.ndim(base):
        rank = len(np.broadcast_shapes(np.shape(start), np.shape(stop), np.shape(base)))
        start, stop, base = (methods.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape)) for x in
                             map(array_of, (start, stop, base)))
    base = lift(base)
    exponents = linspace(start, stop, num, endpoint)
    ans = methods.power(base, exponents) if isinstance(base, Tracer) else arithmetic.power(base, exponents)
    return _on_axis(ans if dtype is None else selection.astype(ans, dtype), axis)


@implements(np.geomspace)
def geomspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True, dtype: Any = None,
              axis: int = 0) -> Array:
    num = operator.index(num)
    start, stop = lift(start), lift(stop)
    inner = result_dtype(start, stop, float(num), np.zeros((), dtype))
    want = inner if dtype is None else np.dtype(dtype)
    if any(is_concrete(v) and (known(v, "geomspace") == 0).any() for v in (start, stop)):
        raise ValueError(f"geomspace needs ends other than 0; use linspace, or move the end off 0{at_user_line()}")
    start, stop = (selection.astype(v, inner) for v in arrays_of((start, stop)))
    turn = shaping.signum(start)  # to positive real values and back
    low, high = elementary.log10(start / turn), elementary.log10(stop / turn)
    ans = logspace(low, high, num, endpoint) * turn
    place = constant(np.arange(num).reshape((-1,) + (1,) * (ans.ndim - 1)), ans)
    ans = selection.where(place == 0, start, ans)
    if endpoint and num > 1:
        ans = selection.where(place == num - 1, stop, ans)
    return _on_axis(ans if ans.dtype == want else selection.astype(ans, want), axis)


linspace = serving(np.linspace, linspace)
logspace = serving(np.logspace, logspace)
geomspace = serving(np.geomspace, geomspace)
