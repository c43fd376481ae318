"""The backend registry: the arrays determine which library computes; there is no global setting."""

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..errors import BackendError, MissingLibraryError, at_user_line

SCALARS = frozenset({bool, int, float, complex})
# Types whose operators are NumPy's own: no tracer inside, so a fast path may call the ufunc at once.
RAW = SCALARS | frozenset({np.ndarray} | {np.dtype(c).type for c in "?bhilqBHILQefdgFDG"})


@dataclass(frozen=True)
class Backend:
    """An array library.

    Args:
        name: the name shown in messages.
        module: the import name looked up in `sys.modules`; a library the user never imported is never loaded.
        array_types: maps the loaded module to its array types.
        namespace: maps the loaded module to the NumPy-like namespace passed to `impl` functions as `xp`.
        to_numpy: copies an array of this backend to a `numpy.ndarray`, for printing and fingerprints.
        special: loads the namespace of SciPy's special functions for these arrays, when one is first needed.
        fourier: loads a namespace with `fft`, `rfft` and so on, which takes many transforms at once in less time than
            `namespace.fft`.
        blas: loads a namespace with `strsm`, `dtrsm` and so on as SciPy has them, or gives None.
        extra: the extra of covector that installs that namespace, for the error message if it is missing.
        carrier: maps the loaded module to what carries arrays between the devices of several processes; None for
            arrays in the memory of the host.
        usable: whether the loaded module can compute here; a library for a device that is missing cannot.
    """

    name: str
    module: str
    array_types: Callable[[Any], tuple]
    namespace: Callable[[Any], Any]
    to_numpy: Callable[[Any], Any] = field(default=np.asarray)
    special: Callable[[], Any] | None = None
    fourier: Callable[[], Any] | None = None
    blas: Callable[[], Any] | None = None
    extra: str = "scipy"
    carrier: Callable[[Any], Any] | None = None
    usable: Callable[[Any], bool] = field(default=lambda module: True)


BACKENDS = {}  # name -> Backend, in order of registration
BY_TYPE = {}  # array type -> (Backend, namespace)
ON_DEVICE = set()  # the array types among these whose library compiles CUDA text


def register_backend(backend: Backend) -> Backend:
    """Register a backend; its library is looked up only once the user has loaded it.

    Args:
        backend: replaces an earlier one of the same name.
    Returns:
        `backend`.

    >>> from covector.extend import BACKENDS, register_backend
    >>> register_backend(BACKENDS["numpy"]).name
    'numpy'
    """
    BACKENDS[backend.name] = backend
    return backend


def find_backend(kind):
    """`(Backend, namespace)` of an array type, or None."""
    known = BY_TYPE.get(kind)
    if known is not None:
        return known
    for backend in reversed(BACKENDS.values()):
        module = sys.modules.get(backend.module)
        types = () if module is None else backend.array_types(module)
        if issubclass(kind, types) and not (issubclass(kind, np.ndarray) and _means_otherwise(kind)):
            known = BY_TYPE[kind] = (backend, backend.namespace(module))
            if hasattr(known[1], "RawModule"):
                ON_DEVICE.add(kind)
            return known
    return None


def _means_otherwise(kind):
    """Tell whether a subclass redefines operations: the rules hold for those of arrays, not for those of np.matrix."""
    above = kind.__mro__[: kind.__mro__.index(np.ndarray)]
    return any(not _OPERATIONS.isdisjoint(vars(base)) for base in above)


# What a rule, or a function in place of the one that it differentiates, may ask of an array.
_OPERATIONS = frozenset(name for name in vars(np.ndarray) if not name.startswith("_")) | frozenset(
    f"__{name}__" for name in "array_ufunc array_function lt le eq ne gt ge neg pos abs invert".split()
) | frozenset(
    f"__{way}{name}__" for way in ("", "r", "i")
    for name in "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()
)


def is_array(value):
    """Tell whether `value` is an array or array scalar of a registered backend."""
    return find_backend(type(value)) is not None


def namespace_of(values):
    """The namespace that computes with `values`; NumPy when all are Python scalars.

    Raises:
        BackendError: arrays of two backends, or something that is not an array.
    """
    found = None
    for value in values:
        kind = type(value)
        if kind in SCALARS:
            continue
        known = BY_TYPE.get(kind) or find_backend(kind)
        if known is None:
            if isinstance(value, (list, tuple)):
                continue
            if isinstance(value, np.ndarray):
                raise BackendError(
                    f"expected plain arrays, but got one of type {kind.__name__}, whose own rules (of masks, products, "
                    "units) traced values do not follow; pass its data: np.asarray(a), or a.filled(value) where it has "
                    f"a mask{at_user_line()}"
                )
            raise BackendError(
                f"expected arrays, but got {value!r} of type {kind.__name__}; convert it with np.asarray, "
                f"or register its library with covector.extend.register_backend{at_user_line()}"
            )
        if found is None or found is known:
            found = known
        elif found[0] is not known[0]:
            # A number of NumPy (0-d result of a reduction) carries no device; it follows the arrays it meets.
            if is_number(value):
                continue
            if found[0].name == "numpy" and all(
                type(v) in SCALARS or is_number(v) for v in values if BY_TYPE.get(type(v)) is found
            ):
                found = known
                continue
            raise BackendError(
                f"one operation received arrays of {found[0].name} and {known[0].name}; "
                f"nothing is moved between devices silently: convert one side yourself{at_user_line()}"
            )
    return np if found is None else found[1]


