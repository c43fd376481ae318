"""Reverse rules of elementwise operations as instructions: traced once, joined for a region, run a block at a time.

A rule that is arithmetic and ufuncs alone is run once on symbols, which write down what it computes. For a region of
the sweep these lists are joined: what occurs twice is computed once, factors of 1 and signs are moved out of the way
(both exact in floating point, zeros and infinities included), outputs go into a few buffers that stay in the cache.
Rules with anything else in them are called as they are, on blocks.
"""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.primitive.primitive import Loop
from ...core.trace.tracer import Staged, Trace
from ...core.types import Any

ndarray = np.ndarray
_PROGRAMS = 64  # programs kept of one rule; of most there are at most four
# What of numbers is the same, bit for bit, whether it is computed of one or of many.
_EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.negative, np.square, np.reciprocal, np.sqrt})
_ROUNDED = frozenset({np.power, np.logaddexp})  # what the operations of these names compute differs in the last bits


class Unfit(Exception):
    """A rule that cannot be written down, or a region that cannot be run in blocks."""


class _Symbols(Trace):
    """Writes down `(ufunc, sources)`; a source is a place in the list, or a number."""

    __slots__ = ("dtype", "steps")
    kind = "block"
    tracer = Staged

    def __init__(self, dtype):
        Trace.__init__(self)
        self.dtype = dtype
        self.steps = []

    def process(self, prim, args):
        lower = prim.lower
        if lower is None or lower in _ROUNDED or type(lower) is Loop:
            raise Unfit
        if type(lower) is not np.ufunc:
            return lower(*args)
        aval = prim.shape([aval_of(a) for a in args], ())
        if aval.dtype is not self.dtype or not aval.shape and lower not in _EXACT:
            raise Unfit
        self.steps.append((lower, [a.node if type(a) is Staged else _number(a, self.dtype) for a in args]))
        return self.symbol(aval)

    def loop(self, loop, *args):
        """A loop that is not a ufunc of NumPy."""
        raise Unfit

    def symbol(self, aval):
        """The next place in the list."""
        out = Staged()
        out.owner = self
        out.value = None
        out.aval = aval
        out.node = len(self.steps) - 1
        return out


def _number(value, dtype):
    if type(value) in (int, float):
        return np.asarray(value, dtype)
    raise Unfit


def program_of(rule: Any, single: bool, saved: Any, dtype: Any) -> Any:
    """The steps of a rule and the places of its outputs; None for a rule that is called as it is.

    Args:
        single: the cotangent is one number for all elements.
        saved: what the node saved, a tuple; arrays flat.
    Returns:
        `(steps, outputs)`. The first steps are None: the cotangent, and what was saved.
    """
    key = (single, dtype, *[(v.dtype, v.ndim) if type(v) is ndarray else type(v) for v in saved])
    programs = rule.programs
    if programs is None:
        programs = rule.programs = {}
    found = programs.get(key, programs)
    if found is programs:
        if len(programs) >= _PROGRAMS:
            programs.clear()
        found = programs[key] = _traced(rule, single, saved, dtype)
    return found


def _traced(rule, single, saved, dtype):
    trace = _Symbols(dtype)
    inputs = []
    for aval in (make_aval(() if single else (2,), dtype), *[_aval(v) for v in saved]):
        trace.steps.append(None)
        inputs.append(trace.symbol(aval))
    try:
        found = rule.back(inputs[0], as_saved(inputs[1:]))
    except Exception:  # symbols do less than arrays; an error of the rule's own comes again when it is called
        return None
    answers = found if type(found) is tuple else (found,)
    if any(type(v) is not Staged or v.owner is not trace for v in answers):
        return None
    return trace.steps, [v.node for v in answers]


def as_saved(items):
    """What a rule gets of the list of values that its node saved."""
    return tuple(items) if len(items) > 1 else items[0] if items else None


def _aval(value):
    aval = aval_of(value)
    return make_aval((2,), aval.dtype) if aval.ndim else aval


