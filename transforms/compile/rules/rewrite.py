"""The rewrite engine: rules over equations and the producers of their operands, applied to a fixed point.

A rule is a row: a pattern, what takes its place, and where it holds. The tables stand beside this file, by subject.

    rule(add("x", negative("y")), lambda m: m("subtract", m.x, m.y), when=of_floats)
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....core.arrays.avals import aval_of
from ....core.primitive.primitive import REGISTRY
from ....core.types import Any
from ...graph.equations import Draft, Equation, Literal, Names, Var, without_dead
from ...graph.layout import Layouts

ndarray = np.ndarray
_LOOKED_AT = 1 << 16  # elements of a constant that are compared with each other
_FOLDED = 1 << 14  # elements of a result that is computed once, when the graph is compiled
_COMMUTE = frozenset({"add", "multiply", "bitwise_and", "bitwise_or", "equal", "not_equal"})


class Op(NamedTuple):
    """A pattern: an operation on operands that match patterns, of which names stand for anything.

    Called with operands, a pattern of these; `where` adds a test of the variable that it makes.
    """

    name: str
    operands: tuple = ()
    test: Callable | None = None
    label: str = ""  # under which its equation is found

    def __call__(self, *operands):
        return self._replace(operands=operands)

    def where(self, test):
        return self._replace(test=test)

    def named(self, label):
        return self._replace(label=label)

    def orders(self):
        """The orders of operands that mean the same inside a pattern; what is replaced has its own."""
        return (self.operands, self.operands[::-1]) if self.name in _COMMUTE else (self.operands,)


class Constant(NamedTuple):
    """A pattern: a constant whose value passes a test."""

    label: str
    test: Callable


def Number(label, value=None):  # noqa: N802 (a pattern like the others)
    """A pattern: a constant without axes, a given one or any."""
    def test(x):
        aval = aval_of(x)
        return not aval.shape and aval.dtype.kind in "biufc" and (value is None or bool(x == value))

    return Constant(label, test)


def rule(pattern, make, when=None):
    """A row: `make(match)` writes what takes the place of what `pattern` matches where `when(match)`, or gives None."""
    return pattern, make, when


class Steps:
    """Writes equations in place of another: for the user's line, and whether they warn, `like` it."""

    def __init__(self, like):
        self.equations = []
        self.like = like

    def __call__(self, name, *inputs, params=()):
        prim = REGISTRY[name]
        given = [v if type(v) in (Var, Literal) else Literal(v) for v in inputs]
        out = Var(prim.shape([v.aval for v in given], params))
        self.equations.append(Equation(prim, given, params, [out], self.like.quiet, self.like.place))
        return out

    def sum(self, x, axes, keepdims=True):
        return self("reduce_sum", x, params=(axes, keepdims))

    def shaped(self, x, shape):
        return self("reshape", x, params=(shape,))


class Match(Steps):
    """A match of a pattern: operands and equations by their names, `eq` the equation that is replaced."""

    def __init__(self, eq, at):
        Steps.__init__(self, eq)
        self.eq = eq
        self.at = at

    @property
    def out(self):
        """The aval of what is replaced."""
        return self.eq.outputs[0].aval

    def fits(self, pattern, v):
        """Tell whether a value matches a pattern; what that names is noted."""
        if type(pattern) is str:
            return self.__dict__.setdefault(pattern, v) is v
        if type(pattern) is Constant:
            if type(v) is not Literal or not pattern.test(v.value):
                return False
            self.__dict__[pattern.label] = v
            return True
        eq = self.at.makers.get(v)
        if eq is None or eq.prim.name != pattern.name or pattern.test is not None and not pattern.test(v, self.at):
            return False
        found = {**self.__dict__, pattern.label: eq}
        for operands in pattern.orders():
            # Names bound while one order of operands failed must not constrain the next.
            self.__dict__ = found.copy()
            if all(map(self.fits, operands, eq.inputs)):
                return True
        return False

    def write(self, prim, inputs, params):
        """Write one equation of a primitive; its output, of the aval of what is replaced."""
        out = Var(self.out)
        self.equations.append(Equation(prim, inputs, params, [out], self.like.quiet, self.like.place))
        return out


class Row(NamedTuple):
    """A rule, with what it asks to make the operands: a name, "number", or "" for anything."""

    kinds: tuple
    operands: tuple
    make: Callable
    when: Callable | None


