"""Explanations of compiled functions: what runs in native code, what NumPy or Python runs, and why."""

import os

from ....core.arrays.avals import short_dtype
from ....core.arrays.backend import installed
from ...graph.equations import Var
from ..analysis.cost import turns
from ..lower.lowerings import is_native
from ..program import described
from ..render.numpy.block_fusion import Group
from .partition import Segment, is_alone


class Explanation:
    """The parts of a compiled function, a line each; `str` gives the text, and so does the console.

    `parts` are pairs of how a part runs ("native", "fused", "NumPy", "floats", "loop", "branch") and what it is.
    """

    def __init__(self, program):
        self.parts = []
        self._on_floats = program.loops
        switched_off = program.printer == "auto" and os.environ.get("COVECTOR_NATIVE") == "0"
        self.asked = (program.printer == "auto" or callable(program.printer)) and not switched_off  # for native code
        equations, ends = program.draft.equations, (program.graph.inputs, program.graph.outputs)
        given, found = (", ".join([f"{short_dtype(v.aval.dtype)}{list(v.aval.shape)}" for v in vs]) for vs in ends)
        how = ("one native function" if program.native else "one function of Python floats" if program.on_floats
               else "native code between NumPy calls" if any(map(_holds_segments, equations))
               else "NumPy calls" if self.asked else "NumPy calls, as asked")
        size = _bytes(v for vs in ends for v in vs)
        self._lines = [f"{program.name}({given}) -> {found}: {how}; {size} go in and out"]
        if program.native or program.on_floats:
            self._part("native" if program.native else "floats", equations, 1)
            return
        if self.asked and installed("llvmlite") is None:
            self._lines.append("  native code needs llvmlite: pip install 'covector[llvm]'")
        self._walk(equations, {}, 1)

    def _part(self, how, equations, depth):
        """A part that runs as one."""
        names = [eq.prim.name for eq in equations]
        made = {v for eq in equations for v in eq.outputs}
        read = _bytes({v for eq in equations for v in eq.inputs if type(v) is Var and v not in made})
        loops = sum(turns(eq) is not None for eq in equations)
        inside = f", {loops} of them loops" if loops else ""
        self._add(how, f"{_counted(names)}: {len(names)} operation{'s'[: len(names) > 1]}{inside}, {read} read",
                  equations[0].line, depth)

    def _add(self, how, what, line, depth):
        self.parts.append((how, what))
        self._lines.append(f"{'  ' * depth}{how:<7} {what}{f' (at {line})' if line else ''}")

    def _walk(self, equations, known, depth):
        for eq in equations:
            if type(eq) is Segment:
                self._part("native", eq.equations, depth)
            elif type(eq) is Group:
                self._part("fused", eq.equations, depth)
            elif eq in self._on_floats:
                self._part("floats", [eq], depth)
            elif (count := turns(eq)) is not None or eq.prim.control is not None:
                rounds = "" if count is None else f" of {eq.prim.turns(*eq.params) or 'any number of'} rounds"
                self._add("branch" if count is None else "loop", f"{eq.prim.name}{rounds}, in Python", eq.line, depth)
                for body in eq.bodies():
                    if body.graph is not None:
                        self._walk(body.graph.equations, known, depth + 1)
            else:
                why = f": {_reason(eq, known)}" if self.asked else ""
                self._add("NumPy", f"{described(eq)[0]}{why}", eq.line, depth)

    def __str__(self):
        return "\n".join(self._lines)

    __repr__ = __str__


def _holds_segments(eq):
    return type(eq) is Segment or any(_holds_segments(part) for body in eq.bodies() if body.graph is not None
                                      for part in body.graph.equations)


def _bytes(values):
    return f"{sum(v.aval.size * v.aval.dtype.itemsize for v in values)} bytes"


def _counted(names):
    """Names in their order, equal ones once, with their number."""
    found = [f"{name} x {n}" if (n := names.count(name)) > 1 else name for name in dict.fromkeys(names)]
    return ", ".join(found[:8]) + (", ..." if len(found) > 8 else "")


def _reason(eq, known):
    """Why an equation is left to NumPy."""
    if is_alone(eq):
        return "NumPy's loop is the faster one"
    if is_native(eq, known):
        return "too little to pay for a call of native code"
    kinds = sorted({short_dtype(v.aval.dtype) for v in (*eq.inputs, *eq.outputs) if v.aval.dtype.kind == "c"})
    return f"no native form for {', '.join(kinds)}" if kinds else "no native form"