def is_number(value):
    """Tell whether a value is a scalar or a 0-d array of NumPy."""
    return isinstance(value, np.generic) or isinstance(value, np.ndarray) and not value.ndim


def fourier_functions(xp):
    """The namespace of Fourier transforms of many elements, of the arrays of the namespace `xp`."""
    backend = find_backend(np.ndarray)[0] if xp is np else None
    return xp.fft if backend is None or backend.fourier is None else backend.fourier()


def triangular_solver(dtype):
    """BLAS's `trsm` for a dtype of plain arrays; None where there is none."""
    backend = find_backend(np.ndarray)[0]
    blas = None if backend.blas is None else backend.blas()
    return None if blas is None or dtype.char not in "fdFD" else getattr(blas, f"{_LETTERS[dtype.char]}trsm")


_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


SPECIAL = "special."  # begins names of operations that are special functions


def special_function(xp, name, fallback=None):
    """The special function `name` (SciPy's name) that computes on the arrays of the namespace `xp`.

    Raises:
        MissingLibraryError: its library is not installed, and there is no `fallback`.
        BackendError: that library has no such function, and there is no `fallback`.
    """
    if xp is np:
        backend = find_backend(np.ndarray)[0]
    else:
        backend = next(backend for backend, namespace in BY_TYPE.values() if namespace is xp)
    try:
        library = None if backend.special is None else backend.special()
    except ImportError as error:
        if fallback is not None:
            return fallback
        raise MissingLibraryError(
            f"{name} is computed by a library of special functions, but importing it failed ({error}); "
            f"install it: pip install 'covector[{backend.extra}]'{at_user_line()}"
        ) from error
    found = getattr(library, name, fallback)
    if found is None:
        raise BackendError(f"{name} has no implementation on arrays of {backend.name}; convert them to NumPy first, or "
                           f"give their backend one (the field special of covector.extend.Backend){at_user_line()}")
    return found


def special_name(function, part):
    """The name of the operation that a result of a special function is, by which compilers know it."""
    return f"{SPECIAL}{function}.{part or 0}"


# Registry of native-code compilers, each loaded on first use by the backend that registered it.

KERNELS = {}  # what compiles eager operations, by kind; handed down by the package, which knows core and the compiler
_LOADERS = {}  # name -> (what imports it, the extra of covector that installs it)
_LOADED = {}
_INSTALLED = {}
_TOLD = set()  # the names of those that are there, and cannot be used


def register_compiler(name, load, extra):
    """Register what imports a compiler."""
    _LOADERS[name] = load, extra


def register_kernels(**makers):
    """Register what compiles eager operations, as api/__init__.py hands it down.

    Args:
        makers: "elementwise": `make(define, dtype, kinds, short)`, "device": `make(define, dtype, kinds)` and "loops":
            `make(define, kinds)`, as transforms/compile/call/kernels.py has them.
    """
    KERNELS.update(makers)


def eager_kernel(kind, *what):
    """The function that a kind of kernel is compiled to; None where nothing compiles it."""
    make = KERNELS.get(kind)
    return None if make is None else make(*what)


def installed(name):
    """The identity of a compiler's installation, or None. The compiler is not imported for this."""
    if name not in _INSTALLED:
        try:
            found = find_spec(name)
        except ValueError:  # set to None in sys.modules
            found = None
        _INSTALLED[name] = None if found is None or found.origin is None else _release(found.origin)
    return _INSTALLED[name]


def _release(origin):
    """The text of a package's `_version.py`, and when it was installed: `importlib.metadata` takes 20 ms to import."""
    path, text = os.path.join(os.path.dirname(origin), "_version.py"), ""  # pathlib takes 4 ms to import
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    return text, os.stat(origin).st_mtime_ns


def compiler(name):
    """The library of a compiler.

    Raises:
        MissingLibraryError: it is not installed.
    """
    found = _LOADED.get(name)
    if found is None:
        load, extra = _LOADERS[name]
        try:
            found = _LOADED[name] = load()
        except ImportError as error:
            raise MissingLibraryError(
                f"native code is compiled by {name}, but importing it failed ({error}); install it: "
                f"pip install 'covector[{extra}]', or leave the printer out{at_user_line()}") from error
    return found


def unusable(name, error):
    """Say once that a compiler that is installed cannot be used, as `error` says, and that all goes on without."""
    if name not in _TOLD:
        _TOLD.add(name)
        warnings.warn(f"functions are not compiled to native code, and are slower by that: {error}", stacklevel=2)
