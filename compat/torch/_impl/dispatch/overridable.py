"""The functions that a `__torch_function__` may get, and the names by which programs reach them."""

import functools

from ..types.tensor_type import Tensor
from .overriding import UNASKED
from .signatures import signatures
from .surface import FACTORIES

NAMESPACES = "", "nn.functional", "linalg", "fft", "special"
_TENSORS = frozenset({"Tensor", "Tensors", "duck", "operand"})


def makes_alone(name):
    """Tell whether a function of torch makes tensors of other things alone: a factory."""
    return name in FACTORIES and not any(p.kind in _TENSORS for way in signatures(name) for p in way.parameters)


def asks_classes(fun):
    """Tell whether a function asks the classes of its arguments: itself, or as an operation."""
    row = getattr(fun, "row", None)
    return getattr(fun, "asks_classes", False) or row is not None and row.asks


def functions_of(torch):
    """Namespace -> its functions that ask classes, and name by function, of the public module torch."""
    names, found = {}, {}
    for below in NAMESPACES:
        home = functools.reduce(getattr, below.split("."), torch) if below else torch
        members = found[home] = []
        for name in sorted(dir(home)):
            fun = getattr(home, name, None)
            if name.startswith("_") or not callable(fun) or isinstance(fun, type):
                continue
            full = f"{below}.{name}".lstrip(".")
            names.setdefault(fun, f"torch.{full}")
            if not name.endswith("_") and asks_classes(fun) and not makes_alone(full):
                members.append(fun)
    members = found[Tensor] = []
    for name, member in sorted(vars(Tensor).items()):
        if name in UNASKED or isinstance(member, type | staticmethod | classmethod):
            continue
        if isinstance(member, property):
            found[member] = [member.__get__]
            names[member.__get__] = f"torch.Tensor.{name}.__get__"
            names[member.__set__] = f"torch.Tensor.{name}.__set__"
            names[member.__delete__] = f"torch.Tensor.{name}.__delete__"
        elif callable(member):
            names.setdefault(member, f"torch.Tensor.{name}")
            members.append(member)
    return found, names
