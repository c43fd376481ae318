"""The builder of LLVM text: arithmetic on values of a few lanes each."""

import struct
from functools import partial
from typing import NamedTuple

import numpy as np

from .....core.types import Any
from ...loops.operations import Name, Operations
from ...machine.blas import ufunc_loop
from ...maths import FEW, FUNCTIONS, NEAR, QUICK, TABLES
from ...maths.tables import written_here

TYPES = {"f64": "double", "f32": "float", "i64": "i64", "i32": "i32", "u64": "i64", "u32": "i32",
         "b8": "i1"}  # of values
STORED = {**TYPES, "b8": "i8", "f16": "i16"}  # of elements in memory
# of floats, where only `!=` holds for NaN, and of integers with and without signs
_COMPARE = {"==": ("oeq", "eq", "eq"), "!=": ("une", "ne", "ne"), "<": ("olt", "slt", "ult"),
            "<=": ("ole", "sle", "ule"), ">": ("ogt", "sgt", "ugt"), ">=": ("oge", "sge", "uge")}

_PURE = "memory(none) nounwind willreturn"
UFUNC = "@covector.ufunc."  # what tables of loops of ufuncs begin with
_IN_PLACE = 16  # functions of `FEW` of a module that are not called
_LONG = 200  # lines of a function of vectors, above which it is in a module once, for one register


class Text:
    """The lines of a function, the functions that it calls, and the declarations of others."""

    def __init__(self, module):
        self.module = module
        self.lines = []
        self.count = 0
        self.label = "entry"
        self.builders = {}  # (kind, lanes, inline) -> its `Lanes`

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text, kind):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        return Name(name, kind)

    def emit(self, text):
        self.lines.append("  " + text)

    def begin(self, label):
        self.lines.append(f"{label}:")
        self.label = label

    def builder(self, kind, lanes=1, inline=False):
        """The `Lanes` that write here: made once, for a function may have thousands of operations."""
        key = kind, lanes, inline
        return self.builders.get(key) or self.builders.setdefault(key, Lanes(self, *key))

    def shuffled(self, a, b, order):
        """A vector of elements of two vectors, counted through both; the second may be poison."""
        out = f"<{len(order)} x {a.type[1:-1].split(' x ')[1]}>"
        mask = ", ".join([f"i32 {k}" for k in order])
        return self.op(f"shufflevector {a.type} {a}, {a.type} {b}, <{len(order)} x i32> <{mask}>", out)

    def vector(self, elements, base):
        """A vector of elements of a type."""
        out = Name("poison", f"<{len(elements)} x {base}>")
        for k, x in enumerate(elements):
            out = self.op(f"insertelement {out.type} {out}, {base} {x}, i64 {k}", out.type)
        return out

    def loop(self, head, end, count, body, start=0, step=1, carried=(), compare="ult", facts=""):
        """Write a loop of a turn at least, and return what its last turn does.

        Args:
            head, end: labels.
            body: `body(i, *carried)` writes the turn for `i`, and returns a value for each that it is given.
            carried: the values that the first turn is given.
            compare, facts: how the end is tested, and what LLVM is told of the loop.
        """
        before, at = self.label, len(self.lines) + 2
        now = [Name(self.new(), "i64"), *[Name(self.new(), x.type) for x in carried]]
        following = self.new()
        self.emit(f"br label %{head}")
        self.begin(head)
        found = body(*now) if carried else body(now[0]) or ()
        self.lines.append(f"  {following} = add nuw nsw i64 {now[0]}, {step}")
        self.lines[at:at] = [f"  {x} = phi {x.type} [{first}, %{before}], [{then}, %{self.label}]"
                             for x, first, then in zip(now, (start, *carried), (following, *found))]
        last = self.op(f"icmp {compare} i64 {following}, {count}", "i1")
        self.emit(f"br i1 {last}, label %{head}, label %{end}{facts}")
        self.begin(end)
        return found

    def entry_of(self, table, k):
        """The pointer that stands in a table of them."""
        return self.op(f"load ptr, ptr {self.entry_at(table, k)}", "ptr")

    def set_entry(self, table, k, x):
        """Write a pointer into a table of them."""
        self.emit(f"store ptr {x}, ptr {self.entry_at(table, k)}")

    def set_numbers(self, table, values):
        """Write integers into a table of them."""
        for k, n in enumerate(values):
            at = self.op(f"getelementptr inbounds i64, ptr {table}, i64 {k}", "ptr")
            self.emit(f"store i64 {n}, ptr {at}")

    def entry_at(self, table, k):
        return self.op(f"getelementptr inbounds ptr, ptr {table}, i64 {k}", "ptr")


