"""Lower elementwise equations to operations of the loop IR, each in one kind of number."""

import numpy as np

from ....core.ops.selection import cast
from ....core.primitive.primitive import NotLowered
from ...graph.equations import Literal
from ..loops.operations import CASTS, POWERS, TESTS, knows
from ..loops.statements import BYTES, DTYPES, KINDS
from ..machine.blas import ufunc_loop
from .lowering import lowered, named

_QUOTIENTS = ("floor_divide", "remainder")
_SHIFTS = {("left_shift", "i"): "bits_up", ("left_shift", "u"): "bits_up", ("right_shift", "u"): "bits_down"}


def elementary(eq):
    """`[(name, kind, out, inputs), …]` that an elementwise equation comes down to; None where native code has none."""
    prim, out = eq.prim, eq.outputs[0]
    if not (prim.elementwise or prim is cast.prim) or out.aval.weak or out.aval.dtype not in KINDS:
        return None
    if not all(_known(v) for v in eq.inputs):
        return None
    # An atom under its own name goes first: fewer steps, and the rounding of one.
    itself = computed_in(prim.name, eq.inputs, out) is not None and (not prim.guards or _is_linear(eq))
    found = []
    for step in ([eq] if itself else _steps(eq)) or [None]:
        # A step may leave the kinds, as through complex.
        if step is None or step.outputs[0].aval.dtype not in KINDS or not all(_known(v) for v in step.inputs):
            return None
        kind = computed_in(step.prim.name, step.inputs, step.outputs[0])
        if kind is None:
            return None
        found.append(_rooted(step.prim.name, kind, step.outputs[0], step.inputs))
    return found


def _is_linear(eq):
    """Tell whether what an equation chooses is 0 or NaN where a cotangent is 0: if a sweep made it, in one dtype."""
    return eq.quiet is True and len({v.aval.dtype for v in (*eq.inputs, *eq.outputs)}) == 1


def _rooted(name, kind, out, inputs):
    """A step; a power that roots give as these, and a shift by known places as an instruction."""
    if name == "power" and type(inputs[1]) is Literal and not inputs[1].aval.shape and inputs[0].aval.shape == (
            out.aval.shape) and float(inputs[1].value) in POWERS:
        return POWERS[float(inputs[1].value)], kind, out, inputs[:1]  # a root is one instruction, a power a function
    shift = _SHIFTS.get((name, kind[0]))
    if shift and type(inputs[1]) is Literal and np.isin(inputs[1].value, range(8 * BYTES[kind])).all():
        return shift, kind, out, inputs  # one instruction, which by more places each processor has its own way
    return name, kind, out, inputs


def computed_in(name, inputs, out):
    """The kind that an operation computes in; None where native code has no such operation."""
    if name in CASTS:
        kind = KINDS.get(out.aval.dtype)
        # A float below 0 or too large is another number without a sign on each processor.
        return None if kind and kind[0] == "u" and inputs[0].aval.dtype.kind == "f" else kind
    if name == "where":
        return KINDS.get(out.aval.dtype) if inputs[0].aval.dtype == np.bool_ else None
    dtype = _common(inputs) if name in TESTS else out.aval.dtype  # of the operands, where the result is a mask
    kind = KINDS.get(dtype)
    if kind is None or name in TESTS and kind == "f64" and all(v.aval.dtype.kind in "iu" for v in inputs):
        return None  # integers with and without signs: NumPy compares them as they are, and in no dtype
    if kind[0] in "fb":
        return kind if knows(name, kind) or ufunc_loop(name, kind) else None
    if name in _QUOTIENTS and not (type(inputs[1]) is Literal and not np.isin(inputs[1].value, (0, -1)).any()):
        return None  # NumPy warns where it divides by 0, and of the least number by -1
    if kind != "i64" and any(v.aval.weak and not _fits(v, DTYPES[kind]) for v in inputs):
        return None  # NumPy raises where a Python integer does not fit
    return kind if knows(name, kind) else None


def _fits(v, dtype):
    """Tell whether a Python integer is a number of a dtype."""
    return type(v) is Literal and np.iinfo(dtype).min <= v.value <= np.iinfo(dtype).max


def _common(inputs):
    """The dtype that NumPy compares in."""
    strong = [v.aval.dtype for v in inputs if not v.aval.weak]
    if not strong:
        return np.result_type(*[v.aval.dtype for v in inputs])
    given = [v.aval.dtype if not v.aval.weak else {"f": 0.0, "i": 0, "b": False}.get(v.aval.dtype.kind, 0j)
             for v in inputs]
    return np.result_type(*given)


def _known(v):
    """Tell whether a value is of a kind that native code has; a Python integer must fit where it is cast."""
    if v.aval.dtype not in KINDS:
        return False
    return not (type(v) is Literal and type(v.value) is int and not -2**31 <= v.value < 2**32)


def _stays(eq):
    """Tell whether native code computes an equation itself; an elementwise one may come down to others."""
    if computed_in(eq.prim.name, eq.inputs, eq.outputs[0]) is not None:
        return True
    if not eq.prim.elementwise:
        raise NotLowered
    return False


def _steps(eq):
    """The equations that an elementwise one comes down to, one of which gives its result; None if unknown."""
    found = lowered(eq, _stays) if eq.prim.elementwise else None  # a cast alone comes down to nothing
    return named(eq, *found) if found else None
