"""The loop language: the builder against which loops over arrays of any shape are defined."""

from math import prod
from typing import NamedTuple

from ....core.types import Any
from . import statements as ir
from .operations import TESTS

ANY = -1  # in place of a number of axes: arrays of one shape, which have one axis in a definition
_KINDS = ("f64", "f32", "i64", "i32", "b8")  # the first one among its operands is what an operation is computed in


def _operator(name):
    """A method that adds the step of an operation."""
    return lambda self, other: self.body.run(name, self, other)


def _turned(name):
    """The same with the operands in the other order."""
    return lambda self, other: self.body.run(name, other, self)


class Scalar:
    """One number under work; arithmetic and comparisons add steps. Integers are floats beside floats."""

    __slots__ = ("body", "value")

    def __init__(self, body, value):
        self.body = body
        self.value = value

    @property
    def kind(self):
        return self.value.kind

    __add__, __sub__, __mul__, __truediv__ = map(_operator, ("add", "subtract", "multiply", "divide"))
    __radd__, __rsub__, __rmul__, __rtruediv__ = map(_turned, ("add", "subtract", "multiply", "divide"))
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("less", "less_equal", "greater", "greater_equal"))
    equals, differs, __and__, __or__ = map(_operator, ("equal", "not_equal", "bitwise_and", "bitwise_or"))
    __lshift__, __rshift__ = map(_operator, ("bits_up", "bits_down"))  # with zeros in front of what moves down

    def __neg__(self):
        return self.body.run("negative", self)

    def __bool__(self):
        raise TypeError("a number of a loop has no value while the loop is written; use `where` or `when`")


class Cell:
    """A number that changes: `get()`, `set(x)`, and `add(x)` or `multiply(x)`, which may go in any order."""

    __slots__ = ("body", "place")

    def __init__(self, body, kind):
        self.body = body
        self.place = ir.Place(ir.Memory(kind, 1, "cell"), ())

    def get(self):
        return self.body.load(self.place)

    def set(self, x):
        self.body.store(x, self.place)

    def add(self, x):
        self.change("add", "add_to", x)

    def multiply(self, x):
        self.change("multiply", "multiply_into", x)

    def change(self, exact, loose, x):
        kind = self.place.kind
        self.set(self.body.made(loose if kind[0] == "f" else exact, kind, kind, self.get(), x))


class Array:
    """An array in order in memory: `x[i, j]`, and `x[i, j] = value` of an output; places are not looked at."""

    __slots__ = ("body", "memory", "shape")

    def __init__(self, body, memory, shape):
        self.body = body
        self.memory = memory
        self.shape = tuple(shape)

    @property
    def kind(self):
        return self.memory.kind

    def at(self, *places):
        """The place of an element."""
        total: Any = None
        for place, n in zip(places, self.shape, strict=True):
            total = total * n + place if total is not None else place
        index = self.body.index(total)
        known = type(index) is int
        return ir.Place(self.memory, (), (), index if known else 0, () if known else ((index, 1),))

    def __getitem__(self, places):
        return self.body.load(self.at(*(places if type(places) is tuple else (places,))))

    def __setitem__(self, places, value):
        self.body.store(value, self.at(*(places if type(places) is tuple else (places,))))

    def shaped(self, *shape):
        """The same elements under other lengths, or under lengths that are known."""
        return Array(self.body, self.memory, shape)

    def fill(self, value):
        """Write one value everywhere."""
        count: Any = 1
        for n in self.shape:
            count = count * n
        flat = self.shaped(count)
        for k in self.body.range(count):
            flat[k] = value


class Tile:
    """Rows by columns of vectors, each a sum of products; they begin with what is in registers by chance.

    A vector has `body.width(kind)` elements that lie side by side in memory. More than `body.registers` of them at a
    time, those of the operands included, are slow.
    """

    __slots__ = ("body", "kind", "sums", "width")

    def __init__(self, body, kind, rows, columns):
        self.body, self.kind, self.width = body, kind, body.width(kind)
        self.sums = [[ir.Place(ir.Memory(kind, self.width, "cell"), (self.width,)) for _ in range(columns)]
                     for _ in range(rows)]

    def begin(self):
        """Set all sums to 0."""
        zeros = self.number(0)
        for row in self.sums:
            for place in row:
                self.body.put(zeros, place)

    def vector(self, array, *places):
        """The elements of an array from a place on, which need not be the first of a vector."""
        return self.body.loaded(array.at(*places), self.width)

    def number(self, x):
        """A number in all lanes."""
        return [self.body.scalar(x, self.kind).value] * self.width

    def add(self, left, right):
        """Add the products of the vectors of rows and of columns."""
        for x, row in zip(left, self.sums, strict=True):
            for y, place in zip(right, row, strict=True):
                total = self.body.loaded(place, self.width)
                self.body.put(self.body.steps("multiply_add", self.kind, x, y, total), place)

    def store(self, row, column, array, *places):
        """Write a sum to an array, from a place on."""
        self.body.put(self.body.loaded(self.sums[row][column], self.width), array.at(*places))

    def load(self, row, column, array, *places):
        """Read a sum from an array, from a place on."""
        self.body.put(self.vector(array, *places), self.sums[row][column])

    def total(self, row, column):
        """A sum over all lanes, which may be added in any order."""
        x = self.body.loaded(self.sums[row][column], self.width)
        while len(x) > 1:
            half = len(x) // 2
            x = self.body.steps("add", self.kind, x[:half], x[half:])
        return Scalar(self.body, x[0])


