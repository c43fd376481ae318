"""What tells a program from others in every process: for code that is found again before anything is written."""

import os
from functools import cache

import numpy as np

from ...core.primitive.primitive import REGISTRY
from ...core.types import Any
from ..graph.equations import Body, Var
from .machine.digests import sha256

_LARGEST = 1 << 15  # bytes of constants of a program that is found again: they are kept beside its code
# The folders of the library whose files say what code is made of a graph: what those of `native` and `compile` import,
# and what the operations do that may stand in native code. What makes graphs is not among them: graphs are compared.
FOLDERS = (("core",), *[("transforms", name) for name in ("compile", "control", "graph", "native", "ranks", "scope")])
_TOLD = frozenset({"context"})  # effects of operations whose names and parameters tell all: NumPy runs them
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


class _Unnamed(Exception):  # noqa: N818 (no error: such a program is written in each process)
    """Something that has no name which another process would know."""


def fingerprint(draft):
    """Bytes that drafts of the same equations have in common, and no others; None where there are none.

    They tell also of the files that this library consists of: others may write other code.
    """
    try:
        words = _Words()
        words.block(draft)
        return sha256("\n".join([sources(), *words.found]).encode()).digest()
    except _Unnamed:
        return None


class _Words:
    def __init__(self):
        self.found = []
        self.numbers = {}  # variable -> what it is called
        self.names = {}  # operation -> its name
        self.avals = {}  # id of an aval, which the graph keeps -> its text
        self.bytes = 0

    def block(self, graph):
        """Equations, with variables as numbers."""
        self.found.append("inputs " + " ".join(map(self.new, graph.inputs)))
        names, numbers, new, value = self.names, self.numbers, self.new, self.value
        for eq in graph.equations:
            prim, quiet, params = eq.prim, eq.quiet, eq.params
            name = names.get(prim) or self.name(prim)
            if quiet is not False and quiet is not True or prim.handlers is not None and eq.acts:
                raise _Unnamed
            given = " ".join([numbers[v] if type(v) is Var else value(v) for v in eq.inputs])
            about = ", ".join(map(self.param, params)) if params else ""
            self.found.append(f"{' '.join(map(new, eq.outputs))} = {name} {given} [{about}] {quiet}")
        self.found.append("outputs " + " ".join(map(value, graph.outputs)))

    def name(self, prim):
        """The name of an operation of this library."""
        known: Any = REGISTRY.get(prim.name)
        if known is not prim or not prim.effects <= _TOLD or not prim.impl.__module__.startswith("covector."):
            raise _Unnamed
        self.names[prim] = prim.name
        return prim.name

    def new(self, v):
        """A variable that is defined here: its number, shape and dtype."""
        aval = v.aval
        about = self.avals.get(id(aval))
        if about is None:
            about = self.avals[id(aval)] = f"{aval.dtype.str}{aval.shape}{'w' * aval.weak}"
        number = self.numbers[v] = f"v{len(self.numbers)}"
        return f"{number}:{about}"

    def value(self, v):
        return self.numbers[v] if type(v) is Var else self.constant(v.value)

    def constant(self, x):
        if type(x) is np.ndarray or isinstance(x, np.generic):
            if x.dtype.hasobject:
                raise _Unnamed
            self.bytes += x.nbytes
            if self.bytes > _LARGEST:
                raise _Unnamed
            return f"{type(x).__name__} {x.dtype.str}{x.shape}{x.strides}{sha256(x.tobytes()).hexdigest()}"
        return self.param(x)

    def param(self, p):
        kind = type(p)
        if kind in _PLAIN:
            return f"{kind.__name__} {p!r}"
        if kind is tuple or kind is list:
            return f"{kind.__name__} ({', '.join(map(self.param, p))})"
        if kind is slice:
            return f"slice ({', '.join(map(self.param, (p.start, p.stop, p.step)))})"
        if isinstance(p, np.dtype):
            return f"dtype {p.str}"
        if kind is Body and p.graph is not None:
            self.block(p.graph)
            return "body"
        if kind.__module__ == "covector.core.ops.indexing.places":
            return f"{kind.__name__} {self.constant(p.index)}"
        return self.constant(p) if kind is np.ndarray or isinstance(p, np.generic) else self.unnamed()

    def unnamed(self):
        raise _Unnamed


@cache
def sources():
    """The names, sizes and times of the files of the library that say what is compiled."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found, waiting = [], [os.path.join(here, *folder) for folder in FOLDERS]
    for folder in waiting:
        opened = os.open(folder, os.O_RDONLY)  # by which its files are found in less time than by their paths
        try:
            for name in os.listdir(opened):
                if name.endswith(".py"):
                    about = os.stat(name, dir_fd=opened)
                    found.append(f"{folder}/{name} {about.st_size} {about.st_mtime_ns}")
                elif "." not in name and name != "__pycache__":
                    waiting.append(f"{folder}/{name}")
        finally:
            os.close(opened)
    return "\n".join(sorted(found))
