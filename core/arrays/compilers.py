"""Registry of native-code compilers, each loaded on first use by the backend that registered it."""

import os
import warnings
from importlib.util import find_spec

from ..errors import MissingLibraryError, at_user_line

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
