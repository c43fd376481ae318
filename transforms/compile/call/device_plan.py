"""The execution plan of a compiled function on a GPU: the kernels of `export_cuda` and the calls in between."""

from typing import NamedTuple

import numpy as np

from ....core.types import Any
from ...graph.draft import Draft, rewritten
from ...graph.equations import Literal, Var, walk
from ..loops.kinds import KINDS
from ..lower.inlining import inlined, is_any_call
from ..program import optimised
from .launch_plan import Plan, without_library
from .staged import Named, Staged, products

_PLAIN = (bool, int, float, complex, np.generic, np.ndarray)


class DevicePlan(NamedTuple):
    """The parts of a program: the `ExportedCuda`, the arrays that follow the arguments, and the operations of calls."""

    exported: Any
    constants: list[Any]
    calls: dict[int, Any]  # by the number of the step


def device_plan(graph, name):
    """The `DevicePlan` of a graph, whose arguments lie in C order."""
    draft, constants = _without_constants(inlined(graph, is_any_call))  # text holds numbers of NumPy alone
    draft = optimised(draft, frozenset(draft.inputs))
    known = products(draft, without_library)
    for eq in draft.equations:
        if any(_is_foreign(v) for body in eq.graphs() for part in walk(body.equations) for v in part.inputs):
            known[eq] = False  # a body has no operand for an array of a device
    plan = _DevicePlan(Staged(draft, known, _named(draft.inputs, "given"), _named(draft.outputs, "out")), name)
    return DevicePlan(plan.exported(), constants, plan.calls)


class _DevicePlan(Plan):
    """A plan whose calls may be loops and branches, too, and whose arguments and results have any dtype."""

    def __init__(self, found, name):
        super().__init__(found, name)
        self.calls = {}
        self.loops = {eq.outputs[0]: eq for eq in found.draft.equations if eq.bodies() and eq.outputs}

    def is_whole(self, draft, known):
        return super().is_whole(draft, known) and all(
            v.aval.dtype in KINDS and v.aval.dtype.isnative and v.aval.size and not v.aval.weak
            for v in (*draft.inputs, *draft.outputs))

    def call(self, eq, known):
        if eq.bodies() and eq.outputs:
            eq = self.loops[eq.outputs[0]]  # without the segments that were found inside
        self.calls[len(self.steps)] = eq
        self.add_call(eq)


def _is_foreign(v):
    """Tell whether an operand is a constant that is an array of another library than NumPy."""
    return type(v) is Literal and not isinstance(v.value, _PLAIN)


def _without_constants(draft):
    """A draft that takes such constants after its arguments, and these."""
    found = {}

    def now(v):
        return found.setdefault(id(v.value), (Var(v.aval), v.value))[0] if _is_foreign(v) else v

    equations = [rewritten(eq, [now(v) for v in eq.inputs]) for eq in draft.equations]
    outputs = [now(v) for v in draft.outputs]
    return (Draft([*draft.inputs, *[v for v, _ in found.values()]], equations, outputs),
            [value for _, value in found.values()])


def _named(values, root):
    """Names of arguments and results."""
    return [Named(f"{root}{k}", f"{root}[{k}]", v.aval) for k, v in enumerate(values)]
