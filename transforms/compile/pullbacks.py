"""Reverse rules of elementwise operations as equations, run block by block.

A rule that is arithmetic and ufuncs alone is run once on variables, which write down what it computes. A rule with
anything else in it is called as it is, on blocks.
"""

from types import SimpleNamespace

import numpy as np

from ...core.primitive.primitive import REGISTRY, NotLowered
from ...core.trace.tracer import Staged
from ..graph.draft import Draft
from ..graph.equations import Equation, Literal, Var
from .lower.lowering import Lowering
from .render.functions import made_of
from .render.numpy.block_fusion import PULLBACK, Group
from .render.numpy.numpy_source import Source
from .rules.algebra import ALGEBRA
from .rules.rewrite import rewrite, rules

ndarray = np.ndarray
_ALGEBRA = rules(*ALGEBRA)
_PROGRAMS = 64  # programs kept of one rule; of most there are at most four
# What of numbers is the same, bit for bit, whether it is computed of one or of many.
_EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.negative, np.square, np.reciprocal, np.sqrt})
_ROUNDED = frozenset({np.power, np.logaddexp})  # what the operations of these names compute differs in the last bits


class Unfit(Exception):
    """A region that cannot be run in blocks."""


def _ufuncs_of(dtype):
    """Tell of the equations of a rule which are ufuncs of one dtype; composite ones are lowered, others refused."""
    def stays(eq):
        out, known = eq.outputs[0].aval, eq.prim.ufunc
        if known is None and eq.prim.composite:
            return False
        if known is None or out.dtype is not dtype or known[0] in _ROUNDED or not out.shape and known[0] not in _EXACT:
            raise NotLowered
        return True

    return stays


class Pullbacks:
    """The equations of a region, one pullback after the other."""

    def __init__(self, aval, masked):
        self.aval = aval
        self.masked = masked
        self.equations = []

    def sum(self, x, y):
        """The sum of two cotangents."""
        if type(x) is Literal and type(y) is Literal:
            return Literal(np.add(x.value, y.value))
        out = Var(self.aval)
        self.equations.append(Equation(REGISTRY["add"], [x, y], (), [out]))
        return out

    def pulled(self, rule, ct, saved, count):
        """The cotangents of `count` parents, the rule written down or called as it is."""
        if not self.masked or rule.strong is rule.back:
            template = _template(rule, ct, saved, self.aval.dtype)
            if template is not None:
                return self.instantiated(template, [ct, *saved])
        outs = [Var(self.aval) for _ in range(count)]
        back = rule.strong if self.masked else rule.back
        self.equations.append(Equation(PULLBACK, [ct, *saved], (back,), outs))
        return outs

    def instantiated(self, template, given):
        """The equations of a template on other values."""
        inputs, equations, outputs = template
        known = dict(zip(inputs, given))
        for eq in equations:
            out = eq.outputs[0]
            known[out] = new = Var(self.aval if out.aval.shape else out.aval)
            self.equations.append(Equation(eq.prim, [known.get(v, v) for v in eq.inputs], (), [new]))
        return [known.get(v, v) for v in outputs]


def _template(rule, ct, saved, dtype):
    """`(inputs, equations, outputs)` of a rule; None for one that is called as it is."""
    key = (not ct.aval.shape, dtype, *[(v.aval.dtype, v.aval.ndim) if type(v) is Var else type(v.value) for v in saved])
    if rule.programs is None:
        rule.programs = {}
    found = rule.programs.get(key, key)
    if found is key:
        if len(rule.programs) >= _PROGRAMS:
            rule.programs.clear()
        found = rule.programs[key] = _written(rule, ct, saved, dtype)
    return found


def _written(rule, ct, saved, dtype):
    if any(type(v) is Literal and v.value is None for v in saved):
        return None
    trace = Lowering(SimpleNamespace(quiet=False, place=None), _ufuncs_of(dtype))
    inputs = [Var(v.aval) for v in (ct, *saved)]
    symbols = [trace.box(v) for v in inputs]
    try:
        found = rule.back(symbols[0], as_saved(symbols[1:]))
    except Exception:  # symbols do less than arrays; an error of the rule's own comes again when it is called
        return None
    finally:
        trace.done = True
    answers = found if type(found) is tuple else (found,)
    if any(type(v) is not Staged or v.owner is not trace for v in answers):
        return None
    return inputs, trace.equations, [v.node for v in answers]


def as_saved(items):
    """The argument of a rule for the list of values that its node saved."""
    return tuple(items) if len(items) > 1 else items[0] if items else None


def called(back, count, ct, *saved):
    """The cotangents that a rule gives for a block."""
    found = back(ct, as_saved(saved))
    found = found if type(found) is tuple else (found,)
    if len(found) != count or any(v is None for v in found):
        raise Unfit
    return found


def in_blocks(inputs, equations, outputs, aval, block):
    """The function of flat arrays that returns fresh ones, computed a block of so many bytes at a time."""
    draft = rewrite(Draft(inputs, equations, outputs), _ALGEBRA, compact=frozenset(inputs))
    made = {v for eq in draft.equations for v in eq.outputs}
    group = Group(draft.equations, aval.shape, False, block, called)
    group.outputs = list(dict.fromkeys(v for v in draft.outputs if v in made))
    draft.equations = [group] if group.equations else []
    source = Source(draft, frozenset(inputs))
    run = made_of(source, "region", warns=False)
    finish = [_finisher(v, v in draft.outputs[:k], v in made, aval) for k, v in enumerate(draft.outputs)]
    if not any(finish):
        return run
    return lambda *arrays: [f(x) if f else x for f, x in zip(finish, run(*arrays))]


def _finisher(v, again, own, aval):
    """The function that makes an array of the caller's own of an output, None where it is one."""
    if type(v) is Literal or not v.aval.shape:
        return lambda x: np.full(aval.shape, x, aval.dtype)
    return np.array if again or not own else None
