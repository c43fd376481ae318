"""The builder of open loops: what a definition of loops over arrays of any lengths is written against."""

from .....core.types import Any
from ...loops.kinds import BYTES
from ...loops.operations import TESTS
from .register_tiles import Tile
from .simd import TYPES, Lanes, Name, Text, number

STORED = {**TYPES, "b8": "i8", "f16": "i16"}  # a half is read and written as its bits, an i32
SIZES = {**BYTES, "f16": 2}


class Scalar:
    """One number under work; arithmetic and comparisons write instructions. Integers are floats beside floats."""

    __slots__ = ("body", "kind", "name")

    def __init__(self, body, name, kind):
        self.body = body
        self.name = Name(name, TYPES[kind])
        self.kind = kind

    def __add__(self, other):
        return self.body.run("add", self, other)

    def __radd__(self, other):
        return self.body.run("add", other, self)

    def __sub__(self, other):
        return self.body.run("subtract", self, other)

    def __rsub__(self, other):
        return self.body.run("subtract", other, self)

    def __mul__(self, other):
        return self.body.run("multiply", self, other)

    def __rmul__(self, other):
        return self.body.run("multiply", other, self)

    def __truediv__(self, other):
        return self.body.run("divide", self, other)

    def __rtruediv__(self, other):
        return self.body.run("divide", other, self)

    def __neg__(self):
        return self.body.run("negative", self) if self.kind[0] == "f" else 0 - self

    def __lt__(self, other):
        return self.body.run("less", self, other)

    def __le__(self, other):
        return self.body.run("less_equal", self, other)

    def __gt__(self, other):
        return self.body.run("greater", self, other)

    def __ge__(self, other):
        return self.body.run("greater_equal", self, other)

    def equals(self, other):
        return self.body.run("equal", self, other)

    def differs(self, other):
        return self.body.run("not_equal", self, other)

    def __and__(self, other):
        return self.body.run("bitwise_and", self, other)

    def __or__(self, other):
        return self.body.run("bitwise_or", self, other)

    def __lshift__(self, places):
        return self.body.made(f"shl {self.name.type} {self.name}, {places}", self.kind)

    def __rshift__(self, places):
        """The bits moved down, with zeros behind them."""
        return self.body.made(f"lshr {self.name.type} {self.name}, {places}", self.kind)

    def __bool__(self):
        raise TypeError("a number of a loop has no value while the loop is written; use `where` or `when`")


class Cell:
    """A number that changes: `get()`, `set(x)`, and `add(x)` or `multiply(x)`, which may go in any order."""

    __slots__ = ("body", "kind", "at")

    def __init__(self, body, kind, at):
        self.body = body
        self.kind = kind
        self.at = at

    def get(self):
        return self.body.load(self.at, self.kind)

    def set(self, x):
        self.body.store(self.body.scalar(x, self.kind), self.at, self.kind)

    def add(self, x):
        self.change("add", x)

    def multiply(self, x):
        self.change("mul", x)

    def change(self, op, x):
        x, old = self.body.scalar(x, self.kind), self.get()
        op = f"f{op} reassoc contract" if self.kind[0] == "f" else op
        self.set(self.body.made(f"{op} {x.name.type} {old.name}, {x.name}", self.kind))


class Array:
    """An array in order in memory: `x[i, j]`, and `x[i, j] = value` of an output; places are not looked at."""

    __slots__ = ("body", "kind", "pointer", "shape")

    def __init__(self, body, kind, pointer, shape):
        self.body = body
        self.kind = kind
        self.pointer = pointer
        self.shape = tuple(shape)

    def at(self, *places):
        """The address of an element."""
        total: Any = None
        for place, n in zip(places, self.shape, strict=True):
            total = total * n + place if total is not None else place
        index = self.body.scalar(total, "i64").name
        return self.body.text.op(f"getelementptr inbounds {STORED[self.kind]}, ptr {self.pointer}, i64 {index}", "ptr")

    def __getitem__(self, places):
        return self.body.load(self.at(*(places if type(places) is tuple else (places,))), self.kind)

    def __setitem__(self, places, value):
        at = self.at(*(places if type(places) is tuple else (places,)))
        self.body.store(self.body.scalar(value, "i32" if self.kind == "f16" else self.kind), at, self.kind)

    def shaped(self, *shape):
        """The same elements under other lengths, or under lengths that are known."""
        return Array(self.body, self.kind, self.pointer, shape)

    def fill(self, value):
        """Write one value everywhere."""
        count: Any = 1
        for n in self.shape:
            count = count * n
        flat = Array(self.body, self.kind, self.pointer, (count,))
        for k in self.body.range(count):
            flat[k] = value


