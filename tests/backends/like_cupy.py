"""A stand-in for CuPy and one device, for tests of `covector.compat.torch` where there is none: `install()`.

Its arrays hold arrays of NumPy and behave as CuPy's: none becomes NumPy's silently, none meets one of NumPy's, whatever
is computed is an array, 0-d ones too, and NumPy's functions hand them on. What it cannot show is what a device adds:
the order of streams, kernels, speed.
"""

import collections
import contextlib
import ctypes
import functools
import importlib.machinery
import importlib.util
import itertools
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
import scipy.special


def _threads():
    """What runs CUDA text on the processor."""
    path = Path(__file__).parents[1] / "transforms" / "cuda_threads.py"
    spec = importlib.util.spec_from_file_location("cuda_threads_of_like_cupy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


THREADS, FOLDER, COUNT = _threads(), tempfile.TemporaryDirectory(prefix="covector-kernels-"), itertools.count()
LAUNCHED = collections.deque(maxlen=1000)  # the names of kernels that were launched
MISSING = {"initial", "where", "stable"}  # keywords that CuPy's functions have not
HOST = (bool, int, float, complex, np.generic)


class MemoryPointer:
    """Where an array lies."""

    def __init__(self, data, offset=0):
        self.owner, self.offset = data, offset
        self.ptr = data.__array_interface__["data"][0] + offset

    def __add__(self, offset):
        return MemoryPointer(self.owner, self.offset + offset)


class Flags:
    """What is known of an array's memory; there is no `writeable`."""

    def __init__(self, flags):
        self.c_contiguous, self.f_contiguous, self.owndata = flags.c_contiguous, flags.f_contiguous, flags.owndata

    def __getitem__(self, name):
        return {"C_CONTIGUOUS": self.c_contiguous, "F_CONTIGUOUS": self.f_contiguous, "OWNDATA": self.owndata}[name]


class ndarray:  # noqa: N801 - CuPy's name
    """An array of the device."""

    __array_priority__ = 100
    __hash__ = None
    __slots__ = ("__weakref__", "_data", "base")  # CuPy's take no other attributes, either

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        if memptr is None:
            self._data = np.ndarray(shape, dtype, strides=strides, order=order)
        else:
            start = memptr.ptr - memptr.owner.__array_interface__["data"][0]
            self._data = np.ndarray(shape, dtype, _bytes(memptr.owner), start, strides)
        self.base = None  # an array over memory holds that, and is no view of another array

    shape = property(lambda self: self._data.shape, lambda self, shape: setattr(self._data, "shape", shape))
    dtype = property(lambda self: self._data.dtype)
    ndim = property(lambda self: self._data.ndim)
    size = property(lambda self: self._data.size)
    nbytes = property(lambda self: self._data.nbytes)
    itemsize = property(lambda self: self._data.itemsize)
    strides = property(lambda self: self._data.strides)
    flags = property(lambda self: Flags(self._data.flags))
    data = property(lambda self: MemoryPointer(self._data))
    device = property(lambda self: Device(0))
    T = property(lambda self: _wrap(self._data.T, self))
    real = property(lambda self: _wrap(self._data.real, self),
                    lambda self, value: setattr(self._data, "real", _own(value)))
    imag = property(lambda self: _wrap(self._data.imag, self),
                    lambda self, value: setattr(self._data, "imag", _own(value)))
    __cuda_array_interface__ = property(lambda self: {
        "shape": self.shape, "typestr": self.dtype.str, "data": (self.data.ptr, False), "version": 3,
        "strides": None if self.flags.c_contiguous else self.strides})

    def get(self, stream=None, order="C", out=None, blocking=True):
        if out is not None:
            out[...] = self._data
            return out
        return self._data.copy(order="K" if order in "AK" else order)

    def set(self, values, stream=None):
        assert type(values) is np.ndarray
        self._data[...] = values

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy "
                        "array explicitly.")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **named):
        function = getattr(sys.modules["cupy"], ufunc.__name__, None)
        if function is None or any(getattr(x, "__array_priority__", 0) > 100 for x in inputs):
            return NotImplemented
        if out is not None:
            (named["out"],) = out
        return (function if method == "__call__" else getattr(function, method))(*inputs, **named)

    def __array_function__(self, function, types_, args, named):
        if any(kind not in (ndarray, np.ndarray) for kind in types_):
            return NotImplemented
        module = sys.modules["cupy"]
        for part in function.__module__.split(".")[1:]:
            module = getattr(module, part, None)
        found = getattr(module, function.__name__, None)
        return NotImplemented if found is None else found(*args, **named)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **named):
        return self  # NumPy makes no capsules of a device

    def __bool__(self):
        return bool(self._data)

    def __int__(self):
        return int(self._data)

    def __float__(self):
        return float(self._data)

    def __complex__(self):
        return complex(self._data)

    def __index__(self):
        return self._data.__index__()

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return iter([self[k] for k in range(len(self))])

    def __getitem__(self, key):
        return _wrap(self._data[_own(key)], self)

    def __setitem__(self, key, value):
        self._data[_own(key)] = value if isinstance(value, np.ndarray) and not value.ndim else _own(value)

    def __repr__(self):
        return repr(self._data)

    def item(self):
        return self._data.item()

    def tolist(self):
        return self._data.tolist()

    def fill(self, value):
        self._data.fill(value if isinstance(value, np.ndarray) and not value.ndim else _own(value))

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        return _wrap(self._data.astype(dtype, order=order, copy=copy), self)

    def view(self, dtype=None):
        return _wrap(self._data.view() if dtype is None else self._data.view(dtype), self)