class New(NamedTuple):
    """A statement of what comes first: memory for an array, which the function gives or is rid of at its end."""

    memory: ir.Memory
    shape: list  # of Value and int
    given: bool


def _operation(name):
    """A method of `Body` that adds the step of an operation on what it is given."""
    return lambda self, *args: self.run(name, *args)


class Body:
    """Builds a function of loops.

    A definition is called once, with this and what the function is given; a Python loop over `range(n)` or `when(m)`
    runs once, and makes a loop or a branch of what stands in it. First come sizes, `require`d conditions and
    `output`s; the first loop ends that part.

    Args:
        vector: bytes of a register.
    """

    def __init__(self, vector):
        self.vector = vector
        self.registers = 32 if vector == 64 else 16
        self.first = []  # statements up to the first loop
        self.kernel = ir.Kernel([], [], [])
        self.elements: Any = None  # that are worked at, where these are not those of outputs and scratch memory
        self.statements = self.first

    def define(self, define, kinds):
        """Run a definition for arguments: `(kind, number of axes or ANY)` of arrays, the kinds of numbers."""
        given: list[Any] = []
        numbers = []
        for kind in kinds:
            rank = abs(kind[1]) if type(kind) is tuple else None  # of any number of axes: the elements are counted
            sizes = [ir.Value("i64") for _ in range(rank)] if rank is not None else [ir.Value(kind)]
            numbers.append(sizes)
            if rank is None:
                given.append(Scalar(self, sizes[0]))
                continue
            memory = ir.Memory(kind[0], None, "input", len(self.kernel.inputs))
            self.kernel.inputs.append(memory)
            given.append(Array(self, memory, [Scalar(self, n) for n in sizes]))
        define(self, *given)
        self.begin()
        self.kernel.outputs.append(ir.Memory("f64", 1, "output", len(self.kernel.outputs)))
        self.kernel.given = [v for sizes in numbers for v in sizes] + [
            v for s in self.first if type(s) in (ir.Step, ir.Load) for v in s.outs]
        return numbers

    # numbers

    def scalar(self, x, kind):
        """A number in a kind."""
        if type(x) is not Scalar:
            return Scalar(self, ir.Const(x, kind))
        return x if x.kind == kind else Scalar(self, self.steps("cast", kind, [x.value])[0])

    def index(self, x):
        """A place or a count: an int, or a `Value`."""
        found = self.scalar(x, "i64").value
        return found.value if type(found) is ir.Const else found

    def steps(self, name, kind, *args, out=None):
        """The values of an operation on values."""
        outs = [ir.Value(out or kind) for _ in args[0]]
        self.statements.append(ir.Step(name, kind, outs, args))
        return outs

    def made(self, name, kind, out, *args):
        """The result of an operation, whose operands are of one kind."""
        return Scalar(self, self.steps(name, kind, *[[self.scalar(x, kind).value] for x in args], out=out)[0])

    def run(self, name, *args):
        """An operation by the name of NumPy's."""
        kinds = [x.kind for x in args if type(x) is Scalar]
        kind = next((k for k in _KINDS if k in kinds), "i64")
        if kind[0] != "f" and any(type(x) is float for x in args):
            raise TypeError(f"{name} of an integer and a float says not which float is meant; use cast")
        return self.made(name, kind, "b8" if name in TESTS else kind, *args)

    def cast(self, x, kind):
        return self.scalar(x, kind)

    def where(self, mask, x, y):
        kind = x.kind if type(x) is Scalar else y.kind
        x, y = self.scalar(x, kind), self.scalar(y, kind)
        return Scalar(self, self.steps("where", kind, [mask.value], [x.value], [y.value])[0])

    minimum, maximum, floor, exp = map(_operation, ("minimum", "maximum", "floor", "exp"))
    fma = _operation("fma")  # of x, y and z: `x y + z`, rounded once

    def bits(self, x):
        """The bits of a float, as an integer."""
        return self.made("bits", x.kind, f"i{x.kind[1:]}", x)

    def from_bits(self, x):
        return Scalar(self, self.steps("from_bits", f"f{x.kind[1:]}", [x.value])[0])

    def is_place(self, x, n):
        """Tell whether an integer is one of 0, …, n - 1."""
        return self.made("is_place", "i64", "b8", x, n)

    # memory

    def loaded(self, place, count):
        """So many elements from a place on, as values."""
        found = [ir.Value(ir.held(place.kind)) for _ in range(count)]
        self.statements.append(ir.Load(found, place))
        return found

    def put(self, values, place):
        """Write values, from a place on."""
        self.statements.append(ir.Store(values, place))

    def load(self, place):
        return Scalar(self, self.loaded(place, 1)[0])

    def store(self, x, place):
        self.put([self.scalar(x, ir.held(place.kind)).value], place)

    def cell(self, value, kind):
        """A new `Cell`."""
        self.begin()
        found = Cell(self, kind)
        found.set(value)
        return found

    def width(self, kind):
        """The number of elements in a register."""
        return self.vector // ir.BYTES[kind]

    def tile(self, kind, rows, columns):
        """A new `Tile`."""
        self.begin()
        return Tile(self, kind, rows, columns)

    # what comes first

    def require(self, *masks):
        """Refuse to run where a condition does not hold."""
        if self.kernel.outputs:
            raise TypeError("conditions are looked at before outputs are made")
        self.statements += [ir.Require(mask.value) for mask in masks]

    def output(self, kind, shape, given=True):
        """A new array; the function gives those that are not `scratch`, in their order."""
        memory = ir.Memory(kind, None, "output", len(self.kernel.outputs))
        self.kernel.outputs.append(memory)
        found = Array(self, memory, [self.scalar(n, "i64") for n in shape])
        self.statements.append(New(memory, [self.index(n) for n in found.shape], given))
        return found

    def scratch(self, kind, shape):
        """Memory for the time of a call."""
        return self.output(kind, shape, False)

    def begin(self):
        """End the first part."""
        if self.statements is self.first:
            self.statements = self.kernel.statements

    # control

    def range(self, stop, start=0, step=1, vectors=False):
        """`for i in body.range(n)`: a loop over i = start, start + step, … below stop.

        Args:
            vectors: whether LLVM may take several at a time: where the elements that they touch lie side by side.
        """
        self.begin()
        counter, (stop, start, step) = ir.Value("i64"), [self.index(x) for x in (stop, start, step)]
        around, self.statements = self.statements, []
        yield Scalar(self, counter)
        around.append(ir.Loop(counter, stop, False, self.statements, start, step, vectors))
        self.statements = around

    def when(self, mask):
        """`for _ in body.when(mask)`: what runs where it holds."""
        self.begin()
        around, self.statements = self.statements, []
        yield
        around.append(ir.Branch(mask.value, self.statements, []))
        self.statements = around

    def refuse(self, mask):
        """End the function where a condition holds: it gives None."""
        self.statements.append(ir.Require(self.run("bitwise_invert", mask).value))


