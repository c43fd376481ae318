"""The public functions of a namespace of torch; a name that is not implemented says so when it is asked for."""

import functools
import sys
from types import MappingProxyType

from ..... import _engine
from ..types.tensor_type import Tensor
from .builtins import FUNCTIONS, builtin
from .call import ROWS
from .overriding import dispatching
from .signatures import Looked, signatures
from .unbuilt import UNBUILT, unbuilt

# Operations that PyTorch has as methods of tensors alone.
METHODS = frozenset("expand expand_as permute_dims reshape_as unfold view_as".split())

FACTORIES = """arange empty empty_like eye full full_like linspace logspace ones ones_like scalar_tensor zeros
zeros_like bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm""".split()


def getter(prefix, module, later=MappingProxyType({}), parts=MappingProxyType({})):
    """The `__getattr__` of a namespace of torch: `linalg.` for torch.linalg.

    Args:
        prefix, module: of its names in the table of operations, and the name of the namespace.
        later: name -> `LazyModule` of a module below that is imported when it is first asked for.
        parts: name -> the module that has it, for names whose module is imported then.
    """

    def __getattr__(name):  # noqa: N807
        if name in later:
            return _engine.loaded(later[name])
        row = ROWS.get(prefix + name)
        if row is not None and prefix + name not in METHODS:
            return builtin(module, name, public(row))
        if name in parts:
            return builtin(module, name, getattr(parts[name], name))
        if prefix + name in UNBUILT:
            raise unbuilt(prefix + name)
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__


def publish(namespace):
    """Let the functions and classes of a public module be of that module, under the names they have there.

    Pickle, `help` and messages look for an object where its `__module__` says. A function that is a method as well is
    that of Tensor, where PyTorch has a function in C++ beside it.
    """
    module = namespace["__name__"]
    for name, value in list(namespace.items()):
        if not name.startswith("_") and isinstance(value, (*FUNCTIONS, type)):
            home = value.__module__
            if home.startswith(_PRIVATE) or home.startswith(_ROOT) and home != module and not hasattr(
                    sys.modules[home], value.__qualname__):
                value.__module__, value.__qualname__ = module, name
            namespace[name] = found = builtin(module.removeprefix(_ROOT[:-5]), name, value)
            if found is not value and vars(Tensor).get(value.__name__) is value:
                value.__qualname__ = f"Tensor.{value.__name__}"


_PRIVATE = __name__.rpartition(".dispatch")[0]
_ROOT = _PRIVATE.rpartition("._impl")[0]


def lister(names, later):
    """The `__dir__` of a namespace with parts that are imported when they are asked for."""
    return lambda: sorted({*names, *later} - {"__dir__"})


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