class Module:
    """The text of a module: functions, declarations, and what these refer to."""

    def __init__(self, vector=0):
        self.vector = vector  # the bytes of a vector of the processor
        self.functions = {}  # name -> text
        self.loops = 0  # of which LLVM is told something
        self.declared = {}  # line -> None
        self.few = 0  # functions of `FEW` that are called or put in place
        self.needed = {}  # elementary functions that it calls -> (name, width, lanes, number of arguments)

    def declare(self, line):
        self.declared[line] = None

    def loop_facts(self, vectors):
        """The name of what LLVM is told of a loop: each is an object of its own."""
        at = self.loops
        self.loops += 2
        self.declare(f"!{at} = distinct !{{!{at}, !{at + 1}}}")
        self.declare(f'!{at + 1} = !{{!"llvm.loop.vectorize.enable", i1 {"true" if vectors else "false"}}}')
        return f", !llvm.loop !{at}"

    @property
    def text(self):
        return "\n".join([*self.declared, *self.functions.values()])


def number(value, kind):
    """A number as LLVM text."""
    if kind == "f32":
        value = struct.unpack("<f", struct.pack("<f", value))[0]  # constants are cast before, also to infinities
    if kind[0] == "u":  # types of LLVM have no signs, its numbers do
        width = int(kind[1:])
        return str(int(value) - (1 << width) * (int(value) >> width - 1))
    if kind[0] == "f":
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return str(bool(value)).lower() if kind == "b8" else str(int(value))


def _instruction(op):
    """A method that writes an instruction of two operands."""
    return lambda self, x, y: self.text.op(f"{op} {x.type} {x}, {y}", x.type)


def _intrinsic(name):
    """A method that calls a function which LLVM has itself."""
    def call(self, *args):
        of, symbol = args[0].type, f"@llvm.{name}.{self.suffix}"
        self.text.module.declare(f"declare {of} {symbol}({', '.join([a.type for a in args])})")
        return self.text.op(f"call {of} {symbol}({', '.join([f'{a.type} {a}' for a in args])})", of)

    return call


