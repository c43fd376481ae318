"""The rows of writes in place: which operation each method is, for the fast road (fast.py)."""

import functools

import numpy as np

from ..state.makers import quiet
from .fast import BINARY, UNARY, Target, Write, opened, writing

CLOSED = (np.add, np.subtract, np.multiply)  # of two integers they give one


def binary_inplace(prim, ufunc, slow, scales=False):
    """The in-place form of a binary operation: the memory is written once, where the rule does not need its contents.

    `slow` is the general in-place method; `scales` says that the operand may have a factor, `alpha`.
    """
    made = row_of(BINARY, quiet(ufunc), prim, ((0,), (1,), (0, 1)))
    made.closed = ufunc in CLOSED
    made.names = {"alpha"} if scales else None
    return writing(made, slow)


def unary_inplace(prim, op, direct, alike, slow, names=()):
    """The in-place form of an operation of a tensor and numbers of these `names`, or None for some: what `op` gives of
    the array, or writes to the second where it is `direct`."""
    made = row_of(UNARY, op, prim, ((0,),))
    made.direct = direct
    made.alike = functools.cache(alike)
    made.count, made.names, made.order = len(names), set(names), names
    return writing(made, slow)


def assigning(kind, slow):
    """The in-place form of an operation by which all elements are those of the operand: FILL, ZERO, COPY."""
    return writing(row_of(kind, None, None, ()), slow)


def row_of(kind, op, prim, active):
    """A `Write` by an operation of core's."""
    made: Write = Write()
    made.kind = kind
    made.op = op
    made.rules = rules = tuple([prim.rule(operands, True) for operands in active])
    made.needs = tuple([prim.operands[0] in rule.names or kind == BINARY and "ans" in rule.names for rule in rules])
    made.saves = bool(rules) and rules[-1].collect is not None
    made.closed = made.direct = False
    made.alike = made.names = None
    made.order = ()
    made.count = 0
    return made


def unrecorded_array(t, *operands):
    """The array of a plain tensor that may be written to as it is, where nothing of it and of operands, which lie
    elsewhere, is recorded; else None.

    Whoever writes to it notes that, which is for all but arrays of inference mode.
    """
    to: Target = opened(t, operands)
    return None if to is None or to.recorded else to.x