class Body:
    """Writes a function of loops.

    A definition is called once, with this and what the function is given; a Python loop over `range(n)` or `when(m)`
    runs once, and writes a loop or a branch around what stands in it. First come sizes, `require`d conditions and
    `output`s; the first loop ends that part.
    """

    def __init__(self, module, make, vector):
        self.module = module
        self.make = make  # `make(kind, shape)`: the pointer of a new output
        self.vector = vector  # bytes of a register
        self.registers = 32 if vector == 64 else 16
        self.outer = Text(module)  # up to the first loop
        self.inner = Text(module)
        self.inner.count = 1 << 20  # names of its own
        self.text = self.outer
        self.label = 0
        self.cells = []
        self.given = {}  # names of the outer part that the inner one may use -> their types
        self.refusal = False
        self.facts = []

    # numbers

    def scalar(self, x, kind):
        """A number in a kind."""
        if type(x) is not Scalar:
            return Scalar(self, number(x, kind), kind)
        if x.kind == kind:
            return x
        return self.noted(Scalar(self, Lanes(self.text, kind, 1).cast(x.name, x.kind, kind), kind))

    def made(self, instruction, kind):
        return self.noted(Scalar(self, self.text.op(instruction, TYPES[kind]), kind))

    def noted(self, x):
        if self.text is self.outer and x.name.startswith("%"):
            self.given[x.name] = x.name.type
        return x

    def run(self, name, *args):
        """An operation by the name of NumPy's."""
        kinds = [x.kind for x in args if type(x) is Scalar]
        kind = next((k for want in ("f64", "f32", "i64", "i32", "b8") for k in kinds if k == want), "i64")
        if kind[0] != "f" and any(type(x) is float for x in args):
            raise TypeError(f"{name} of an integer and a float says not which float is meant; use cast")
        lanes = Lanes(self.text, kind, 1, inline=True)
        given = [self.scalar(x, kind).name for x in args]
        return self.noted(Scalar(self, lanes.run(name, given), "b8" if name in TESTS else kind))

    def cast(self, x, kind):
        return self.scalar(x, kind)

    def where(self, mask, x, y):
        kind = x.kind if type(x) is Scalar else y.kind
        x, y = self.scalar(x, kind), self.scalar(y, kind)
        return self.made(f"select i1 {mask.name}, {x.name.type} {x.name}, {y.name.type} {y.name}", kind)

    def minimum(self, x, y):
        return self.run("minimum", x, y)

    def maximum(self, x, y):
        return self.run("maximum", x, y)

    def fma(self, x, y, z):
        """`x y + z`, rounded once."""
        lanes = Lanes(self.text, x.kind, 1)
        return self.noted(Scalar(self, lanes.fma(x.name, y.name, z.name), x.kind))

    def bits(self, x):
        """The bits of a float, as an integer."""
        return self.noted(Scalar(self, Lanes(self.text, x.kind, 1).bits(x.name), "i32" if x.kind == "f32" else "i64"))

    def from_bits(self, x):
        kind = "f32" if x.kind == "i32" else "f64"
        return self.noted(Scalar(self, Lanes(self.text, kind, 1).from_bits(x.name), kind))

    def floor(self, x):
        return self.run("floor", x)

    def exp(self, x):
        return self.run("exp", x)

    def log1p(self, x):
        return self.run("log1p", x)

    def is_place(self, x, n):
        """Tell whether an integer is one of 0, …, n - 1."""
        n = self.scalar(n, "i64")
        return self.made(f"icmp ult i64 {x.name}, {n.name}", "b8")

    # memory

    def load(self, at, kind):
        if kind == "b8":
            byte = self.text.op(f"load i8, ptr {at}", "i8")
            return self.made(f"icmp ne i8 {byte}, 0", "b8")
        if kind == "f16":
            half = self.text.op(f"load i16, ptr {at}, align 2", "i16")
            return self.made(f"zext i16 {half} to i32", "i32")
        return self.made(f"load {TYPES[kind]}, ptr {at}, align {BYTES[kind]}", kind)

    def store(self, x, at, kind):
        name = x.name
        if kind == "b8":
            name = self.text.op(f"zext i1 {name} to i8", "i8")
        if kind == "f16":
            name = self.text.op(f"trunc i32 {name} to i16", "i16")
        self.text.emit(f"store {STORED[kind]} {name}, ptr {at}, align {SIZES[kind]}")

    def cell(self, value, kind):
        """A new `Cell`."""
        self.begin()
        at = f"%cell{len(self.cells)}"
        self.cells.append(f"  {at} = alloca {STORED[kind]}, align 8")
        found = Cell(self, kind, at)
        found.set(value)
        return found

    def width(self, kind):
        """How many elements a register has."""
        return self.vector // BYTES[kind]

    def tile(self, kind, rows, columns):
        """A new `Tile`."""
        self.begin()
        return Tile(self, kind, rows, columns)

    # what comes first

    def require(self, *masks):
        """Refuse to run where a condition does not hold."""
        for mask in masks:
            self.unless(mask)

    def unless(self, mask):
        raise NotImplementedError

    def output(self, kind, shape):
        """A new array; the function gives those that are not `scratch`, in their order."""
        return Array(self, kind, *self.make(kind, shape, True))

    def scratch(self, kind, shape):
        """Memory for the time of a call."""
        return Array(self, kind, *self.make(kind, shape, False))

    def begin(self):
        """End the first part."""
        self.text = self.inner

    # control

    def labels(self):
        self.label += 1
        return f"l{self.label}", f"l{self.label}_end"

    def range(self, stop, start=0, step=1, vectors=False):
        """`for i in body.range(n)`: a loop over i = start, start + step, … below stop.

        Args:
            vectors: whether LLVM may take several at a time: where the elements that they touch lie side by side.
        """
        self.begin()
        text = self.text
        stop, start, step = [self.scalar(x, "i64") for x in (stop, start, step)]
        head, end = self.labels()
        some = text.op(f"icmp slt i64 {start.name}, {stop.name}", "i1")
        text.emit(f"br i1 {some}, label %{head}_before, label %{end}")
        text.begin(f"{head}_before")
        text.emit(f"br label %{head}")
        text.begin(head)
        i, following = text.new(), text.new()
        text.lines.append(f"  {i} = phi i64 [{start.name}, %{head}_before], [{following}, %{head}_latch]")
        yield Scalar(self, i, "i64")
        text.emit(f"br label %{head}_latch")
        text.begin(f"{head}_latch")
        text.lines.append(f"  {following} = add nuw nsw i64 {i}, {step.name}")
        more = text.op(f"icmp slt i64 {following}, {stop.name}", "i1")
        text.emit(f"br i1 {more}, label %{head}, label %{end}, !llvm.loop {self.loop_facts(vectors)}")
        text.begin(end)

    def loop_facts(self, vectors):
        """The name of what LLVM is told of a loop: each is an object of its own."""
        at = len(self.facts)
        self.facts += [f"!{at} = distinct !{{!{at}, !{at + 1}}}",
                       f'!{at + 1} = !{{!"llvm.loop.vectorize.enable", i1 {"true" if vectors else "false"}}}']
        return f"!{at}"

    def when(self, mask):
        """`for _ in body.when(mask)`: what runs where it holds."""
        text = self.text
        head, end = self.labels()
        text.emit(f"br i1 {mask.name}, label %{head}, label %{end}")
        text.begin(head)
        yield
        text.emit(f"br label %{end}")
        text.begin(end)

    def refuse(self, mask):
        """End the function where a condition holds: it gives None."""
        text = self.text
        head, _ = self.labels()
        self.refusal = True
        text.emit(f"br i1 {mask.name}, label %refused, label %{head}")
        text.begin(head)