# Definitions among the statements of a program, for each of the rows or matrices that a variable holds.


class Part:
    """One row or matrix of a stack: `x[i, j]` and `x[i, j] = value`."""

    __slots__ = ("place", "shape", "stack")

    def __init__(self, stack, place):
        self.stack, self.place, self.shape = stack, place, stack.shape[1:]

    @property
    def kind(self):
        return self.stack.kind

    def __getitem__(self, places):
        return self.stack[self.place, *(places if type(places) is tuple else (places,))]

    def __setitem__(self, places, value):
        self.stack[self.place, *(places if type(places) is tuple else (places,))] = value


def within(writer):
    """A body that adds to the statements of a program."""
    body = Body(0)
    body.statements = writer.statements
    return body


class Stack:
    """Work on each of the rows (`rank` 1) or matrices (2) that a variable holds, in the loop language."""

    def __init__(self, writer, like, rank):
        self.writer = writer
        self.count = prod(like.aval.shape[: like.aval.ndim - rank])
        self.kind = ir.KINDS[like.aval.dtype]
        self.body = within(writer)

    def new(self, shape):
        """Memory for as many of a shape."""
        shape = self.count, *shape
        return Array(self.body, self.writer.new(shape, self.kind).memory, shape)

    def copy(self, v, shape, whole=None):
        """A copy of a variable, broadcast to a `whole` shape, as so many of a shape."""
        found = self.new(shape)
        self.writer.copy(v, ir.Place(found.memory, v.aval.shape if whole is None else whole))
        return found

    def each(self):
        """The place of one of them, in a loop if there are several."""
        return self.body.range(self.count) if self.count > 1 else (0,)

    def give(self, out, found):
        """Make memory a result."""
        place = self.writer.result(out)
        self.writer.copy(ir.Place(found.memory, out.aval.shape), place)
        self.writer.values[out] = place