class Lanes(Operations):
    """A builder of values of `lanes` lanes in one kind; see `operations.py` for what it must have."""

    def __init__(self, text, kind, lanes, inline=False):
        self.text = text
        self.kind = kind
        self.lanes = lanes
        self.inline = inline
        self.width = 32 if kind in ("f32", "i32", "u32") else 64
        self.of_float = self.typed("float" if self.width == 32 else "double")
        self.of_int = self.typed(f"i{self.width}")
        self.of_mask = self.typed("i1")
        self.suffix = ("" if lanes == 1 else f"v{lanes}") + f"f{self.width}"

    def typed(self, base):
        """A type of all lanes."""
        return base if self.lanes == 1 else f"<{self.lanes} x {base}>"

    def constant(self, value, kind):
        """A number in all lanes."""
        base = TYPES[kind]
        text = number(value, kind)
        return Name(text if self.lanes == 1 else f"splat ({base} {text})", self.typed(base))

    def const(self, x):
        return self.constant(x, "f32" if self.width == 32 else "f64")

    def iconst(self, x):
        x &= (1 << self.width) - 1
        return self.constant(x - (1 << self.width) if x >> (self.width - 1) else x, f"i{self.width}")

    def binary(self, op, x, y):
        return self.text.op(f"{op} {x.type} {x}, {y}", x.type)

    fadd, fsub, fmul, fdiv = map(_instruction, ("fadd", "fsub", "fmul", "fdiv"))
    and_, or_, xor_ = map(_instruction, ("and", "or", "xor"))  # of masks
    iadd, isub, imul, sdiv, srem = map(_instruction, ("add", "sub", "mul", "sdiv", "srem"))
    udiv, urem, ashr = map(_instruction, ("udiv", "urem", "ashr"))
    iand, ior, ixor, shl, lshr = map(_instruction, ("and", "or", "xor", "shl", "lshr"))
    fma, sqrt, fabs, copysign = map(_intrinsic, ("fma", "sqrt", "fabs", "copysign"))
    floor, rint, trunc = map(_intrinsic, ("floor", "rint", "trunc"))

    def multiply_add(self, x, y, z):
        return self.binary("fadd contract", z, self.binary("fmul contract", x, y))

    def loose(self, name, x, y):
        """A sum or a product that may be computed before or after others like it."""
        return self.binary(f"f{name} reassoc contract", x, y)

    def fneg(self, x):
        return self.text.op(f"fneg {x.type} {x}", x.type)

    def fcmp(self, op, x, y):
        return self.text.op(f"fcmp {_COMPARE[op][0]} {x.type} {x}, {y}", self.of_mask)

    def icmp(self, op, x, y):
        return self.text.op(f"icmp {_COMPARE[op][2 if self.kind[0] == 'u' else 1]} {x.type} {x}, {y}", self.of_mask)

    def below(self, x, y):
        """A test of integers without signs."""
        return self.text.op(f"icmp ult {x.type} {x}, {y}", self.of_mask)

    def isnan(self, x):
        return self.fcmp("!=", x, x)

    def select(self, m, x, y):
        return self.text.op(f"select {m.type} {m}, {x.type} {x}, {y.type} {y}", x.type)

    def not_(self, x):
        return self.binary("xor", x, self.constant(True, "b8"))

    def bits(self, x):
        return self.text.op(f"bitcast {x.type} {x} to {self.of_int}", self.of_int)

    def from_bits(self, i):
        return self.text.op(f"bitcast {i.type} {i} to {self.of_float}", self.of_float)

    def looked_up(self, name, place):
        """The numbers of a table of `maths` at a place; of one lane."""
        module = self.text.module
        count, size, _ = TABLES[name]
        symbol = f"@covector.table.{name}"
        module.declare(f"{symbol} = external constant [{count} x [{size} x double]]")
        module.needed[symbol] = Elementary(name, self.width, 0, 0)
        found = []
        for k in range(count):
            address = self.text.op(f"getelementptr [{size} x double], ptr {symbol}, i64 {k}, i64 {place}", "ptr")
            found.append(self.text.op(f"load double, ptr {address}", self.of_float))
        return found

    @property
    def wide(self):
        """The builder of 64 bits with as many lanes."""
        return self if self.width == 64 else Lanes(self.text, "f64", self.lanes, self.inline)

    def widen(self, x):
        return self.text.op(f"fpext {x.type} {x} to {self.wide.of_float}", self.wide.of_float)

    def narrow(self, x):
        return self.text.op(f"fptrunc {x.type} {x} to {self.of_float}", self.of_float)

    def library(self, name, *args):
        """A function of the C library, lane by lane."""
        base = "float" if self.width == 32 else "double"
        symbol = name + ("f" if self.width == 32 else "")
        self.text.module.declare(f"declare {base} @{symbol}({', '.join([base] * len(args))})")
        return self.by_lane(args, base, lambda parts: self.text.op(
            f"call {base} @{symbol}(" + ", ".join([f"{base} {p}" for p in parts]) + ")", base))

    def few(self, name, *args):
        """A function of `FEW`, lane by lane, put in place where there are not many in the module."""
        module = self.text.module
        module.few += self.lanes
        one = Lanes(self.text, self.kind, 1, inline=module.few <= _IN_PLACE)
        return self.by_lane(args, one.of_float, lambda parts: one.elementary(name, parts))

    def by_lane(self, args, base, run):
        """The results of a function of numbers, of the type `base`, lane by lane."""
        if self.lanes == 1:
            return run(args)
        return self.text.vector([run([self.text.op(f"extractelement {a.type} {a}, i64 {k}", base) for a in args])
                                 for k in range(self.lanes)], base)

    def elementary(self, name, args):
        """A call of an elementary function: one of this module, to be put in place, or one that is compiled once."""
        module = self.text.module
        symbol = f"@covector.{name}.{self.suffix}" + (".in" if self.inline else "")
        loop = ufunc_loop(name, self.kind)
        if loop is not None:
            table = f"{UFUNC}{loop.name}.{self.kind}"
            module.needed[table] = loop
            module.functions[symbol] = looped(module, symbol, table, loop, len(args), self)
        elif self.inline and symbol not in module.functions:
            module.functions[symbol] = defined(module, name, self.width, self.lanes, len(args), True)
        elif not self.inline and symbol not in module.functions:
            # Equal calls, as those of a loop's test and of its body, become one.
            module.declare(f"declare {self.of_float} {symbol}({', '.join([a.type for a in args])}) {_PURE}")
            module.needed[symbol] = Elementary(name, self.width, self.lanes, len(args))
        return self.text.op(f"call {self.of_float} {symbol}(" + ", ".join([f"{a.type} {a}" for a in args]) + ")",
                            self.of_float)

    def cast(self, x, source, target):
        """Values of one kind in another."""
        if source == target:
            return x
        into = self.typed(TYPES[target])
        a, b = source[0], target[0]
        if b == "b":
            zero = self.constant(0, source)
            return self.text.op(f"{'fcmp une' if a == 'f' else 'icmp ne'} {x.type} {x}, {zero}", into)
        if a == "b":
            one, zero = self.constant(1, target), self.constant(0, target)
            return self.text.op(f"select {x.type} {x}, {into} {one}, {into} {zero}", into)
        if a == "f" and b == "f":
            op = "fpext" if target == "f64" else "fptrunc"
        elif a == "f" or b == "f":
            op = "fptosi" if a == "f" else "uitofp" if a == "u" else "sitofp"
        elif TYPES[source] == TYPES[target]:
            return x
        else:
            op = "trunc" if TYPES[target] == "i32" else "zext" if a == "u" else "sext"
        return self.text.op(f"{op} {x.type} {x} to {into}", into)


