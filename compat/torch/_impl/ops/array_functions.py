"""NumPy's functions as the bodies of operations call them: plain arrays are computed as traced values are.

A call whose operands have no history computes on arrays, its program on what stands for them: by the same functions, so
that both give the same bits.
"""

from types import ModuleType

from ..... import numpy


class OfValues:
    """A namespace of `covector.numpy` whose functions compute plain arrays as they do traced ones."""

    def __init__(self, space):
        for name, found in vars(space).items():
            part = isinstance(found, ModuleType)
            if name in getattr(space, "__all__", ()) if part else not name.startswith("_"):
                vars(self)[name] = OfValues(found) if part else getattr(found, "of_values", found)


cnp = OfValues(numpy)
