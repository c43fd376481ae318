"""Rematerialization: recompute cheap values at their uses in place of a store and loads."""

import numpy as np

from ...graph.equations import Equation, Var
from ..loops.operations import CASTS, TESTS
from ..loops.statements import Place
from ..loops.symbols import is_uniform

CHEAP = frozenset({"add", "subtract", "multiply", "negative", "absolute", "square", "where", "bitwise_and",
                   "bitwise_or", *CASTS, *TESTS})
_STEPS = 6  # that are computed again for one value, at most


class Rematerialized:
    """Values that are not stored: the steps of variables, each from what lies in memory or is made again, too."""

    __slots__ = ("steps", "kept")

    def __init__(self):
        self.steps = {}  # variable -> (name, kind, out, inputs)
        self.kept = set()  # variables that something needs in memory

    def takes(self, writer, out, group, steps, readers):
        """Tell whether a variable that a group makes need not be stored; it is noted then.

        Args:
            steps: of the group: `{variable: its step}`.
            readers: the equations that read it later.
        """
        if out in self.kept or out in writer.targets or out in writer.carried or out in writer.columns.parents:
            return False
        if not all(_reads_elements(writer, eq, group.shape) for eq in readers):
            return False
        loaded, again = set(), {}
        if not self.made_from(writer, out, group, steps, loaded, again) or len(again) > _STEPS:
            return False
        # Two streams to load in place of one: nothing is saved.
        if sum(_is_whole(writer, v, group.shape) for v in loaded) > 1:
            return False
        self.steps.update(again)
        for v in (*loaded, *again):
            if v is not out:
                writer.uses.setdefault(v, []).extend(readers)  # it must stay as it is until then
        return True

    def made_from(self, writer, v, group, steps, loaded, again):
        """Tell whether a variable can be made of what is in memory, which is noted in `loaded`, by the steps of
        `again`."""
        step = self.steps.get(v)
        if step is None and v in group.made and v not in writer.values:
            step = steps[v]
        if step is None:
            if v in group.folded:
                return False
            loaded.add(v)
            return True
        name, _, _, inputs = step
        if name not in CHEAP:  # a function costs more than the load that it would save
            return False
        again[v] = step
        return all(self.made_from(writer, w, group, steps, loaded, again) for w in inputs if type(w) is Var)

    def store(self, writer, v):
        """Write a variable to memory that is not there, as something needs it."""
        self.kept.add(v)  # or it would be asked about again when the nest is written
        writer.step(*self.steps.pop(v))

    def behind(self, variables):
        """Variables with what they are made again of."""
        found, waiting = set(), list(variables)
        while waiting:
            v = waiting.pop()
            if type(v) is Var and v not in found:
                found.add(v)
                waiting += self.steps[v][3] if v in self.steps else ()
        return found


def _reads_elements(writer, eq, shape):
    """Tell whether an equation reads each element where it writes the same one, or adds them up."""
    if type(eq) is not Equation or id(eq) in writer.apart:
        return False
    if eq.prim.reduces is not None:
        return eq.inputs[0].aval.shape == shape
    steps = writer.known.get(eq)
    return type(steps) is list and all(out.aval.shape == shape for _, _, out, _ in steps)


def _is_whole(writer, v, shape):
    """Tell whether there are as many elements to load of a variable as the shape has."""
    found = writer.values.get(v)
    if type(found) is Place:
        return found.size * 2 > np.prod(shape)
    return found is None or not is_uniform(found) and found.size * 2 > np.prod(shape)