class Program:
    """The joined instructions of a region. Values are places in a list; a reference is `(place, negated)`."""

    def __init__(self, shape, dtype, length):
        self.shape, self.dtype, self.length = shape, dtype, length
        self.values = []  # ("array", array), ("number", 0-d array), ("op", ufunc, places), ("call", rule, places, n), …
        self.known = {}  # what defines a value -> its place

    def array(self, flat):
        """A reference to an array of all elements."""
        key = ("array", flat.__array_interface__["data"][0], flat.strides, flat.dtype)
        return self._place(key, ("array", flat)), False

    def number(self, value):
        """A reference to a number."""
        if type(value) is not ndarray or value.dtype is not self.dtype:
            value = np.asarray(value, self.dtype)
        return self._place(("number", value.tobytes()), ("number", value)), False

    def is_number(self, ref):
        """Whether a reference is to a number."""
        return self.values[ref[0]][0] == "number"

    def append(self, steps, inputs):
        """References to the values of traced `steps`, whose first ones are `inputs`."""
        refs = list(inputs)
        for ufunc, sources in steps[len(inputs) :]:
            refs.append(self.op(ufunc, *[refs[k] if type(k) is int else self.number(k) for k in sources]))
        return refs

    def call(self, function, ct, items, count):
        """References to `count` outputs of a rule that is called as it is."""
        places = [self.whole(ct), *[self.whole(r) if type(r) is tuple else r for r in items]]
        place = self._place(None, ("call", function, places, count))
        return [(self._place(None, ("part", place, k)), False) for k in range(count)]

    def op(self, ufunc, x, y=None):
        """A reference to `ufunc` of references; the same one for the same instruction."""
        if ufunc is np.negative:
            return x[0], not x[1]
        sign = False
        if ufunc is np.multiply or ufunc is np.divide:
            one = self._one(y)
            if one is not None:
                return x[0], x[1] ^ one
            one = self._one(x) if ufunc is np.multiply else None
            if one is not None:
                return y[0], y[1] ^ one
            sign = x[1] ^ y[1]
            x, y = (x[0], False), (y[0], False)
        elif ufunc is np.add and (x[1] or y[1]) and not (x[1] and y[1]):  # a - b and a + (-b) are the same
            ufunc, x, y = (np.subtract, y, (x[0], False)) if x[1] else (np.subtract, x, (y[0], False))
        elif ufunc is np.subtract and y[1]:
            ufunc, x, y = (np.subtract, (y[0], False), (x[0], False)) if x[1] else (np.add, x, (y[0], False))
        places = [self.plain(r) for r in ((x,) if y is None else (x, y))]
        if all(self.values[p][0] == "number" for p in places):
            return self.number(ufunc(*[self.values[p][1] for p in places]))[0], sign
        if ufunc is np.add or ufunc is np.multiply:
            places.sort()
        return self._place((ufunc, *places), ("op", ufunc, places)), sign

    def plain(self, ref):
        """The place of a reference that carries no sign."""
        place, negated = ref
        if not negated:
            return place
        if self.values[place][0] == "number":
            return self.number(-self.values[place][1])[0]
        return self._place((np.negative, place), ("op", np.negative, [place]))

    def whole(self, ref):
        """The place of a reference as an array of elements."""
        place = self.plain(ref)
        value = self.values[place]
        return self._place(("full", place), ("full", value[1])) if value[0] == "number" else place

    def _one(self, ref):
        """For 1 and -1 whether it is negative; None for all others."""
        kind, value = self.values[ref[0]][:2]
        if kind != "number" or abs(value) != 1:
            return None
        return bool(value < 0) ^ ref[1]

    def _place(self, key, value):
        place = self.known.get(key) if key is not None else None
        if place is None:
            place = len(self.values)
            self.values.append(value)
            if key is not None:
                self.known[key] = place
        return place

    def run(self, refs):
        """The values of references as fresh arrays."""
        wanted = [self.whole(r) for r in refs]
        answers = [np.empty(self.shape, self.dtype) for _ in wanted]
        needed = set(wanted)
        for place in range(len(self.values) - 1, -1, -1):
            if place in needed:
                needed.update(_sources(self.values[place]))
        last = {}
        for place in sorted(needed):
            for source in _sources(self.values[place]):
                last[source] = place
        sliced, fixed, code, copies = [], [], [], []
        registers = [None] * (len(self.values) + len(answers))
        spot = {}  # place -> register; outputs come last
        for k, place in enumerate(wanted):
            at = len(self.values) + k
            sliced.append((at, answers[k].reshape(-1)))
            if self.values[place][0] == "op" and place not in spot:
                spot[place] = at
            else:
                copies.append((np.copyto, at, place))
        free, buffers = [], {}  # registers of buffers; the order is that of their first use
        for place in sorted(needed):
            value = self.values[place]
            kind = value[0]
            if kind == "array":
                sliced.append((place, value[1]))
            elif kind == "number":
                registers[place] = value[1]
            elif kind == "full":
                fixed.append((place, np.full(self.length, value[1], self.dtype)))
            elif kind == "call":
                for source in value[2]:
                    last[source] = len(self.values)  # its outputs may be parts of what it was given
                code.append((_calling(value, place, self, spot), -1, -1, 0))
            elif kind == "op":
                sources = [spot.get(p, p) for p in value[2]]
                for p in set(value[2]):
                    if last[p] == place and spot.get(p, -1) in buffers:
                        free.append(spot[p])
                if place not in spot:
                    if not free:
                        free.append(place)
                        buffers[place] = None
                    spot[place] = free.pop()
                code.append((value[1], sources[0], sources[1] if len(sources) > 1 else -1, spot[place]))
        for function, at, place in copies:
            code.append((function, at, -1, spot.get(place, place)))
        fixed += zip(buffers, _scratch(len(buffers), self.length, self.dtype))
        self._blocks(answers[0].size, registers, sliced, fixed, code)
        return answers

    def _blocks(self, size, registers, sliced, fixed, code):
        length = self.length
        for k, array in fixed:
            registers[k] = array
        for start in range(0, size, length):
            part = slice(start, start + length)
            for k, array in sliced:
                registers[k] = array[part]
            if start + length > size:
                for k, array in fixed:
                    registers[k] = array[: size - start]
            for function, i, j, k in code:
                if j >= 0:
                    function(registers[i], registers[j], registers[k])
                elif i >= 0:
                    function(registers[i], registers[k])
                else:
                    function(registers)


def _sources(value):
    kind = value[0]
    if kind == "op" or kind == "call":
        return [p for p in value[2] if type(p) is int]
    return [value[1]] if kind == "part" else []


def _calling(value, place, program, spot):
    """A step that calls a rule with blocks and files its outputs."""
    _, function, places, count = value
    parts = range(place + 1, place + 1 + count)
    sources = [spot.get(p, p) if type(p) is int else p for p in places]

    def step(registers):
        ct, *items = [registers[p] if type(p) is int else p.value for p in sources]
        found = function(ct, as_saved(items))
        for k, v in zip(parts, found if type(found) is tuple else (found,)):
            if v is None:
                raise Unfit
            registers[k] = v

    return step


class Constant:
    """A number that a rule is called with as it is."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def _scratch(count, length, dtype):
    """Buffers for blocks, on the bounds of cache lines."""
    size = length * dtype.itemsize
    step = size + -size % 64
    memory = np.empty(count * step + 64, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64
    return [memory[k : k + size].view(dtype) for k in range(start, start + count * step, step)]
