"""Collectives inside native code: lower them to a call back into Python.

What the ranks exchanged is kept until the function ends: where NumPy has to do its work again (it warns, or an index is
out of bounds), it gets the same values, for the other ranks do not send them twice.
"""

import threading
from collections import deque
from types import SimpleNamespace

from ....core.facts import Operation
from ...graph.equations import Draft, Var, rewritten, without_dead
from ..loops.statements import KINDS
from ..machine.layouts import functions

LARGEST = 1 << 18  # bytes of an operand or result: it is copied on its way, which takes longer than to leave the code
_AHEAD = 64  # equations that are looked through for one that can be under way at the same time


_RUNNING = threading.local()  # `found`: what the native function of this thread has got from other ranks, in order


class Exchange:
    """`outs = call(inputs)`, of Python, on arrays that lie at these places."""

    __slots__ = ("call", "inputs", "outputs")

    def __init__(self, call, inputs, outputs):
        self.call = call
        self.inputs = inputs
        self.outputs = outputs

    def places(self):
        """The places that it reads or writes."""
        return (*self.inputs, *self.outputs)


def is_exchange(eq):
    """Tell whether native code calls Python for a collective; one that gives what it is given exchanges nothing."""
    if "collective" in eq.prim.effects and eq.prim.identity:
        v = eq.outputs[0]
        return v.aval.dtype in KINDS and v.aval.dtype.isnative and v.aval.size > 0 and not v.aval.weak
    return eq.prim.exchanges is not None and functions() is not None and all(
        v.aval.dtype in KINDS and v.aval.dtype.isnative and not v.aval.weak and type(v) is Var
        and 0 < v.aval.size * v.aval.dtype.itemsize <= LARGEST for v in (*eq.inputs, *eq.outputs))


# What is called.


def _caller(equations):
    """A function of operands and of arrays that the results are written to."""
    count = len(equations)
    group, *rest = equations[0].params
    if equations[0].prim.exchanges == "shift":
        perms, places = [tuple(column) for column in zip(*[(eq.params[1], eq.params[0].place) for eq in equations])]
        run = group.origin.again([eq.inputs[0].aval for eq in equations], perms, places)
    else:
        method = getattr(group, equations[0].prim.exchanges)

        def run(given):
            return (method(given[0].copy(), *rest),)  # MPI may read it after an error, when this memory is gone

    def call(*arrays):
        found = run(arrays[:count])
        for out, value in zip(arrays[count:], found):
            out[...] = value  # results may be of another layout than the place has
        _RUNNING.found.extend([value.copy() for value in found])  # for a second run: what was given may be written over

    return call


def remembering(run):
    """`run`, a native function that calls collectives, with a memory of what they gave."""
    def remembered(*values):
        outer = getattr(_RUNNING, "found", None)  # a native function may call another one
        _RUNNING.found = deque()
        try:
            return run(*values)
        finally:
            _RUNNING.found = outer

    return remembered


class _Again:
    """A group whose collectives give what this run of the function has got already, and only then call the others."""

    def __init__(self, group):
        self.group = group
        self.size, self.rank, self.axis = group.size, group.rank, group.axis

    def __getattr__(self, name):
        method = getattr(self.group, name)
        return lambda *args: _RUNNING.found.popleft() if getattr(_RUNNING, "found", None) else method(*args)


def again(draft):
    """The draft whose collectives exchange nothing a second time."""
    return Draft(draft.inputs, [rewritten(eq, params=(_Again(eq.params[0]), *eq.params[1:]))
                                if eq.prim.exchanges else eq for eq in draft.equations], draft.outputs)


# How it is written.


def together(equations):
    """Equations with shifts that do not wait for one another as one, in front of which stands what they need.

    Collectives keep their order among themselves.
    """
    if sum(eq.prim.exchanges == "shift" for eq in equations) < 2:  # one by itself has nothing to overlap with
        return equations
    rest, found = list(equations), []
    while rest:
        eq = rest.pop(0)
        if eq.prim.exchanges != "shift":
            found.append(eq)
            continue
        several, late, between, moved = [eq], set(eq.outputs), [], set()
        for other in rest[:_AHEAD]:
            depends = not late.isdisjoint([v for v in other.inputs if type(v) is Var])
            if other.prim.exchanges:
                # It waits for this one, or for other ranks.
                if depends or other.prim.exchanges != "shift" or other.params[0].origin is not eq.params[0].origin:
                    break
                needed = without_dead(Draft((), between, other.inputs)).equations
                found += needed
                moved.update(map(id, (*needed, other)))
                between = [e for e in between if id(e) not in moved]
                several.append(other)
            elif not depends:
                between.append(other)
                continue
            late.update(other.outputs)
        rest = [e for e in rest if id(e) not in moved]
        found.append(_joined(several))
    return found


def exchange(writer, eq):
    """The rule of collectives."""
    several = getattr(eq, "several", (eq,))
    given = [writer.place(v) for v in eq.inputs]
    outs = [writer.result(v) for v in eq.outputs]
    writer.add(Exchange(_caller(several), given, outs))
    writer.values.update(zip(eq.outputs, outs))


_SEVERAL = Operation("rank_shift", effects=frozenset({"collective"}), exchanges="shift")


def _joined(several):
    """Several shifts as one equation, which only the rule looks at."""
    if len(several) == 1:
        return several[0]
    return SimpleNamespace(prim=_SEVERAL, inputs=[v for eq in several for v in eq.inputs], params=several[0].params,
                           outputs=[v for eq in several for v in eq.outputs], several=several, acts=False)
