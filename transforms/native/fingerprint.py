"""What tells a program from others in every process: for code that is found again before anything is written."""

import os
from functools import cache

import numpy as np

from ...core.primitive.primitive import REGISTRY
from ...core.types import Any
from ..graph.equations import Body, Var
from .machine.digests import sha256

_LARGEST = 1 << 15  # bytes of constants of a program that is found again: they are kept beside its code
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
        self.numbers = {}
        self.bytes = 0

    def block(self, graph):
        """Equations, with variables as numbers."""
        self.found.append("inputs " + " ".join([self.new(v) for v in graph.inputs]))
        for eq in graph.equations:
            prim: Any = eq.prim
            known: Any = REGISTRY.get(prim.name)
            if known is not prim or type(eq.quiet) is not bool or not (
                    prim.impl.__module__.startswith("covector.")):
                raise _Unnamed
            if eq.acts or prim.effects:
                raise _Unnamed
            given = " ".join(map(self.value, eq.inputs))
            params = ", ".join(map(self.param, eq.params))
            self.found.append(f"{' '.join(map(self.new, eq.outputs))} = {prim.name} {given} [{params}] {eq.quiet}")
        self.found.append("outputs " + " ".join(map(self.value, graph.outputs)))

    def new(self, v):
        """A variable that is defined here: its number, shape and dtype."""
        number = self.numbers[v] = len(self.numbers)
        return f"v{number}:{v.aval.dtype.str}{v.aval.shape}{'w' * v.aval.weak}"

    def value(self, v):
        return f"v{self.numbers[v]}" if type(v) is Var else self.constant(v.value)

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
    found, waiting = [], [os.path.join(here, "core"), os.path.join(here, "transforms")]
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
