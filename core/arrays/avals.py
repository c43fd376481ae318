"""Abstract values (avals): the shape and dtype of an array without its data."""

import numpy as np

from ..errors import DtypeError, at_user_line
from ..slots import AvalSlots
from ..types import Any

_NATIVE_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_CACHE = {}
_CACHE_LIMIT = 8192
_CONSTS_LIMIT = 64


class Aval(AvalSlots):
    """Shape and dtype, interned: equal avals are usually one object, and `==` decides when they are not.

    `plain` says native float64 or float32: the fast paths need no conjugate, cast or dtype check there.
    `weak` marks a Python scalar, which takes the dtype of what it meets (NumPy 2 promotion); `strong` is what it is in
    any operation but an operator on its like: the aval itself where it is not weak.
    """

    __slots__ = ()

    def __init__(self, shape, dtype, weak=False):
        size = 1
        for n in shape:
            size *= n
        self.shape = shape
        self.dtype = dtype
        self.ndim = len(shape)
        self.size = size
        self.weak = weak
        self.strong = make_aval(shape, dtype) if weak else self
        self.plain = dtype in _NATIVE_FLOATS and dtype.isnative
        self.consts = {}

    def __eq__(self, other):
        return self is other or (type(other) is Aval and self.shape == other.shape and self.dtype == other.dtype
                                 and self.weak == other.weak)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"{short_dtype(self.dtype)}[{','.join(map(str, self.shape))}]"

    def const(self, scalar):
        """`scalar` as a 0-d array of this dtype, cached; the scalar itself for 0-d avals, where that is faster.

        Zero and NaN are never cached: -0.0 hashes like 0.0, and NaN is never found again.
        """
        if not self.shape:
            return scalar
        array = np.asarray(scalar, self.dtype)
        if scalar == scalar and scalar != 0:
            if len(self.consts) >= _CONSTS_LIMIT:
                self.consts.clear()
            self.consts[scalar] = array
        return array


def short_dtype(dtype):
    """`f32`, `c128`, `bool`: the name used in graphs and messages."""
    if dtype.kind in "fiuc":
        return f"{dtype.kind}{8 * dtype.itemsize}"
    return dtype.name


def make_aval(shape: tuple[int, ...], dtype: Any) -> Aval:
    """The interned aval of a shape and a dtype.

    Args:
        shape: a tuple of ints.
        dtype: a NumPy dtype object.
    Returns:
        an `Aval`, usually the same object for the same arguments.

    >>> import numpy as np
    >>> from covector.extend import make_aval
    >>> make_aval((2, 3), np.dtype("float32"))
    f32[2,3]
    """
    key = (shape, dtype)
    aval = _CACHE.get(key)
    if aval is None:
        if dtype.kind not in "fciub" and (dtype.kind != "V" or dtype.type is np.void and dtype.names != ("float0",)):
            raise DtypeError(f"traced values combine with numbers and booleans, but this array has dtype {dtype}, "
                             f"which is not differentiable; convert it first, for example with .astype(float), or "
                             f"keep it outside the transformed function{at_user_line()}")
        if len(_CACHE) >= _CACHE_LIMIT:
            _CACHE.clear()
        aval = _CACHE[key] = Aval(shape, dtype)
    return aval


SCALARS = {t: make_aval((), np.dtype(t)) for t in (np.float64, np.float32)}
WEAK = {
    bool: Aval((), np.dtype(bool), weak=True),
    int: Aval((), np.dtype(np.int64), weak=True),
    float: Aval((), np.dtype(np.float64), weak=True),
    complex: Aval((), np.dtype(np.complex128), weak=True),
}


def aval_of(value: Any) -> Aval:
    """The aval of a value: its shape and dtype.

    Args:
        value: an array, a tracer, a NumPy scalar or a Python scalar (whose aval is weak).
    Returns:
        an `Aval`.
    Raises:
        DtypeError: anything else.

    >>> import numpy as np
    >>> from covector.extend import aval_of
    >>> aval_of(np.zeros((2, 3)))
    f64[2,3]
    """
    try:
        key = (value.shape, value.dtype)
    except AttributeError:
        weak = WEAK.get(type(value))
        if weak is not None:
            return weak
        raise _no_array(value) from None
    aval = _CACHE.get(key)
    if aval is None:
        if isinstance(value, type):  # whose attributes are those of its instances
            raise _no_array(value)
        aval = getattr(value, "aval", None)
        if aval is None:
            try:
                dtype = np.dtype(key[1])
            except TypeError:  # a dtype of another library
                raise _no_array(value) from None
            aval = make_aval(tuple(key[0]), dtype)
    return aval


def promoting_aval(value: Any) -> Aval:
    """The aval of a value as operators promote it: that of a traced Python number is weak."""
    aval = getattr(value, "aval", None)
    return aval if isinstance(aval, Aval) else aval_of(value)


def _no_array(value):
    return DtypeError(f"expected an array or a number, but got {value!r} of type {type(value).__name__}; convert it "
                      f"with np.asarray, or pass it as a static argument{at_user_line()}")
