"""The cost model: what calls of NumPy, operations on Python floats and native code take, for the choice between them.

Microseconds as `python benchmarks/printers.py` fits them, on one core of an AMD EPYC. What counts is how they compare.
"""

import math
from itertools import groupby

from ....core.types import Any
from ...graph.layout import VIEWS, is_uniform

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
_NAMED = {"where": 2.7, "strong_zero": 1.2, "sigmoid": 5.0, "reshape": 0.2, "stop_gradient": 0.0}
_SLOW = frozenset({  # functions of each element
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log1p", "expm1", "arctan", "arctan2", "arcsin",
    "arccos", "arcsinh", "arccosh", "arctanh", "hypot", "power", "erf", "erfc", "logaddexp",
})
_NATIVE, _NATIVE_ELEMENT, _NATIVE_ELEMENT_OF_FUNCTION = 0.3, 0.0002, 0.002
_LOOK, _LOOK_AT_ARRAY = 0.15, 0.12  # at the arguments of a call, in Python: native code looks at them itself
WORTH = 0.4  # what native code of a whole program must save in a call to be compiled, which takes 5 to 100 ms
SEGMENT_WORTH = 2.0  # and that of a part between calls of NumPy
_OF_WINDOWS = frozenset({"max_windows", "largest_places", "window_sums"})  # whose first parameter is the window
_OF_TWO = frozenset({"hypot", "maximum", "minimum", "arctan2", "copysign", "logaddexp"})  # that are no operators


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
    inner = [_block(body.graph.equations, silent) for body in eq.bodies() if body.graph is not None]
    if prim.name == "scan":
        _, consts, n, steps, _ = eq.params
        return steps * (_TURN + sum(inner) + _VIEW * (len(eq.inputs) - consts - n + len(eq.outputs) - n))
    if prim.name == "while":
        return TURNS * (_TURN + sum(inner))
    if prim.name == "cond":
        return _NUMBER + max(inner, default=_CALL)
    if prim.name in _NAMED:
        return _NAMED[prim.name]
    if prim.name == "index_update":
        return _WRITE if type(eq.params[0]) in (int, slice, tuple) else _WRITE_AT_PLACES
    if prim.name in VIEWS:
        return _VIEW
    if prim.name.startswith("reduce_"):
        return _REDUCTION + _ELEMENT * eq.inputs[0].aval.size
    if prim.name in _OF_WINDOWS:
        return _CALL + _ELEMENT * out.size * math.prod(eq.params[0])
    if prim.name == "matmul":
        x, y = (v.aval.size for v in eq.inputs)
        return _PRODUCT + _MULTIPLICATION * (x * y * out.size) ** 0.5
    if prim.ufunc is None or out is None:
        return _CALL
    slow = prim.name in _SLOW
    if not out.shape:
        return _CALL_ON_NUMBERS if prim.name in _OF_TWO else _FUNCTION_OF_NUMBER if slow else _NUMBER
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
    return sum([_least(eq) for eq in equations if eq.prim.name not in VIEWS])


def _least(eq):
    if not eq.bodies():
        return FLOATS["plain"] * sum([v.aval.size for v in eq.outputs])
    return _turns(eq) * sum([least_on_floats(body.graph.equations) for body in eq.bodies() if body.graph is not None])


def _turns(eq):
    """How often the bodies of an equation run, all together; of a branch, none at least."""
    return {"scan": lambda: eq.params[3], "while": lambda: TURNS}.get(eq.prim.name, lambda: 0)()


def native(equations):
    """Estimate the time of native code for equations."""
    return _NATIVE + sum(map(_native, equations))


def _native(eq):
    name = eq.prim.name
    inner = [sum(map(_native, body.graph.equations)) for body in eq.bodies() if body.graph is not None]
    if name == "scan":
        return eq.params[3] * (_TURN + sum(inner))
    if name == "while":
        return TURNS * (_TURN + sum(inner))
    if name == "cond":
        return max(inner, default=0.0)
    if name in VIEWS:
        return 0.0
    if "collective" in eq.prim.effects:
        return _CALL
    if name == "matmul":
        return _estimated(eq, True) - _PRODUCT
    size = max(v.aval.size for v in (*eq.inputs, *eq.outputs))
    return size * (_NATIVE_ELEMENT_OF_FUNCTION if name in _SLOW or name == "sigmoid" else _NATIVE_ELEMENT)