def rules(*rows):
    """A table of rules, by the operation that they replace."""
    found: dict[str, list[Row]] = {}
    for pattern, make, when in rows:
        kinds = tuple([p.name if type(p) is Op else "number" if type(p) is Constant else "" for p in pattern.operands])
        found.setdefault(pattern.name, []).append(Row(kinds, pattern.operands, make, when))
    return found


class Rewriter:
    """Equations as they are rewritten, one after the other.

    Args:
        draft: the equations.
        rules: of `rules(…)`.
        compact: the inputs whose elements lie in memory in order, without gaps.
        lower: `lower(eq)`: `(equations, results)` in place of a composite equation, None for one that stays.
        admits: whether an equation that a rule gives, or one of other operands, can be had; those that stay the same
            are the draft's own then.
        apart: the ids of equations that are left alone by rules which ask.
    """

    def __init__(self, draft, rules, compact=frozenset(), lower=None, admits=None, apart=frozenset()):
        self.rules = rules
        self.known = {}  # operations, and what makes their operands -> the rules for these
        self.lower = lower
        self.admits = admits
        self.name = Names()
        self.kept = []
        self.makers = {}  # variable -> the equation that makes it
        self.seen = {}
        self.layouts = Layouts(compact)
        self.apart = apart
        self.equations = draft.equations
        self.used: dict[Any, list] = {}  # variable -> the equations of the draft that read it, once asked for
        # Outputs that keep their names: where an array without axes is no scalar, or a block's own equations go on.
        self.leaving = {v for v in draft.outputs if admits is not None or not v.aval.shape}
        self.readers = Counter(v for eq in draft.equations for v in eq.inputs if type(v) is Var)
        self.readers.update(v for v in draft.outputs if type(v) is Var)

    def take(self, found):
        """Go on to an equation."""
        eq = self.named(found)
        if self.merged(eq):
            return
        found = self.replaced(eq)
        if found is None:
            self.kept.append(eq)
            if self.admits is None:
                self.layouts.note(eq)
            for v in eq.outputs:
                self.makers[v] = eq
            return
        steps, results = found
        for step in steps:
            self.take(step)
        for out, result in zip(eq.outputs, results):
            if out is not result:
                self.name[out] = self.name(result)

    def named(self, eq):
        """An equation of the values that are known to be those of its inputs."""
        known = self.name.known
        inputs = [known.get(v, v) for v in eq.inputs]
        if self.admits is not None and inputs == eq.inputs:
            return eq
        if eq.prim.ufunc is not None and Literal in [type(v) for v in inputs]:
            inputs = _numbers(inputs, eq.outputs[0].aval)
        found = Equation(eq.prim, inputs, eq.params, eq.outputs, eq.quiet, eq.place)
        if self.admits is not None:
            self.admits(found)
        return found

    def users(self, v):
        """The equations of the draft that read a variable."""
        if not self.used:
            for eq in self.equations:
                for w in eq.inputs:
                    self.used.setdefault(w, []).append(eq)
        return self.used.get(v, ())

    def merged(self, eq):
        """Tell whether the outputs of an equation are known without it; if not, they are noted."""
        stays = self.admits is not None and not self.leaving.isdisjoint(eq.outputs)
        if not stays and Var not in [type(v) for v in eq.inputs] and (value := _computed(eq)) is not None:
            self.name[eq.outputs[0]] = value
            return True
        key = key_of(eq)
        if key is None:
            return False
        earlier = self.seen.setdefault(key, eq)
        # A quiet equation may use the result of one that warns, not the other way round: the warning would be lost.
        if earlier is eq or eq.quiet is not True and eq.quiet != earlier.quiet:
            self.seen[key] = eq
            return False
        if stays:
            return False
        for old, new in zip(eq.outputs, earlier.outputs):
            self.name[old] = self.name(new)
        return True

    def replaced(self, eq):
        """`(equations, results)` in place of an equation; None where it stays."""
        for row in self.candidates(eq) if eq.prim.name in self.rules else ():
            m = Match(eq, self)
            if not all(map(m.fits, row.operands, eq.inputs)) or row.when is not None and not row.when(m):
                continue
            result, steps = row.make(m), m.equations
            if result is None or result.aval != m.out or not steps and eq.outputs[0] in self.leaving:
                continue
            # The last step writes the variable that is replaced, so that its readers need no renaming.
            if steps and steps[-1].outputs[0] is result:
                result, steps[-1].outputs = eq.outputs[0], eq.outputs
            if self.admits is None or all(map(self.admits, steps)):
                return steps, [result]
        return self.lower(eq) if self.lower is not None else None

    def candidates(self, eq):
        """The rules for an operation on what certain operations make: "number" of a constant."""
        makers = self.makers
        # Rules are indexed by the operation and the makers of its operands: most equations meet no candidate at all.
        key = eq.prim.name, *["number" if type(v) is Literal else makers[v].prim.name if v in makers else ""
                              for v in eq.inputs]
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = [row for row in self.rules[eq.prim.name] if all(
                kind in ("", given) for kind, given in zip(row.kinds, key[1:]))]
        return found