class Writable:
    """Memory that NumPy shows as read-only."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.__array_interface__["data"][0], False)}


def _bytes(owner):
    """The bytes of an array's memory."""
    root = owner
    while isinstance(root.base, np.ndarray):
        root = root.base
    flat = root.view() if root.flags.c_contiguous else root.transpose(np.argsort([-s for s in root.strides]))
    start = owner.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return flat.reshape(-1).view(np.uint8)[start:]


def _own(value):
    """Arrays as NumPy's, in containers too; NumPy's own are refused wherever they stand."""
    if type(value) is ndarray:
        return value._data
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}: an array of NumPy of shape {value.shape} on the device")
    if type(value) in (tuple, list):
        return type(value)(_own(v) for v in value)
    if type(value) is slice:
        return slice(*[None if v is None else int(v) for v in (value.start, value.stop, value.step)])
    return value


def _wrap(found, parent=None):
    """What NumPy gives, as the device has it."""
    if isinstance(found, np.ndarray | np.generic):
        if isinstance(found, np.ndarray) and not found.flags.writeable:  # CuPy knows no such arrays
            found = np.asarray(Writable(found))
        out = ndarray.__new__(ndarray)
        out._data = np.asarray(found)
        out.base = None
        if parent is not None and found.base is not None and np.may_share_memory(found, parent._data):
            out.base = parent if parent.base is None else parent.base
        return out
    if isinstance(found, tuple):
        made = [_wrap(v, parent) for v in found]
        return type(found)(*made) if hasattr(found, "_fields") else tuple(made)
    return [_wrap(v, parent) for v in found] if isinstance(found, list) else found


def _method(name):
    def method(self, *args, **named):
        if name.startswith("__") and any(getattr(x, "__array_priority__", 0) > 100 for x in args):
            return NotImplemented
        out = named.get("out")
        given = {k: _own(v) for k, v in named.items()}
        found = getattr(self._data, name)(*[_own(x) for x in args], **given)
        return out if out is not None else self if found is self._data else _wrap(found, self)

    return method


for _name in ("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv "
              "rmod rpow rmatmul rand ror rxor neg abs invert pos eq ne lt le gt ge iadd isub imul itruediv ifloordiv "
              "imod ipow iand ior ixor divmod").split():
    setattr(ndarray, f"__{_name}__", _method(f"__{_name}__"))
