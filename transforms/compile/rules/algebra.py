"""Algebraic simplification exact in floating point, zeros and infinities included: identities, signs.

Rounding is symmetric: a product of a negative is the negative of a product, a sum with one a difference. `x * 1` goes,
`x + 0` does not, nor does `-a - b`, which is not `-(a + b)` where both vanish.
"""

import numpy as np

from ...graph.equations import Literal, Var
from .rewrite import Number, Op, rule

add, subtract, multiply, divide = Op("add"), Op("subtract"), Op("multiply"), Op("divide")
reshape, broadcast_to, transpose, getitem = Op("reshape"), Op("broadcast_to"), Op("transpose"), Op("getitem")
negative = Op("negative").where(lambda v, at: bool(v.aval.shape))


def _of_floats(m):
    """Tell whether the result is an array of floats, of the dtype of its operands."""
    return m.out.shape and m.out.dtype.kind == "f" and all(
        v.aval.dtype == m.out.dtype or v.aval.weak for v in m.eq.inputs)


def _is_same(m):
    """Tell whether `x` is what is asked for, in shape and dtype; a copy of it would lie in memory as it does."""
    return type(m.x) is Var and m.x.aval.shape == m.out.shape and m.x.aval.dtype == m.out.dtype and (
        m.x.aval.ndim > 0 and m.at.layouts.is_dense(m.x))


def _has_shape(m):
    return type(m.x) is Var and m.x.aval.shape == m.out.shape


def _takes_all(m):
    index = m.eq.params[0] if type(m.eq.params[0]) is tuple else (m.eq.params[0],)
    return _has_shape(m) and len(index) <= m.out.ndim and all(
        type(i) is slice and i.indices(n) == (0, n, 1) for i, n in zip(index, m.out.shape))


def _is_number(m):
    """Tell whether the constant is a floating one, to take a sign."""
    return _of_floats(m) and m.c.aval.dtype.kind == "f"


def _turns(m):
    return _is_number(m) and m.x.aval.shape == m.out.shape


def _broadcasts(m):
    """Tell whether the operation itself broadcasts `x`, of the dtype that its broadcast has, to the same result."""
    wide = m.wide.outputs[0].aval
    return type(m.x) is Var and (m.x.aval.dtype, m.x.aval.weak) == (wide.dtype, wide.weak) and (
        np.broadcast_shapes(m.x.aval.shape, m.y.aval.shape) == m.out.shape)


ALGEBRA = (
    rule(reshape(reshape("x")), lambda m: m.shaped(m.x, *m.eq.params), when=lambda m: (
        type(m.x) is Var and m.x.aval.shape and m.at.layouts.is_compact(m.x))),
    rule(reshape("x"), lambda m: m.x, when=_has_shape),
    rule(broadcast_to("x"), lambda m: m.x, when=_has_shape),
    *[rule(op(broadcast_to("x").named("wide"), "y"), lambda m: m(m.eq.prim.name, m.x, m.y), when=_broadcasts)
      for op in (add, subtract, multiply, divide)],
    *[rule(op("y", broadcast_to("x").named("wide")), lambda m: m(m.eq.prim.name, m.y, m.x), when=_broadcasts)
      for op in (add, subtract, multiply, divide)],
    rule(transpose("x"), lambda m: m.x, when=lambda m: _has_shape(m) and tuple(m.eq.params[0]) == tuple(
        range(m.out.ndim))),
    rule(getitem("x"), lambda m: m.x, when=_takes_all),
    rule(multiply("x", Number("c", 1)), lambda m: m.x, when=_is_same),
    rule(divide("x", Number("c", 1)), lambda m: m.x, when=_is_same),
    rule(multiply(Number("c", 1), "x"), lambda m: m.x, when=_is_same),
    rule(add("x", negative("y")), lambda m: m("subtract", m.x, m.y), when=_of_floats),
    rule(add(negative("x"), "y"), lambda m: m("subtract", m.y, m.x), when=_of_floats),
    rule(subtract("x", negative("y")), lambda m: m("add", m.x, m.y), when=_of_floats),
    rule(multiply(negative("x"), negative("y")), lambda m: m("multiply", m.x, m.y), when=_of_floats),
    rule(divide(negative("x"), negative("y")), lambda m: m("divide", m.x, m.y), when=_of_floats),
    rule(multiply(negative("x"), Number("c")), lambda m: m("multiply", m.x, Literal(-m.c.value)), when=_is_number),
    rule(multiply(Number("c"), negative("x")), lambda m: m("multiply", Literal(-m.c.value), m.x), when=_is_number),
    rule(divide(negative("x"), Number("c")), lambda m: m("divide", m.x, Literal(-m.c.value)), when=_is_number),
    rule(multiply("x", Number("c", -1)), lambda m: m("negative", m.x), when=_turns),
    rule(multiply(Number("c", -1), "x"), lambda m: m("negative", m.x), when=_turns),
    rule(divide("x", Number("c", -1)), lambda m: m("negative", m.x), when=_turns),
    rule(multiply(negative("x"), "y"), lambda m: m("negative", m("multiply", m.x, m.y)), when=_of_floats),
    rule(multiply("x", negative("y")), lambda m: m("negative", m("multiply", m.x, m.y)), when=_of_floats),
    rule(divide(negative("x"), "y"), lambda m: m("negative", m("divide", m.x, m.y)), when=_of_floats),
    rule(divide("x", negative("y")), lambda m: m("negative", m("divide", m.x, m.y)), when=_of_floats),
)
