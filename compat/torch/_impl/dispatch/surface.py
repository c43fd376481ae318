"""The public functions of a namespace of torch; a name that is not implemented says so when it is asked for."""

import functools
import sys
from dis import opmap
from importlib.util import find_spec
from pkgutil import iter_modules

from ..... import _engine
from ....reexports import entries
from ..types.tensor_type import Tensor
from .builtins import FUNCTIONS, builtin
from .call import ROWS
from .overriding import dispatching
from .signatures import Looked, signatures
from .unbuilt import UNBUILT, UnbuiltError, UnbuiltImport, unbuilt

# Operations that PyTorch has as methods of tensors alone.
METHODS = frozenset("expand expand_as permute_dims reshape_as unfold view_as".split())

FACTORIES = """arange empty empty_like eye full full_like linspace logspace ones ones_like scalar_tensor zeros
zeros_like bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm""".split()


def look_up(path, later=""):
    """`(__getattr__, __dir__)` of a public module: how a name that it does not hold is found, and which there are.

    Args:
        path: of the module below torch, "" for torch itself.
        later: names whose home is imported when they are first asked for, as in `reexports.Row`.
    """
    ours, shown = f"{_ROOT}.{path}".rstrip("."), f"torch.{path}".rstrip(".")
    prefix = path and path != "_VF" and f"{path}." or ""
    homes = {new: (f"{_ROOT}.{home}", old) for home, new, old in entries(later)}

    def __getattr__(name):  # noqa: N807
        if name in homes:
            home, old = homes[name]
            found = builtin(shown, name, getattr(_engine.loaded(_engine.LazyModule(home)), old))
            return vars(sys.modules[ours]).setdefault(name, found)
        row = ROWS.get(prefix + name)
        if row is not None and prefix + name not in METHODS:
            return builtin(shown, name, public(row))
        module = sys.modules[ours]
        if "__path__" in vars(module) and name[:2] != "__" and name.isidentifier() and find_spec(
                f"{ours}.{name}") is not None:
            return _engine.loaded(_engine.LazyModule(f"{ours}.{name}"))
        if prefix + name in UNBUILT:
            raise unbuilt(prefix + name, UnbuiltImport if imported() else UnbuiltError)
        if name[:2] != "__" and imported():
            raise UnbuiltImport(f"cannot import name {name!r} from {shown!r}: it is no part of PyTorch's public "
                                "interface, which covector.compat.torch has; use the public function or class that it "
                                "stands behind")
        raise AttributeError(f"module '{shown}' has no attribute '{name}'")

    def __dir__():  # noqa: N807
        module = sys.modules[ours]
        below = {part.name for part in iter_modules(getattr(module, "__path__", ())) if part.name[:2] != "__"}
        return sorted({*vars(module), *homes, *below})

    return __getattr__, __dir__


def imported():
    """Tell whether a module is asked for a name by `from module import name`, which drops what an AttributeError says.
    """
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name == "__getattr__":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


_IMPORT_FROM = opmap["IMPORT_FROM"]


def publish(namespace):
    """Let the functions and classes of a public module be of that module, under the names they have there.

    Pickle, `help` and messages look for an object where its `__module__` says. A function that is a method as well is
    that of Tensor, where PyTorch has a function in C++ beside it.
    """
    module = namespace["__name__"]
    for name, value in list(namespace.items()):
        if not name.startswith("_") and isinstance(value, (*FUNCTIONS, type)):
            home = value.__module__
            lost = home.startswith(_ROOT) and home != module and home in sys.modules and not hasattr(
                sys.modules[home], value.__qualname__)
            if home.startswith(_PRIVATE) or lost:
                value.__module__, value.__qualname__ = module, name
            namespace[name] = found = builtin(module.removeprefix(_ROOT[:-5]), name, value)
            if found is not value and vars(Tensor).get(value.__name__) is value:
                value.__qualname__ = f"Tensor.{value.__name__}"


_PRIVATE = __name__.rpartition(".dispatch")[0]
_ROOT = _PRIVATE.rpartition("._impl")[0]


@functools.cache
def public(row):
    """The function of a row; one of tensors looks at its arguments and asks their classes first."""
    return row.fun if row.asks else asking_first(row.name, row.fun)


def names(prefix):
    """The public functions of a namespace."""
    return {name[len(prefix):]: public(row) for name, row in ROWS.items()
            if name.startswith(prefix) and "." not in name[len(prefix):] and name not in METHODS}


def asking_first(name, fun):
    """A function of tensors that asks `__torch_function__`, and gives torch's TypeError where no signature fits.

    Operations look at their arguments themselves. Views of plain tensors by ints, and writes to them, have nothing to
    ask: what makes them is called before all that (`ahead`).
    """
    if hasattr(fun, "row") or hasattr(fun, "signed") or not signatures(name):
        return dispatching(fun, name)
    return dispatching(fun, name, Looked(name))
