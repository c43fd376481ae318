"""The Python-float renderer: every element of every array of a small program is a local variable.

A call of NumPy takes as long as ten to thirty operations on floats, so that where arrays have few elements Python's own
arithmetic is faster. Float64, integers and booleans only. Where Python raises (a quotient by zero, an overflow), or a
result is not finite, the caller runs NumPy instead, which warns as it does elsewhere.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .....core.arrays.avals import make_aval
from .....core.types import Any
from ....graph.equations import Equation, Literal, Var
from ...analysis.cost import FLOATS, converted
from ...loops.symbols import arranged
from .scalar_rules import rule_of
from .scalar_statements import MANY, NAME, Given, Loop, Rows, Unfit, atom, each, join_rows, live, printed

ndarray = np.ndarray
LIMIT = 4000  # statements of a program


class Row(NamedTuple):
    """The Python source of an operation on floats: a template over the operands, or a function call."""

    text: str = ""
    call: Callable | None = None
    integers: str = ""  # of integers: "exact", or "bounded" where they may leave 64 bits; else they are left to NumPy
    booleans: str = ""  # of booleans, where Python's would be integers
    only: str = ""  # the one kind of operands that it is for
    masked: bool = False  # the first operand is a mask


ROWS = {
    "add": Row("{}+{}", integers="bounded", booleans="{} or {}"), "subtract": Row("{}-{}", integers="bounded"),
    "multiply": Row("{}*{}", integers="bounded", booleans="{} and {}"), "negative": Row("-{}", integers="bounded"),
    "divide": Row("{}/{}"), "remainder": Row("{}%{}", integers="exact", only="i"),
    "floor_divide": Row("{}//{}", integers="bounded", only="i"),
    "square": Row("{0}*{0}"), "reciprocal": Row("1.0/{}"),
    "greater": Row("{}>{}"), "greater_equal": Row("{}>={}"), "less": Row("{}<{}"), "less_equal": Row("{}<={}"),
    "equal": Row("{}=={}"), "not_equal": Row("{}!={}"), "isnan": Row("{0}!={0}"), "isfinite": Row("{0}-{0}==0.0"),
    "where": Row("{1} if {0} else {2}", integers="exact", masked=True),
    "bitwise_and": Row("{}&{}", only="b"), "bitwise_or": Row("{}|{}", only="b"),
    "bitwise_xor": Row("{}^{}", only="b"), "bitwise_invert": Row("not {}", only="b"),
    "maximum": Row("{0} if {0}>{1} or {0}!={0} else {1}"), "minimum": Row("{0} if {0}<{1} or {0}!={0} else {1}"),
    "strong_zero": Row("{1} if {1}=={1} or {0}!=0.0 else 0.0"),
    **{name: Row(call=getattr(math, name)) for name in (
        "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log1p", "expm1", "sqrt", "hypot", "copysign", "erf",
        "erfc")},
    **{f"arc{name}": Row(call=getattr(math, f"a{name}")) for name in (
        "sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")},
    "absolute": Row(call=abs), "power": Row(call=math.pow),
}


def _row(eq):
    return ROWS.get(eq.prim.name)


class Scalars:
    """The source of one function on floats.

    Args:
        draft: what is to be computed.
        lower: `lowered`.
    """

    def __init__(self, draft, lower):
        self.lower = lower
        self.count = 0
        self.written = 0
        self.cost = 0.0  # microseconds, estimated
        self.repeat = 1
        self.calls = set()
        self.values: Any = {}
        self.head = []  # (names, text)
        self.constants = {}
        names = []
        for v in draft.inputs:
            names.append(self.new("a"))
            self.values[v] = Given(names[-1], v.aval)
        body = []
        self.block(draft.equations, body)
        results, used, checks, arrays = [], set(), {}, []
        for v in draft.outputs:
            text, atoms = self.result(v)
            used |= atoms
            self.cost += converted(v.aval, "out")
            if v.aval.dtype.kind == "f" and type(v) is Var:
                if type(self.values[v]) is Rows:
                    arrays.append(f"r{len(results)} = {text}")
                    text = f"r{len(results)}"
                    arrays.append(f"if not isfinite({text}).all(): raise OverflowError")
                else:
                    checks.update(dict.fromkeys(sorted(atoms)))
            results.append(text)
        body, read = live(body, used)
        join_rows(body, used)
        used = read
        lines = [f"def run({', '.join(names)}):"]
        lines += ["    " + text for flat, text in self.head if not used.isdisjoint(flat)]
        lines += printed(body, 1)
        lines += ["    " + text for text in arrays]
        if checks:
            lines.append(f"    check = {' + '.join(checks)}")
            lines.append("    if check - check != 0.0: raise OverflowError")
        self.text = "\n".join([*lines, f"    return [{', '.join(results)}]"]) + "\n"
        self.scope: dict[str, Any] = {name: ROWS[name].call for name in self.calls}
        self.scope |= {"array": np.array, "isfinite": np.isfinite, "float64": np.float64, "int64": np.int64,
                       "bool_": np.bool_, "repeat": itertools.repeat, **self.constants}

    # names and statements

    def new(self, letter="v"):
        self.count += 1
        return f"{letter}{self.count}"

    def array(self, aval, letter="x"):
        """An array of fresh names."""
        self.kind(aval)
        if aval.size > 512:
            raise Unfit
        return arranged([self.new(letter) for _ in range(aval.size)], aval.shape)

    def value(self, v):
        """The elements of a variable or constant, as an array of texts."""
        if type(v) is Var:
            found = self.values[v]
            if type(found) is Rows:
                raise Unfit
            if type(found) is Given:
                self.values[v] = found = self.named(found)
            return found
        array = np.asarray(v.value)
        if array.size > 512 or array.dtype != np.float64 and array.dtype.kind not in "bi":
            raise Unfit
        return arranged(list(map(atom, array.reshape(-1).tolist())), array.shape)

    def named(self, given):
        """The elements of an input, by name."""
        if given.elements is not None:
            return given.elements
        array = self.array(given.aval)
        flat = list(array.reshape(-1))
        self.cost += converted(given.aval, "in")
        if not given.aval.shape:
            self.head.append((flat, f"{flat[0]} = {_SCALAR[given.aval.dtype.kind]}({given.name})"))
        elif flat:
            whole = given.name if given.aval.ndim == 1 else f"{given.name}.ravel()"
            self.head.append((flat, f"{', '.join(flat)}, = {whole}.tolist()"))
        given.elements = array
        return array

    def read(self, names, v, steps):
        """The iteration over the rows of a value: `(names, target, iterable, whether that can be reversed)`."""
        flat = list(names.reshape(-1))
        if not flat:
            raise Unfit
        single = v.aval.ndim == 1
        target = flat[0] if single else f"({', '.join(flat)},)"
        found = self.values[v] if type(v) is Var else v.value
        if type(found) is Rows:
            return flat, target, found.name, True
        if type(found) is Given:
            self.kind(v.aval)
            shape = "" if single else f".reshape({steps}, -1)"
            return flat, target, f"{found.name}{shape}.tolist()", True
        if type(v) is Literal and type(found) is ndarray and any(found.strides[:1]):
            self.kind(v.aval)
            name = self.new("k")
            self.constants[name] = found.tolist() if single else found.reshape(steps, -1).tolist()
            return flat, target, name, True
        array = self.value(Literal(found[:1]) if type(v) is Literal else v)
        if array.strides[0] == 0 or len(array) == 1 or all(np.all(row == array[0]) for row in array):
            row = list(array[0].reshape(-1)) if array.ndim > 1 else [array[0]]
            return flat, target, f"repeat({row[0] if single else '(' + ', '.join(row) + ',)'}, {steps})", False
        rows = [row if single else "(" + ", ".join(row.reshape(-1)) + ",)" for row in array]
        return flat, target, f"({', '.join(rows)},)", True

    def kind(self, aval):
        """Raise unless floats, integers or booleans of Python hold the elements."""
        if aval.dtype != np.float64 and aval.dtype.kind != "b" and aval.dtype != np.int64:
            raise Unfit

    def by_rows(self, eq, body, rule):
        """An operation on long arrays as a loop over their first axis, where it goes row by row."""
        out = eq.outputs[0].aval
        steps = out.shape[0]
        inputs, reads, lines = [], [], []
        for v in eq.inputs:
            a = v.aval
            if a.ndim != out.ndim:
                inputs.append(v)
                continue
            inputs.append(row := Var(make_aval(a.shape[1:], a.dtype)))
            if a.shape[0] == steps:
                self.values[row] = self.array(row.aval)
                reads.append(self.read(self.values[row], v, steps))
            else:
                self.values[row] = np.asarray(self.value(v)[0], object)
        result = Var(make_aval(out.shape[1:], out.dtype))
        before, self.repeat = self.repeat, self.repeat * steps
        rule(Equation(eq.prim, inputs, eq.params, [result]), lines)
        self.repeat = before
        self.loop(body, steps, reads, lines, collected=[(eq.outputs[0], self.values[result])])

    def loop(self, body, steps, reads, lines, carried=None, collected=(), reverse=False):
        """Add a loop; `carried`: names, what they start from and go on with; `collected`: variables, and their rows."""
        names, starts, nexts = carried or ([], [], [])
        collects = []
        for v, texts in collected:
            self.values[v] = rows = Rows(self.new("i"), v.aval)
            collects.append((rows.name, list(texts.reshape(-1)), rows.single))
        self.cost += self.repeat * steps * FLOATS["turn"]
        body.append(("loop", Loop(steps, reverse, names, starts, nexts, reads, collects, lines)))

    def is_long(self, eq):
        """Tell whether an elementwise equation is to be a loop over rows."""
        if eq.outputs[0].aval.ndim and any(
                type(v) is Var and type(self.values[v]) is Rows for v in eq.inputs):
            return True
        return eq.outputs[0].aval.size > MANY

    def emit(self, body, text, kind="plain", how="set"):
        """A new name for the value of an expression; `how="bounded"` for an integer that has to fit into 64 bits."""
        self.written += 1
        self.cost += self.repeat * FLOATS[kind] * (2 if how == "bounded" else 1)
        if self.written > LIMIT:
            raise Unfit
        name = self.new()
        body.append((how, name, text))
        return name

    # equations

    def block(self, equations, body):
        for eq in equations:
            rule = rule_of(eq.prim)
            try:
                if eq.acts:
                    raise Unfit
                if rule is not None:
                    rule(self, eq, body)
                elif self.is_long(eq):
                    self.by_rows(eq, body, self.elementwise)
                else:
                    self.elementwise(eq, body)
            except Unfit as error:
                error.equation = error.equation or eq
                raise

    def elementwise(self, eq, body):
        """An operation element by element, or those that it comes down to."""
        name, aval, row = eq.prim.name, eq.outputs[0].aval, _row(eq)
        if row is None:
            several = self.lower(eq, _row) if eq.prim.elementwise else None
            if several is None:
                raise Unfit
            for step in several[0]:
                self.elementwise(step, body)
            self.values[eq.outputs[0]] = self.value(several[1][0])
            return
        if eq.params or name == "isfinite" and eq.quiet is not True:
            raise Unfit  # what a test for finite values leaves out would not be warned of
        kinds = {v.aval.dtype.kind for v in eq.inputs[row.masked :]}
        if row.only and kinds != {row.only}:
            raise Unfit
        if "b" in kinds and row.only != "b" and not row.masked and (len(kinds) > 1 or aval.dtype.kind != "b"):
            raise Unfit
        if "i" in kinds and aval.dtype.kind == "i" and not row.integers:
            raise Unfit
        text = row.booleans if row.booleans and kinds == {"b"} else row.text
        how = "bounded" if aval.dtype.kind == "i" and row.integers == "bounded" else "set"
        self.kind(aval)
        keys = list(zip(*[self.texts(v, aval, k >= row.masked) for k, v in enumerate(eq.inputs)]))
        known = {}
        if not text:
            self.calls.add(name)
        for key in keys:
            if key not in known:
                known[key] = self.emit(body, text.format(*key), how=how) if text else self.emit(
                    body, f"{name}({', '.join(key)})", "call")
        self.values[eq.outputs[0]] = arranged([known[key] for key in keys], aval.shape)

    def texts(self, v, aval, cast):
        """The elements of a value that is broadcast to an aval, and cast to floats with the others, as a list."""
        array = self.value(v)
        if cast and aval.dtype.kind == "f" != v.aval.dtype.kind:  # what is chosen of them is a float: 0 has no sign
            array = self.value(Literal(np.asarray(v.value, np.float64))) if type(v) is Literal else each(
                array, "float({})".format)
        if array.shape == aval.shape:
            return array.reshape(-1).tolist()
        return [array.item()] * aval.size if array.size == 1 else np.broadcast_to(array, aval.shape).reshape(
            -1).tolist()

    def total(self, body, items):
        """The sum of elements, pairs first as NumPy adds them."""
        if not items:
            return "0.0"
        if len(items) == 1:
            return items[0]
        self.cost += self.repeat * FLOATS["term"] / 2 * len(items)
        return self.emit(body, "+".join(items))

    def result(self, v):
        """The text of an output, and the names in it."""
        if type(v) is Var and type(self.values[v]) is Rows:
            rows = self.values[v]
            shape = rows.aval.shape
            text = f"array({rows.name}, {rows.aval.dtype.name!r})"
            return (text if len(shape) < 3 else f"{text}.reshape({shape})"), {rows.name}
        array = self.value(v)
        atoms = set(NAME.findall(" ".join(array.reshape(-1))))
        aval = v.aval
        if not aval.shape:
            text = array[()]
            if aval.weak:
                return text, atoms
            made = _MADE.get(aval.dtype.name)
            return f"{made}({text})" if made else f"array({text}, {aval.dtype.name!r})[()]", atoms
        text = f"array([{', '.join(array.reshape(-1))}], {aval.dtype.name!r})"
        return (text if aval.ndim == 1 else f"{text}.reshape({aval.shape})"), atoms


_SCALAR = {"f": "float", "b": "bool", "i": "int"}
_MADE = {"float64": "float64", "bool": "bool_", "int64": "int64"}  # what makes a number
