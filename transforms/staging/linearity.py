"""Linear maps given by Python code: staged for unknown values, and checked for linearity."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.errors import RuleError, at_user_line
from ...core.ops.selection import reached, strong_tangent, strong_zero
from ...core.trace.device import library_of, zeros_of
from ...core.trace.tracer import Tracer, leniently, unwrap
from ..graph.equations import INSIDE, varying
from ..scope.errstate import unmarked
from .graph import Literal, Var
from .staging import GraphTrace, stage

_LOOKS = (strong_zero.prim, strong_tangent.prim, reached.prim)  # at what was multiplied, and do not change it


def stands_in(value):
    """Tell whether a value takes the place of one that is not known yet: an operand of a map that is being
    transposed."""
    while isinstance(value, Tracer):
        if getattr(value.owner, "stands_in", False):
            return True
        value = value.value
    return False


def apply_linear(fun, values, kind, rule, beside=False):
    """`fun(*values)` of flat lists, where `values` only stand in for those that its transpose is wanted for.

    It is staged first, so that no Python code in it can look at them. In messages they are of a `kind` ("tangent", say)
    that `rule` of the user's is given. `beside`: the first half of the outputs needs not be linear.
    """
    must = f"{rule} must be linear in its {kind}s to be transposed"
    remedy = "make choices by the arguments of the function"
    with unmarked():
        graph = stage(fun, [aval_of(v) for v in values], tuple, rule, like=values, watch=False,
                      about=f"a {kind} in {rule}")[0]
    check_linear(graph, len(values), must, remedy, whole=False)
    if any(_adds(v) for v in graph.outputs[len(graph.outputs) // 2 if beside else 0 :]):
        raise RuleError(f"{must}, but gives a constant other than 0, whatever they are; {remedy}{at_user_line()}")
    return leniently(graph.eval, [*values, *graph.captured])


def unknown(values, kind, rule):
    """Staged values like `values` that nothing is known of, of a `kind` that `rule` is given; of integers zeros."""
    trace = GraphTrace(library=library_of(*values), watch=False, about=f"a {kind} in {rule}")
    avals = [aval_of(v) for v in values]
    return [trace.input(a) if is_inexact(a.dtype) else zeros_of(a, v) for a, v in zip(avals, values)]


def _adds(v):
    """Tell whether an operand is a constant other than 0."""
    return type(v) is Literal and bool(np.any(unwrap(v.value) != 0))


def check_linear(graph, count, must, remedy, whole=True):
    """Raise unless every equation is linear in what depends on the first `count` inputs.

    Args:
        must, remedy: how the message begins and ends.
        whole: refuse constants that are added, too, and bodies of higher-order operations, which are not looked into.
    """
    dependent = set(graph.inputs[:count])
    made = set()  # of constants alone
    for eq in graph.equations:
        prim = eq.prim
        names = prim.operands if not prim.variadic else ("*" + prim.operands[0],) * len(eq.inputs)
        joint = ("joint",) * next((p.linear for p in eq.params if type(getattr(p, "linear", None)) is int), 0)
        names = (*joint, *names[len(joint) :])
        apart = ("ct", "w") if any(getattr(p, "bilinear", False) for p in eq.params) else ()
        names = apart or names
        used = {n for n, v in zip(names, eq.inputs) if type(v) is Var and v in dependent}
        if all(type(v) is Literal or v in made for v in eq.inputs):
            made.update(eq.outputs)
        # Strong zeros look at the cotangent, and leave the map linear.
        if prim in _LOOKS:
            used.discard("ct")
        looks = eq.quiet is True and (prim.flat or prim.control == "branch")  # as products with strong zeros do
        if not used or looks:
            continue
        if whole or prim.handlers is None:
            groups = [group for text in (*prim.linear, *joint[:1], *apart)
                      if used <= (group := {n.strip() for n in text.split(",")})]
            if not groups:
                raise RuleError(f"{must}, but {prim.name} is not linear in {', '.join(sorted(used))}; {remedy}"
                                f"{at_user_line()}")
            fixed = {n for n, v in zip(names, eq.inputs) if v in made or _adds(v)}
            if whole and all(fixed & group for group in groups):
                raise RuleError(f"{must}, but {prim.name} joins the arguments with a constant, so that zeros do not "
                                f"give zeros; leave the constant out, or {remedy}{at_user_line()}")
        if prim.handlers is None:
            dependent.update(eq.outputs)
        else:
            found = varying(eq, [type(v) is Var and v in dependent for v in eq.inputs], INSIDE)
            dependent.update([v for v, flag in zip(eq.outputs, found) if flag])