def defined(module, name, width, lanes, count, inline=False):
    """The text of an elementary function of so many lanes: the quicker way where all are within its bound."""
    text = Text(module)
    b = Lanes(text, f"f{width}", lanes)
    args = [Name(f"%x{k}", b.of_float) for k in range(count)]
    found: Any = NEAR.get(name) or FEW.get(name) or (QUICK.get(name), None)
    quick, bound = found
    if bound:
        near = b.fcmp("<", b.fabs(args[0]), b.const(bound[width]))
        if lanes > 1:
            module.declare(f"declare i1 @llvm.vector.reduce.and.v{lanes}i1({near.type})")
            near = text.op(f"call i1 @llvm.vector.reduce.and.v{lanes}i1({near.type} {near})", "i1")
        text.emit(f"br i1 {near}, label %near, label %far")
        text.begin("far")
        text.emit(f"ret {b.of_float} {b.elementary(f'{name}_far', args)}")
        text.begin("near")
        result = quick(b, *args)
    else:
        result = (quick or FUNCTIONS[name.removesuffix("_far").removesuffix("_few")])(b, *args)
    long = lanes > 1 and len(text.lines) > _LONG and not bound  # a call is little beside it, and LLVM slow with copies
    wide = long and inline and lanes * width > 8 * module.vector
    if wide:
        text, half = Text(module), lanes // 2
        parts = [text.builder(b.kind, half, True).elementary(name, [
            text.shuffled(x, "poison", range(at, at + half)) for x in args]) for at in (0, half)]
        result = text.shuffled(parts[0], parts[1], range(lanes))
    place = "noinline " if long and not wide else "alwaysinline "
    given = ", ".join([f"{a.type} {a}" for a in args])
    symbol = f"@covector.{name}.{b.suffix}" + (".in" if inline else "")
    head = f"define {'internal ' * inline}{b.of_float} {symbol}({given}) {place * inline}{{"
    return "\n".join([head, "entry:", *text.lines, f"  ret {b.of_float} {result}", "}"])