for _name in ("all any argmax argmin argsort clip conj conjugate copy cumprod cumsum diagonal dot flatten max mean min "
              "nonzero partition prod ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take trace "
              "transpose var").split():
    setattr(ndarray, _name, _method(_name))


class Ufunc:
    """A function by elements."""

    def __init__(self, ufunc):
        self.ufunc, self.__name__ = ufunc, ufunc.__name__

    def __call__(self, *args, out=None, **named):
        if any(getattr(x, "__array_ufunc__", None) is None and not isinstance(x, (ndarray, *HOST)) for x in args):
            raise TypeError(f"Unsupported type {[type(x) for x in args]}")
        if out is not None:
            self.ufunc(*_own(args), out=_own(out), **{k: _own(v) for k, v in named.items()})
            return out
        return _wrap(self.ufunc(*_own(args), **{k: _own(v) for k, v in named.items()}))

    def at(self, target, index, *value):
        self.ufunc.at(_own(target), _own(index), *map(_own, value))

    def __getattr__(self, name):
        if name not in ("accumulate", "outer", "reduce", "reduceat"):
            raise AttributeError(name)
        return lambda *args, **named: _wrap(getattr(self.ufunc, name)(*_own(args), **named))


class Module(types.ModuleType):
    """NumPy's functions on arrays of the device."""

    def __init__(self, name, source):
        super().__init__(name)
        self._source = source

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = _function(getattr(self._source, name), f"{self.__name__}.{name}")
        setattr(self, name, found)
        return found


def _function(found, name):
    if isinstance(found, types.ModuleType):
        return Module(name, found)
    if isinstance(found, np.ufunc):
        return Ufunc(found)
    if not callable(found) or isinstance(found, type):
        return found

    @functools.wraps(found)
    def call(*args, **named):
        if not named.keys().isdisjoint(MISSING):
            raise TypeError(f"{name}() got an unexpected keyword argument among {list(named)}")
        out = named.get("out")
        made = found(*[_own(x) for x in args], **{k: _own(v) for k, v in named.items()})
        return made if out is None else out

    return lambda *args, **named: _wrap(call(*args, **named), next((x for x in args if type(x) is ndarray), None))


def _explicit(value, *args, **named):
    """`asarray`, `array`: the explicit conversion; memory of the device is shared."""
    if hasattr(value, "__cuda_array_interface__") and type(value) is not ndarray:
        facts = value.__cuda_array_interface__
        value = _shared(facts)
    named.pop("order", None)
    args = args[:1] if args and args[0] is not None else ()
    if type(value) is ndarray and not args and not named:
        return value
    if type(value) in (list, tuple):
        value = [v._data if type(v) is ndarray else v for v in value]
    return _wrap(np.array(value._data if type(value) is ndarray else value, *args, **named))


class ElementwiseKernel:
    """A kernel of CUDA C, of which the stand-in knows the one of convolutions."""

    def __init__(self, inputs, outputs, code, name):
        self.name = name

    def __call__(self, x, y, n, m, out):
        assert self.name == "covector_convolve", self.name
        out._data[...] = np.convolve(x._data, y._data)
        return out


class RawModule:
    """Kernels of CUDA text, which a C++ compiler takes; threads run one after the other.

    A launch takes arrays for pointers, and for other parameters numbers, or arrays of NumPy of one element, which may
    be structures, by value.
    """

    def __init__(self, *, code):
        self.library = THREADS.library(code, FOLDER.name, f"kernels{next(COUNT)}")
        self.declared = THREADS.kernels(code)

    def get_function(self, kernel):
        declared = self.declared[kernel]

        def launch(grid, block, given):
            assert type(grid) is type(block) is type(given) is tuple and len(given) == len(declared)
            pointers, kept = (ctypes.c_void_p * len(given))(), []
            for k, ((kind, _), x) in enumerate(zip(declared, given)):
                if type(x) is ndarray:
                    assert kind[-1] == "*", f"an array for {kind}"
                    pointers[k] = x.data.ptr
                    continue
                if isinstance(x, np.ndarray) and x.size != 1:
                    raise TypeError(f"You are trying to pass a numpy.ndarray of shape {x.shape} as a kernel parameter.")
                kept.append(np.asarray(x))
                size = getattr(self.library, f"size_{kernel}_{k}")()
                assert kind[-1] != "*" and kept[-1].nbytes == size <= 4096, (kind, kept[-1].nbytes, size)
                pointers[k] = kept[-1].ctypes.data
            LAUNCHED.append(kernel)
            THREADS.launch(self.library, kernel, *(*grid, *block), False, pointers)

        return launch


