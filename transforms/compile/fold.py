"""Equations that need not run: constants, operations that change nothing, the same operation twice.

Only what is exact in floating point, zeros with signs, infinities and NaN included: `x * 1` goes, `x + 0` does not.
"""

import numpy as np

from ...core.arrays.avals import aval_of
from ..graph.equations import Equation, Literal, Var
from .draft import Draft, Names, without_dead
from .layout import Layouts
from .signs import Signs

ndarray = np.ndarray
_LOOKED_AT = 1 << 16  # elements of a constant that are compared with each other
_FOLDED = 1 << 14  # elements of a result that is computed once, when the graph is compiled
_COMMUTE = frozenset({"add", "multiply", "bitwise_and", "bitwise_or", "equal", "not_equal"})
READS = frozenset({"reshape", "broadcast_to", "transpose", "getitem"})  # of elements as they are


def folded(draft, compact=frozenset(), steps_of=None):
    """The draft with constants computed, what changes nothing left out, and equal equations merged.

    Args:
        compact: the inputs whose elements lie in memory in order, without gaps.
        steps_of: `(equations, results)` in place of a composite equation, None for one that stays.
    """
    fold = _Fold(draft, compact)
    for eq in draft.equations:
        fold.take(eq, steps_of)
    return without_dead(Draft(draft.inputs, fold.kept, [fold.name(v) for v in draft.outputs]))


class _Fold:
    """The equations kept so far, and what is known of their values."""

    def __init__(self, draft, compact):
        self.name = Names()
        self.kept = []
        self.seen = {}
        self.layouts = Layouts(compact)
        self.leaving = {v for v in draft.outputs if not v.aval.shape}  # where an array without axes is not a scalar
        self.signs = Signs()
        self.flat = {}  # the shape of an array in order, given it -> the array

    def take(self, found, steps_of):
        """Go on to an equation."""
        found = _named(found, self.name)
        for eq in self.signs.moved(found):
            if eq is not found:
                eq = _named(eq, self.name)
            if self.merge(eq):
                continue
            steps = steps_of(eq) if steps_of is not None else None
            if steps is not None:
                for step in steps[0]:
                    self.take(step, steps_of)
                for out, result in zip(eq.outputs, steps[1]):
                    self.name[out] = self.name(result)
                continue
            self.kept.append(eq)
            self.layouts.note(eq)

    def merge(self, eq):
        """Whether the outputs of an equation are known without it; if not, they are noted."""
        name = self.name
        if eq.prim.name == "reshape":
            _reshape(eq, self.flat, self.layouts)
        result = _simpler(eq, self.layouts)
        if result is not None and not (type(result) is Var and eq.outputs[0] in self.leaving):
            name[eq.outputs[0]] = result
            return True
        key = key_of(eq)
        if key is None:
            return False
        earlier = self.seen.get(key)
        if earlier is not None and (eq.quiet is True or eq.quiet == earlier.quiet):
            for old, new in zip(eq.outputs, earlier.outputs):
                name[old] = name(new)
            return True
        self.seen[key] = eq
        return False


def _named(eq, name):
    """An equation of the values that are known to be those of its inputs."""
    known = name.known
    inputs = [known.get(v, v) for v in eq.inputs]
    if eq.prim.ufunc is not None:
        for v in inputs:
            if type(v) is Literal:
                inputs = _numbers(inputs, eq.outputs[0].aval)
                break
    return Equation(eq.prim, inputs, eq.params, eq.outputs, eq.quiet, eq.place)


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
    if any(array.strides) and np.ascontiguousarray(array).tobytes() != flat.tobytes() * array.size:
        return None
    return flat


def _simpler(eq, layouts):
    """What an equation of one output comes to without being run, or None."""
    prim, inputs = eq.prim, eq.inputs
    if prim.outputs is not None or prim.effects or eq.acts:
        return None
    out = eq.outputs[0].aval
    if all(type(v) is Literal for v in inputs) and out.size <= _FOLDED and not prim.handlers:
        return _computed(eq)
    x = inputs[0] if inputs else None
    if prim.name in READS and type(x) is Var and x.aval.shape == out.shape:
        if prim.name in ("reshape", "broadcast_to") or _is_identity(prim.name, eq.params[0], out):
            return x
    if prim.name == "multiply":
        for one, other in (inputs, inputs[::-1]):
            if _is_one(one) and _same(other, out) and layouts.is_dense(other):
                return other
    if prim.name == "divide" and _is_one(inputs[1]) and _same(x, out) and layouts.is_dense(x):
        return x
    return None


def _reshape(eq, flat, layouts):
    """Have a change of shape begin at what was there before other such changes; `flat` notes these."""
    x = eq.inputs[0]
    if type(x) is Var and x.aval.shape and layouts.is_compact(x):
        x = flat[eq.outputs[0]] = flat.get(x, x)
        eq.inputs = [x]


def _same(v, out):
    """Whether a variable is what an output is to be, in shape and dtype."""
    return type(v) is Var and v.aval.shape == out.shape and v.aval.dtype == out.dtype and v.aval.ndim > 0


def _is_one(v):
    return type(v) is Literal and not v.aval.shape and v.aval.dtype.kind in "biufc" and bool(v.value == 1)


def _is_identity(name, param, out):
    if name == "transpose":
        return tuple(param) == tuple(range(out.ndim))
    index = param if type(param) is tuple else (param,)
    return len(index) <= out.ndim and all(
        type(i) is slice and i.indices(n) == (0, n, 1) for i, n in zip(index, out.shape))


def _computed(eq):
    """The value of an equation of constants; None where it warns or raises, which is left to the run."""
    try:
        with np.errstate(all="raise"):
            value = eq.prim.rebind((*[v.value for v in eq.inputs], *eq.params))
    except Exception:
        return None
    if type(value) is ndarray:
        value = np.array(value)
    return Literal(value) if aval_of(value) == eq.outputs[0].aval else None


def key_of(eq):
    """What two equations have in common that compute the same; None for one that is never merged."""
    if eq.prim.effects or eq.acts or eq.prim.handlers:
        return None
    inputs = [_name(v) for v in eq.inputs]
    if None in inputs:
        return None
    if eq.prim.name in _COMMUTE:
        inputs.sort(key=repr)
    try:
        key = (eq.prim.name, *inputs, *[key_of_param(p) for p in eq.params])
        hash(key)
    except TypeError:
        return None
    return key


def _name(v):
    if type(v) is Var:
        return "var", id(v)
    value = v.value
    if type(value) is ndarray:
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
