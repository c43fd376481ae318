"""What the body of an operation comes to: the primitives that it runs, noted while it runs on boxes."""

from operator import itemgetter

import numpy as np

from ..... import extend
from ..types.number_cache import EXACT, FLOATS

ndarray = np.ndarray
Tracer = extend.Tracer
aval_of = extend.aval_of
_HELD = Tracer.value  # the slot of a box, which its own `value` hides
LARGE = 1 << 20  # elements: an operation on more costs far more than the road to it
LARGE_STEPS = 1 << 16  # the same for several primitives, since a run keeps all it computes to its end
_KEPT = 1 << 12  # elements of a constant that a program may keep


class Unfit(Exception):  # noqa: N818 (no error: a program cannot be made)
    """A body did what a program cannot do again."""


class Box(extend.Opaque):
    """An operand while a program is made, or what was computed from some; its elements cannot be looked at."""

    __slots__ = ()

    @property
    def value(self):
        raise Unfit


class Recorder(extend.Trace):
    """Notes the primitives that a body runs. `arrays` holds by place what each gave, `steps` which places they took."""

    __slots__ = ("arrays", "constants", "steps")
    kind = "program"

    def __init__(self, arrays):
        super().__init__()
        self.arrays = list(arrays)
        self.constants = set()
        self.steps = []

    def box(self, array):
        """A value that the body may compute with."""
        out = Box()
        out.owner = self
        out.aval = aval_of(array)
        _HELD.__set__(out, array)
        out.node = self.place(array)
        return out

    def place(self, array):
        """A new place for a value."""
        self.arrays.append(array)
        return len(self.arrays) - 1

    def constant(self, x):
        """A place for what does not depend on the operands."""
        if isinstance(x, Tracer) or getattr(x, "size", 0) > _KEPT:
            raise Unfit
        place = self.place(x)
        self.constants.add(place)
        return place

    def process(self, prim, args):
        """Compute, and note a step."""
        operands, params = prim.split(args)
        if prim.handlers is not None or prim.effects or any(prim.nondiff.values()) or any(map(traced, params)):
            raise Unfit
        mine = [isinstance(a, Tracer) and a.owner is self for a in operands]
        values = [_HELD.__get__(a) if own else a for a, own in zip(operands, mine)]
        if prim.elementwise:
            values = settled_numbers(values)
        places = [a.node if own else self.constant(v) for a, own, v in zip(operands, mine, values)]
        ans = prim.rebind((*values, *params))
        step = Step(prim, places, [self.constant(p) for p in params], params)
        self.steps.append(step)
        if type(ans) is tuple:
            step.place = self.place(ans)
            boxes = tuple([self.box(v) for v in ans])
            step.parts = [b.node for b in boxes]
            return boxes
        box = self.box(ans)
        step.place = box.node
        return box

    def insist(self, check, values):
        """Note a check of elements."""
        if any(traced(cell.cell_contents) for cell in getattr(check, "__closure__", None) or ()):
            raise Unfit  # a program would keep the operand
        step = Step(Check(check), [v.node if isinstance(v, Box) else self.constant(v) for v in values], [], ())
        step.place = self.place(None)
        self.steps.append(step)

    def assume(self, test, values):
        """Whether a test of elements holds; if so, a step that gives way where it does not."""
        if not test(*[_HELD.__get__(v) if isinstance(v, Box) else v for v in values]):
            return False

        def check(*arrays):
            if not test(*arrays):
                raise ValueError("the program was made for other elements")

        self.insist(check, values)
        return True


def traced(param):
    """Whether a parameter is a traced value, or a pytree with one."""
    return isinstance(param, Tracer) or type(param) in (tuple, list) and any(traced(p) for p in param)


def settled_numbers(values):
    """Operands of an elementwise operation, Python numbers beside floats as arrays of their dtype."""
    dtype = next((v.dtype for v in values if isinstance(v, ndarray) and v.dtype in FLOATS), None)
    return values if dtype is None else [
        np.asarray(v, dtype) if type(v) is float or type(v) is int and -EXACT <= v <= EXACT else v for v in values]


