"""autograd.numpy.numpy_wrapper: NumPy's namespace on traced values, by covector.numpy."""

import builtins as _builtins
import warnings

import numpy as _np

from .... import numpy as _cnp
from ....extend import Tracer as _Tracer
from .._impl.missing import refusing as _refusing
from .._impl.tracer import notrace_primitive as notrace_primitive, primitive as primitive
from .._impl.wrapping import (
    adapted as _adapted,
    constant as _constant,
    holds_traced as _holds_traced,
    named_as as _named_as,
    without_objects as _without_objects,
    wrap_namespace as _wrap_namespace,
)

numpy_version = _np.__version__
_names: dict = {}
_wrap_namespace(_np.__dict__, _names, _cnp)
globals().update({name: value for name, value in _names.items() if name not in ("copyto", "put", "place", "putmask")})
copyto, put, place, putmask = _cnp.copyto, _cnp.put, _cnp.place, _cnp.putmask
r_, c_, s_, index_exp, mgrid, ogrid = _cnp.r_, _cnp.c_, _np.s_, _np.index_exp, _np.mgrid, _np.ogrid
vectorize = _cnp.vectorize
notrace_functions = (_np.ndim, _np.shape, _np.iscomplexobj, _np.result_type)


def wrap_namespace(old, new):
    """Put the functions, types and constants of a namespace of NumPy or SciPy into `new`, adapted to traced values."""
    _wrap_namespace(old, new)


def array(A, *args, **kwargs):
    """As numpy.array, of traced values too: in lists, tuples and arrays of objects."""
    A = _without_objects(A)
    if not _holds_traced(A):
        return _np.array(A, *args, **kwargs)
    kwargs.pop("copy", None)
    return _cnp.array(A, *args, copy=isinstance(A, _Tracer), **kwargs)  # of a list the array is new in any case


_named_as(array, _np.array)


def concatenate(arr_list, axis=0):
    """As numpy.concatenate."""
    return _names["concatenate"](_without_objects(arr_list), axis)


def concatenate_args(axis, *args):
    """As numpy.concatenate, of separate arguments."""
    return concatenate(args, axis)


def stack(arrays, axis=0):
    """As numpy.stack; of an iterator, too."""
    arrays = [array(x) for x in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    return _names["stack"](arrays, axis)


def vstack(tup):
    """As numpy.vstack; of an iterator, too."""
    return _names["vstack"](list(tup))


row_stack = vstack


def hstack(tup):
    """As numpy.hstack; of an iterator, too."""
    return _names["hstack"](list(tup))


def column_stack(tup):
    """As numpy.column_stack; of an iterator, too."""
    return _names["column_stack"](list(tup))


def array_from_args(array_args, array_kwargs, *args):
    """As numpy.array, of separate elements."""
    return array(list(args), *array_args, **array_kwargs)


def array_from_scalar_or_array(array_args, array_kwargs, scalar):
    """As numpy.array."""
    return array(scalar, *array_args, **array_kwargs)


_array_from_scalar_or_array = array_from_scalar_or_array


def wrap_if_boxes_inside(raw_array, slow_op_name=None):
    """An array of objects that holds traced values, as one traced array."""
    if raw_array.dtype.kind == "O" and slow_op_name:
        warnings.warn(f"{slow_op_name} is slow for array inputs. np.concatenate() is faster.", stacklevel=2)
    return _without_objects(raw_array)


def where(condition, *args, **kwargs):
    """As numpy.where; `x` and `y` may be named, and Python's numbers and lists give Python's."""
    if not args and not kwargs:
        return _names["where"](_without_objects(condition))
    if len(args) + len(kwargs) != 2 or set(kwargs) - {"x", "y"}:
        raise ValueError("either both or neither of x and y should be given")
    x = args[0] if args else kwargs["x"]
    y = args[1] if len(args) > 1 else kwargs["y"]
    found = _names["where"](condition, x, y)
    return found if _is_array([condition, x, y]) else found.tolist()


def _is_array(x):
    if isinstance(x, list | tuple):
        return _builtins.any(map(_is_array, x))
    return isinstance(x, _Tracer | _np.generic) or hasattr(x, "__array__")


def _filled_like(reference, fill):
    def like(a, dtype=None, order="K", subok=True, shape=None):
        if not isinstance(a, _Tracer):
            return reference(a, dtype, order, subok, shape)
        return fill(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)

    return _named_as(like, reference)


zeros_like = _filled_like(_np.zeros_like, _np.zeros)
ones_like = _filled_like(_np.ones_like, _np.ones)
empty_like = _filled_like(_np.empty_like, _np.empty)
zeros, ones, empty, arange, eye, identity = _np.zeros, _np.ones, _np.empty, _np.arange, _np.eye, _np.identity


def full(shape, fill_value, *args, **kwargs):
    """As numpy.full; the value may be traced."""
    if not isinstance(fill_value, _Tracer):
        return _np.full(shape, fill_value, *args, **kwargs)
    return _cnp.broadcast_to(fill_value, shape)


def isscalar(element):
    """As numpy.isscalar; whether the value of what is traced is a scalar."""
    return element.ndim == 0 if isinstance(element, _Tracer) else _np.isscalar(element)


def make_diagonal(D, offset=0, axis1=0, axis2=1):
    """An array whose last two axes hold `D` on their diagonal, for `offset=0, axis1=-1, axis2=-2`."""
    if not (offset == 0 and axis1 == -1 and axis2 == -2):
        raise NotImplementedError("Currently make_diagonal only supports offset=0, axis1=-1, axis2=-2, but was given "
                                  f"{offset}, {axis1}, {axis2}; use np.diag")
    return _cnp.expand_dims(D, -1) * _np.eye(_np.shape(D)[-1])


def metadata(A):
    """Shape, rank, dtype, and whether it is complex."""
    A = A if isinstance(A, _Tracer) else _np.asarray(A)
    return tuple(A.shape), A.ndim, A.dtype, A.dtype.kind == "c"


isclose = _adapted(_np.isclose, _cnp.isclose)
may_share_memory, shares_memory = _constant(_np.may_share_memory), _constant(_np.shares_memory)

_refusing("numpy.numpy_wrapper", {
    "wrap_intdtype": "types of integers take traced values as they are",
    "parse_einsum_input": "use np.einsum_path, or opt_einsum",
}, lambda name: getattr(_np, name))
