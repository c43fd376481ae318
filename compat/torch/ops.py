"""torch.ops: the operations by their names in ATen, and those that users define by their namespaces."""

from ._impl.function.custom_operators import OPERATORS as _OPERATORS
from ._impl.ops.overloads import aten as aten

loaded_libraries: frozenset[str] = frozenset()  # none can be loaded


def load_library(path):
    """Refuse a compiled library of operations, as PyTorch does one that it cannot load."""
    raise OSError(f"Could not load this library: {path}: its operations are compiled for PyTorch's own tensors, and "
                  "covector.compat.torch has none; torch.library.custom_op defines an operation in Python")


class _Namespace:
    """The operations that were defined with a namespace."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, word):
        found = _OPERATORS.get(f"{self.name}::{word}")
        if found is None:
            raise AttributeError(f"'torch.ops.{self.name}' has no operation {word!r}; torch.library.custom_op defines "
                                 "one")
        return found


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _Namespace(name)