def _shared(facts):
    """An array over memory by its address."""
    memory = types.SimpleNamespace(__array_interface__=facts)
    return _wrap(np.asarray(memory))


class Device:
    """A number, and the context in which it is the current one."""

    def __init__(self, id=0):
        if id != 0:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self.id = id
        self.compute_capability, self.mem_info = "90", (2**33, 2**34)

    __enter__ = __exit__ = use = synchronize = lambda self, *args: None

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id


class Stream(contextlib.nullcontext):
    """Work in order; here everything is done at once."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=0):
        super().__init__(self)
        self.ptr, self.done, self.priority, self.device_id = 0 if null else id(self), True, priority, 0

    synchronize = record = wait_event = lambda self, *args: None

    def use(self):
        CURRENT[0] = self


class Event:
    """A place in the work of a stream."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.done, self.disable_timing = True, disable_timing

    record = synchronize = lambda self, *args: None


class Pool:
    """Memory that is kept for later arrays."""

    used_bytes = total_bytes = free_all_blocks = lambda self: 0


NULL, POOL = Stream(null=True), Pool()
Stream.null, CURRENT = NULL, [NULL]


def install():
    """CuPy is loaded from now on, with one device."""
    cupy, cuda = Module("cupy", np), types.ModuleType("cupy.cuda")
    properties = {"name": b"stand-in", "totalGlobalMem": 2**34, "multiProcessorCount": 1, "major": 9, "minor": 0}
    vars(cuda).update(
        Device=Device, Stream=Stream, Event=Event, get_current_stream=lambda: CURRENT[0], is_available=lambda: True,
        get_elapsed_time=lambda start, end: 0.0, MemoryPointer=MemoryPointer,
        runtime=types.SimpleNamespace(
            getDeviceCount=lambda: 1, getDevice=lambda: 0, getDeviceProperties=lambda k: properties,
            deviceSynchronize=lambda: None, CUDARuntimeError=RuntimeError))
    cupy.ElementwiseKernel, cupy.RawModule = ElementwiseKernel, RawModule
    cupy.__spec__ = importlib.machinery.ModuleSpec("cupy", None)
    cupy.ndarray, cupy.cuda, cupy.__version__ = ndarray, cuda, "14.0 (stand-in)"
    cupy.array = cupy.asarray = cupy.ascontiguousarray = _explicit
    cupy.ascontiguousarray = lambda a, dtype=None: _wrap(np.ascontiguousarray(a._data, dtype))
    cupy.from_dlpack = lambda x: _shared(x.__dlpack__().__cuda_array_interface__)
    cupy.argsort = lambda a, axis=-1, kind=None: _wrap(np.argsort(a._data, axis, "stable"))  # as all of CuPy's sorts
    cupy.asnumpy, cupy.is_available = lambda a: a.get(), cuda.is_available
    cupy.get_default_memory_pool = lambda: POOL
    cupy.ElementwiseKernel = lambda *text: lambda x, y, n, m, out: _wrap(np.convolve(x._data, y._data))  # there is one
    cupyx, scipy_, special = types.ModuleType("cupyx"), types.ModuleType("cupyx.scipy"), Module(
        "cupyx.scipy.special", scipy.special)
    cupyx.errstate = lambda **named: contextlib.nullcontext()  # NumPy always raises
    cupyx.scipy, scipy_.special = scipy_, special
    sys.modules |= {"cupy": cupy, "cupy.cuda": cuda, "cupyx": cupyx, "cupyx.scipy": scipy_,
                    "cupyx.scipy.special": special}
    return cupy
