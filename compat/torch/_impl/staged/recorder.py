"""Staging of an operation's body as a graph, by running it on boxes that hide their elements."""

import numpy as np

from ..... import _engine, _interpreters, extend
from ..types.number_cache import EXACT, FLOATS

ndarray = np.ndarray
Tracer = extend.Tracer
_KEPT = 1 << 12  # elements of a constant that a program may keep
_ASIDE = frozenset(("eig", "eigh", "eigvalsh", "qr", "svd", "svdvals"))  # whose rules read a context, they do not


class Unfit(NotImplementedError):  # noqa: N818 (no error: a program cannot be made)
    """A body did what a program cannot do again."""


class Box(extend.Opaque):
    """An operand while a program is made, or what was computed from some; its elements cannot be looked at."""

    __slots__ = ()

    @property
    def value(self):
        raise Unfit


class Recorder(_interpreters.GraphTrace):
    """Stages a body, and computes beside it: `values` says what each variable was; `library`, if not NumPy, on what.

    `plain`: no operand has a history or a tangent.
    """

    __slots__ = ("plain", "values")
    kind = "program"

    def __init__(self, library=None, plain=False):
        super().__init__(concrete=True, library=library, watch=False)
        self.plain = plain
        self.values = {}
        self.moved = None  # a read that is done twice has two nodes, as on the tape

    def box(self, var, value=None):
        """A value that the body may compute with."""
        out = Box()
        out.owner = self
        out.aval = var.aval
        out.node = var
        self.values[var] = value
        return out

    def lift(self, a):
        """`(Var or Literal, value)` of an operand, or of what does not depend on the operands."""
        if type(a) is Box and a.owner is self:
            return a.node, self.values[a.node]
        if isinstance(a, Tracer) or large(a):
            raise Unfit
        return _interpreters.Literal(a), a

    def process(self, prim, args):
        """Compute, and write an equation down."""
        if prim.continued is not None:
            return prim.continued(*args)
        operands, params = prim.split(args)
        if prim.handlers is not None or any(traced(p) or large(p) for p in params):
            raise Unfit
        if (prim.effects or any(prim.nondiff.values())) and not (self.plain and (
                not prim.effects or prim.name in _ASIDE)):
            raise Unfit
        if self.library is not None:
            operands = [self.library.asarray(a) if type(a) is ndarray else a for a in operands]
        elif prim.elementwise:
            operands = settled_numbers(operands, [self.lift(a)[1] for a in operands])
        return super().process(prim, (*operands, *params))

    def hosted(self, fun, dtype, values):
        """Write a function of arrays down, whose output has no derivative; its output."""
        if self.library is not None or holds_traced(fun):
            raise Unfit
        lifted = [self.lift(v) for v in values]
        prim = Hosted(fun, dtype)
        found = prim.impl(np, *[x for _, x in lifted])
        var = _interpreters.Var(extend.aval_of(found))
        self.equations.append(_interpreters.Equation(prim, [v for v, _ in lifted], (), [var]))
        return self.box(var, found)

    def insist(self, check, values):
        """Write a check of elements down."""
        if holds_traced(check):
            raise Unfit  # a program would keep the operand
        self.equations.append(_interpreters.Equation(Check(check), [self.lift(v)[0] for v in values], (), []))

    def assume(self, test, values):
        """Tell whether a test of elements holds; if so, a check that gives way where it does not."""
        if not test(*[self.lift(v)[1] for v in values]):
            return False

        def check(*arrays):
            if not test(*arrays):
                raise ValueError("the program was made for other elements")

        self.insist(check, values)
        return True


class Check(_engine.Operation):
    """The primitive of an equation that looks at elements and raises where they are not allowed."""

    nondiff, effects, flat = (), frozenset({"acts"}), True

    def __init__(self, check):
        super().__init__("insist")
        self.impl = lambda xp, *arrays: check(*arrays)


class Hosted(_engine.Operation):
    """The primitive of an equation that NumPy alone computes, by a function of arrays."""

    nondiff, flat = (), True

    def __init__(self, fun, dtype):
        super().__init__("hosted")
        self.impl = lambda xp, *arrays: np.asarray(fun(*map(np.asarray, arrays))).astype(dtype, copy=False)


def holds_traced(fun):
    """Tell whether a function has a traced value, or a large array, in a variable around it."""
    held = [cell.cell_contents for cell in fun.__closure__ or ()]
    return any(traced(x) or large(x) or callable(x) and getattr(x, "__closure__", None) and holds_traced(x)
               for x in held)


def traced(param):
    """Tell whether a parameter is a traced value, or a pytree with one."""
    return isinstance(param, Tracer) or type(param) in (tuple, list) and any(traced(p) for p in param)


def large(constant):
    """Tell whether a constant is larger than what a program may keep."""
    return getattr(constant, "size", 0) > _KEPT


def settled_numbers(operands, values):
    """Operands of an elementwise operation, Python numbers beside floats as arrays of their dtype."""
    dtype = next((v.dtype for v in values if isinstance(v, ndarray) and v.dtype in FLOATS), None)
    return operands if dtype is None else [
        np.asarray(v, dtype) if type(v) is float or type(v) is int and -EXACT <= v <= EXACT else v for v in operands]
