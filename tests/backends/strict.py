"""A stand-in for a second array library: arrays that refuse silent conversion and refuse to mix with NumPy's.

The library counts as imported while `sys.modules["strict_arrays"]` is `strict`.
"""

import itertools
import threading
import types

import numpy as np
import scipy.special

from covector import extend


class Now(threading.local):
    """What a thread makes arrays on."""

    device = None


NOW, WORK = Now(), itertools.count(1)


class Array:
    """A wrapped ndarray, as CuPy's is: no `numpy.ndarray`, `__array__` refuses, `.get()` copies to NumPy."""

    __array_ufunc__ = None
    __slots__ = ("_data", "device", "made", "__weakref__")

    def __init__(self, data):
        self._data = np.asarray(data)
        self.device = NOW.device  # as `cuda.py` counts them, for what carries arrays between devices
        self.made = next(WORK)

    shape = property(lambda self: self._data.shape)
    dtype = property(lambda self: self._data.dtype)
    ndim = property(lambda self: self._data.ndim)
    size = property(lambda self: self._data.size)
    nbytes = property(lambda self: self._data.nbytes)
    T = property(lambda self: Array(self._data.T))
    real = property(lambda self: Array(self._data.real))
    imag = property(lambda self: Array(self._data.imag))

    def get(self):
        return self._data.copy()

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion to a NumPy array is refused; use .get()")

    def __bool__(self):
        return bool(self._data)

    def __int__(self):
        return int(self._data)

    def __len__(self):
        return len(self._data)

    def __getitem__(self, key):
        return Array(self._data[unwrap(key)])

    def __setitem__(self, key, value):
        self._data[unwrap(key)] = unwrap(value)

    def __repr__(self):
        return f"strict.Array({self._data!r})"


def unwrap(value):
    """Ours as NumPy's, in containers too; NumPy's own arrays are refused wherever they stand, as indices too."""
    if isinstance(value, Array):
        return value._data
    if isinstance(value, np.ndarray):
        raise TypeError(f"a NumPy array of shape {value.shape} met a strict array; convert it explicitly")
    if isinstance(value, (tuple, list)):
        return type(value)(unwrap(v) for v in value)
    return value


def unwrapped(args, kwargs):
    """Positional and keyword arguments as NumPy's."""
    return [unwrap(a) for a in args], {name: unwrap(v) for name, v in kwargs.items()}


def wrap(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return Array(value)
    return tuple(wrap(v) for v in value) if isinstance(value, tuple) else value


def _method(name):
    def method(self, *args, **kwargs):
        if args and getattr(args[0], "__array_priority__", 0) > 100:
            return NotImplemented  # as CuPy defers to objects of higher priority
        args, kwargs = unwrapped(args, kwargs)
        return wrap(getattr(self._data, name)(*args, **kwargs))

    return method


for _name in ("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv "
              "rmod rpow rmatmul neg abs invert pos eq ne lt le gt ge iadd isub imul").split():
    setattr(Array, f"__{_name}__", _method(f"__{_name}__"))
for _name in ("sum prod max min mean any all dot reshape transpose swapaxes astype conj conjugate copy ravel "
              "squeeze").split():
    setattr(Array, _name, _method(_name))
Array.__hash__ = object.__hash__


class Namespace(types.ModuleType):
    """NumPy's functions on strict arrays."""

    ndarray = Array

    def __init__(self, name, source=np):
        super().__init__(name)
        self.source = source

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.source, name)
        if isinstance(found, types.ModuleType):
            return Namespace(f"{self.__name__}.{name}", found)
        if not callable(found) or isinstance(found, type):
            return found
        if isinstance(found, np.ufunc):
            return Ufunc(found)
        if name in ("asarray", "array"):  # the explicit conversion
            return lambda value, *args, **kwargs: Array(found(getattr(value, "_data", value), *args, **kwargs))

        def call(*args, **kwargs):
            args, kwargs = unwrapped(args, kwargs)
            return wrap(found(*args, **kwargs))

        return call


class Ufunc:
    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, *args, **kwargs):
        args, kwargs = unwrapped(args, kwargs)
        return wrap(self.ufunc(*args, **kwargs))

    def at(self, target, index, value):
        self.ufunc.at(unwrap(target), unwrap(index), unwrap(value))


strict = Namespace("strict_arrays")
STRICT = extend.register_backend(
    extend.Backend(name="strict", module="strict_arrays", array_types=lambda m: (Array,), namespace=lambda m: m,
                   to_numpy=lambda a: a.get(), special=lambda: Namespace("strict_special", scipy.special))
)