class Check:
    """What stands for a primitive in a step that looks at elements and raises where they are not allowed."""

    flat, variadic, params = True, False, ()

    def __init__(self, check):
        self.impl = lambda xp, *arrays: check(*arrays)


class Step:
    """One primitive of a program: the places of its operands, parameters and output."""

    __slots__ = ("constants", "operands", "params", "parts", "place", "prim")

    def __init__(self, prim, operands, constants, params):
        self.prim = prim
        self.operands = operands
        self.constants = constants  # the places of the parameters
        self.params = params
        self.place = None
        self.parts = ()  # the places of several outputs, `place` being that of their tuple

    def made(self):
        """The places that it fills."""
        return [self.place, *self.parts]


def needed(steps, results):
    """The steps that outputs depend on, and the places of all that those need."""
    live, kept = set(results), []
    for step in reversed(steps):
        if type(step.prim) is Check or not live.isdisjoint(step.made()):
            live.update(step.operands, step.constants, step.made())
            kept.append(step)
    return kept[::-1], live


class Several(tuple):
    """The places of the operands of a variadic primitive."""

    __slots__ = ()


def rule_of(step, arrays, recorded):
    """The rule of a step, None if it is not recorded; what it records is added to a set of places."""
    prim = step.prim
    if prim.flat:
        return None
    inexact = [p for p in step.parts or [step.place] if aval_of(arrays[p]).dtype.kind in "fcV"]
    active = tuple([i for i, p in enumerate(step.operands) if p in recorded and i not in prim.nondiff])
    if not inexact or not active:
        return None
    recorded.update(inexact)
    avals = [aval_of(arrays[p]) for p in step.operands]
    shape, dtype = aval_of(arrays[inexact[0]]).shape, avals[active[0]].dtype
    ours = [a for i, a in enumerate(avals) if i not in prim.nondiff and not a.weak]
    one = dtype in FLOATS and all(a.dtype is dtype for a in (*ours, *[aval_of(arrays[p]) for p in inexact]))
    if one and prim.elementwise:
        return prim.rule(active, True, tuple([i for i in active if avals[i].shape != shape]))
    return prim.rule(active, True) if one and prim.exact else prim.rule(active)


def sources_of(step, rule, arrays):
    """Where a rule finds what it saves: places, `Several` of them, or the values themselves."""
    if rule is None or rule.collect is None:
        return []
    prim = step.prim
    found = dict(zip(prim.params, step.constants))
    avals = [aval_of(arrays[p]) for p in step.operands]
    if prim.variadic:
        found[prim.operands[0]] = Several(step.operands)
        found[prim.operands[0] + "_aval"] = tuple(avals)
    else:
        found |= zip(prim.operands, step.operands)
        found |= zip([name + "_aval" for name in prim.operands], avals)
    found["ans"] = step.place
    found["ans_aval"] = tuple([aval_of(arrays[p]) for p in step.parts]) if step.parts else None
    return [found[name] for name in rule.names]


def taking(step, where):
    """How the arguments of an implementation are taken from the values of a run."""
    operands, params = [where[p] for p in step.operands], step.params
    if not step.prim.variadic:
        return itemgetter(0, *operands, *[where[p] for p in step.constants])
    return lambda values: (np, *params, [values[p] for p in operands])


def saving(places):
    """How what a rule saves is taken from the values of a run; None if it saves nothing."""
    if not places:
        return None
    if all(type(p) is int for p in places):
        return itemgetter(*places)

    def save(values):
        found = [values[p] if type(p) is int else tuple([values[k] for k in p]) for p in places]
        return found[0] if len(found) == 1 else tuple(found)

    return save


def flattened(answer, results):
    """The pytree of an output: the index of a result, None, or `(type, pytrees)`; appends to `results`."""
    if answer is None:
        return None
    if type(answer) is Box:
        results.append(answer.node)
        return len(results) - 1
    if not isinstance(answer, tuple):
        raise Unfit
    return type(answer), [flattened(v, results) for v in answer]
