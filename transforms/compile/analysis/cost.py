"""The cost model for choosing between NumPy calls, Python floats and native code.

Microseconds as `python benchmarks/printers.py` fits them, on one core of an AMD EPYC. What counts is how they compare.
"""

import math
from itertools import groupby

import numpy as np

from ....core.primitive.primitive import Loop
from ....core.types import Any
from ...graph.layout import is_uniform

TURNS = 16  # of a loop of unknown length
FLOATS = {
    "plain": 0.016, "call": 0.028, "term": 0.023, "turn": 0.008,
    "number in": 0.06, "array in": 0.24, "element in": 0.019,
    "number out": 0.08, "array out": 0.44, "element out": 0.04,
}
_NUMBER, _FUNCTION_OF_NUMBER, _CALL_ON_NUMBERS = 0.055, 0.15, 0.73
_UFUNC, _FUNCTION, _REDUCTION, _PRODUCT, _VIEW, _CALL, _TURN = 0.38, 0.32, 1.35, 0.55, 0.14, 2.3, 0.01
_ELEMENT, _ELEMENT_OF_FUNCTION, _MULTIPLICATION = 0.0005, 0.0097, 0.0002
_PROGRAM, _QUIET, _NUMBER_TO_ARRAY = 0.3, 0.35, 0.2
_WRITE, _WRITE_AT_PLACES = 0.3, 6.0
_LOOP, _GUARD, _COSTLY, _VIEW_OR_COPY = 2.7, 1.2, 5.0, 0.2
_SLOW = frozenset({  # functions of each element
    np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.exp, np.log, np.log1p, np.expm1, np.arctan, np.arctan2,
    np.arcsin, np.arccos, np.arcsinh, np.arccosh, np.arctanh, np.hypot, np.power,
})
_NATIVE, _NATIVE_ELEMENT, _NATIVE_ELEMENT_OF_FUNCTION = 0.3, 0.0002, 0.002
_LOOK, _LOOK_AT_ARRAY = 0.15, 0.12  # at the arguments of a call, in Python: native code looks at them itself
WORTH = 0.4  # what native code of a whole program must save in a call to be compiled, which takes 5 to 100 ms
SEGMENT_WORTH = 2.0  # and that of a part between calls of NumPy


def converted(aval, way):
    """Estimate the conversion of an argument to floats (`way="in"`), or of floats to a result (`"out"`)."""
    return FLOATS[f"array {way}"] + FLOATS[f"element {way}"] * aval.size if aval.shape else FLOATS[f"number {way}"]


def estimated(equations):
    """Estimate the time of NumPy's calls for equations."""
    return _PROGRAM + _block(equations, False)


def at_least(equations):
    """Bound the time of equations from below, whatever runs them."""
    return min(estimated(equations), least_on_floats(equations))


def _block(equations, silent):
    stretches = 0 if silent else sum(quiet is not False for quiet, _ in groupby(eq.quiet for eq in equations))
    return _QUIET * stretches + sum([_estimated(eq, silent or eq.quiet) for eq in equations])


def _estimated(eq, silent):
    prim = eq.prim
    out: Any = eq.outputs[0].aval if eq.outputs else None
    graphs = [body.graph for body in eq.bodies() if body.graph is not None]
    inner = [_block(graph.equations, silent) for graph in graphs]
    times = turns(eq)
    if times is not None:
        given = (*graphs[-1].inputs, *graphs[-1].outputs) if graphs else ()
        rows = sum([v.aval.ndim > w.aval.ndim for v, w in zip((*eq.inputs, *eq.outputs), given)])
        return times * (_TURN + sum(inner) + _VIEW * rows)
    if eq.bodies():
        return _NUMBER + max(inner, default=_CALL)
    if prim.ufunc is None and prim.elementwise:
        return (0.0 if prim.identity else _COSTLY if prim.costly else _GUARD if prim.guards else
                _LOOP if isinstance(prim.lower, Loop) else _CALL)
    if prim.updates:
        return _WRITE if type(eq.params[0]) in (int, slice, tuple) else _WRITE_AT_PLACES
    if prim.rearranges:
        return _VIEW_OR_COPY if prim.copies else _VIEW
    if prim.reduces is not None:
        return _REDUCTION + _ELEMENT * eq.inputs[0].aval.size
    if prim.params[:1] == ("kernel",) and prim.lower is not None:  # what comes down to windows, and folds each
        return _CALL + _ELEMENT * out.size * math.prod(eq.params[0])
    if prim.product == "matrices":
        x, y = (v.aval.size for v in eq.inputs)
        return _PRODUCT + _MULTIPLICATION * (x * y * out.size) ** 0.5
    if prim.ufunc is None or out is None:
        return _CALL
    slow = prim.ufunc[0] in _SLOW
    if not out.shape:  # two numbers have no function in C of their own, but operators
        return _CALL_ON_NUMBERS if prim.ufunc[1] is None and len(eq.inputs) == 2 else (
            _FUNCTION_OF_NUMBER if slow else _NUMBER)
    mixed = any(not v.aval.shape or is_uniform(v) for v in eq.inputs)
    return _NUMBER_TO_ARRAY * mixed + (_FUNCTION + _ELEMENT_OF_FUNCTION * out.size if slow else
                                       _UFUNC + _ELEMENT * out.size)


def looked_at(inputs):
    """Estimate the check in Python that the arguments of a call are those of a program."""
    return _LOOK + _LOOK_AT_ARRAY * sum([v.aval.ndim > 0 for v in inputs])


def saved_natively(equations):
    """Estimate the time that native code saves of NumPy's calls for equations."""
    return sum([_estimated(eq, eq.quiet) - _native(eq) for eq in equations]) - _NATIVE


def least_on_floats(equations):
    """Bound the time of equations on Python floats from below."""
    return sum([_least(eq) for eq in equations if not eq.prim.rearranges])


def _least(eq):
    if not eq.bodies():
        return FLOATS["plain"] * sum([v.aval.size for v in eq.outputs])
    inner = [least_on_floats(body.graph.equations) for body in eq.bodies() if body.graph is not None]
    return (turns(eq) or 0) * sum(inner)


def turns(eq):
    """The number of rounds of a loop's bodies, estimated where it is not known; None of what is no loop."""
    if eq.prim.turns is None:
        return None
    found = eq.prim.turns(*eq.params)
    return TURNS if found is None else found


def native(equations):
    """Estimate the time of native code for equations."""
    return _NATIVE + sum(map(_native, equations))


def _native(eq):
    prim, times = eq.prim, turns(eq)
    inner = [sum(map(_native, body.graph.equations)) for body in eq.bodies() if body.graph is not None]
    if times is not None:
        return times * (_TURN + sum(inner))
    if eq.bodies():
        return max(inner, default=0.0)
    if prim.rearranges:
        return 0.0
    if "collective" in prim.effects:
        return _CALL
    if prim.product == "matrices":
        return _estimated(eq, True) - _PRODUCT
    # Parts that are read or written cost what they hold, not what they lie in.
    touched = eq.outputs if prim.zeros == "back" else eq.inputs[1:] if prim.updates else (*eq.inputs, *eq.outputs)
    size = max([v.aval.size for v in touched], default=0)
    slow = prim.ufunc[0] in _SLOW if prim.ufunc is not None else prim.costly
    return size * (_NATIVE_ELEMENT_OF_FUNCTION if slow else _NATIVE_ELEMENT)