def may_apply(rules, equations):
    """Tell whether the operands of some equation are made by what a rule asks for: most blocks have no such one."""
    rows = [(eq, row) for eq in equations for row in rules.get(eq.prim.name, ())]
    made = {v: eq.prim.name for eq in equations for v in eq.outputs} if rows else {}
    return any(all(kind in ("", "number" if type(v) is Literal else made.get(v)) for kind, v in zip(
        row.kinds, eq.inputs)) for eq, row in rows)


def rewrite(draft, rules, **options):
    """The draft, rewritten by rules, with constants computed and equal equations merged: `options` of `Rewriter`."""
    at = Rewriter(draft, rules, **options)
    for eq in draft.equations:
        at.take(eq)
    outputs = [at.name(v) for v in draft.outputs]
    return without_dead(Draft(draft.inputs, at.kept, outputs))


def _numbers(inputs, out):
    """Constants as they are used fastest: of one value as 0-d arrays, Python numbers in the dtype they take."""
    found = list(inputs)
    for k, v in enumerate(inputs):
        if type(v) is not Literal:
            continue
        others = [w.aval for j, w in enumerate(inputs) if j != k]
        if not others or not out.ndim:
            continue
        value = v.value
        if type(value) is ndarray and value.ndim:
            if np.broadcast_shapes(*[a.shape for a in others]) == out.shape:
                one = _uniform(value)
                found[k] = v if one is None else Literal(one)
        elif type(value) in (int, float, complex):
            dtype = np.result_type(*[a.dtype for a in others if not a.weak]) if not all(
                a.weak for a in others) else out.dtype
            if dtype.kind in "fc" and np.can_cast(type(value), dtype, "same_kind"):
                with np.errstate(all="ignore"):
                    found[k] = Literal(np.asarray(value, dtype))
    return found


def _uniform(array):
    """The one value of all elements of an array as a 0-d array, or None."""
    if not array.size or any(array.strides) and array.size > _LOOKED_AT:
        return None
    flat = np.asarray(array.flat[0])
    # Bytes, not values: -0.0 equals 0.0, and NaN does not equal itself.
    if any(array.strides) and np.ascontiguousarray(array).tobytes() != flat.tobytes() * array.size:
        return None
    return flat


def _computed(eq):
    """The value of an equation of constants; None where it warns or raises, which is left to the run."""
    prim = eq.prim
    if prim.outputs is not None or prim.effects or prim.handlers or eq.outputs[0].aval.size > _FOLDED:
        return None
    try:
        with np.errstate(all="raise"):
            # A warning belongs to the run, at the user's line and each time: such an equation is not folded.
            value = prim.rebind((*[v.value for v in eq.inputs], *eq.params))
    except Exception:
        return None
    if type(value) is ndarray:
        value = np.array(value)
    return Literal(value) if aval_of(value) == eq.outputs[0].aval else None


def key_of(eq):
    """The key that equations share which compute the same; None for one that is never merged."""
    if eq.prim.effects or eq.prim.handlers:
        return None
    inputs = [id(v) if type(v) is Var else _name(v.value) for v in eq.inputs]
    if eq.prim.name in _COMMUTE:
        # Exact in floating point too: a + b and b + a round alike.
        inputs.sort(key=repr)
    try:
        key = (eq.prim.name, *inputs, *[key_of_param(p) for p in eq.params])
        hash(key)
    except TypeError:
        return None
    return key


def _name(value):
    if type(value) is ndarray:
        # Large constants are told apart by identity, without a pass over their bytes.
        if value.size > 64:
            return "array", id(value)
        return value.dtype.str, value.shape, value.tobytes()
    return type(value).__name__, repr(value)


def key_of_param(p):
    """A parameter that is equal to another only if both mean the same: 1, 1.0 and True differ."""
    if type(p) is tuple:
        return tuple([key_of_param(x) for x in p])
    if type(p) is slice:
        return "slice", p.start, p.stop, p.step
    return type(p), p
