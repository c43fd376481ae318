"""Fast dispatch of forward mode: values and tangents together, as in `DualTrace.process`. Compiled."""

import numpy as np

from ..arrays.avals import SCALARS, aval_of
from ..arrays.backend import RAW
from ..arrays.fp_warnings import SILENT, enter_error_state, error_state, leave_error_state
from ..slots import AvalSlots, TracerSlots, TraceSlots
from ..tape.recording import dual
from ..tape.strong_zeros import holds_nan, strong_tangent
from ..trace.tracer import Dual, share
from ..types import Any

ndarray = np.ndarray
_NUMBERS = frozenset({int, float, bool})
_ARRAYS = frozenset({ndarray, np.float64, np.float32})


def binary_push(prim):
    """`push(dx, dy, x, y, ans)` of a plain elementwise primitive; a tangent is None for a constant."""
    names = prim.operands
    slots = {names[0]: 0, names[1]: 1, "ans": 2}
    parts = []
    for i in (0, 1):
        formula = prim.jvp.real.get(i)
        if formula is None or any(n not in slots for n in formula.names):
            return None
        parts.append((formula.fn, tuple(slots[n] for n in formula.names)))
    (fx, ax), (fy, ay) = parts

    def push(dx, dy, x, y, ans):
        record = (x, y, ans)
        tx = None if dx is None else fx(dx, *[record[k] for k in ax])
        if dy is None:
            return tx
        ty = fy(dy, *[record[k] for k in ay])
        return ty if dx is None else tx + ty

    # The two commonest kinds of rules, without the list of arguments that the general one makes.
    if len(ax) == 0 and len(ay) == 0:
        def push(dx, dy, x, y, ans):
            return fx(dx) if dy is None else fy(dy) if dx is None else fx(dx) + fy(dy)
    elif ax == (1,) and ay == (0,):
        def push(dx, dy, x, y, ans):
            return fx(dx, y) if dy is None else fy(dy, x) if dx is None else fx(dx, y) + fy(dy, x)
    return push


def quietly(push):
    """`push` without the warnings of factors that overflow or divide by 0."""
    def quiet(*given):
        state = error_state()
        try:
            enter_error_state(SILENT)
            return push(*given)
        finally:
            leave_error_state(state)

    return quiet


def strongly(push):
    """`push` with strong zeros, and without the warnings of a zero tangent that meets an infinity."""
    def strong(dx, dy, x, y, ans):
        state = error_state()
        try:
            enter_error_state(SILENT)
            out = push(dx, dy, x, y, ans)
            if not holds_nan(out):
                return out
            # The sum does not tell which tangent had the zero: each is looked at for itself.
            parts = [strong_tangent(d, push(*both, x, y, ans))
                     for d, both in ((dx, (dx, None)), (dy, (None, dy))) if d is not None]
            return parts[0] if len(parts) == 1 else parts[0] + parts[1]
        finally:
            leave_error_state(state)

    return strong


def strongly_alone(push):
    """The same of `push(dx, *record)` of a primitive of one operand."""
    def strong(dx, *record):
        state = error_state()
        try:
            enter_error_state(SILENT)
            return strong_tangent(dx, push(dx, *record))
        finally:
            leave_error_state(state)

    return strong


def forward_pair(prim, op, push, strong):
    """`apply(x, y)` of an elementwise primitive where one is a Dual of plain floats; None if it has no short way."""
    masks = prim.zeros
    weak = prim.weak

    def apply(x, y):
        t: TracerSlots = x if type(x) is Dual else y
        u: TracerSlots
        aval: AvalSlots = t.aval
        like: AvalSlots
        owner: TraceSlots = t.owner
        if owner.done or not aval.plain:
            return None
        constant = y if t is x else x
        known = False  # whether the output has the aval of the traced operand
        if type(constant) is Dual:
            u = constant
            like = u.aval
            if u.owner is not owner or not like.plain or aval.dtype is not like.dtype:
                return None
            known = aval is like
            dx, dy, x, y = t.tangent, u.tangent, t.value, u.value
        else:
            if not _beside(constant, aval):
                return None
            xv = t.value
            if type(constant) in _NUMBERS:
                known = True
                if type(xv) is ndarray:
                    constant = aval.const(constant)
            if t is x:
                dx, dy, x, y = t.tangent, None, xv, constant
            else:
                dx, dy, x, y = None, t.tangent, constant, xv
        v = op(x, y)
        if masks:
            owner.masked = True
        tangent = (strong if owner.masked else push)(dx, dy, x, y, v)
        if known:
            return dual(owner, v, aval if weak else aval.strong, tangent)
        shape = v.shape
        # A tangent that is still to be broadcast: the general road does that.
        if tangent.shape != shape:
            return None
        return dual(owner, v, aval.strong if shape == aval.shape else aval_of(v), tangent)

    return apply


def _beside(constant, aval):
    """Tell whether a constant leaves shape and dtype of a traced value beside it."""
    kind = type(constant)
    return kind in _NUMBERS or kind in _ARRAYS and constant.dtype is aval.dtype and (
        not constant.ndim or constant.shape == aval.shape)


def read(prim, x, index):
    """`x[index]` of a Dual of plain arrays, whose trace is running."""
    v = x.value[index]
    x.owner.masked = True
    aval = SCALARS.get(type(v)) or aval_of(v)
    out = dual(x.owner, v, aval, x.tangent[index])
    if aval.shape or type(v) is ndarray:
        share(x, out, prim, (index,))
    return out


def joined(prim, xs, param):
    """An operation on many operands that is linear in them together, where the traced ones are Duals of plain floats
    of one dtype and trace; else None.
    """
    owner: Any = None
    dtype = None
    values, tangents = [], []
    for x in xs:
        if type(x) is Dual:
            if owner is None:
                owner, dtype = x.owner, x.aval.dtype
            if x.owner is not owner or not x.aval.plain or x.aval.dtype is not dtype or type(x.tangent) not in RAW:
                return None
            tangents.append(x.tangent)
            x = x.value
        else:
            tangents.append(None)
        if type(x) not in RAW:
            return None
        values.append(x)
    if owner.done:
        return None
    v = prim.impl(np, param, values)
    if v.dtype is not dtype:
        return None
    for k, dx in enumerate(tangents):
        if dx is None:
            # Zeros that take no memory; the operation is linear in all its operands together.
            tangents[k] = np.broadcast_to(np.zeros((), dtype), np.shape(values[k]))
    if prim.zeros:
        owner.masked = True
    return dual(owner, v, aval_of(v), prim.impl(np, param, tangents))