def looped(module, symbol, table, loop, count, b):
    """The text of a function that runs a ufunc's loop over its lanes, which lie in memory for that time."""
    module.declare(f"{table} = external constant [2 x ptr]")
    text, total, size = Text(module), count + loop.outputs, b.width // 8
    part = int(symbol.split(".")[3])
    frame = [f"  %{name} = alloca [{n} x {of}], align 64" for name, n, of in (
        ("lanes", total, b.of_float), ("places", total, "ptr"), ("steps", total, "i64"), ("count", 1, "i64"))]
    places = [text.op(f"getelementptr {b.of_float}, ptr %lanes, i64 {k}", "ptr") for k in range(total)]
    for k, place in enumerate(places):
        text.set_entry("%places", k, place)
        if k < count:
            text.emit(f"store {b.of_float} %x{k}, ptr {place}, align {size}")
    text.set_numbers("%steps", [size] * total)
    text.set_numbers("%count", [b.lanes])
    run, given = (text.entry_of(table, k) for k in range(2))
    text.emit(f"call void {run}(ptr %places, ptr %count, ptr %steps, ptr {given})")
    found = text.op(f"load {b.of_float}, ptr {places[count + part]}, align {size}", b.of_float)
    head = ", ".join([f"{b.of_float} %x{k}" for k in range(count)])
    return "\n".join([f"define internal {b.of_float} {symbol}({head}) noinline {{", "entry:", *frame, *text.lines,
                      f"  ret {b.of_float} {found}", "}"])


def tabled(symbol, name):
    """The text of a table, a row for each of the numbers at a place."""
    data = np.array(list(TABLES[name][2]())).T.tobytes()
    return f'{symbol} = constant [{len(data)} x i8] c"\\' + data.hex("\\") + '", align 64'


class Elementary(NamedTuple):
    """An elementary function that a module calls, or a table that it reads, which has no lanes."""

    name: str
    width: int
    lanes: int
    arity: int

    def made(self, machine, symbol):
        """The `Code` that has it under a symbol."""
        if self.lanes:
            module = elementary_module({symbol: self})
            return machine.code(module.text, module.needed, symbol=symbol[1:])
        # A table takes 20 ms to compute, so it is found by the file that says what it holds.
        write, source = partial(tabled, symbol, self.name), written_here()
        return machine.code(write, {}, about=f"{symbol} {source}" if source else write(), symbol=symbol[1:])


def elementary_module(needed):
    """A module of elementary functions, and those that they call; it needs the tables of these."""
    module = Module()
    waiting = dict(needed)
    while waiting:
        for symbol, (name, width, lanes, count) in waiting.items():
            module.functions[symbol] = defined(module, name, width, lanes, count)
        waiting = {s: what for s, what in module.needed.items() if what.lanes and s not in module.functions}
    module.needed = {s: what for s, what in module.needed.items() if not what.lanes}
    for symbol in module.functions:
        for line in [line for line in module.declared if f" {symbol}(" in line or line.startswith(f"{symbol} ")]:
            del module.declared[line]
    return module
